//! Which entry of one text is which of another: fields by name, items of lists by what they are.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::tree::{ROOT, Tree};

/// The most pairs of items that are compared for the longest common subsequence, in all lists together: those
/// of two lists of a thousand, and some more.
const MOST_COMPARED: usize = 1 << 22;

/// For each entry of `old` the one of `new` that it has become.
pub(super) struct Matches {
    pub(super) new: Vec<Option<usize>>,
    /// Whether an item is not there because it was taken out.
    pub(super) is_removed: Vec<bool>,
}

impl Matches {
    /// `was` is `old` as it would have been written without changes.
    pub(super) fn of(old: &Tree, was: Option<&Tree>, new: &Tree) -> Self {
        // Lists are the same in both.
        let written = was.map(|was| pair_up(old, was, &mut |olds, news| zip(olds, news)));
        let written_as = |entry: usize| written.as_ref().and_then(|written| written[entry]);
        let hash = |entry: usize| match was.zip(written_as(entry)) {
            Some((was, entry)) => was.hash_of(entry),
            None => old.hash_of(entry),
        };
        let mut room = MOST_COMPARED;
        let matches =
            pair_up(old, new, &mut |olds, news| pair_items((old, olds), (new, news), &hash, &mut room));
        // What was never written is not there for another reason.
        let is_removed = (0..old.entries.len()).map(|entry| {
            let is_item = old.entries[entry].name.is_none() && matches[old.entries[entry].parent].is_some();
            matches[entry].is_none() && is_item && (was.is_none() || written_as(entry).is_some())
        });
        Self { is_removed: is_removed.collect(), new: matches }
    }
}

fn zip(olds: &[usize], news: &[usize]) -> Vec<(usize, usize)> {
    olds.iter().copied().zip(news.iter().copied()).collect()
}

/// For each entry of `old` its counterpart in `new`, given what pairs the items of two lists.
fn pair_up(
    old: &Tree,
    new: &Tree,
    items: &mut dyn FnMut(&[usize], &[usize]) -> Vec<(usize, usize)>,
) -> Vec<Option<usize>> {
    let mut counterparts = vec![None; old.entries.len()];
    let mut left = vec![(ROOT, ROOT)];
    while let Some((from, into)) = left.pop() {
        counterparts[from] = Some(into);
        let [olds, news] = [&old.entries[from].children, &new.entries[into].children];
        let named: HashMap<_, _> =
            news.iter().filter_map(|&child| Some((new.entries[child].name?, child))).collect();
        let fields = olds.iter().filter_map(|&child| {
            let name = old.entries[child].name?;
            Some((child, *named.get(name)?))
        });
        left.extend(fields);
        let [old_items, new_items] = [(old, olds), (new, news)].map(|(tree, children)| {
            let is_item = |child: &usize| tree.entries[*child].name.is_none();
            children.iter().copied().filter(is_item).collect::<Vec<_>>()
        });
        // The whole may have a name in one text only.
        let pairs = if from == ROOT { zip(&old_items, &new_items) } else { items(&old_items, &new_items) };
        left.extend(pairs);
    }
    counterparts
}

/// Pairs of items: those that are equal, then those of the same kind, first near what is equal, then
/// anywhere.
fn pair_items(
    (old, olds): (&Tree, &[usize]),
    (new, news): (&Tree, &[usize]),
    hash: &dyn Fn(usize) -> u64,
    room: &mut usize,
) -> Vec<(usize, usize)> {
    let hashes: Vec<u64> = olds.iter().map(|&entry| hash(entry)).collect();
    let new_hashes: Vec<u64> = news.iter().map(|&entry| new.hash_of(entry)).collect();
    // The longest common subsequence: what stayed in order is surely the same.
    let kept = common(&hashes, &new_hashes, room);
    let mut pairs = Pairs { of_old: vec![None; olds.len()], is_taken: vec![false; news.len()] };
    kept.iter().for_each(|&(one, other)| pairs.join(one, other));
    let all = ((0, olds.len()), (0, news.len()));
    // Moved, and not changed.
    pairs.find(all, |one| Some(hashes[one]), |other| Some(new_hashes[other]));
    let ends = [(olds.len(), news.len())];
    let mut begun = (0, 0);
    let gaps = kept.iter().chain(&ends).map(|&(one, other)| {
        let gap = ((begun.0, one), (begun.1, other));
        begun = (one + 1, other + 1);
        gap
    });
    // In the gaps first, since a changed entry mostly stays where it was; then anywhere.
    for gap in gaps.chain([all]) {
        pairs.find(gap, |one| old.label_of(olds[one]), |other| new.label_of(news[other]));
        let kind = |one: usize| Some(old.entries[olds[one]].kind);
        pairs.find(gap, kind, |other| Some(new.entries[news[other]].kind));
    }
    let found = pairs.of_old.iter().enumerate();
    found.filter_map(|(one, other)| Some((olds[one], news[(*other)?]))).collect()
}

/// Pairs of items by their indices in two lists.
struct Pairs {
    of_old: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Pairs {
    fn join(&mut self, one: usize, other: usize) {
        (self.of_old[one], self.is_taken[other]) = (Some(other), true);
    }

    /// Pairs those within these ranges that have no partner and the same key, in order.
    fn find<K: Eq + Hash>(
        &mut self,
        ((start, end), (new_start, new_end)): ((usize, usize), (usize, usize)),
        key: impl Fn(usize) -> Option<K>,
        new_key: impl Fn(usize) -> Option<K>,
    ) {
        if (start..end).all(|one| self.of_old[one].is_some()) {
            return;
        }
        let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
        for other in (new_start..new_end).filter(|&other| !self.is_taken[other]) {
            if let Some(key) = new_key(other) {
                free.entry(key).or_default().push_back(other);
            }
        }
        for one in start..end {
            let partners = key(one).filter(|_| self.of_old[one].is_none());
            let partner = partners.and_then(|key| free.get_mut(&key)?.pop_front());
            if let Some(other) = partner {
                self.join(one, other);
            }
        }
    }
}

/// The longest common subsequence of two lists, as pairs of indices. Where it would take too long, only what
/// is common at both ends.
fn common(old: &[u64], new: &[u64], room: &mut usize) -> Vec<(usize, usize)> {
    // Equal ends are cut off, so that most edits leave a small table.
    let ahead = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[ahead..], &new[ahead..]);
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
    let behind = ends.take_while(|(one, other)| one == other).count();
    let [rows, columns] = [old_rest, new_rest].map(|rest| rest.len() - behind);
    let mut pairs: Vec<_> = (0..ahead).map(|index| (index, index)).collect();
    // Beyond the room only equal ends are matched: a made-up file must not take minutes.
    if let Some(left) = room.checked_sub(rows.saturating_mul(columns)) {
        *room = left;
        let width = columns + 1;
        // How long it is from these places on.
        let mut lengths = vec![0u32; (rows + 1) * width];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                lengths[row * width + column] = if old_rest[row] == new_rest[column] {
                    lengths[(row + 1) * width + column + 1] + 1
                } else {
                    lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if old_rest[row] == new_rest[column] {
                pairs.push((ahead + row, ahead + column));
                (row, column) = (row + 1, column + 1);
            } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    pairs.extend((0..behind).rev().map(|from_end| (old.len() - 1 - from_end, new.len() - 1 - from_end)));
    pairs
}
