//! Where keys stand in a list: put in order once, found by halving.
//!
//! What finds candidates lists notes, nodes and passages in the order of their keys, and then nothing
//! has to be sorted.

/// The places of keys that each stand there once.
pub(crate) struct Places<K> {
    /// Ascending.
    sorted: Vec<(K, u32)>,
}

impl<K: Ord + Copy> Places<K> {
    /// Or the first place at which a key stands again.
    pub(crate) fn of(keys: impl Iterator<Item = K>) -> Result<Self, usize> {
        let mut sorted: Vec<(K, u32)> = keys.zip(0..).collect();
        if !sorted.is_sorted_by(|a, b| a.0 < b.0) {
            sorted.sort_unstable();
            let again = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
            if let Some(first) = again.map(|pair| pair[1].1).min() {
                return Err(first as usize);
            }
        }
        Ok(Self { sorted })
    }

    /// The places, by key.
    pub(crate) fn in_order(&self) -> impl ExactSizeIterator<Item = u32> {
        self.sorted.iter().map(|&(_, place)| place)
    }

    /// How many keys are less than this one, which must be there.
    pub(crate) fn rank(&self, key: K) -> Option<usize> {
        self.sorted.binary_search_by(|(it, _)| it.cmp(&key)).ok()
    }

    pub(crate) fn get(&self, key: K) -> Option<usize> {
        self.rank(key).map(|rank| self.sorted[rank].1 as usize)
    }

    /// By place, how many keys are less.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.sorted.len()];
        for (place, rank) in self.in_order().zip(0..) {
            ranks[place as usize] = rank;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_whatever_order_they_come() {
        for keys in [["a", "b", "c"], ["c", "a", "b"]] {
            let places = Places::of(keys.into_iter()).expect("each once");
            for (place, key) in keys.into_iter().enumerate() {
                assert_eq!(places.get(key), Some(place));
                assert_eq!(places.rank(key), Some((key.as_bytes()[0] - b'a') as usize));
                assert_eq!(Some(places.ranks()[place] as usize), places.rank(key));
            }
            assert_eq!(places.get("d"), None);
        }
    }

    #[test]
    fn the_first_key_that_stands_there_again_is_told() {
        let again = |keys: &[u32]| Places::of(keys.iter().copied()).err();
        assert_eq!(again(&[]), None);
        assert_eq!(again(&[1, 2, 2]), Some(2));
        assert_eq!(again(&[3, 1, 3, 1, 3]), Some(2));
        assert_eq!(again(&[9, 5, 1, 5, 9]), Some(3));
    }
}
