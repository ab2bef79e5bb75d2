//! Quotations.
//!
//! In a chunk, `⟦` and `⟧` stand around what must be found; they are taken out before it is asked
//! about. Spans are in units of UTF-16, as a browser gets them.

use serde_json::json;

use super::{Draft, bare};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = reasons();
    cases.extend(elisions());
    cases.extend(forms());
    cases.extend(spans());
    cases
}

/// A chunk without its marks, and where they stood.
fn unmarked(marked: &str) -> (String, Vec<(usize, usize)>) {
    let mut text = String::new();
    let mut spans = Vec::new();
    let (mut units, mut start) = (0, 0);
    for character in marked.chars() {
        match character {
            '⟦' => start = units,
            '⟧' => spans.push((start, units)),
            other => {
                text.push(other);
                units += other.len_utf16();
            }
        }
    }
    (text, spans)
}

/// The quotation at a place must have this outcome.
fn verdict(case: Draft, place: usize, reason: &str, spans: &[(usize, usize)]) -> Draft {
    let check = json!({
        "citation_verified": reason == "match", "citation_reason": reason, "spans": spans,
    });
    case.fact(&format!("/citations/{place}"), check)
}

fn check(name: &str, quote: Option<&str>, chunk: Option<&str>, reason: &str) -> Draft {
    let case = bare(name).quotation(quote, chunk);
    verdict(case, 0, reason, &[])
}

/// Found where the marks are.
fn found(name: &str, quote: &str, marked: &str) -> Draft {
    let (chunk, spans) = unmarked(marked);
    let case = bare(name).quotation(Some(quote), Some(&chunk));
    verdict(case, 0, "match", &spans)
}

fn missed(name: &str, quote: &str, chunk: &str) -> Draft {
    check(name, Some(quote), Some(chunk), "not_found")
}

fn reasons() -> Vec<Draft> {
    let chunk = "Revenue grew by a tenth in the third quarter.";
    let (text, spans) = unmarked("Revenue ⟦grew by a tenth⟧ in the third quarter.");
    let four = bare("cite: every quotation is judged for itself")
        .quotation(Some("grew by a tenth"), Some(&text))
        .quotation(Some("shrank by a tenth"), Some(&text))
        .quotation(None, Some(&text))
        .quotation(Some("grew by a tenth"), None);
    let four = verdict(four, 0, "match", &spans);
    let four = verdict(four, 1, "not_found", &[]);
    let four = verdict(four, 2, "no_quote", &[]);
    vec![
        verdict(four, 3, "no_chunk_text", &[]),
        bare("cite: nothing to verify is nothing found")
            .quotation(None, None)
            .fact("/citations/0/citation_reason", "no_quote"),
        found(
            "cite: a quotation is found where it stands",
            "by a tenth in the",
            "Revenue grew ⟦by a tenth in the⟧ third quarter.",
        ),
        found(
            "cite: the whole chunk can be quoted",
            chunk,
            "⟦Revenue grew by a tenth in the third quarter.⟧",
        ),
        found(
            "cite: of two places the first counts",
            "grew by a tenth",
            "It ⟦grew by a tenth⟧, and grew by a tenth again.",
        ),
        found(
            "cite: a quotation may begin and end inside words",
            "venue grew by a te",
            "Re⟦venue grew by a te⟧nth.",
        ),
        missed(
            "cite: one changed word is not found",
            "grew by a fifth in",
            chunk,
        ),
        missed(
            "cite: more than the chunk holds is not found",
            "in the third quarter. And then",
            chunk,
        ),
        missed(
            "cite: a missing comma is a difference",
            "grew by a tenth, in the",
            chunk,
        ),
        check(
            "cite: an empty quotation is none",
            Some(""),
            Some(chunk),
            "no_quote",
        ),
        check(
            "cite: blanks are no quotation",
            Some(" \u{a0}\n"),
            Some(chunk),
            "no_quote",
        ),
        check(
            "cite: an elision alone is no quotation",
            Some("[…] ..."),
            Some(chunk),
            "no_quote",
        ),
        check(
            "cite: without a chunk there is no text",
            Some("grew by a tenth"),
            None,
            "no_chunk_text",
        ),
        check(
            "cite: an empty chunk is no text",
            Some("grew by a tenth"),
            Some(""),
            "no_chunk_text",
        ),
        check(
            "cite: blanks are no text",
            Some("grew by a tenth"),
            Some("\u{3000}\t "),
            "no_chunk_text",
        ),
        check(
            "cite: eleven characters are too short, though they are there",
            Some("abcdefghijk"),
            Some("abcdefghijkl"),
            "too_short",
        ),
        check(
            "cite: eleven characters are too short, though they are not there",
            Some("abcdefghijk"),
            Some("something else altogether"),
            "too_short",
        ),
        found(
            "cite: twelve characters are enough",
            "abcdefghijkl",
            "⟦abcdefghijkl⟧",
        ),
        check(
            "cite: blanks around and between do not make it longer",
            Some("  abcde   fghij  "),
            Some("abcde fghij and more"),
            "too_short",
        ),
        check(
            "cite: characters count, not bytes",
            Some("ääääääääääé"),
            Some("ääääääääääé and more"),
            "too_short",
        ),
        found(
            "cite: characters count as they are once normalised",
            "oﬃce ﬂuﬀs",
            "the ⟦office fluffs⟧ up",
        ),
    ]
}

fn elisions() -> Vec<Draft> {
    let found_twice = |name: &str, quote: &str| {
        found(
            name,
            quote,
            "⟦Revenue grew by a tenth⟧ in the year, ⟦and costs fell⟧ by half.",
        )
    };
    vec![
        found_twice("elision: …", "Revenue grew by a tenth … and costs fell"),
        found_twice(
            "elision: three dots",
            "Revenue grew by a tenth ... and costs fell",
        ),
        found_twice("elision: […]", "Revenue grew by a tenth […] and costs fell"),
        found_twice(
            "elision: three dots in brackets",
            "Revenue grew by a tenth [...] and costs fell",
        ),
        found_twice(
            "elision: blanks inside the brackets",
            "Revenue grew by a tenth [ … ] and costs fell",
        ),
        found_twice(
            "elision: four dots are one",
            "Revenue grew by a tenth.... and costs fell",
        ),
        found_twice(
            "elision: no blanks around it",
            "Revenue grew by a tenth…and costs fell",
        ),
        found_twice(
            "elision: at both ends it means nothing",
            "… Revenue grew by a tenth […] and costs fell ...",
        ),
        found_twice(
            "elision: two in a row are one",
            "Revenue grew by a tenth … […] and costs fell",
        ),
        found(
            "elision: three fragments have three spans",
            "One thing leads … to another … and so on",
            "⟦One thing leads⟧, often, ⟦to another⟧, surely, ⟦and so on⟧.",
        ),
        found(
            "elision: a short fragment beside a long one is enough",
            "By the … third quarter of 2026",
            "⟦By the⟧ close of the ⟦third quarter of 2026⟧",
        ),
        found(
            "elision: fragments may touch",
            "the first half … and the second",
            "⟦the first half⟧ ⟦and the second⟧",
        ),
        found(
            "elision: each fragment is taken as early as possible",
            "again and again … and again",
            "⟦again and again⟧ ⟦and again⟧ and again",
        ),
        found(
            "elision: one that the chunk has too is still one",
            "wait… what happened then",
            "⟦wait⟧… ⟦what happened then⟧",
        ),
        missed(
            "elision: fragments out of order are not found",
            "and costs fell … Revenue grew",
            "Revenue grew by a tenth, and costs fell.",
        ),
        missed(
            "elision: fragments may not overlap",
            "the third quarter … quarter of 2026",
            "in the third quarter of 2026",
        ),
        missed(
            "elision: every fragment must be there",
            "Revenue grew by a tenth … up",
            "Revenue grew by a tenth.",
        ),
        missed(
            "elision: what the quotation passes over without a sign is not found",
            "Revenue grew in the year",
            "Revenue grew by a tenth in the year.",
        ),
        missed(
            "elision: the chunk's own is not passed over",
            "wait what happened then",
            "wait… what happened then",
        ),
        check(
            "elision: the longest fragment must be long enough",
            Some("grew by … a tenth … in the"),
            Some("grew by a tenth in the year"),
            "too_short",
        ),
    ]
}

/// What normalisation makes equal, and what it does not.
fn forms() -> Vec<Draft> {
    vec![
        found(
            "form: curly quotes are straight ones",
            "\"it's fine,\" they said",
            "⟦“it’s fine,” they said⟧ then",
        ),
        found(
            "form: low and reversed quotes too",
            "'one' and \"two\" quotes",
            "⟦‚one‛ and „two‟ quotes⟧",
        ),
        found(
            "form: dashes and minus are hyphens",
            "a - b - c - d - e - f",
            "⟦a – b — c − d ‐ e ‒ f⟧",
        ),
        found(
            "form: non-breaking spaces are spaces",
            "12 345 678 euros",
            "⟦12\u{a0}345\u{202f}678 euros⟧ net",
        ),
        found(
            "form: ß is ss, whatever the case",
            "IN DER HAUPTSTRASSE",
            "Sie wohnt ⟦in der Hauptstraße⟧.",
        ),
        found(
            "form: ẞ is ss",
            "in der hauptstrasse",
            "⟦IN DER HAUPTSTRAẞE⟧",
        ),
        found(
            "form: İ is i with a dot above",
            "i\u{307}stanbul at night",
            "⟦İstanbul at night⟧",
        ),
        missed(
            "form: İ is not i",
            "in istanbul at night",
            "in İstanbul at night",
        ),
        found(
            "form: a final sigma is a sigma",
            "Ο ΣΟΦΟΣ ΔΑΣΚΑΛΟΣ",
            "⟦ο σοφος δασκαλος⟧ ειπε",
        ),
        found(
            "form: ligatures are their letters",
            "the final office",
            "⟦the ﬁnal oﬃce⟧ hours",
        ),
        found(
            "form: full-width letters are letters",
            "abc corporation 2026",
            "⟦ＡＢＣ　Corporation ２０２６⟧",
        ),
        found(
            "form: a precomposed letter is its parts",
            "the café is open",
            "⟦the cafe\u{301} is open⟧ now",
        ),
        found(
            "form: parts are a precomposed letter",
            "the cafe\u{301} is open",
            "⟦the café is open⟧ now",
        ),
        found(
            "form: marks in another order are the same",
            "so a\u{301}\u{323} it goes on",
            "⟦so a\u{323}\u{301} it goes on⟧",
        ),
        missed(
            "form: a letter is not the letter with an accent",
            "the cafe is open",
            "the cafe\u{301} is open",
        ),
        found(
            "form: Hangul in parts is Hangul in syllables",
            "the word 한국어 in full",
            "⟦the word \u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165} in full⟧",
        ),
        found(
            "form: superscripts are digits",
            "e = mc2, he wrote",
            "⟦E = mc², he wrote⟧",
        ),
        found(
            "form: styled letters are letters",
            "the bold claim",
            "so ⟦𝐓𝐡𝐞 𝒃𝒐𝒍𝒅 claim⟧ goes",
        ),
        found(
            "form: runs of white space are one space",
            "one two three four",
            "⟦one  two\n\t three\u{2028}four⟧",
        ),
        found(
            "form: white space where the quotation has a line break",
            "one two\r\nthree four",
            "⟦one two three four⟧",
        ),
        missed(
            "form: white space is not nothing",
            "one twothree four",
            "one two three four",
        ),
        missed(
            "form: a zero-width space is not white space",
            "one two three four",
            "one two\u{200b}three four",
        ),
        missed(
            "form: letters of other scripts that look alike are not alike",
            "a paper on cats",
            "а paper on cats",
        ),
    ]
}

fn spans() -> Vec<Draft> {
    let at = |name: &str, quote: &str, chunk: &str, spans: &[(usize, usize)]| {
        let case = bare(name).quotation(Some(quote), Some(chunk));
        verdict(case, 0, "match", spans)
    };
    vec![
        at(
            "spans: an emoji before the match counts two",
            "the quick brown fox",
            "😀😀 the quick brown fox",
            &[(5, 24)],
        ),
        at(
            "spans: an emoji in the match counts two",
            "quick 🦊 brown fox",
            "the quick 🦊 brown fox",
            &[(4, 22)],
        ),
        at(
            "spans: umlauts before the match count one",
            "the quick brown fox",
            "äöü the quick brown fox",
            &[(4, 23)],
        ),
        at(
            "spans: after an emoji between fragments they still fit",
            "one two three … four five six",
            "é one two three 😀 four five six",
            &[(2, 15), (19, 32)],
        ),
        at(
            "spans: a match that begins inside a ligature covers it",
            "inal decisions",
            "the ﬁnal decisions",
            &[(4, 18)],
        ),
        at(
            "spans: a match that ends inside a ligature covers it",
            "long enough of",
            "a long enough oﬃce",
            &[(2, 16)],
        ),
        at(
            "spans: two fragments from one ligature both cover it",
            "long enough of … fice hours",
            "long enough oﬃce hours",
            &[(0, 14), (13, 22)],
        ),
        at(
            "spans: a match that ends inside ß covers it",
            "in der hauptstras",
            "in der Hauptstraße",
            &[(0, 17)],
        ),
        at(
            "spans: an accent written apart belongs to its letter",
            "the finest café",
            "the finest cafe\u{301}!",
            &[(0, 16)],
        ),
        at(
            "spans: a run of white space in the match is covered whole",
            "one two three",
            "x one \n two  three y",
            &[(2, 18)],
        ),
        at(
            "spans: white space around the match is not",
            "one two three",
            "  one two three  ",
            &[(2, 15)],
        ),
    ]
}
