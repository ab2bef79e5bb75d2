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
    let quoted = best(chunk, count).into_iter().map(|i| ExcerptSentence {
        sentence: dense(i),
        cosine: chunk.sentences[i].cosine,
        text: text(chunk, i).to_owned(),
    });
    quoted.collect()
}

/// The same, by their texts alone.
pub(crate) fn texts(chunk: &Chunk, count: u32) -> impl Iterator<Item = &str> {
    best(chunk, count).into_iter().map(|i| text(chunk, i))
}

/// Places of the best `count` sentences, ascending.
fn best(chunk: &Chunk, count: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..chunk.sentences.len()).collect();
    order.sort_by_key(|&i| (Reverse(chunk.sentences[i].cosine), i));
    order.truncate(count as usize);
    order.sort_unstable();
    order
}

fn text(chunk: &Chunk, i: usize) -> &str {
    let sentence = chunk.sentences[i];
    &chunk.text[sentence.start as usize..sentence.end as usize]
}
