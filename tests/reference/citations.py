"""Makes normalised.jsonl and citations.jsonl: quotations checked by a second, plain implementation.

    python citations.py

`normalise` and `verify` say in Python what the core says in Rust. normalised.jsonl has random
strings with their normal form; citations.jsonl has the cases of citation_cases.py, then random
ones: spans cut out of multilingual text and altered, mostly in ways that must not matter.

Only code points that Python's Unicode version assigns are used. U+001C to U+001F are not:
str.split takes them for spaces, Unicode's White_Space does not.
"""

import json
import random
import re
import unicodedata
from pathlib import Path

from citation_cases import CASES

SHORTEST_QUOTE = 12

# Some of these never get here: NFKC comes first and has its own ideas (U+2033 is two U+2032).
FOLDS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u202f\u2007", " ")
)

ELISION = re.compile(r"\[ ?\.{3,} ?\]|\.{3,}")


def normalise(text):
    folded = unicodedata.normalize("NFKC", text).translate(FOLDS).casefold()
    return " ".join(folded.split())


def verify(quote, chunk):
    pieces = (piece.strip() for piece in ELISION.split(normalise(quote or "")))
    fragments = [piece for piece in pieces if piece]
    chunk = normalise(chunk or "")
    if not fragments:
        return "no_quote"
    if not chunk:
        return "no_chunk_text"
    if max(map(len, fragments)) < SHORTEST_QUOTE:
        return "too_short"
    end = 0
    for fragment in fragments:
        start = chunk.find(fragment, end)
        if start < 0:
            return "not_found"
        end = start + len(fragment)
    return "match"


def span(first, last):
    """The assigned characters of a range."""
    chars = map(chr, range(first, last + 1))
    return "".join(c for c in chars if unicodedata.category(c) not in ("Cn", "Cs"))


MARKS = "\u0323\u0301\u0308\u0307\u0345\u0338\u0327"
SPACES = " \t\n\r\v\f\u0085\u00a0\u1680\u2002\u2007\u2009\u202f\u2028\u2029\u205f\u3000"

ALPHABETS = [
    span(0x20, 0x7E),  # ASCII
    span(0xA0, 0xFF),  # Latin-1
    span(0x100, 0x24F),  # Latin extended: dotted and dotless i, digraphs
    span(0x1E00, 0x1EFF),  # Latin with two marks, capital sharp s
    "ßẞſŉǰ\u0130ıiI\u0307" + span(0xFB00, 0xFB06),  # folds to several letters; ligatures
    span(0x370, 0x3FF) + "σςΣ",  # Greek
    span(0x1F00, 0x1FFF),  # Greek with breathings and iota subscript
    span(0x400, 0x52F),  # Cyrillic
    span(0x531, 0x587),  # Armenian, with its ligature
    span(0x10A0, 0x10FF) + span(0x1C90, 0x1CBF),  # Georgian, Mtavruli
    span(0x13A0, 0x13FD) + span(0xAB70, 0xABBF),  # Cherokee, both cases
    span(0x10400, 0x1044F),  # Deseret: case beyond the BMP
    span(0x591, 0x5F4) + span(0xFB1D, 0xFB4F),  # Hebrew, presentation forms
    span(0x621, 0x655) + span(0xFDF0, 0xFDFC) + span(0xFE70, 0xFEFC),  # Arabic, the same
    span(0x900, 0x97F),  # Devanagari
    span(0xE01, 0xE5B) + span(0xEB0, 0xEDD),  # Thai and Lao: AM decomposes
    span(0x300, 0x36F) + "aeiouAEIOUdq",  # combining marks, in any order
    MARKS + "aeoαωsd=<",  # few of them, so that they meet
    span(0x1100, 0x1112) + span(0x1161, 0x1175) + span(0x11A8, 0x11C2),  # Hangul jamo
    span(0xAC00, 0xAC40) + span(0x11A8, 0x11AC),  # syllables that may still take a final
    span(0x3131, 0x318E) + span(0xFFA0, 0xFFDC),  # Hangul for compatibility
    span(0xFF66, 0xFF9F),  # halfwidth katakana
    "カハウ\u3099\u309a\uff9e\uff9f" + span(0x3041, 0x3060),  # kana and voiced marks
    span(0xFF01, 0xFF5E) + span(0xFFE0, 0xFFE6),  # fullwidth
    span(0x4E00, 0x4E40) + span(0xF900, 0xF940) + span(0x2F00, 0x2F40),  # CJK, its doubles
    span(0x2F800, 0x2F840),  # CJK compatibility beyond the BMP
    span(0x3300, 0x33FF),  # squared words and units
    span(0x2460, 0x24FF) + span(0x3200, 0x32FF),  # circled and bracketed
    span(0x2070, 0x209C) + "¹²³ªº",  # superscripts
    span(0x2150, 0x2188) + "½¼¾0123456789\u2044",  # fractions and Roman numerals
    span(0x2100, 0x214F),  # letterlike: Kelvin, Ohm, Angstrom
    span(0x1D400, 0x1D7FF),  # mathematical letters
    "👍👩👧💻🏳❤☺" + span(0x1F3FB, 0x1F3FF) + "\u200d\ufe0f\ufe0e" + span(0x1F1E6, 0x1F1EB),  # emoji
    span(0x2010, 0x2027) + span(0x2030, 0x205E) + "\u2212\ufe58\ufe63",  # punctuation
    "'\"-.[]\u2018\u2019\u201c\u201e\u2032\u2033\u2013\u2014\u2026\u2025\u2024",  # what is folded
    SPACES,
    "\u200b\u00ad\ufeff\u2060\u180e\u034f\u061c\u200e\u200f",  # invisible, and no spaces
]


def random_text(rng):
    """Short runs out of a few alphabets, with marks and spaces among them."""
    alphabets = [*rng.sample(ALPHABETS, rng.randint(2, 5)), MARKS, SPACES]
    text = ""
    for _ in range(rng.randint(2, 9)):
        text += "".join(rng.choices(rng.choice(alphabets), k=rng.randint(1, 5)))
    return text


SENTENCES = [
    "The committee \u201cwill not\u201d raise rates before June \u2014 that\u2019s the plan.",
    "Margins fell to \u22124.5 % in 2019\u20132020; the o\ufb03ce in Zürich was closed.",
    "Wait... nothing [sic] in the long-term contract covers it, does it?",
    "Die Größe der Straßen übersteigt die Maße; „Fußgänger“ müssen ausweichen.",
    "L\u2019année dernière, le café coûtait 2,50\u00a0€ \u2013 c\u2019était déjà trop cher\u202f!",
    "\u0130stanbul'da yağışlı bir gün: Iğdır ve Isparta ise güneşliydi.",
    "Ο Οδυσσεύς γύρισε στην Ιθάκη ύστερα από είκοσι χρόνια.",
    "Отчёт за третий квартал показывает рост выручки на 12 процентов.",
    "საქართველოს ბანკი აქვეყნებს წლიურ ანგარიშს.",
    "東京都の人口は、二〇二五年をピークに減少する見通しだ。",
    "ﾃﾞｰﾀﾍﾞｰｽ（ＤＢ）の容量は㌔単位で１２㎏と書かれている。",
    "研究表明，城市绿地能够显著降低夏季气温。",
    "한국은행은 기준금리를 동결하기로 결정했다.",
    "ارتفعت الإيرادات بنسبة اثني عشر في المئة خلال العام الماضي.",
    "ההכנסות עלו בשנים־עשר אחוזים במהלך השנה האחרונה.",
    "इस वर्ष राजस्व में बारह प्रतिशत की वृद्धि हुई है।",
    "Một góc nhìn tổng thể về thị trường Việt Nam năm nay.",
    "Let 𝐴 ⊂ ℝ² and ½ ≤ x² + y³; then point ③ of part Ⅳ follows.",
    "Everyone agreed 👍🏽: the 👩\u200d💻 team ships on Friday 🎉, rain or shine.",
]

SIGNS = [
    "…",
    "...",
    "....",
    " … ",
    " ... ",
    " […] ",
    " [...] ",
    " [ … ] ",
    "[...]",
    " [.... ] ",
    " [... ",
]

LOOKALIKES = [
    "'\u2018\u2019\u201a\u201b\u2032",
    '"\u201c\u201d\u201e\u201f',
    "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
]


def random_chunk(rng):
    sentences = rng.sample(SENTENCES, rng.randint(2, 4))
    chunk = "".join(sentence + rng.choice([" ", "\n", "\n\n", "\r\n"]) for sentence in sentences)
    return change_form(rng, chunk)


def change_form(rng, text):
    return unicodedata.normalize(rng.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)


def change_case(rng, text):
    return rng.choice([str.upper, str.lower, str.title, str.swapcase, str.casefold])(text)


def change_spaces(rng, text):
    return re.sub(" ", lambda _: "".join(rng.choices(SPACES, k=rng.randint(1, 2))), text)


def change_punctuation(rng, text):
    for alike in LOOKALIKES:
        text = re.sub(f"[{alike}]", lambda _, alike=alike: rng.choice(alike), text)
    return text


def elide_middle(rng, text):
    start, end = sorted(rng.choices(range(len(text) + 1), k=2))
    return text[:start] + rng.choice(SIGNS) + text[end:]


def exchange_halves(rng, text):
    middle = len(text) // 2
    return text[middle:] + rng.choice(SIGNS) + text[:middle]


def corrupt_letter(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("xzéßшの") + text[at + 1 :]


HARMLESS = [change_form, change_case, change_spaces, change_punctuation, elide_middle]
HARMFUL = [exchange_halves, corrupt_letter]


def random_citation(rng):
    chunk = random_chunk(rng)
    start = rng.randrange(len(chunk) - 10)
    quote = chunk[start : start + rng.randint(10, 90)]
    for alter in rng.sample(HARMLESS, rng.randint(0, 3)):
        quote = alter(rng, quote)
    if rng.random() < 0.25:
        quote = rng.choice(HARMFUL)(rng, quote)
    return quote, chunk


def normalised_lines():
    rng = random.Random(1)
    for _ in range(400):
        text = random_text(rng)
        yield {"text": text, "normalised": normalise(text)}


def citation_lines():
    written = [(reason, *case) for reason, cases in CASES.items() for case in cases]
    for reason, name, quote, chunk in written:
        assert verify(quote, chunk) == reason, name
        yield citation(name, quote, chunk, reason)
    rng = random.Random(2)
    for number in range(600 - len(written)):
        quote, chunk = random_citation(rng)
        yield citation(f"random-{number}", quote, chunk, verify(quote, chunk))


def citation(name, quote, chunk, reason):
    return {
        "name": name,
        "quote": quote,
        "chunk": chunk,
        "citation_verified": reason == "match",
        "citation_reason": reason,
    }


def write(name, lines):
    """Pure ASCII, so that no editor and no checkout changes a character that cannot be seen."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path(__file__).with_name(name).write_text(text, encoding="ascii", newline="\n")


def main():
    write("normalised.jsonl", normalised_lines())
    write("citations.jsonl", citation_lines())


if __name__ == "__main__":
    main()
