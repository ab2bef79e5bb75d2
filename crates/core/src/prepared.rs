//! A bundle that was checked and indexed once, to be ranked under many profiles.

use crate::bundle::Bundle;
use crate::digest::{self, Sum};
use crate::error::Error;
use crate::graph::{LinkGraph, dense};
use crate::places::Places;

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
    chunk_of_id: Places<u32>,
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
        let nodes = bundle.graph.places().expect("the bundle was checked");
        Ok(Self {
            graph: LinkGraph::new(&bundle.graph, &nodes),
            index: Index::new(&bundle, &nodes),
            bundle_sum: digest::sum(&bundle),
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
    /// Of a bundle that was checked, whose nodes stand at these places.
    fn new(bundle: &Bundle, nodes: &Places<&str>) -> Self {
        let notes = bundle.notes.iter().map(|note| note.path.as_str());
        let places = Places::of(notes.clone()).expect("the bundle was checked");
        let note_of_chunk = bundle.chunks.iter().map(|chunk| {
            let note = places.get(chunk.note.as_str());
            note.expect("the bundle was checked")
        });
        let note_of_chunk: Vec<usize> = note_of_chunk.collect();

        let note_order = places.ranks();
        let mut order: Vec<usize> = (0..bundle.chunks.len()).collect();
        order.sort_by_key(|&i| {
            let chunk = &bundle.chunks[i];
            (note_order[note_of_chunk[i]], chunk.ordinal, chunk.id)
        });
        let mut chunk_order = vec![0; order.len()];
        for (place, &chunk) in order.iter().enumerate() {
            chunk_order[chunk] = dense(place);
        }

        let mut legs_by_name: Vec<usize> = (0..bundle.legs.len()).collect();
        legs_by_name.sort_by_key(|&leg| &bundle.legs[leg].name);

        Self {
            chunk_of_id: Places::of(bundle.chunks.iter().map(|chunk| chunk.id))
                .expect("the bundle was checked"),
            chunk_order,
            note_of_chunk,
            node_of_note: notes.map(|path| nodes.rank(path).map(dense)).collect(),
            legs_by_name,
        }
    }

    /// The position of the chunk with that id.
    pub(crate) fn chunk(&self, id: u32) -> usize {
        self.chunk_of_id.get(id).expect("the bundle was checked")
    }
}
