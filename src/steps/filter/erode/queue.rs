//! The queue of a flood: samples by height, of one height first come, first served.

/// Levels that heights are sorted into.
const LEVELS: usize = 1 << 16;

/// Entries that memory is taken for at once, as a power of 2: a longer list that grows would for a moment
/// take three times what it needs.
const PIECE: u32 = 14;

/// No entry: the end of a list.
const NONE: u32 = u32::MAX;

/// Samples in [`LEVELS`] levels, each a list from first to last. The flood never falls, so the lowest
/// level in use only rises. Only the samples that wait take memory: the shore of the flood.
pub(super) struct Queue {
    low: f32,
    levels_per_metre: f32,
    lowest: usize,
    first: Vec<u32>,
    last: Vec<u32>,
    /// Pieces of `1 << PIECE` entries; the last may be shorter.
    entries: Vec<Vec<Entry>>,
    /// The first of a list of entries that are free.
    free: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    sample: u32,
    next: u32,
}

impl Queue {
    /// A queue for a field of `count` samples.
    pub(super) fn new(count: usize) -> Self {
        let levels = count.clamp(2, LEVELS);
        Self {
            low: 0.0,
            levels_per_metre: 0.0,
            lowest: 0,
            first: vec![NONE; levels],
            last: vec![NONE; levels],
            entries: Vec::new(),
            free: NONE,
        }
    }

    /// Makes ready for heights from `low` to `high`; nobody waits.
    pub(super) fn prepare(&mut self, low: f32, high: f32) {
        self.low = low;
        self.levels_per_metre = (self.first.len() - 1) as f32 / (high - low).max(f32::MIN_POSITIVE);
    }

    /// Lets a sample wait, at the level that the flood has now if its height lies lower.
    pub(super) fn push(&mut self, sample: usize, height: f32) {
        let level = ((height - self.low) * self.levels_per_metre) as usize;
        let level = level.clamp(self.lowest, self.first.len() - 1);
        let entry = Entry { sample: sample as u32, next: NONE };
        let index = self.free;
        let index = if index == NONE {
            self.append(entry)
        } else {
            self.free = std::mem::replace(self.at(index), entry).next;
            index
        };
        if self.first[level] == NONE {
            self.first[level] = index;
        } else {
            self.at(self.last[level]).next = index;
        }
        self.last[level] = index;
    }

    /// The next sample that is flooded.
    pub(super) fn pop(&mut self) -> Option<usize> {
        while self.first[self.lowest] == NONE {
            self.lowest += 1;
            if self.lowest == self.first.len() {
                self.lowest = 0;
                return None;
            }
        }
        let index = self.first[self.lowest];
        let free = self.free;
        let Entry { sample, next } = *self.at(index);
        self.at(index).next = free;
        self.first[self.lowest] = next;
        self.free = index;
        Some(sample as usize)
    }

    fn at(&mut self, index: u32) -> &mut Entry {
        &mut self.entries[(index >> PIECE) as usize][(index % (1 << PIECE)) as usize]
    }

    /// Takes memory for an entry, and says where it is.
    fn append(&mut self, entry: Entry) -> u32 {
        match self.entries.last_mut() {
            Some(piece) if piece.len() < 1 << PIECE => piece.push(entry),
            _ => {
                let mut piece = Vec::with_capacity(1 << PIECE);
                piece.push(entry);
                self.entries.push(piece);
            }
        }
        let last = self.entries.len() as u32 - 1;
        (last << PIECE) + self.entries[last as usize].len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_comes_first_and_of_one_height_who_came_first() {
        let mut queue = Queue::new(100);
        queue.prepare(0.0, 10.0);
        for (sample, height) in [(7, 5.0), (3, 0.0), (9, 5.0), (1, 10.0), (4, 5.0)] {
            queue.push(sample, height);
        }
        assert_eq!([queue.pop(), queue.pop()], [Some(3), Some(7)]);
        // The flood stands at 5 now.
        queue.push(8, 2.0);
        assert_eq!([(); 5].map(|()| queue.pop()), [Some(9), Some(4), Some(8), Some(1), None]);
        assert_eq!(queue.entries[0].len(), 5);
    }
}
