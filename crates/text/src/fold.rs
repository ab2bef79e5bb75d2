//! The form in which names are compared: canonical composition, then full case folding.
//!
//! File systems differ in case and in composition (macOS hands out decomposed names), and people
//! do not see either; two names that look the same are the same.

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use unicode_normalization::UnicodeNormalization;

const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();

/// The key under which a name is looked up.
pub(crate) fn key(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let composed: String = name.nfc().collect();
    CASE.fold_string(&composed).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn names_that_look_the_same_have_one_key() {
        let check = |a: &str, b: &str| assert_eq!(key(a), key(b), "{a:?} {b:?}");
        check("Straße", "STRASSE");
        check("Cafe\u{301}", "CAFÉ");
        check("Note", "nOTE");
    }
}
