"""Makes encoder.json: what other implementations make of the same weights.

    pip install -r encoder-requirements.txt
    python encoder.py MODELS

MODELS is a folder with `bge-small-en-v1.5` and `potion-base-8M`, each as on the hub. A vector is
base64 of little-endian float32.

- `texts`: 50 texts, long, empty, non-English and emoji among them.
- `bge_small`: of each, the token ids (special tokens included, cut at 512) and the vector:
  transformers' BertModel on torch in float32, the first token's last hidden state, L2-normalised.
  No prefix.
- `potion`: of each, the vector by the model2vec package, its defaults untouched.
- `large`: BERT of the large shape (24 layers, 1024-d, 16 heads, 4096) with a vocabulary of 100,
  96 positions and weights that both sides make for themselves. Element i of the tensor called
  name is, with wrapping 64-bit arithmetic,

      seed = FNV-1a, 64 bits, of the name's bytes
      x    = (seed + i) * 0x9E3779B97F4A7C15
      x    = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93
      u    = (x ^ (x >> 32)) >> 40                      24 bits
      w    = float32((u / 2^23 - 1) * 0.02 * sqrt(3))   standard deviation 0.02

  plus 1 where the name ends in `LayerNorm.weight`. Its inputs are given as ids, and the vector is
  made as for bge_small.
"""

import base64
import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
from model2vec import StaticModel
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

PARAGRAPH = (
    "The reserve bank left its policy rate unchanged at the September meeting, citing slower wage "
    "growth, a cooling housing market and the lagged effect of earlier increases. Two members "
    "dissented. The statement drops the sentence on further tightening and adds one on balance. "
)

TEXTS = [
    "",
    " ",
    "\n\t\r\n",
    "a",
    "?",
    "Hello, world!",
    "What moves the price of copper?",
    "Represent this sentence for searching relevant passages: how do vaccines work",
    "The quick brown fox jumps over the lazy dog.",
    "BM25 ranks documents by term frequency, inverse document frequency and length.",
    "AAPL reported diluted EPS of $1.46 for Q4 2023, up 13 % year over year.",
    "fn main() { println!(\"{:?}\", vec![1, 2, 3].iter().map(|x| x * x).collect::<Vec<_>>()); }",
    "SELECT id, title FROM note WHERE modified_at > '2024-01-01' ORDER BY title;",
    "https://example.org/a/very/long/path?with=query&and=more#fragment",
    "## Heading\n\n- [ ] a task with [[wikilink|alias]] and `code`\n- **bold** and _italic_",
    "_rrf_fuse(k=60) C++ C# F# .NET node.js 3.14159 1,000,000 1e-9",
    "Protein kinase inhibitors reduce tumour growth in mice by blocking the MAPK pathway.",
    "Boundary layer transition on a flat plate at hypersonic speed.",
    "naïve café résumé Ångström façade jalapeño",
    "Die Zinsentscheidung der Europäischen Zentralbank überraschte die Märkte nicht.",
    "§ 3 Absatz 2 Satz 1 des Gesetzes über die Straße",
    "La banque centrale a maintenu son taux directeur inchangé.",
    "El banco central mantuvo su tasa de interés sin cambios este mes.",
    "Центральный банк сохранил ключевую ставку без изменений.",
    "中央银行维持利率不变。",
    "日本銀行は政策金利を据え置いた。カタカナとひらがな",
    "한국은행은 기준금리를 동결했다",
    "أبقى البنك المركزي سعر الفائدة دون تغيير",
    "הבנק המרכזי השאיר את הריבית ללא שינוי",
    "ธนาคารกลางคงอัตราดอกเบี้ยไว้",
    "केंद्रीय बैंक ने ब्याज दर को अपरिवर्तित रखा",
    "Η κεντρική τράπεζα διατήρησε αμετάβλητο το επιτόκιο",
    "😀",
    "Great quarter 🚀🚀🚀 to the moon 🌕 👩‍👩‍👧‍👦 🇩🇪",
    "“Curly quotes” — em dashes – en dashes … ellipses • bullets ™ © ½ ² ﬁ ligature",
    "zero\u200bwidth\u200djoiners\ufeff and soft\u00adhyphens, no\u00a0break",
    "control \u0001\u0007 characters \u0000 inside \ufffd replaced",
    "combining e\u0301 a\u0308 n\u0303 and Zalgo h\u0335\u0321\u0322e\u0336\u0323",
    "[CLS] [SEP] [MASK] [UNK] [PAD] written by the author",
    "x" * 99,
    "x" * 101,
    "word " * 300,
    "supercalifragilisticexpialidocious antidisestablishmentarianism pneumonoultramicroscopic",
    PARAGRAPH,
    PARAGRAPH * 3,
    PARAGRAPH * 9,
    PARAGRAPH * 12,
    PARAGRAPH * 40,
    "0123456789 " * 200,
    "長い文章です。" * 120,
]

LARGE_IDS = [[2, 3], [7 * i % 100 for i in range(17)], [(i * i + 5) % 100 for i in range(96)]]


def packed(vector):
    """A vector as base64 of little-endian float32."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()


def first_token(model, ids):
    """The first token's last hidden state, L2-normalised."""
    with torch.no_grad():
        hidden = model(torch.tensor([ids])).last_hidden_state[0, 0]
    return torch.nn.functional.normalize(hidden, dim=0).numpy()


def bge_small(folder):
    """Ids and vector of each text."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    model = BertModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    model.eval()
    rows = []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        rows.append({"ids": ids, "vector": packed(first_token(model, ids))})
    return rows


def seeded(name, shape):
    """A tensor of the large shape, as the docstring says."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    with np.errstate(over="ignore"):
        x = (np.uint64(seed) + np.arange(math.prod(shape), dtype=np.uint64))
        x = x * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        u = (x ^ (x >> np.uint64(32))) >> np.uint64(40)
    w = ((u.astype(np.float64) / 2**23 - 1) * 0.02 * math.sqrt(3)).astype(np.float32)
    if name.endswith("LayerNorm.weight"):
        w += np.float32(1)
    return torch.from_numpy(w.reshape(shape))


def large():
    """The large shape with weights made from their names."""
    config = BertConfig(
        vocab_size=100,
        max_position_embeddings=96,
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        attn_implementation="eager",
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(seeded(name, tuple(parameter.shape)))
    return [{"ids": ids, "vector": packed(first_token(model, ids))} for ids in LARGE_IDS]


def main():
    """Writes encoder.json beside this script."""
    assert len(TEXTS) == 50
    models = Path(sys.argv[1])
    torch.manual_seed(0)
    potion = StaticModel.from_pretrained(models / "potion-base-8M")
    figures = {
        "texts": TEXTS,
        "bge_small": bge_small(models / "bge-small-en-v1.5"),
        "potion": [packed(vector) for vector in potion.encode(TEXTS)],
        "large": large(),
    }
    out = Path(__file__).with_name("encoder.json")
    out.write_text(json.dumps(figures, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
