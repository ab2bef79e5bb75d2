//! From links as they are written to edges between notes.
//!
//! Links are resolved against the whole vault, as their author sees it: a name that two domains
//! share is as ambiguous to one of them as it is to both. Of what they resolve to, the edges inside
//! the domain are stored. Of the notes of other domains only the paths are known here, since their
//! aliases stand inside files that this domain does not read.

use std::collections::BTreeSet;

use concord_text::{EdgeKind, NoteNames, Resolution, VaultIndex};

use crate::cache::Cache;
use crate::error::Error;
use crate::sync::Sync;
use crate::sync::walk::{self, Territory};

impl Cache {
    /// Resolves all links anew and writes the edges.
    pub(super) fn settle_edges(&mut self, sync: &Sync<'_>) -> Result<(), Error> {
        let own = self.notes()?;
        let own_paths: BTreeSet<&str> = own.iter().map(|note| note.path.as_str()).collect();
        let others = walk::walk(sync.root, &Territory::default())
            .into_iter()
            .filter(|seen| !own_paths.contains(seen.path.as_str()))
            .map(|seen| NoteNames {
                path: seen.path,
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
        self.put_edges(&edges.into_iter().collect::<Vec<_>>(), unresolved)
    }
}
