//! From links as they are written to edges between notes.
//!
//! Links are resolved against the whole vault, as their author sees it: a name that two domains
//! share is as ambiguous to one of them as it is to both. Of what they resolve to, the edges inside
//! the domain are stored. Of the notes of other domains only the paths are known here, since their
//! aliases stand inside files that this domain does not read.
//!
//! A note that comes or goes in another domain can make a link of this one ambiguous, or free it. So
//! the hash of all paths that the edges were made with is kept, and another one makes them anew.

use std::collections::BTreeSet;

use concord_text::{EdgeKind, NoteNames, Resolution, VaultIndex};

use crate::cache::Cache;
use crate::error::Error;
use crate::sync::walk::Inventory;

/// Where the hash stands in `meta`.
const MADE_WITH: &str = "edges_made_with";

impl Cache {
    /// Resolves all links anew and writes the edges, if they may have changed.
    pub(super) fn settle_edges(&mut self, vault: &Inventory) -> Result<(), Error> {
        let digest = vault.digest();
        if !self.edges_are_stale()? && self.noted(MADE_WITH)?.as_deref() == Some(&digest) {
            return Ok(());
        }
        let own = self.notes()?;
        let own_paths: BTreeSet<&str> = own.iter().map(|note| note.path.as_str()).collect();
        let others = vault
            .paths()
            .filter(|path| !own_paths.contains(path))
            .map(|path| NoteNames {
                path: path.to_owned(),
                ..NoteNames::default()
            });
        let names = own.iter().map(|note| NoteNames {
            path: note.path.clone(),
            aliases: note.aliases.clone(),
            permalink: note.permalink.clone(),
        });
        let index = VaultIndex::new(names.chain(others));

        let mut edges: BTreeSet<(String, String, EdgeKind)> = BTreeSet::new();
        let mut unresolved = 0;
        for (source, link) in self.links()? {
            match index.resolve(&source, &link.target, link.syntax) {
                Resolution::Found(target) if own_paths.contains(target.as_str()) => {
                    edges.insert((source, target, link.kind));
                }
                Resolution::Found(_) => {}
                Resolution::Ambiguous(_) | Resolution::Missing => unresolved += 1,
            }
        }
        self.put_edges(&edges.into_iter().collect::<Vec<_>>(), unresolved)?;
        // Killed before this, the next run only does it again.
        self.note_down(MADE_WITH, &digest)
    }
}
