//! Where the panes of a picture lie.

/// Pixels between two panes.
pub(super) const GAP: u32 = 2;

/// The least width and height of a pane, pixels: less shows neither a land nor its name.
pub(super) const LEAST: u32 = 48;

/// The shape that a pane has if it can: a little wider than high, as landscapes are.
const SHAPE: f64 = 1.6;

/// Panes in rows and columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Panes {
    columns: u32,
    /// Width and height of each, pixels.
    pub size: (u32, u32),
}

impl Panes {
    /// `count` panes in a picture of this size, in the number of columns that gives them a shape closest to a
    /// landscape's; `None` where they would be too small.
    pub fn new(count: u32, (width, height): (u32, u32)) -> Option<Self> {
        let of = |columns: u32| {
            let rows = count.div_ceil(columns);
            let part = |whole: u32, parts: u32| whole.saturating_sub(GAP * (parts - 1)) / parts;
            Self { columns, size: (part(width, columns), part(height, rows)) }
        };
        // By the logarithm, twice as wide is as wrong as half as wide.
        let unlike = |panes: &Self| (f64::from(panes.size.0) / f64::from(panes.size.1) / SHAPE).ln().abs();
        // A last row that is not full wastes space.
        let missing = |panes: &Self| f64::from((panes.columns - count % panes.columns) % panes.columns);
        let cost = |panes: &Self| unlike(panes) + 0.5 * missing(panes) / f64::from(count);
        let all = (1..=count.max(1)).map(of).filter(|panes| panes.size.0 >= LEAST && panes.size.1 >= LEAST);
        all.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// The corner of a pane, row by row, pixels from the left and from above.
    pub fn corner(&self, index: u32) -> [i64; 2] {
        let (width, height) = self.size;
        let place = [index % self.columns * (width + GAP), index / self.columns * (height + GAP)];
        place.map(i64::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_are_like_landscapes_and_lie_in_the_picture() {
        let columns = |count, size| Panes::new(count, size).unwrap().columns;
        assert_eq!(columns(1, (1280, 720)), 1);
        assert_eq!(columns(2, (1280, 480)), 2);
        assert_eq!(columns(2, (600, 900)), 1, "a high picture has rows");
        assert_eq!(columns(4, (1280, 720)), 2);
        assert_eq!(columns(9, (1280, 800)), 3);
        for count in 1..40 {
            let size = (1283, 717);
            let panes = Panes::new(count, size).unwrap();
            let mut before: Vec<[i64; 2]> = Vec::new();
            for index in 0..count {
                let [x, y] = panes.corner(index);
                assert!(x + i64::from(panes.size.0) <= 1283 && y + i64::from(panes.size.1) <= 717, "{count}");
                let is_apart = |other: &[i64; 2]| {
                    (other[0] - x).abs() >= i64::from(panes.size.0)
                        || (other[1] - y).abs() >= i64::from(panes.size.1)
                };
                assert!(before.iter().all(is_apart), "{count}");
                before.push([x, y]);
            }
        }
    }

    #[test]
    fn panes_too_small_to_see_anything_are_refused() {
        assert_eq!(Panes::new(4, (97, 40)), None);
        assert_eq!(Panes::new(4, (0, 0)), None);
        assert!(Panes::new(4, (98, 98)).is_some(), "two by two of 48");
        assert_eq!(Panes::new(4, (97, 97)), None);
    }
}
