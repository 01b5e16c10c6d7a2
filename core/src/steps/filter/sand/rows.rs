//! Rows of samples as steps of wind and slides read them: shifted, and continued beyond the border.

/// Rows processed at once by a thread.
pub(super) const BAND: usize = 16;

/// A number for every sample of a land, in whole units, row by row.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    pub values: &'a [i32],
    pub width: usize,
    pub depth: usize,
}

/// What lies beyond the border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beyond<'a> {
    /// The opposite side.
    Wrap,
    /// What lies above this rock on the opposite side, on the rock of the nearest sample of the border: as if
    /// the land went on there at its own height, under the same sand.
    Continue(&'a [i32]),
    /// The nearest sample of the border.
    Clamp,
    /// This value.
    Value(i32),
}

impl Samples<'_> {
    /// Copies `into.len()` samples of `row`, from the column `first` on. Both may lie beyond the border.
    pub(super) fn copy_row(&self, row: i64, first: i64, beyond: Beyond<'_>, into: &mut [i32]) {
        let (width, depth) = (self.width as i64, self.depth as i64);
        let inside = match beyond {
            Beyond::Wrap | Beyond::Continue(_) => row.rem_euclid(depth),
            Beyond::Clamp => row.clamp(0, depth - 1),
            Beyond::Value(value) if !(0..depth).contains(&row) => return into.fill(value),
            Beyond::Value(_) => row,
        };
        let line = &self.values[inside as usize * self.width..][..self.width];
        if let Beyond::Wrap | Beyond::Continue(_) = beyond {
            let mut from = first.rem_euclid(width) as usize;
            let mut column = first;
            let mut rest = into;
            while !rest.is_empty() {
                let count = (self.width - from).min(rest.len());
                let (now, later) = rest.split_at_mut(count);
                now.copy_from_slice(&line[from..from + count]);
                if let Beyond::Continue(rock) = beyond {
                    let row_of = |row: i64| &rock[row as usize * self.width..][..self.width];
                    let (there, nearest) =
                        (&row_of(inside)[from..from + count], row_of(row.clamp(0, depth - 1)));
                    if column != from as i64 {
                        // All of these columns lie beyond the same side.
                        let here = if column < 0 { nearest[0] } else { nearest[self.width - 1] };
                        now.iter_mut().zip(there).for_each(|(value, there)| *value += here - there);
                    } else if inside != row {
                        let rocks = nearest[from..from + count].iter().zip(there);
                        now.iter_mut().zip(rocks).for_each(|(value, (here, there))| *value += here - there);
                    }
                }
                column += count as i64;
                (rest, from) = (later, 0);
            }
            return;
        }
        let (west, east) = match beyond {
            Beyond::Value(value) => (value, value),
            _ => (line[0], line[self.width - 1]),
        };
        let length = into.len() as i64;
        let begin = (-first).clamp(0, length);
        let end = (width - first).clamp(begin, length);
        into[..begin as usize].fill(west);
        if begin < end {
            let from = (first + begin) as usize;
            into[begin as usize..end as usize].copy_from_slice(&line[from..from + (end - begin) as usize]);
        }
        into[end as usize..].fill(east);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_border_comes_what_the_rule_says() {
        let samples = Samples { values: &[1, 2, 3, 4, 5, 6], width: 3, depth: 2 };
        let row = |row, first, beyond| {
            let mut into = [0; 8];
            samples.copy_row(row, first, beyond, &mut into);
            into
        };
        assert_eq!(row(0, -2, Beyond::Clamp), [1, 1, 1, 2, 3, 3, 3, 3]);
        assert_eq!(row(9, -9, Beyond::Clamp), [4; 8]);
        assert_eq!(row(-9, 5, Beyond::Clamp), [3; 8]);
        assert_eq!(row(1, -2, Beyond::Value(9)), [9, 9, 4, 5, 6, 9, 9, 9]);
        assert_eq!(row(2, -2, Beyond::Value(9)), [9; 8]);
        assert_eq!(row(-1, -2, Beyond::Wrap), [5, 6, 4, 5, 6, 4, 5, 6]);
        assert_eq!(row(2, 7, Beyond::Wrap), [2, 3, 1, 2, 3, 1, 2, 3]);
        let rock = Beyond::Continue(&[1, 1, 1, 2, 2, 5]);
        // Above the rock lie 0, 1, 2 and 2, 3, 1.
        assert_eq!(row(0, -2, rock), [2, 3, 1, 2, 3, 1, 2, 3]);
        assert_eq!(row(1, -2, rock), [5, 3, 4, 5, 6, 7, 8, 6]);
        assert_eq!(row(-1, -2, rock), [4, 2, 3, 4, 2, 3, 4, 2]);
    }
}
