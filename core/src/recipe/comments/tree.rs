//! A text in RON as a tree of entries: fields by name, items of lists in order.

use super::tokens::{Kind, Lexed};

/// The entry that holds all others.
pub(super) const ROOT: usize = 0;

/// A field, an item of a list, or the whole. Tokens are given by their indices.
#[derive(Debug, Default)]
pub(super) struct Entry<'t> {
    pub(super) parent: usize,
    /// The name of a field; `None` for an item.
    pub(super) name: Option<&'t str>,
    /// The name before its bracket, if it has one, as that of a step; or all of it, as `woodland`.
    pub(super) kind: Option<&'t str>,
    pub(super) start: usize,
    /// Where its value starts: its start unless it has a name.
    pub(super) value: usize,
    pub(super) open: Option<usize>,
    pub(super) close: Option<usize>,
    /// Its last token, which is no comma.
    pub(super) end: usize,
    /// The comma that follows.
    pub(super) comma: Option<usize>,
    pub(super) children: Vec<usize>,
}

/// A text as a tree. Whatever has no place in RON has some place in it too.
pub(super) struct Tree<'t> {
    pub(super) lexed: &'t Lexed<'t>,
    /// A parent comes before its children.
    pub(super) entries: Vec<Entry<'t>>,
    /// For each token the entry that it belongs to.
    pub(super) owners: Vec<usize>,
    /// For each number of tokens, the factor of the last token in a hash of that number of them.
    hashes: Vec<(u64, u64)>,
}

/// An odd number without pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl<'t> Tree<'t> {
    pub(super) fn of(lexed: &'t Lexed<'t>) -> Self {
        let mut tree =
            Self { lexed, entries: vec![Entry::default()], owners: Vec::new(), hashes: Vec::new() };
        // The container that is open, and the entry in it that is not finished.
        let (mut container, mut unfinished): (usize, Option<usize>) = (ROOT, None);
        for (token, kind) in lexed.tokens.iter().map(|token| token.kind).enumerate() {
            let owner = match kind {
                Kind::Comma => {
                    let finished = unfinished.take();
                    if let Some(entry) = finished {
                        tree.entries[entry].comma = Some(token);
                    }
                    finished.unwrap_or(container)
                }
                // A surplus bracket has nothing to close.
                Kind::Close => {
                    unfinished = Some(container).filter(|_| container != ROOT);
                    container = tree.entries[container].parent;
                    unfinished.inspect(|&entry| tree.entries[entry].close = Some(token)).unwrap_or(ROOT)
                }
                Kind::Open | Kind::Colon | Kind::Name | Kind::Other => {
                    let entry = unfinished.unwrap_or_else(|| tree.begin(container, token));
                    unfinished = Some(entry);
                    if kind == Kind::Open && tree.entries[entry].open.is_none() {
                        tree.entries[entry].open = Some(token);
                        (container, unfinished) = (entry, None);
                    }
                    tree.extend(entry, token, kind);
                    entry
                }
            };
            if owner != ROOT && kind != Kind::Comma {
                tree.entries[owner].end = token;
            }
            tree.owners.push(owner);
        }
        tree.hash();
        tree
    }

    fn begin(&mut self, parent: usize, token: usize) -> usize {
        let entry = self.entries.len();
        self.entries.push(Entry { parent, start: token, value: token, end: token, ..Entry::default() });
        self.entries[parent].children.push(entry);
        entry
    }

    /// Takes a token that is no comma and closes nothing into an entry.
    fn extend(&mut self, entry: usize, token: usize, kind: Kind) {
        let text = self.lexed.text_of(token);
        let entry = &mut self.entries[entry];
        if kind == Kind::Colon && entry.start + 1 == token && entry.open.is_none() {
            (entry.name, entry.kind, entry.value) = (Some(self.lexed.text_of(entry.start)), None, token + 1);
        } else if kind == Kind::Name && entry.value == token {
            entry.kind = Some(text);
        }
    }

    fn hash(&mut self) {
        let (mut hash, mut factor) = (0u64, 1u64);
        self.hashes.push((hash, factor));
        for text in self.lexed.texts() {
            // FNV-1a for a token; the rolling hash below makes any run of tokens comparable in constant time.
            let of_text = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
            hash = hash.wrapping_mul(FACTOR).wrapping_add(of_text);
            factor = factor.wrapping_mul(FACTOR);
            self.hashes.push((hash, factor));
        }
    }

    /// A hash of an entry's tokens.
    pub(super) fn hash_of(&self, entry: usize) -> u64 {
        let Entry { start, end, .. } = self.entries[entry];
        let [(before, _), (all, _)] = [self.hashes[start], self.hashes[end + 1]];
        // hash(a … b) = hash(b) − hash(a) · factor^(b − a), as in Rabin and Karp's search.
        all.wrapping_sub(before.wrapping_mul(self.hashes[end + 1 - start].1))
    }

    /// What an item is called by itself: its field `name`.
    pub(super) fn label_of(&self, entry: usize) -> Option<&'t str> {
        let children = self.entries[entry].children.iter().map(|&child| &self.entries[child]);
        let mut named = children.filter(|child| child.name == Some("name"));
        named.next().map(|child| self.lexed.text_of(child.value))
    }
}
