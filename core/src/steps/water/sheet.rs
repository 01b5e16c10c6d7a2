//! The surface of rivers and lakes as a mesh on the samples of the land, for drawing or export.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use glam::Vec2;

use super::surfaces::surfaces;
use super::{Course, Lake, Waters};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// How far below the sea a river's surface is continued where it runs out, metres.
const DROWNED: f32 = 25.0;

/// How far a river's surface extends beyond its edges, in cells: the ground rises through it there, and
/// forms the shoreline.
const BEYOND: f32 = 2.0;

/// The water surface of all rivers and lakes of a land. It extends a little under the ground on all sides;
/// the shoreline is where the ground rises through it. Where a river flows into a lake, the higher of the two
/// is the surface. It has the levels of the [`WaterBuffer`](super::WaterBuffer), except that where rivers
/// meet the largest one's surface is used.
///
/// ```
/// # use upland_core as upland;
/// use upland::generate::Generate;
/// use upland::water::{Carve, River, RiverSheet};
/// use upland::{Grid, Heightfield, Work};
///
/// let mut land = Heightfield::flat(Grid::new(100, 100, 10.0)?, 50.0);
/// let river = River::default().carve(&mut land, 1, &Work::new())?;
/// let sheet = RiverSheet::new(&land, &[river], None, &Work::new())?;
/// assert!(sheet.positions.iter().all(|[_, height, _]| (42.0..50.0).contains(height)));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RiverSheet {
    /// Metres east of the land's centre, up, and south of the centre.
    pub positions: Vec<[f32; 3]>,
    /// Velocity of the water at each position, metres per second east and south.
    pub velocities: Vec<[f32; 2]>,
    /// Metres of water above the land at each position; below 0 where the land is higher.
    pub depths: Vec<f32>,
    /// Froude number at each position: the speed in the middle of the river divided by that of waves in
    /// water of its depth. Water near 1 and above is rough and white.
    pub froude: Vec<f32>,
    /// Triangles, counterclockwise as seen from above.
    pub indices: Vec<u32>,
    /// The continuation below the sea's level, if a river reaches the sea. Draw it at that level: coarsely
    /// drawn ground may hide the sea in the mouth of a river.
    pub mouths: Option<Box<Self>>,
    /// Metres between positions, those between the land's samples.
    pub cell: f32,
}

/// The water of a river at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiverAt {
    /// Height of its surface, metres.
    pub level: f32,
    /// Metres per second east and south. The speed is that of Manning's formula, with the river's slope and
    /// depth there and the roughness of a stony bed, 0.045; towards the banks the water is slower.
    pub velocity: Vec2,
}

/// A river's water on a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flowing {
    pub(super) sample: usize,
    /// Height of the surface, metres.
    pub(super) level: f32,
    /// Metres per second east and south.
    pub(super) velocity: Vec2,
    /// Froude number in the middle of the river next to it.
    pub(super) froude: f32,
    /// Whether the sample lies within the river's edges.
    pub(super) is_inside: bool,
}

impl RiverSheet {
    /// The surface of `rivers`, which must have been made for the grid of `field`. Water that is no higher
    /// than the sea is left out.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when a river was made for another grid;
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new(field: &Heightfield, rivers: &[Course], sea_level: Option<f32>, work: &Work) -> Result<Self> {
        Self::of(field, Waters { sea_level, rivers, lakes: &[] }, work)
    }

    /// The surface of rivers and lakes, which must have been made for the grid of `field`. Water that is no
    /// higher than the sea is left out.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(field: &Heightfield, all: Waters, work: &Work) -> Result<Self> {
        let grid = field.grid();
        all.check_grid(grid)?;
        let Waters { sea_level, rivers, lakes } = all;
        let mut waters: HashMap<usize, Flowing> = HashMap::new();
        // Where rivers meet, the largest takes the samples within its edges; later ones skip them.
        for (river, surface) in surfaces(field, rivers) {
            for flowing in rivers[river].flowing(&surface, BEYOND * grid.cell, work)? {
                let there = waters.entry(flowing.sample).or_insert(flowing);
                if flowing.is_inside && !there.is_inside {
                    *there = flowing;
                }
            }
        }
        work.check()?;
        let lake_cells = lake_cells(lakes, work)?;
        // In a lake a river is no lower than the lake. On the shore, where it flows in or out, the water is
        // the river's.
        let mut raised = Cow::Borrowed(&waters);
        for lake in lakes.iter().filter(|_| !rivers.is_empty()) {
            for here in lake.samples() {
                let here = *here as usize;
                if raised.get(&here).is_some_and(|water| water.level < lake.level() && !lake.is_shore(here))
                    && let Some(water) = raised.to_mut().get_mut(&here)
                {
                    water.level = lake.level();
                }
            }
        }
        // A hash map has no order; sorted, the mesh is the same every time and can be searched by halves.
        let mut samples: Vec<usize> = waters.keys().copied().chain(lake_cells.keys().copied()).collect();
        samples.sort_unstable();
        samples.dedup();
        let sea_level = sea_level.unwrap_or(f32::NEG_INFINITY);
        let empty = Self { cell: grid.cell, ..Self::default() };
        let (mut sheet, mut mouths) = (empty.clone(), empty);
        // By the sample and the lake: a sample between two lakes has a position for each.
        let mut numbers = [(); 2].map(|()| HashMap::<(usize, Option<u32>), u32>::new());
        let height = |water: &Flowing| field.heights()[water.sample];
        let is_seen = |water: &Flowing| water.level > sea_level && water.level > height(water);
        let is_drowned =
            |water: &Flowing| water.level > sea_level - DROWNED && height(water) < water.level.max(sea_level);
        for &sample in &samples {
            let Some(quad) = quad(grid, sample) else { continue };
            let lake = lake_cells.get(&sample).copied();
            let corners = quad.map(|corner| match lake {
                Some(lake) => Some(in_lake(&lakes[lake as usize], field, corner, waters.get(&corner))),
                None => raised.get(&corner).copied(),
            });
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            let corners = [a, b, c, d];
            // Ground that is finer than the samples can lie lower than they do, and a lake reaches it.
            let is_lake = lake.is_some_and(|lake| lakes[lake as usize].level() > sea_level);
            // Other quads lie in the ground or deep in the sea, and would never be seen.
            let (part, numbers) = if is_lake || corners.iter().any(is_seen) {
                (&mut sheet, &mut numbers[0])
            } else if corners.iter().any(is_drowned) {
                (&mut mouths, &mut numbers[1])
            } else {
                continue;
            };
            let [north_west, north_east, south_west, south_east] = corners
                .map(|water| *numbers.entry((water.sample, lake)).or_insert_with(|| part.add(field, &water)));
            // Split from north-east to south-west, as `at` reads them.
            part.indices.extend([north_west, south_west, north_east, north_east, south_west, south_east]);
        }
        sheet.mouths = (!mouths.is_empty()).then(|| Box::new(mouths));
        Ok(sheet)
    }

    /// Height of the surface at a place, metres east and south of the land's centre; `None` where there is
    /// none. `grid` is that of the land that the sheet was made for.
    pub fn surface_at(&self, grid: Grid, place: Vec2) -> Option<f32> {
        self.at(grid, place).map(|water| water.level)
    }

    /// The surface and the current at a place, as [`surface_at`](Self::surface_at).
    pub fn at(&self, grid: Grid, place: Vec2) -> Option<RiverAt> {
        let place = (place + grid.extent() / 2.0) / grid.cell;
        let last = Vec2::new(grid.width as f32, grid.depth as f32) - 2.0;
        // Written so that NaN is outside.
        if !(place.cmpge(Vec2::ZERO).all() && place.cmple(last + 1.0).all()) {
            return None;
        }
        let corner = place.floor().min(last);
        let vertices = self.quad_at(grid, [corner.x as usize, corner.y as usize])?;
        let level = |vertex: u32| self.positions[vertex as usize][1];
        let velocity = |vertex: u32| Vec2::from(self.velocities[vertex as usize]);
        let [nw, ne, sw, se] = vertices.map(level);
        let [v_nw, v_ne, v_sw, v_se] = vertices.map(velocity);
        let t = place - corner;
        Some(match t.x + t.y <= 1.0 {
            true => RiverAt {
                level: nw + (ne - nw) * t.x + (sw - nw) * t.y,
                velocity: v_nw + (v_ne - v_nw) * t.x + (v_sw - v_nw) * t.y,
            },
            false => RiverAt {
                level: se + (sw - se) * (1.0 - t.x) + (ne - se) * (1.0 - t.y),
                velocity: v_se + (v_sw - v_se) * (1.0 - t.x) + (v_ne - v_se) * (1.0 - t.y),
            },
        })
    }

    /// The vertices around a cell, by column and row: north-west, north-east, south-west, south-east.
    fn quad_at(&self, grid: Grid, [column, row]: [usize; 2]) -> Option<[u32; 4]> {
        let (quads, _) = self.indices.as_chunks::<6>();
        let sample = row * grid.width + column;
        // Quads are in the order of their samples, since `new` has sorted them.
        let quad = quads.binary_search_by_key(&sample, |quad| self.sample_of(grid, quad)).ok()?;
        let [nw, sw, ne, _, _, se] = quads[quad];
        Some([nw, ne, sw, se])
    }

    /// The heights of the surface at the corners of a cell, by column and row.
    pub(crate) fn levels_of_cell(&self, grid: Grid, cell: [usize; 2]) -> Option<[f32; 4]> {
        Some(self.quad_at(grid, cell)?.map(|vertex| self.positions[vertex as usize][1]))
    }

    /// Whether there is any surface on a rectangle of cells.
    pub(crate) fn has_any(&self, grid: Grid, columns: Range<usize>, rows: Range<usize>) -> bool {
        let (quads, _) = self.indices.as_chunks::<6>();
        rows.into_iter().any(|row| {
            let first = row * grid.width + columns.start;
            let next = quads.partition_point(|quad| self.sample_of(grid, quad) < first);
            quads.get(next).is_some_and(|quad| self.sample_of(grid, quad) < first + columns.len())
        })
    }

    /// The sample at the north-west corner of a quad: quads are sorted by it.
    fn sample_of(&self, grid: Grid, quad: &[u32; 6]) -> usize {
        let [x, _, z] = self.positions[quad[0] as usize];
        let corner = ((Vec2::new(x, z) + grid.extent() / 2.0) / grid.cell).round();
        corner.y as usize * grid.width + corner.x as usize
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Adds a position; returns its index.
    fn add(&mut self, field: &Heightfield, water: &Flowing) -> u32 {
        let grid = field.grid();
        let place = Vec2::new((water.sample % grid.width) as f32, (water.sample / grid.width) as f32);
        let p_from_centre = place * grid.cell - grid.extent() / 2.0;
        self.positions.push([p_from_centre.x, water.level, p_from_centre.y]);
        self.velocities.push(water.velocity.to_array());
        self.depths.push(water.level - field.heights()[water.sample]);
        self.froude.push(water.froude);
        self.positions.len() as u32 - 1
    }
}

/// The cells of all lakes, each with its lake: that with the highest surface.
fn lake_cells(lakes: &[Lake], work: &Work) -> Result<HashMap<usize, u32>> {
    let mut cells = HashMap::new();
    for (number, lake) in lakes.iter().enumerate() {
        work.check()?;
        for sample in lake.cells() {
            let there = cells.entry(sample).or_insert(number as u32);
            if lakes[*there as usize].level() < lake.level() {
                *there = number as u32;
            }
        }
    }
    Ok(cells)
}

/// The water of a lake on a sample, or that of a river that flows into it there.
fn in_lake(lake: &Lake, field: &Heightfield, sample: usize, river: Option<&Flowing>) -> Flowing {
    let is_dug =
        |river: &Flowing| field.heights()[river.sample] < lake.level() && lake.is_shore(river.sample);
    match river {
        Some(river) if river.level > lake.level() || is_dug(river) => *river,
        _ => Flowing { sample, level: lake.level(), velocity: Vec2::ZERO, froude: 0.0, is_inside: true },
    }
}

/// A sample and its neighbours east, south and south-east; `None` in the last column or row.
fn quad(grid: Grid, sample: usize) -> Option<[usize; 4]> {
    let (column, row) = (sample % grid.width, sample / grid.width);
    let is_last = column + 1 == grid.width || row + 1 == grid.depth;
    (!is_last).then_some([sample, sample + 1, sample + grid.width, sample + grid.width + 1])
}
