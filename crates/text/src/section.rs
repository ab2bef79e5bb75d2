//! What the label of a heading says about the links below it.

use crate::fold::key;

/// What links under a heading are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// References, Sources, Bibliography: what the note rests on.
    References,
    /// Related, See also, Links: what else there is.
    Related,
    /// The heading says nothing about its links.
    Plain,
}

impl Role {
    /// Judges a label, in English or German, whatever its case, numbering and decoration.
    pub(crate) fn of(label: &str) -> Self {
        match bare(label).as_str() {
            "references"
            | "reference"
            | "sources"
            | "bibliography"
            | "quellen"
            | "quellenverzeichnis"
            | "literatur"
            | "literaturverzeichnis"
            | "referenzen" => Self::References,
            "related" | "related notes" | "related pages" | "see also" | "links" | "siehe auch"
            | "verwandt" | "verwandtes" | "verwandte notizen" => Self::Related,
            _ => Self::Plain,
        }
    }
}

/// Whether the `obsidian` chunker skips the section: Related, See also, Links, References.
pub(crate) fn skipped_by_obsidian(label: &str) -> bool {
    let label = bare(label);
    ["related", "see also", "links", "references"].contains(&label.as_str())
}

fn bare(label: &str) -> String {
    let letters = label.trim_matches(|c: char| !c.is_alphabetic());
    key(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_say_what_their_links_are() {
        let check = |label: &str, expected| assert_eq!(Role::of(label), expected, "{label:?}");
        check("References", Role::References);
        check("5. SOURCES:", Role::References);
        check("Quellen", Role::References);
        check("📎 Related notes", Role::Related);
        check("See Also", Role::Related);
        check("Links to the past", Role::Plain);
        check("", Role::Plain);
    }
}
