//! Which note a link means, over the whole vault, and the edges that follow.
//!
//! The first step that finds something decides; names are compared without regard to case and
//! composition, `.md` is optional:
//!
//! 1. nothing: the note itself;
//! 2. `/a/b`: the path from the root, or the note's permalink, and nothing else;
//! 3. `./a`, `../a`: the path from the note's folder, and nothing else;
//! 4. in a markdown link any path from the note's folder;
//! 5. the path from the root;
//! 6. a note whose path ends so, as Obsidian has it: `b`, or `a/b`, anywhere;
//! 7. a note with that alias, in a wikilink.
//!
//! A path may also be a folder's: then its `index.md`, `_index.md` or `README.md` is meant, or the
//! note of the folder's own name inside it; and `a.html` is `a.md`, as vaults that become web sites
//! write it.
//!
//! **Several fit:** the one in the same folder as the link; or else the one nearest to the root,
//! and of several as near the one that is spelled exactly so. If that leaves more than one, the
//! link is ambiguous and makes no edge.

use std::collections::{BTreeMap, BTreeSet};

use crate::fold::key;
use crate::links::{EdgeKind, Link, Syntax};
use crate::note::{ParsedNote, markdown_extension};

/// An ambiguous link names at most so many of the notes that it may mean.
pub const MAX_CANDIDATES: usize = 10;

/// What a link needs to know of a note to find it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteNames {
    /// Its path in the vault, with `/` between folders.
    pub path: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Where it is published.
    pub permalink: Option<String>,
}

impl From<&ParsedNote<'_>> for NoteNames {
    fn from(note: &ParsedNote<'_>) -> Self {
        Self {
            path: note.path.clone(),
            aliases: note.aliases.clone(),
            permalink: note.permalink.clone(),
        }
    }
}

/// What became of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It means the note of this path.
    Found(String),
    /// It may mean any of these, and possibly more.
    Ambiguous(Vec<String>),
    /// It means no note of the vault.
    Missing,
}

/// All names of a vault.
#[derive(Debug, Default)]
pub struct VaultIndex {
    /// By number; sorted by depth, then by path, so that the lowest number is nearest to the root.
    paths: Vec<String>,
    /// By key of the path without extension.
    by_path: BTreeMap<String, Vec<u32>>,
    /// By key of its last part.
    by_name: BTreeMap<String, Vec<u32>>,
    by_alias: BTreeMap<String, Vec<u32>>,
    by_permalink: BTreeMap<String, Vec<u32>>,
}

impl VaultIndex {
    /// Indexes the names of all notes of a vault. Their order does not matter.
    #[must_use]
    pub fn new(notes: impl IntoIterator<Item = NoteNames>) -> Self {
        let mut notes: Vec<NoteNames> = notes.into_iter().collect();
        notes.sort_by(|a, b| (depth(&a.path), &a.path).cmp(&(depth(&b.path), &b.path)));
        notes.dedup_by(|a, b| a.path == b.path);
        let mut index = Self::default();
        for note in notes {
            let number = u32::try_from(index.paths.len()).unwrap_or(u32::MAX);
            let path = path_key(&note.path);
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            index.by_path.entry(path).or_default().push(number);
            index.by_name.entry(name).or_default().push(number);
            let aliases: BTreeSet<_> = note.aliases.iter().map(|alias| key(alias)).collect();
            for alias in aliases {
                index.by_alias.entry(alias).or_default().push(number);
            }
            if let Some(permalink) = &note.permalink {
                let place = key(permalink.trim_matches('/'));
                index.by_permalink.entry(place).or_default().push(number);
            }
            index.paths.push(note.path);
        }
        index
    }

    /// Which note `target` means in the note at path `from`.
    #[must_use]
    pub fn resolve(&self, from: &str, target: &str, syntax: Syntax) -> Resolution {
        if target.is_empty() {
            return Resolution::Found(from.to_owned());
        }
        let folder = folder_of(from);
        let beside = || joined(folder, target).and_then(|path| self.at(from, &path));
        let from_root = || joined("", target).and_then(|path| self.at(from, &path));
        if let Some(rooted) = target.strip_prefix('/') {
            let published = || {
                let place = key(rooted.trim_matches('/'));
                self.choose(from, target, self.by_permalink.get(&place)?)
            };
            return from_root()
                .or_else(published)
                .unwrap_or(Resolution::Missing);
        }
        if target.starts_with("./") || target.starts_with("../") {
            return beside().unwrap_or(Resolution::Missing);
        }
        let path = (syntax == Syntax::Markdown).then(beside).flatten();
        path.or_else(from_root)
            .or_else(|| self.ending_in(from, target))
            .or_else(|| match syntax {
                Syntax::Wiki => self.choose(from, target, self.by_alias.get(&key(target))?),
                Syntax::Markdown => None,
            })
            .unwrap_or(Resolution::Missing)
    }

    /// The note at a path, or the note that speaks for the folder there.
    fn at(&self, from: &str, path: &str) -> Option<Resolution> {
        let exact = path_key(path);
        if let Some(notes) = self.by_path.get(&exact) {
            return self.choose(from, path, notes);
        }
        let folder = exact.trim_end_matches('/');
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let page = folder.strip_suffix(".html");
        let mut forms = Vec::new();
        forms.extend(page.map(str::to_owned));
        for speaker in ["index", "_index", "readme", name] {
            forms.push(if folder.is_empty() {
                speaker.to_owned()
            } else {
                format!("{folder}/{speaker}")
            });
        }
        let mut notes = forms.iter().filter_map(|form| self.by_path.get(form));
        self.choose(from, path, notes.next()?)
    }

    /// The note whose path ends in these parts.
    fn ending_in(&self, from: &str, target: &str) -> Option<Resolution> {
        let ending = path_key(target.trim_end_matches('/'));
        let name = ending.rsplit('/').next().unwrap_or(&ending);
        let named = self.by_name.get(name)?;
        if name == ending {
            return self.choose(from, target, named);
        }
        // Nearest to the root first, so the search can stop at the first depth that fits.
        let ending = format!("/{ending}");
        let mut fitting: Vec<u32> = Vec::new();
        for &note in named {
            let deeper = |&first: &u32| depth(self.path(first)) < depth(self.path(note));
            if fitting.first().is_some_and(deeper) {
                break;
            }
            if path_key(self.path(note)).ends_with(&ending) {
                fitting.push(note);
            }
        }
        self.choose(from, target, &fitting)
    }

    /// One of several notes that fit, by the rule at the head of this file.
    fn choose(&self, from: &str, target: &str, notes: &[u32]) -> Option<Resolution> {
        let found = |note: u32| Some(Resolution::Found(self.path(note).to_owned()));
        let (&first, others) = notes.split_first()?;
        let Some(&second) = others.first() else {
            return found(first);
        };
        // The same folder: a lookup, since a name may be shared by every folder of the vault.
        let beside =
            joined(folder_of(from), target).and_then(|path| self.by_path.get(&path_key(&path)));
        for group in [beside.map(Vec::as_slice), Some(notes)]
            .into_iter()
            .flatten()
        {
            let spelled = |&&note: &&u32| {
                let path = self.path(note);
                let bare = &path[..path.len() - markdown_extension(path).len()];
                let target = target.trim_start_matches('/');
                bare.ends_with(target) || path.ends_with(target)
            };
            let near = |&&note: &&u32| depth(self.path(note)) == depth(self.path(group[0]));
            let mut exact = group
                .iter()
                .take_while(near)
                .take(MAX_CANDIDATES)
                .filter(spelled);
            if let (Some(&only), None) = (exact.next(), exact.next()) {
                return found(only);
            }
            if let [only] = group {
                return found(*only);
            }
        }
        if depth(self.path(first)) < depth(self.path(second)) {
            return found(first);
        }
        let candidates = notes.iter().take(MAX_CANDIDATES);
        let candidates = candidates.map(|&note| self.path(note).to_owned());
        Some(Resolution::Ambiguous(candidates.collect()))
    }

    fn path(&self, note: u32) -> &str {
        &self.paths[note as usize]
    }

    /// The edges that links make. A link comes with the path of the note that it stands in.
    #[must_use]
    pub fn edges<'l>(&self, links: impl IntoIterator<Item = (&'l str, &'l Link)>) -> Edges {
        let mut edges = BTreeSet::new();
        let mut unresolved: BTreeMap<_, Unresolved> = BTreeMap::new();
        // A note names the same target many times, and the answer is the same in all its folder.
        let mut known: BTreeMap<(&str, &str, Syntax), Resolution> = BTreeMap::new();
        for (from, link) in links {
            if link.target.is_empty() {
                continue;
            }
            let question = (folder_of(from), link.target.as_str(), link.syntax);
            let answer = known
                .entry(question)
                .or_insert_with(|| self.resolve(from, &link.target, link.syntax));
            let candidates = match answer {
                Resolution::Found(to) => {
                    if to != from {
                        edges.insert((link.kind, from.to_owned(), to.clone()));
                    }
                    continue;
                }
                Resolution::Missing if is_attachment(&link.target) => continue,
                Resolution::Missing => &[][..],
                Resolution::Ambiguous(candidates) => candidates.as_slice(),
            };
            unresolved
                .entry((from, link.target.as_str(), link.kind))
                .or_insert_with(|| Unresolved {
                    from: from.to_owned(),
                    target: link.target.clone(),
                    kind: link.kind,
                    candidates: candidates.to_vec(),
                    count: 0,
                })
                .count += 1;
        }
        let edges = edges.into_iter();
        Edges {
            edges: edges
                .map(|(kind, from, to)| Edge { kind, from, to })
                .collect(),
            unresolved: unresolved.into_values().collect(),
        }
    }
}

/// The edges of a vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Each pair once a kind, sorted; no note leads to itself.
    pub edges: Vec<Edge>,
    /// Links that mean no note, or no certain one, sorted by note and target. Links to images and
    /// other files that are no notes are not among them.
    pub unresolved: Vec<Unresolved>,
}

/// One note leads to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// How.
    pub kind: EdgeKind,
    /// The path of the note with the link.
    pub from: String,
    /// The path of the note that it means.
    pub to: String,
}

/// Links of one note to a target that could not be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The path of the note with the links.
    pub from: String,
    /// What they name.
    pub target: String,
    /// What kind of edge they would make.
    pub kind: EdgeKind,
    /// The notes that they may mean; none if there is no such note.
    pub candidates: Vec<String>,
    /// How many there are.
    pub count: usize,
}

/// Whether a target names a file that is no note, by the extensions that Obsidian shows.
fn is_attachment(target: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "3gp", "avif", "base", "bmp", "canvas", "css", "csv", "docx", "flac", "gif", "gz", "ics",
        "jpeg", "jpg", "js", "json", "m4a", "mkv", "mov", "mp3", "mp4", "ogg", "ogv", "opus",
        "pdf", "png", "pptx", "py", "sh", "svg", "tar", "toml", "txt", "wav", "webm", "webp",
        "xlsx", "xml", "yaml", "yml", "zip",
    ];
    let extension = target
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn depth(path: &str) -> usize {
    path.bytes().filter(|&byte| byte == b'/').count()
}

fn path_key(path: &str) -> String {
    key(&path[..path.len() - markdown_extension(path).len()])
}

/// A path seen from a folder, without `.` and `..`; none if it leads out of the vault.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn vault(notes: &[(&str, &[&str])]) -> VaultIndex {
        VaultIndex::new(notes.iter().map(|&(path, aliases)| NoteNames {
            path: path.to_owned(),
            aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
            permalink: (path == "pub.md").then(|| "/2026/01/pub/".to_owned()),
        }))
    }

    #[test]
    fn links_are_resolved_as_obsidian_does() {
        use Syntax::{Markdown, Wiki};
        let index = vault(&[
            ("Home.md", &["Start"]),
            ("pub.md", &[]),
            ("a/One.md", &["Uno", "shared"]),
            ("a/deep/Two.md", &["shared"]),
            ("a/Same.md", &[]),
            ("b/Same.md", &[]),
            ("b/c/Near.md", &[]),
            ("b/c/d/Near.md", &[]),
            ("docs/guide/_index.md", &[]),
            ("v1.2 notes.md", &[]),
            ("Straße.md", &[]),
            ("case/Note.md", &[]),
            ("case/note.md", &[]),
            ("x.pdf.md", &[]),
        ]);
        let check = |from: &str, target: &str, syntax, expected: &str| {
            let found = match index.resolve(from, target, syntax) {
                Resolution::Found(path) => path,
                Resolution::Ambiguous(paths) => format!("? {}", paths.join(" ")),
                Resolution::Missing => "-".to_owned(),
            };
            assert_eq!(found, expected, "{target:?} in {from:?}");
        };
        // Path, name, alias; case and extension do not matter.
        check("Home.md", "a/One", Wiki, "a/One.md");
        check("Home.md", "A/ONE.md", Wiki, "a/One.md");
        check("Home.md", "one", Wiki, "a/One.md");
        check("Home.md", "deep/two", Wiki, "a/deep/Two.md");
        check("a/One.md", "start", Wiki, "Home.md");
        check("a/One.md", "STRASSE", Wiki, "Straße.md");
        check("a/One.md", "v1.2 notes", Wiki, "v1.2 notes.md");
        check("a/One.md", "x.pdf", Wiki, "x.pdf.md");
        check("a/One.md", "", Wiki, "a/One.md");
        check("a/One.md", "nothing", Wiki, "-");
        check("a/One.md", "wo", Wiki, "-");
        // Several: the same folder, then the nearest to the root, then no one.
        check("a/x.md", "Same", Wiki, "a/Same.md");
        check("b/x.md", "Same", Wiki, "b/Same.md");
        check("Home.md", "Same", Wiki, "? a/Same.md b/Same.md");
        check("Home.md", "Near", Wiki, "b/c/Near.md");
        check("b/c/d/x.md", "Near", Wiki, "b/c/d/Near.md");
        check("Home.md", "shared", Wiki, "a/One.md");
        check("Home.md", "Note", Wiki, "case/Note.md");
        check("Home.md", "note", Wiki, "case/note.md");
        check("Home.md", "NOTE", Wiki, "? case/Note.md case/note.md");
        // Markdown: from the folder first, then from the root, then by name; no aliases.
        check("a/x.md", "One.md", Markdown, "a/One.md");
        check("a/x.md", "deep/Two.md", Markdown, "a/deep/Two.md");
        check("a/deep/x.md", "../One.md", Markdown, "a/One.md");
        check("a/deep/x.md", "../../Home.md", Markdown, "Home.md");
        check("a/x.md", "../../../Home.md", Markdown, "-");
        check("a/x.md", "./Home.md", Markdown, "-");
        check("a/x.md", "b/Same.md", Markdown, "b/Same.md");
        check("b/x.md", "One", Markdown, "a/One.md");
        check("b/x.md", "Uno", Markdown, "-");
        // From the root: paths, folders, permalinks.
        check("a/x.md", "/Home", Markdown, "Home.md");
        check("a/x.md", "/docs/guide/", Markdown, "docs/guide/_index.md");
        check("a/x.md", "/a/one.html", Markdown, "a/One.md");
        check("a/x.md", "/2026/01/pub", Markdown, "pub.md");
        check("a/x.md", "/One", Markdown, "-");
    }

    #[test]
    fn edges_are_distinct_pairs_and_lose_nothing() {
        let texts = [
            (
                "a.md",
                "[[b]] [[B]]\n\nsee [[b#x]] and [[a]], [[c]], [[c]], ![[p.png]] [[#h]]",
            ),
            ("b.md", "[[x/same]] [[d]]\n\n[a](a.md)"),
            ("p/same.md", ""),
            ("q/same.md", "[[same]]"),
            ("r/d.md", ""),
            ("s/d.md", ""),
        ];
        let notes: Vec<_> = texts.iter().map(|(path, text)| parse(path, text)).collect();
        let index = VaultIndex::new(notes.iter().map(NoteNames::from));
        let links = notes
            .iter()
            .flat_map(|note| note.links.iter().map(|link| (note.path.as_str(), link)));
        let found = index.edges(links);
        let edges: Vec<_> = found
            .edges
            .iter()
            .map(|e| format!("{} {} {}", e.kind.name(), e.from, e.to))
            .collect();
        assert_eq!(
            edges,
            [
                "citation a.md b.md",
                "wikilink a.md b.md",
                "wikilink b.md a.md"
            ]
        );
        let unresolved: Vec<_> = found
            .unresolved
            .iter()
            .map(|u| {
                format!(
                    "{} {} {} {}",
                    u.from,
                    u.target,
                    u.count,
                    u.candidates.join(" ")
                )
            })
            .collect();
        assert_eq!(
            unresolved,
            ["a.md c 2 ", "b.md d 1 r/d.md s/d.md", "b.md x/same 1 "]
        );
    }
}
