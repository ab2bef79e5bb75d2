//! A bundle that was checked and indexed once, to be ranked under many profiles.

use crate::bundle::{Addresses, Bundle};
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
        let addresses = bundle.addresses()?;
        Ok(Self {
            graph: LinkGraph::new(&bundle.graph, &addresses.nodes),
            bundle_sum: digest::sum(&bundle),
            index: Index::new(&bundle, addresses),
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
    fn new(bundle: &Bundle, addresses: Addresses<'_>) -> Self {
        let Addresses {
            notes,
            chunks,
            nodes,
            note_of_chunk,
        } = addresses;
        let note_order = notes.ranks();
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

        let paths = bundle.notes.iter().map(|note| note.path.as_str());
        let node_of_note = paths.map(|path| nodes.rank(path).map(dense));
        Self {
            chunk_of_id: chunks,
            chunk_order,
            note_of_chunk,
            node_of_note: node_of_note.collect(),
            legs_by_name,
        }
    }

    /// The position of the chunk with that id.
    pub(crate) fn chunk(&self, id: u32) -> usize {
        self.chunk_of_id.get(id).expect("the bundle was checked")
    }
}
