//! Samples of a tile or a field, and the ground that is drawn from them: two triangles for each cell.

use glam::{DVec2, Vec3};
use half::f16;

use crate::analysis::slope::degrees_from_gradient;
use crate::grid::{Heightfield, drawn_hole, is_hole, normal_from_gradient, on_triangles};
use crate::sculpt::Sculpture;
use crate::stream::shape::LandShape;
use crate::stream::sources::made::place;
use crate::stream::tile::{LandTile, TILE_CELLS, TILE_TEXELS};

/// The ground at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundAt {
    /// The level of its samples.
    pub level: i32,
    /// Metres between its samples.
    pub cell: f32,
    /// Its height, metres.
    pub height: f32,
    /// Its unit normal: downwards where it is the underside of an overhang.
    pub normal: Vec3,
}

impl GroundAt {
    /// The ground of a plane with this rise per metre.
    #[inline(always)]
    pub(in crate::stream) fn of_plane(height: f64, rise: DVec2, level: i32, cell: f32) -> Self {
        let normal = normal_from_gradient(rise.as_vec2());
        Self { level, cell, height: height as f32, normal }
    }

    /// Steepness, degrees from horizontal, in [0, 180]: above 90 on the underside of an overhang.
    #[inline(always)]
    pub fn slope(&self) -> f32 {
        // |y|, because an underside is as steep as the same plane facing up; which of the two it is follows
        // below.
        let across = (self.normal.x * self.normal.x + self.normal.z * self.normal.z).sqrt();
        let slope = degrees_from_gradient(across / self.normal.y.abs());
        if self.normal.y < 0.0 { 180.0 - slope } else { slope }
    }

    /// Its rise per metre east and south.
    pub fn rise(&self) -> [f32; 2] {
        [-self.normal.x / self.normal.y, -self.normal.z / self.normal.y]
    }
}

/// The column and row of the square cell, `cell` metres wide, that contains a place: the nearest of `cells`
/// cells counted from the sample `first`.
pub(in crate::stream) fn cell_of(place: [f64; 2], cell: f64, first: [i64; 2], cells: [i64; 2]) -> [i64; 2] {
    [0, 1].map(|axis| {
        ((place[axis] / cell).floor() as i64).saturating_sub(first[axis]).clamp(0, (cells[axis] - 1).max(0))
    })
}

/// The splat weights of all channels at a place in a tile, from its planes.
pub(in crate::stream) fn weights_in(
    planes: &[[u8; 4]],
    tile: LandTile,
    shape: &LandShape,
    x: f64,
    z: f64,
) -> impl Iterator<Item = u8> {
    let cell = f64::from(shape.cell_at(tile.level));
    let [column, row] = cell_of([x, z], cell, tile.first_sample(), [TILE_CELLS; 2]);
    let texel = place(column, row);
    planes.chunks_exact(TILE_TEXELS.pow(2)).flat_map(move |plane| plane[texel])
}

/// The ground at a place in a tile, from its heights, whether there is a hole or not.
pub(in crate::stream) fn ground_in(
    heights: &[f32],
    tile: LandTile,
    shape: &LandShape,
    x: f64,
    z: f64,
) -> GroundAt {
    Samples::of_heights(heights, tile, shape).ground(x, z)
}

/// The ground at a place on a level, in metres from the first of the samples, from a cell's four corners.
pub(in crate::stream) fn ground_of_cell(field: &Heightfield, level: i32, place: DVec2) -> GroundAt {
    let cells = [field.grid().width as i64 - 1, field.grid().depth as i64 - 1];
    let (cell, end) = (field.grid().cell, DVec2::INFINITY);
    let samples = Samples {
        heights: Heights::Field(field, None),
        holes: Holes::None,
        level,
        cell,
        first: [0, 0],
        cells,
        end,
    };
    samples.ground(place.x, place.y)
}

/// Samples on the corners of square cells, each drawn as two triangles: the diagonal runs from the north-east
/// to the south-west corner.
pub(in crate::stream) struct Samples<'a> {
    pub(in crate::stream) heights: Heights<'a>,
    pub(in crate::stream) holes: Holes<'a>,
    pub(in crate::stream) level: i32,
    pub(in crate::stream) cell: f32,
    /// The first sample's column and row, and how many cells there are.
    pub(in crate::stream) first: [i64; 2],
    pub(in crate::stream) cells: [i64; 2],
    /// Where the land ends: samples beyond it are drawn there.
    pub(in crate::stream) end: DVec2,
}

pub(in crate::stream) enum Heights<'a> {
    Tile(&'a [f32]),
    Field(&'a Heightfield, Option<&'a Sculpture>),
}

/// The layer of holes at the same samples.
pub(in crate::stream) enum Holes<'a> {
    None,
    Tile(&'a [f16]),
    /// For a field with such a layer, or with strokes that cut holes.
    Field(Option<&'a Heightfield>, Option<&'a Sculpture>),
}

impl<'a> Samples<'a> {
    pub(in crate::stream) fn of_heights(heights: &'a [f32], tile: LandTile, shape: &LandShape) -> Self {
        Self {
            heights: Heights::Tile(heights),
            holes: Holes::None,
            level: tile.level,
            cell: shape.cell_at(tile.level),
            first: tile.first_sample(),
            cells: [TILE_CELLS; 2],
            end: shape.extent().unwrap_or(DVec2::INFINITY),
        }
    }

    pub(in crate::stream) fn of_field(
        (field, holes, sculpture): (&'a Heightfield, Option<&'a Heightfield>, Option<&'a Sculpture>),
        shape: &LandShape,
    ) -> Self {
        let cells = shape.last().unwrap_or_default();
        let end = shape.extent().unwrap_or(DVec2::INFINITY);
        let heights = Heights::Field(field, sculpture);
        let cutting = sculpture.filter(|sculpture| sculpture.has_holes() || holes.is_some());
        let holes = match (holes, cutting) {
            (None, None) => Holes::None,
            (holes, cutting) => Holes::Field(holes, cutting),
        };
        Self { heights, holes, level: 0, cell: shape.cell, first: [0, 0], cells, end }
    }

    /// The layer of holes at a sample, as it is drawn.
    pub(in crate::stream) fn hole(&self, column: i64, row: i64) -> f32 {
        match self.holes {
            Holes::None => 0.0,
            Holes::Tile(holes) => holes.get(place(column, row)).map_or(0.0, |share| share.to_f32()),
            Holes::Field(field, sculpture) => {
                // Land of a single row or column has no sample beyond: both corners of its cell are the same
                // one.
                let sample = [0, 1].map(|axis| [column, row][axis].min(self.cells[axis]));
                let share = field.map_or(0.0, |field| field.at(sample[0] as usize, sample[1] as usize));
                let [x, z] = sample.map(|index| index as f64 * f64::from(self.cell));
                drawn_hole(sculpture.map_or(share, |sculpture| sculpture.hole(x, z, share)))
            }
        }
    }

    /// Whether there is a hole at a place.
    pub(in crate::stream) fn is_hole(&self, x: f64, z: f64) -> bool {
        if matches!(self.holes, Holes::None) {
            return false;
        }
        let [column, row] = self.number(x, z);
        let (quad, p) = (self.quad(x, z), DVec2::new(x, z));
        let share = ((p - quad.corner) / quad.size).clamp(DVec2::ZERO, DVec2::ONE);
        let row_of = |row: i64| [self.hole(column, row), self.hole(column + 1, row)];
        is_hole(on_triangles(row_of(row), row_of(row + 1), share.to_array()))
    }

    pub(in crate::stream) fn height(&self, column: i64, row: i64) -> f64 {
        f64::from(match self.heights {
            Heights::Tile(heights) => heights[place(column, row)],
            Heights::Field(field, sculpture) => {
                let grid = field.grid();
                let sample = [(column as usize).min(grid.width - 1), (row as usize).min(grid.depth - 1)];
                let height = field.at(sample[0], sample[1]);
                let [x, z] = sample.map(|index| index as f64 * f64::from(self.cell));
                sculpture.map_or(height, |sculpture| sculpture.height(x, z, height))
            }
        })
    }

    /// The column and row of the cell that contains a place.
    pub(in crate::stream) fn number(&self, x: f64, z: f64) -> [i64; 2] {
        cell_of([x, z], f64::from(self.cell), self.first, self.cells)
    }

    /// The cell that contains a place.
    pub(in crate::stream) fn quad(&self, x: f64, z: f64) -> Quad {
        let cell = f64::from(self.cell);
        let [column, row] = self.number(x, z);
        // From whole numbers, so that neighbouring cells have the same corner to the bit.
        let corner = DVec2::new((self.first[0] + column) as f64, (self.first[1] + row) as f64) * cell;
        // The last cell of a coarse level is cut off at the border, as it is drawn.
        let size = (self.end - corner).min(DVec2::splat(cell));
        // Land without extent.
        let size = DVec2::select(size.cmpgt(DVec2::ZERO), size, DVec2::splat(cell));
        Quad {
            corner,
            size,
            north: [self.height(column, row), self.height(column + 1, row)],
            south: [self.height(column, row + 1), self.height(column + 1, row + 1)],
        }
    }

    pub(in crate::stream) fn ground(&self, x: f64, z: f64) -> GroundAt {
        let quad = self.quad(x, z);
        let p = DVec2::new(x, z);
        let (height, rise) = quad.plane(p, quad.across(p) > 1.0);
        GroundAt::of_plane(height, rise, self.level, self.cell)
    }
}

/// A cell: its place, and the heights at its corners, from west to east.
pub(in crate::stream) struct Quad {
    pub(in crate::stream) corner: DVec2,
    pub(in crate::stream) size: DVec2,
    pub(in crate::stream) north: [f64; 2],
    pub(in crate::stream) south: [f64; 2],
}

impl Quad {
    /// How far across the cell a place lies: 0 at its north-west corner, 1 on the diagonal, 2 at its
    /// south-east corner.
    pub(in crate::stream) fn across(&self, p: DVec2) -> f64 {
        ((p - self.corner) / self.size).element_sum()
    }

    /// Height and rise at a place on the plane of its north-western or south-eastern triangle.
    pub(in crate::stream) fn plane(&self, p: DVec2, is_south_east: bool) -> (f64, DVec2) {
        let share = (p - self.corner) / self.size;
        let ([north_west, north_east], [south_west, south_east]) = (self.north, self.south);
        // Each triangle's plane from its own right angle, extended to the north-west corner, from which
        // shares are counted.
        let (corner, rise) = if is_south_east {
            let rise = DVec2::new(south_east - south_west, south_east - north_east);
            (south_east - rise.element_sum(), rise)
        } else {
            (north_west, DVec2::new(north_east - north_west, south_west - north_west))
        };
        (corner + rise.dot(share), rise / self.size)
    }
}
