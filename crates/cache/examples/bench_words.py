"""Times searches by words with tantivy and bm25s; run by `cargo xtask bench lexical`.

    pip install numpy==2.4.6 bm25s==0.3.16 PyStemmer==3.1.0 tantivy==0.27.0
    python bench_words.py FILE

FILE has a passage a line. In: `ready`, or a question. Out, a line each: milliseconds of making both
indexes; or of the 30 best passages by tantivy and by bm25s, one query on one thread, from the
question's text on. Both stem English words, as our index does.
"""

import re
import sys
import time
from pathlib import Path

import bm25s
import Stemmer
import tantivy

K = 30


def timed(task):
    """Milliseconds of a task."""
    start = time.perf_counter()
    task()
    return (time.perf_counter() - start) * 1e3


def by_tantivy(passages):
    """A search in memory, ended segments merged into one."""
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="en_stem").build()
    index = tantivy.Index(schema)
    writer = index.writer(200_000_000, 1)
    for passage in passages:
        writer.add_document(tantivy.Document(text=passage))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question):
        words = " ".join(re.findall(r"\w+", question))
        return searcher.search(index.parse_query(words, ["text"]), K)

    return search


def by_bm25s(passages):
    """Scores of every passage, then the best."""
    stemmer = Stemmer.Stemmer("english")
    tokens = bm25s.tokenize(passages, stopwords="en", stemmer=stemmer, show_progress=False)
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)

    def search(question):
        asked = bm25s.tokenize(question, stopwords="en", stemmer=stemmer, show_progress=False)
        return index.retrieve(asked, k=K, show_progress=False, n_threads=0)

    return search


def main():
    """Answers every line."""
    passages = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    start = time.perf_counter()
    searches = [by_tantivy(passages), by_bm25s(passages)]
    made = (time.perf_counter() - start) * 1e3
    for line in sys.stdin:
        question = line.strip()
        if question == "ready":
            print(f"{made:.3f}", flush=True)
            continue
        times = [timed(lambda search=search: search(question)) for search in searches]
        print(*(f"{time:.4f}" for time in times), flush=True)


if __name__ == "__main__":
    main()
