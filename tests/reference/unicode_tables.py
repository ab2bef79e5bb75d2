"""Makes casefold.txt, nfkc.txt and assigned.txt: what Python does to each single code point.

    python unicode_tables.py

A line of the first two is `XXXX;YYYY ZZZZ` in hexadecimal: the code point, then what it becomes.
Code points that stay as they are have no line. assigned.txt has the ranges `XXXX..YYYY` that
were asked: all but the unassigned (Cn) and the surrogates (Cs). Within them a newer version of
Unicode must change the same code points in the same way; outside it may do as it likes.
"""

import sys
import unicodedata
from pathlib import Path

ASSIGNED = [
    code
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) not in ("Cn", "Cs")
]


def changes(change):
    for code in ASSIGNED:
        changed = change(chr(code))
        if changed != chr(code):
            yield f"{code:04X};" + " ".join(f"{ord(char):04X}" for char in changed)


def assigned_ranges():
    first = last = ASSIGNED[0]
    for code in ASSIGNED[1:]:
        if code != last + 1:
            yield f"{first:04X}..{last:04X}"
            first = code
        last = code
    yield f"{first:04X}..{last:04X}"


def write(name, what, lines):
    text = "\n".join([f"# {what}, Unicode {unicodedata.unidata_version}", *lines, ""])
    Path(__file__).with_name(name).write_text(text, encoding="ascii", newline="\n")


def main():
    write("casefold.txt", "str.casefold", changes(str.casefold))
    write("nfkc.txt", "NFKC", changes(lambda char: unicodedata.normalize("NFKC", char)))
    write("assigned.txt", "Assigned code points", assigned_ranges())


if __name__ == "__main__":
    main()
