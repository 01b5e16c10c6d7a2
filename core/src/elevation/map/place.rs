//! Where the samples of a raster lie on its map, whichever way its rows and columns run.

use super::definition::Definition;
use super::turn::Turn;
use crate::elevation::raster::Origin;

/// Where the corners of cells lie on a map: corner (i, j) of a raster lies at `corner` + i · `along_row` + j
/// · `along_column`, in the map's units, east and north.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Affine {
    /// `None` where only the size of cells is known.
    pub(in crate::elevation) corner: Option<[f64; 2]>,
    /// From one column to the next.
    pub(in crate::elevation) along_row: [f64; 2],
    /// From one row to the next.
    pub(in crate::elevation) along_column: [f64; 2],
}

/// Where a raster lies once its rows run from north to south and its columns from west to east.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct UprightPlace {
    /// The turn that has to be undone for that.
    pub(in crate::elevation) turn: Turn,
    /// Cell sizes along x and z.
    pub(in crate::elevation) cell: [f64; 2],
    /// From one column to the next, and from one row to the one north of it.
    steps: [[f64; 2]; 2],
    /// Outer corner of the south-western cell.
    pub(in crate::elevation) corner: Option<[f64; 2]>,
    /// The middle of the raster, from which its latitude follows.
    pub(in crate::elevation) middle: Option<[f64; 2]>,
    /// The middles of its southern and northern edges.
    pub(in crate::elevation) edges: Option<[[f64; 2]; 2]>,
    /// Degrees anticlockwise between its columns and north, if it is rotated.
    pub(in crate::elevation) angle: Option<f64>,
}

impl Affine {
    /// For cells of this size, north up, whose south-western corner is known.
    pub(in crate::elevation) fn north_up([x, z]: [f64; 2], origin: Option<Origin>, depth: usize) -> Self {
        let corner = origin.map(|at| [at.west, at.south + depth as f64 * z]);
        Self { corner, along_row: [x, 0.0], along_column: [0.0, -z] }
    }

    /// The same where `corner` was the centre of the first cell.
    pub(in crate::elevation) fn moved_by_half_a_cell(self) -> Self {
        let corner = self.corner.map(|corner| {
            [0, 1].map(|axis| corner[axis] - 0.5 * (self.along_row[axis] + self.along_column[axis]))
        });
        Self { corner, ..self }
    }

    /// How a raster of `size` samples must be turned, and where it lies then; `None` when its cells have no
    /// area.
    pub(in crate::elevation) fn placed(&self, size: [usize; 2]) -> Option<UprightPlace> {
        let ([b, e], [c, f]) = (self.along_row, self.along_column);
        let [width, depth] = size.map(|side| side as f64);
        let lengths = [libm::hypot(b, e), libm::hypot(c, f)];
        if !lengths.iter().all(|&length| length.is_finite() && length > 0.0) {
            return None;
        }
        // In shares of the steps' lengths, so that long and narrow cells are judged by their direction alone.
        let transposed =
            e.abs() / lengths[0] + c.abs() / lengths[1] > b.abs() / lengths[0] + f.abs() / lengths[1];
        let (backwards, cell, aside) = if transposed {
            ([e > 0.0, c < 0.0], [lengths[1], lengths[0]], [b * width / lengths[1], f * depth / lengths[0]])
        } else {
            ([b < 0.0, f > 0.0], lengths, [e * width / lengths[1], c * depth / lengths[0]])
        };
        // Less than half a cell over the whole raster is rounding.
        let is_turned = aside.iter().any(|cells| cells.abs() > 0.5);
        let turn = Turn { transposed, backwards };
        // The file's axes that become the land's, each in the land's direction.
        let signed = |step: [f64; 2], is_back: bool| if is_back { step.map(|along| -along) } else { step };
        let (row, column) = (signed(self.along_row, backwards[0]), signed(self.along_column, backwards[1]));
        let (east, south) = if transposed { (column, row) } else { (row, column) };
        let angle = libm::atan2(east[1], east[0]).to_degrees();
        let at = |i: f64, j: f64| self.corner.map(|[a, d]| [a + b * i + c * j, d + e * i + f * j]);
        // The land's south-western corner: its first column, after its last row.
        let from = |is_back: bool, end: f64| if is_back { end } else { 0.0 };
        let behind = |is_back: bool, end: f64| if is_back { 0.0 } else { end };
        let (i, j) = if transposed {
            (behind(backwards[0], width), from(backwards[1], depth))
        } else {
            (from(backwards[0], width), behind(backwards[1], depth))
        };
        let steps =
            if is_turned { [east, south.map(|step| -step)] } else { [[cell[0], 0.0], [0.0, cell[1]]] };
        let middle = at(width / 2.0, depth / 2.0);
        let half = 0.5 * if transposed { width } else { depth };
        let edge =
            |sign: f64| middle.map(|middle| [0, 1].map(|axis| middle[axis] + sign * half * steps[1][axis]));
        Some(UprightPlace {
            turn,
            cell,
            steps,
            corner: at(i, j),
            middle,
            edges: edge(-1.0).zip(edge(1.0)).map(|(south, north)| [south, north]),
            angle: is_turned.then_some(angle),
        })
    }
}

impl UprightPlace {
    /// The same in smaller or larger units: `factor` new units are one old unit.
    pub(in crate::elevation) fn scaled(self, factor: f64) -> Self {
        let by = |numbers: [f64; 2]| numbers.map(|number| number * factor);
        Self {
            cell: by(self.cell),
            steps: self.steps.map(by),
            corner: self.corner.map(by),
            middle: self.middle.map(by),
            edges: self.edges.map(|edges| edges.map(by)),
            ..self
        }
    }

    /// The lengths of its cells along x and z after lengths on the map are multiplied by `factors`, from west
    /// to east and from south to north. Cells may be rotated.
    pub(in crate::elevation) fn multiplied(&self, factors: [f64; 2]) -> [f64; 2] {
        if self.angle.is_none() {
            return [0, 1].map(|axis| self.cell[axis] * factors[axis]);
        }
        // Along a rotated step the two factors act on its parts, which then are the sides of a right
        // triangle.
        self.steps.map(|[east, north]| libm::hypot(east * factors[0], north * factors[1]))
    }

    /// The place on a map of this coordinate system; `None` where only the size of cells is known.
    pub(in crate::elevation) fn on_map(&self, system: Option<Definition>) -> Option<MapPlace> {
        let corner = self.corner?;
        let is_finite = |numbers: [f64; 2]| numbers.iter().all(|number| number.is_finite());
        let [east, north] = self.steps;
        (is_finite(corner) && is_finite(east) && is_finite(north)).then_some(MapPlace {
            system,
            corner,
            east,
            north,
        })
    }
}

/// Where land lies on a map, in the map's units: degrees, metres, feet or whatever its coordinate system
/// uses. Files that are written of the land store it, so that other programs find the land in the same place.
/// The size of its cells on the ground is a separate value ([`Raster::cell`](crate::Raster::cell)): a map has
/// its own units, and Mercator maps are stretched towards the poles.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPlace {
    system: Option<Definition>,
    /// Outer corner of the south-western cell.
    corner: [f64; 2],
    /// From one column to the next.
    east: [f64; 2],
    /// From one row to the one north of it.
    north: [f64; 2],
}

impl MapPlace {
    /// For cells of this size along x and z, north up, on a map of an unknown coordinate system, whose unit is
    /// that of the numbers: metres or degrees. All numbers are finite, the sizes above 0.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{MapPlace, Origin};
    /// // 100 rows of 12 m, whose north-western corner is the map's origin.
    /// let place = MapPlace::at(Origin { west: 0.0, south: -1200.0 }, [12.0, 12.0]);
    /// assert_eq!(place.transform(100), [0.0, 12.0, 0.0, 0.0, 0.0, -12.0]);
    /// ```
    pub fn at(origin: Origin, [x, z]: [f64; 2]) -> Self {
        Self { system: None, corner: [origin.west, origin.south], east: [x, 0.0], north: [0.0, z] }
    }

    /// The place of land that lies on no map: metres east and north of its own origin. `first` is the
    /// north-western sample, counted east and south from there, `cell` the metres between samples and `depth`
    /// the number of rows.
    #[doc(hidden)]
    pub fn off_the_map(first: [i64; 2], cell: f64, depth: u32) -> Self {
        let west = (first[0] as f64 - 0.5) * cell;
        let south = -(first[1] as f64 + f64::from(depth) - 0.5) * cell;
        Self::at(Origin { west, south }, [cell; 2])
    }

    /// The same place in this coordinate system.
    pub(in crate::elevation) fn in_system(self, system: Definition) -> Self {
        Self { system: Some(system), ..self }
    }

    /// The outer corner of the south-western cell, where rows run from north to south exactly; `None` where
    /// the land is rotated on the map.
    pub fn origin(&self) -> Option<Origin> {
        let [west, south] = self.corner;
        self.cell().map(|_| Origin { west, south })
    }

    /// Map units between columns and between rows, where rows run from north to south exactly.
    pub fn cell(&self) -> Option<[f64; 2]> {
        (self.east[1] == 0.0 && self.north[0] == 0.0).then_some([self.east[0], self.north[1]])
    }

    /// The coordinate system: a code such as `EPSG:32632`, well-known text, or the keys of a GeoTIFF; `None`
    /// where it is unknown.
    pub fn system(&self) -> Option<String> {
        self.system.as_ref().map(Definition::line)
    }

    /// The name of the coordinate system, for people: its code, such as `EPSG:32632`, or the name in its
    /// file; `None` where it is unknown.
    pub fn system_name(&self) -> Option<String> {
        self.system.as_ref().map(Definition::name)
    }

    /// The coordinate system as a text that GDAL reads: a code or well-known text; `None` where it is unknown,
    /// or only known by keys of which none can be made.
    pub(in crate::elevation) fn text(&self) -> Option<String> {
        let definition = self.system.as_ref()?;
        match (definition.code(), definition) {
            (Some(code), _) => Some(format!("EPSG:{code}")),
            (None, Definition::Text(text)) => Some(text.to_string()),
            (None, Definition::Keys(keys)) => keys.well_known_text(),
            (None, Definition::Code(_)) => None,
        }
    }

    /// Six numbers in GDAL's order, for a raster of `depth` rows: the outer corner of the north-western cell
    /// lies at (`[0]`, `[3]`), one column further lies `[1]` east and `[4]` north of it, one row further
    /// `[2]` east and `[5]` north.
    pub fn transform(&self, depth: usize) -> [f64; 6] {
        let rows = depth as f64;
        let [west, north] = [0, 1].map(|axis| self.corner[axis] + rows * self.north[axis]);
        // Without the case, a step of 0 would become −0, which is written as such.
        let south = self.north.map(|step| if step == 0.0 { 0.0 } else { -step });
        [west, self.east[0], south[0], north, self.east[1], south[1]]
    }

    pub(in crate::elevation) fn definition(&self) -> Option<&Definition> {
        self.system.as_ref()
    }

    /// The place of some of a raster's samples: the south-western one is its sample `first`, counted from the
    /// south-west, and neighbours are `step` of its samples apart. Both may be fractions.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{CellSize, Origin, Raster};
    /// let at = Origin { west: 1000.0, south: 2000.0 };
    /// let cell = CellSize::Metres { x: 10.0, z: 10.0 };
    /// let raster = Raster::new(9, 5, vec![0.0; 45], cell)?.with_origin(Some(at));
    /// // Every second sample, from the third column on: the middle of the first stays, its cell grows.
    /// let part = raster.place().map(|place| place.of_samples([2.0, 0.0], [2.0, 2.0]));
    /// let origin = part.and_then(|place| place.origin());
    /// assert_eq!(origin, Some(Origin { west: 1015.0, south: 1995.0 }));
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn of_samples(&self, first: [f64; 2], step: [f64; 2]) -> Self {
        let corner = [0, 1].map(|axis| {
            let middle =
                self.corner[axis] + (first[0] + 0.5) * self.east[axis] + (first[1] + 0.5) * self.north[axis];
            middle - 0.5 * step[0] * self.east[axis] - 0.5 * step[1] * self.north[axis]
        });
        let (east, north) = (self.east.map(|along| along * step[0]), self.north.map(|along| along * step[1]));
        Self { system: self.system.clone(), corner, east, north }
    }

    /// The place of texels that lie between the centres of a raster's first and last samples, `count` of them
    /// along x and z, on a raster of `size` samples.
    pub fn of_texels(&self, size: [usize; 2], count: [usize; 2]) -> Self {
        let step = [0, 1].map(|axis| size[axis].saturating_sub(1) as f64 / count[axis].max(1) as f64);
        self.of_samples([0, 1].map(|axis| 0.5 * step[axis]), step)
    }

    /// One line of text that [`of_line`](Self::of_line) reads: six numbers and the coordinate system.
    pub(in crate::elevation) fn line(&self) -> String {
        let numbers = [self.corner, self.east, self.north].map(|[east, north]| format!("{east} {north}"));
        let system = self.system().map(|system| format!(" {system}")).unwrap_or_default();
        numbers.join(" ") + &system
    }

    /// Reads the output of [`line`](Self::line); `None` for other text.
    pub(in crate::elevation) fn of_line(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let mut numbers = [0.0; 6];
        for number in &mut numbers {
            // By the first six spaces alone: the rest is a system's definition, which has spaces of its own.
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            *number = word.parse().ok().filter(|number: &f64| number.is_finite())?;
            rest = behind.trim_start();
        }
        let system = if rest.is_empty() { None } else { Some(Definition::of_line(rest)?) };
        let [a, b, c, d, e, f] = numbers;
        Some(Self { system, corner: [a, b], east: [c, d], north: [e, f] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_land_lies_where_its_raster_did() {
        // North-west, north-east and south-west corners of 4 × 3 cells of 25.
        let (west, north) = (1000.0, 5000.0);
        for bits in 0..8 {
            let turn = Turn { transposed: bits & 1 > 0, backwards: [bits & 2 > 0, bits & 4 > 0] };
            let size = if turn.transposed { [3, 4] } else { [4, 3] };
            // The file's axes, then the same axes run backwards from their other end.
            let mut axes =
                if turn.transposed { [[0.0, -25.0], [25.0, 0.0]] } else { [[25.0, 0.0], [0.0, -25.0]] };
            let mut corner = [west, north];
            for axis in 0..2 {
                if turn.backwards[axis] {
                    corner = [0, 1].map(|along| corner[along] + size[axis] as f64 * axes[axis][along]);
                    axes[axis] = axes[axis].map(|step: f64| -step);
                }
            }
            let affine = Affine { corner: Some(corner), along_row: axes[0], along_column: axes[1] };
            let placed = affine.placed(size).unwrap();
            assert_eq!((placed.turn, placed.cell, placed.angle), (turn, [25.0, 25.0], None), "{turn:?}");
            let place = placed.on_map(None).unwrap();
            assert_eq!(place.origin(), Some(Origin { west, south: north - 75.0 }), "{turn:?}");
            assert_eq!(place.transform(3), [west, 25.0, 0.0, north, 0.0, -25.0]);
        }
        let (cos, sin) = (libm::cos(0.5) * 10.0, libm::sin(0.5) * 10.0);
        let affine = Affine { corner: Some([west, north]), along_row: [cos, sin], along_column: [sin, -cos] };
        let placed = affine.placed([40, 30]).unwrap();
        assert!((placed.angle.unwrap() - 0.5f64.to_degrees()).abs() < 1e-9);
        let back = placed.on_map(None).unwrap().transform(30);
        for (number, expected) in back.into_iter().zip([west, cos, sin, north, sin, -cos]) {
            assert!((number - expected).abs() < 1e-9, "{back:?}");
        }
        assert_eq!(Affine { along_row: [0.0; 2], ..affine }.placed([2, 2]), None);
    }

    #[test]
    fn a_place_is_read_as_it_was_written() {
        let place = MapPlace::at(Origin { west: 0.1, south: -1.0 / 3.0 }, [30.48, 1e-9]);
        for system in [None, Some(Definition::Code(2277))] {
            let place = MapPlace { system, ..place.clone() };
            assert_eq!(MapPlace::of_line(&place.line()), Some(place));
        }
        for text in ["", "1 2 3 4 5", "1 2 3 4 5 nan", "1 2 3 4 5 6 ?"] {
            assert_eq!(MapPlace::of_line(text), None, "{text}");
        }
    }

    #[test]
    fn texels_fill_the_land_between_its_outermost_samples() {
        let place = MapPlace::at(Origin { west: 0.0, south: 0.0 }, [10.0, 10.0]);
        let texels = place.of_texels([5, 3], [8, 4]);
        assert_eq!(
            (texels.origin(), texels.cell()),
            (Some(Origin { west: 5.0, south: 5.0 }), Some([5.0, 5.0]))
        );
    }
}
