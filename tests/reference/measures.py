"""Writes measures.jsonl: ranked lists with judgments, and what trec_eval says of them.

The lists are drawn with a fixed seed: short and long, with judged notes among them or not, with
grades up to 4 and with notes that were judged to be of no use (0).
"""

import json
import random
from pathlib import Path

import pytrec_eval

NAMES = {
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "MRR": "recip_rank",
    "Hit@1": "success_1",
    "Hit@5": "success_5",
    "Recall@10": "recall_10",
    "Recall@100": "recall_100",
}


def cases(chance):
    for _ in range(120):
        notes = [f"n{i}" for i in range(chance.choice([3, 12, 40, 150]))]
        chance.shuffle(notes)
        judged = chance.sample(notes, chance.randint(1, min(len(notes), 25)))
        grades = {note: chance.choice([0, 1, 1, 2, 3, 4]) for note in judged}
        # Something judged that no list holds, and at least one note that is relevant.
        grades["elsewhere"] = chance.choice([1, 2])
        yield notes[: chance.randint(1, len(notes))], grades


def main():
    out = []
    for notes, grades in cases(random.Random(7)):
        # trec_eval orders by score, so the list's order becomes one without ties.
        run = {"q": {note: float(len(notes) - rank) for rank, note in enumerate(notes)}}
        found = pytrec_eval.RelevanceEvaluator(
            {"q": grades}, {"ndcg_cut.5,10", "recip_rank", "success.1,5", "recall.10,100"}
        ).evaluate(run)["q"]
        figures = {ours: found[theirs] for ours, theirs in NAMES.items()}
        out.append(json.dumps({"list": notes, "grades": grades, "figures": figures}))
    Path(__file__).with_name("measures.jsonl").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
