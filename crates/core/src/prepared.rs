//! A bundle that was checked and indexed once, to be ranked under many profiles.

use std::collections::BTreeMap;

use crate::bundle::Bundle;
use crate::digest::{self, Sum};
use crate::error::Error;
use crate::graph::LinkGraph;

/// A bundle ready to be ranked. In the browser one of these lives as long as the bundle is
/// shown: dragging a slider costs a ranking, and not another reading of the bundle.
pub struct Prepared {
    pub(crate) bundle: Bundle,
    pub(crate) index: Index,
    pub(crate) graph: LinkGraph,
    pub(crate) bundle_sum: Sum,
}

/// Dense addresses into a bundle, all in an order that does not depend on the bundle's own.
pub(crate) struct Index {
    /// Position of the chunk with that id.
    pub(crate) chunk_of_id: BTreeMap<u32, usize>,
    /// By position: the place in the order (note, ordinal, id), which breaks ties.
    pub(crate) chunk_order: Vec<u32>,
    /// By position: the position of its note.
    pub(crate) note_of_chunk: Vec<usize>,
    /// By position of a note: its node.
    pub(crate) node_of_note: Vec<Option<u32>>,
    /// Positions of legs, by name.
    pub(crate) legs_by_name: Vec<usize>,
}

impl Prepared {
    /// Checks and indexes a bundle.
    ///
    /// # Errors
    /// If the bundle does not hold together; the error names the key.
    pub fn new(bundle: Bundle) -> Result<Self, Error> {
        bundle.check()?;
        let graph = LinkGraph::new(&bundle.graph);
        Ok(Self {
            index: Index::new(&bundle, &graph),
            bundle_sum: digest::sum(&bundle),
            graph,
            bundle,
        })
    }

    /// The bundle itself.
    #[must_use]
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Gives the bundle back.
    #[must_use]
    pub fn into_bundle(self) -> Bundle {
        self.bundle
    }
}

impl Index {
    fn new(bundle: &Bundle, graph: &LinkGraph) -> Self {
        let mut order: Vec<usize> = (0..bundle.chunks.len()).collect();
        order.sort_by_key(|&i| {
            let chunk = &bundle.chunks[i];
            (chunk.note.as_str(), chunk.ordinal, chunk.id)
        });
        let mut chunk_order = vec![0; order.len()];
        for (place, &chunk) in order.iter().enumerate() {
            chunk_order[chunk] = crate::graph::dense(place);
        }

        let notes = bundle.notes.iter().enumerate();
        let note_of_path: BTreeMap<&str, usize> =
            notes.map(|(i, note)| (note.path.as_str(), i)).collect();
        let chunks = bundle.chunks.iter();
        let mut legs_by_name: Vec<usize> = (0..bundle.legs.len()).collect();
        legs_by_name.sort_by_key(|&leg| &bundle.legs[leg].name);

        Self {
            chunk_of_id: chunks
                .clone()
                .enumerate()
                .map(|(i, chunk)| (chunk.id, i))
                .collect(),
            chunk_order,
            note_of_chunk: chunks
                .map(|chunk| note_of_path[chunk.note.as_str()])
                .collect(),
            node_of_note: bundle
                .notes
                .iter()
                .map(|note| graph.node(&note.path))
                .collect(),
            legs_by_name,
        }
    }
}
