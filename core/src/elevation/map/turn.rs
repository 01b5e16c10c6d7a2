//! How the rows and columns of a raster lie on the map: in most files rows run from north to south and
//! columns from west to east, in some they don't.

/// What must be undone so that rows run from north to south and columns from west to east.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::elevation) struct Turn {
    /// Whether the file's columns run along z, its rows along x.
    pub(in crate::elevation) transposed: bool,
    /// Whether the file's columns and rows run the other way, west or north.
    pub(in crate::elevation) backwards: [bool; 2],
}

impl Turn {
    /// Whether there is nothing to undo.
    pub(in crate::elevation) fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Samples of the land along x and z, for a file of `size`.
    pub(in crate::elevation) fn land_size(self, [width, depth]: [usize; 2]) -> [usize; 2] {
        if self.transposed { [depth, width] } else { [width, depth] }
    }

    /// The columns and rows of a file of `size` that hold these columns and rows of the land. Both are
    /// ascending.
    pub(in crate::elevation) fn in_file(
        self,
        size: [usize; 2],
        columns: &[usize],
        rows: &[usize],
    ) -> [Vec<usize>; 2] {
        // In ascending order of the file, in which reading is quick; `undone` turns the heights back.
        let own = if self.transposed { [rows, columns] } else { [columns, rows] };
        [0, 1].map(|axis| {
            if self.backwards[axis] {
                own[axis].iter().rev().map(|place| size[axis] - 1 - place).collect()
            } else {
                own[axis].to_vec()
            }
        })
    }

    /// Heights of the land from heights of a file, both row by row; the file's size is `size`.
    pub(in crate::elevation) fn undone(self, [width, depth]: [usize; 2], heights: Vec<f32>) -> Vec<f32> {
        if self.is_none() {
            return heights;
        }
        let [columns, rows] = self.land_size([width, depth]);
        let at = |column: usize, row: usize| {
            let [i, j] = if self.transposed { [row, column] } else { [column, row] };
            let i = if self.backwards[0] { width - 1 - i } else { i };
            let j = if self.backwards[1] { depth - 1 - j } else { j };
            heights[j * width + i]
        };
        (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (column, row)))
            .map(|(c, r)| at(c, r))
            .collect()
    }

    /// Describes the turn, for people.
    pub(in crate::elevation) fn description(self) -> Option<&'static str> {
        match (self.transposed, self.backwards) {
            (false, [false, false]) => None,
            (false, [false, true]) => Some("its rows run from south to north"),
            (false, [true, false]) => Some("its columns run from east to west"),
            (false, [true, true]) => Some("its rows run from south to north, its columns from east to west"),
            (true, [i, j]) => Some(match (i, j) {
                (false, false) => "its columns run from north to south, its rows from west to east",
                (true, false) => "its columns run from south to north, its rows from west to east",
                (false, true) => "its columns run from north to south, its rows from east to west",
                (true, true) => "its columns run from south to north, its rows from east to west",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_turned_land_is_a_part_of_all_of_it() {
        let size = [5, 3];
        let file: Vec<f32> = (0..15).map(|n| n as f32).collect();
        for bits in 0..8 {
            let turn = Turn { transposed: bits & 1 > 0, backwards: [bits & 2 > 0, bits & 4 > 0] };
            let [width, depth] = turn.land_size(size);
            let all = &turn.undone(size, file.clone());
            let columns: Vec<usize> = (0..width).step_by(2).collect();
            let rows: Vec<usize> = (0..depth).skip(1).collect();
            let [i, j] = turn.in_file(size, &columns, &rows);
            assert!(i.is_sorted() && j.is_sorted());
            let file = &file;
            let part = j.iter().flat_map(|&j| i.iter().map(move |i| file[j * 5 + i])).collect();
            let part = turn.undone([i.len(), j.len()], part);
            let expected: Vec<f32> =
                rows.iter().flat_map(|&r| columns.iter().map(move |c| all[r * width + c])).collect();
            assert_eq!(part, expected, "{turn:?}");
        }
        assert_eq!(
            Turn { backwards: [false, true], ..Turn::default() }.undone([2, 2], vec![0., 1., 2., 3.]),
            [2., 3., 0., 1.]
        );
        assert_eq!(
            Turn { transposed: true, ..Turn::default() }.undone([2, 2], vec![0., 1., 2., 3.]),
            [0., 2., 1., 3.]
        );
    }
}
