//! The excerpt: the sentences of a chunk nearest to the query, in document order.
//!
//! `excerpt = in document order, the n sentences of greatest cosine`; of equal ones the earlier.
//! The cosines are facts of the bundle; choosing and ordering happens here. A chunk without
//! sentences has an empty excerpt.

use std::cmp::Reverse;

use crate::bundle::Chunk;
use crate::graph::dense;
use crate::ranking::ExcerptSentence;

/// The best `count` sentences of a checked chunk.
pub(crate) fn choose(chunk: &Chunk, count: u32) -> Vec<ExcerptSentence> {
    let mut order: Vec<usize> = (0..chunk.sentences.len()).collect();
    order.sort_by_key(|&i| (Reverse(chunk.sentences[i].cosine), i));
    order.truncate(count as usize);
    order.sort_unstable();
    let quoted = order.into_iter().map(|i| {
        let sentence = chunk.sentences[i];
        ExcerptSentence {
            sentence: dense(i),
            cosine: sentence.cosine,
            text: chunk.text[sentence.start as usize..sentence.end as usize].to_owned(),
        }
    });
    quoted.collect()
}
