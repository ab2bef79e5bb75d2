//! The form in which names are compared: canonical composition, then full case folding.
//!
//! File systems differ in case and in composition (macOS hands out decomposed names), and people
//! do not see either; two names that look the same are the same.

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use unicode_normalization::UnicodeNormalization;

const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();

/// The key under which a name is looked up.
///
/// Most of any text is ASCII, of which nothing composes with what stands before it. So only runs of
/// other characters are looked up in the tables, each with the letter that it may put a mark on.
pub(crate) fn key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let (plain, run) = rest.split_at(first.saturating_sub(1));
        let marked = usize::from(first > 0);
        let end = run[marked..].bytes().position(|byte| byte.is_ascii());
        let (run, after) = run.split_at(end.map_or(run.len(), |end| marked + end));
        push_lowercase(&mut key, plain);
        let composed: String = run.nfc().collect();
        key.extend(CASE.fold_string(&composed).nfc());
        rest = after;
    }
    push_lowercase(&mut key, rest);
    key
}

fn push_lowercase(key: &mut String, ascii: &str) {
    let from = key.len();
    key.push_str(ascii);
    key[from..].make_ascii_lowercase();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_the_same_have_one_key() {
        let check = |a: &str, b: &str| assert_eq!(key(a), key(b), "{a:?} {b:?}");
        check("Straße", "STRASSE");
        check("Cafe\u{301}", "CAFÉ");
        check("Note", "nOTE");
    }

    #[test]
    fn a_key_does_not_depend_on_how_much_of_a_name_is_ascii() {
        let whole = |name: &str| -> String {
            let composed: String = name.nfc().collect();
            CASE.fold_string(&composed).nfc().collect()
        };
        let parts = [
            "",
            "A",
            "bC ",
            "e\u{301}",
            "E\u{301}\u{323}",
            "É",
            "ß",
            "ﬁ",
            "\u{212a}",
            "ΣΑΣ",
            "İ",
            "\u{301}",
            "각",
            "\u{1112}\u{1161}\u{11ab}",
            "\u{345}",
            "ᾳ",
            "🙂",
            "“x”",
            "ſt",
        ];
        for a in parts {
            for b in parts {
                for c in parts {
                    let name = format!("{a}{b}{c}");
                    assert_eq!(key(&name), whole(&name), "{name:?}");
                }
            }
        }
    }
}
