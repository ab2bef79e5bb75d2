//! What is searched (a scope), and the nearest of it by sqlite-vec.
//!
//! The scope acts inside the search: the nearest `k` *of the scope* are returned, never the nearest
//! `k` of everything with most of them thrown away afterwards. sqlite-vec finds the nearest, and
//! the cosine is then computed from the stored float32 vectors in one fixed order, so
//! that the same vectors give the same cosine whatever found them.

use rusqlite::ToSql;
use rusqlite::types::Value;

use crate::blob::{floats, to_floats};
use crate::cache::Cache;
use crate::error::Error;
use crate::vector::cosine;

/// sqlite-vec returns no more than this many.
pub(crate) const MOST: u32 = 4_096;

/// So many more are asked for than are wanted: sqlite-vec's float32 sums may put near-equal ones in
/// another order.
const SPARE: u32 = 32;

/// A find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The chunk's number in this cache.
    pub chunk: i64,
    /// Greater is better: the cosine, or BM25 with its sign turned.
    pub score: f64,
}

/// What is searched; empty is everything. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// Below this folder.
    pub folder: Option<String>,
    /// With at least one of these tags, or one nested below.
    pub tags: Vec<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// By this author.
    pub author: Option<String>,
    /// Published (or else modified) not before this moment.
    pub since: Option<i64>,
    /// Published (or else modified) before this moment.
    pub before: Option<i64>,
    /// One of these notes.
    pub files: Vec<String>,
}

impl Cache {
    /// The chunks of the scope nearest to a vector, nearest first, found by sqlite-vec: at most
    /// 4,096. Equal ones come by note and place.
    ///
    /// # Errors
    /// If the vector has the wrong length, or the file cannot be read.
    pub fn nearest(&self, vector: &[f32], k: u32, scope: &Scope) -> Result<Vec<Hit>, Error> {
        self.fits(vector)?;
        if vector.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let mut parameters: Vec<Value> = vec![
            to_floats(vector).into(),
            k.saturating_add(SPARE).min(MOST).into(),
        ];
        let within = scope.condition(&mut parameters);
        let inside = match within {
            Some(within) => format!(
                "AND id IN (SELECT chunk.id FROM vault_chunk chunk
                            JOIN vault_node node ON node.id = chunk.node WHERE {within})"
            ),
            None => String::new(),
        };
        let query = format!(
            "WITH near AS (SELECT id FROM vault_chunk_vec
                           WHERE embedding MATCH ?1 AND k = ?2 {inside})
             SELECT chunk.id, chunk.embedding FROM near
             JOIN vault_chunk chunk ON chunk.id = near.id
             JOIN vault_node node ON node.id = chunk.node
             ORDER BY node.path, chunk.ordinal"
        );
        let mut hits: Vec<Hit> = self.with(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map(as_parameters(&parameters).as_slice(), |row| {
                let stored: Vec<u8> = row.get(1)?;
                Ok(Hit {
                    chunk: row.get(0)?,
                    score: cosine(vector, &floats(&stored)),
                })
            })?;
            rows.collect()
        })?;
        // Stable: equal ones stay in the order of the query.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(k as usize);
        Ok(hits)
    }

    /// Refuses a vector of another length than the cache's.
    pub(crate) fn fits(&self, vector: &[f32]) -> Result<(), Error> {
        let expected = self.identity.dimension;
        if vector.len() == expected as usize {
            return Ok(());
        }
        Err(Error::Dimension {
            found: vector.len(),
            expected,
        })
    }

    /// The numbers of the scope's chunks, ascending; none where that is all of them.
    pub(crate) fn within(&self, scope: &Scope) -> Result<Option<Vec<i64>>, Error> {
        let mut parameters = Vec::new();
        let Some(within) = scope.condition(&mut parameters) else {
            return Ok(None);
        };
        self.with(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT chunk.id FROM vault_node node
                 JOIN vault_chunk chunk ON chunk.node = node.id WHERE {within}"
            ))?;
            let rows =
                statement.query_map(as_parameters(&parameters).as_slice(), |row| row.get(0))?;
            let mut ids: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
            ids.sort_unstable();
            Ok(Some(ids))
        })
    }
}

impl Scope {
    /// The scope as a condition on `node`, its values appended to the parameters; none for
    /// everything.
    fn condition(&self, parameters: &mut Vec<Value>) -> Option<String> {
        let mut all: Vec<String> = Vec::new();
        let mut bind = |value: Value| {
            parameters.push(value);
            format!("?{}", parameters.len())
        };
        let folder = self.folder.as_deref().unwrap_or_default().trim_matches('/');
        if !folder.is_empty() {
            // Compared as text, since LIKE takes `_` and `%` in a folder's name for signs.
            let prefix = bind(format!("{folder}/").into());
            all.push(format!("substr(node.path, 1, length({prefix})) = {prefix}"));
        }
        if !self.tags.is_empty() {
            let tags = bind(serde_json::json!(self.tags).to_string().into());
            all.push(format!(
                "EXISTS (SELECT 1 FROM json_each(node.tags) own, json_each({tags}) wanted
                         WHERE own.value = wanted.value
                         OR substr(own.value, 1, length(wanted.value) + 1) = wanted.value || '/')"
            ));
        }
        for (column, value) in [("kind", &self.kind), ("author", &self.author)] {
            if let Some(value) = value {
                let value = bind(value.clone().into());
                all.push(format!("node.{column} = {value}"));
            }
        }
        for (sign, moment) in [(">=", self.since), ("<", self.before)] {
            if let Some(moment) = moment {
                let moment = bind(moment.into());
                all.push(format!(
                    "coalesce(node.published_at, node.modified_at) {sign} {moment}"
                ));
            }
        }
        if !self.files.is_empty() {
            let files = bind(serde_json::json!(self.files).to_string().into());
            all.push(format!(
                "node.path IN (SELECT value FROM json_each({files}))"
            ));
        }
        (!all.is_empty()).then(|| all.join(" AND "))
    }
}

fn as_parameters(values: &[Value]) -> Vec<&dyn ToSql> {
    values.iter().map(|value| value as &dyn ToSql).collect()
}
