//! The block of land, drawn column by column of the picture from front to back, as in early flight games:
//! land is visible where it is higher in the picture than everything before it.

use glam::{Vec2, Vec3};
use image::{Rgba, RgbaImage};
use rayon::prelude::*;

use super::light;
use crate::build::Landscape;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
use crate::sky::sun::Sun;
use crate::steps::water::WaterBuffer;
use crate::texture::{LINEAR, level_from_linear};

/// Pixels that are drawn along each side of a final pixel, so that edges are smooth.
const SUPER: usize = 2;

/// Half of the visible angle from left to right, as its tangent.
const WIDE: f32 = 0.42;
/// How far down the eye looks, as the tangent of the angle to the middle of the land.
const DOWN: f32 = 0.62;
/// The share of the picture's width that the land fills.
const FILLED: f32 = 0.94;

/// Metres of water through which a tenth of the ground's colour is visible, as a share of the land's longer
/// side; and the colour of deep water, linear.
const CLEAR: f32 = 0.004;
const DEEP: Vec3 = Vec3::new(0.012, 0.075, 0.105);
/// Light of the sky that water reflects.
const MIRRORED: Vec3 = Vec3::new(0.030, 0.042, 0.055);

/// The rock of the block's sides, and the sky above and at the horizon, linear.
const ROCK: Vec3 = Vec3::new(0.075, 0.064, 0.055);
const ZENITH: Vec3 = Vec3::new(0.24, 0.42, 0.70);
const HORIZON: Vec3 = Vec3::new(0.72, 0.80, 0.86);

/// A land prepared for drawing: on every sample the height of ground or water, and its colour in daylight.
pub(super) struct Diorama {
    grid: Grid,
    heights: Vec<f32>,
    colours: Vec<Vec3>,
    low: f32,
    high: f32,
}

impl Diorama {
    /// # Errors
    /// Those of the water, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn new(land: &Landscape, sun: Sun, work: &Work) -> Result<Self> {
        let field = &land.heightfield;
        let grid = field.grid();
        let light = light::on(field, sun, work)?;
        // Rivers and lakes stand above the sea's level, so one height of water isn't enough.
        let depths = WaterBuffer::depths_on(field, land.waters(), work)?;
        let longer = grid.longer().max(2) as f32 * grid.cell;
        let colour = &land.colour;
        let texel = |column: usize, row: usize| {
            let place = |at: usize, last: usize, texels: usize| (at * texels / last.max(1)).min(texels - 1);
            let x = place(column, grid.width - 1, colour.width);
            let z = place(row, grid.depth - 1, colour.depth);
            let [r, g, b, _] = colour.texels[z * colour.width + x];
            Vec3::new(LINEAR[usize::from(r)], LINEAR[usize::from(g)], LINEAR[usize::from(b)])
        };
        let mut heights = Vec::with_capacity(grid.count());
        let mut colours = Vec::with_capacity(grid.count());
        for row in 0..grid.depth {
            for column in 0..grid.width {
                let index = row * grid.width + column;
                let depth = depths[index].max(0.0);
                heights.push(field.at(column, row) + depth);
                let lit = texel(column, row) * light[index];
                // Beer and Lambert's law; 2.3 is ln 10, since a tenth is visible at `CLEAR`.
                let clear = libm::expf(-2.3 * depth / (CLEAR * longer));
                let water = DEEP.lerp(lit, clear) + MIRRORED;
                colours.push(if depth > 0.0 { water } else { lit });
            }
        }
        let ends = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = heights.iter().fold(ends, |(low, high), &at| (low.min(at), high.max(at)));
        Ok(Self { grid, heights, colours, low, high })
    }

    /// Draws it in a picture of this width and height.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn draw(&self, (width, height): (u32, u32), work: &Work) -> Result<RgbaImage> {
        let (wide, high) = (width as usize * SUPER, height as usize * SUPER);
        let view = View::of(self, wide, high);
        // Upright columns of the picture are independent: each marches away from the eye over the land below
        // it.
        let columns = (0..wide).into_par_iter().map(|x| {
            work.check()?;
            Ok(self.column(&view, x))
        });
        let columns: Vec<Vec<Vec3>> = columns.collect::<Result<_>>()?;
        let mean = |x: usize, y: usize| {
            let cells = (0..SUPER * SUPER).map(|cell| (x * SUPER + cell % SUPER, y * SUPER + cell / SUPER));
            // The mean is taken in linear light, before the rolling off and encoding.
            cells.map(|(x, y)| columns[x][y]).sum::<Vec3>() / (SUPER * SUPER) as f32
        };
        Ok(RgbaImage::from_fn(width, height, |x, y| {
            let colour = mean(x as usize, y as usize).to_array();
            let [r, g, b] = colour.map(|part| level_from_linear(rolled_off(part)));
            Rgba([r, g, b, 255])
        }))
    }

    /// A column of the picture, from above.
    fn column(&self, view: &View, x: usize) -> Vec<Vec3> {
        let mut pixels: Vec<Vec3> = (0..view.high)
            .map(|y| {
                let share = y as f32 / view.high as f32;
                ZENITH.lerp(HORIZON, (share * 1.4).min(1.0))
            })
            .collect();
        // The eye looks north, so all that a column sees lies on one line over the map.
        let aside = (x as f32 + 0.5 - view.wide as f32 / 2.0) / view.focal;
        let Some((near, far)) = view.crossed(aside, self.extent()) else { return pixels };
        // Rows from here on are drawn.
        let mut above = view.high as f32;
        let mut before: Option<(f32, Vec3)> = None;
        // From near to far: what has been drawn hides all that is lower in the picture.
        let mut away = near;
        while away <= far {
            let place = Vec2::new(view.eye.x + aside * away, view.eye.z - away);
            let (height, colour) = self.at(place);
            let y = view.row(height, away);
            if before.is_none() {
                // The side of the block that faces the eye.
                let foot = view.row(view.base, away).min(view.high as f32);
                fill(&mut pixels, y, foot, |share| ROCK * (1.25 - 0.65 * share));
                above = above.min(y);
            }
            if y < above {
                let (last, from) = before.unwrap_or((y, colour));
                let span = (last - y).max(1e-3);
                // Between two samples the colour changes evenly from the nearer to the farther one.
                fill(&mut pixels, y, above, |share| {
                    let below = y + share * (above - y);
                    colour.lerp(from, ((below - y) / span).clamp(0.0, 1.0))
                });
                above = y;
            }
            before = Some((y, colour));
            // Half a cell near by and half a pixel far away: neither skips what could be seen.
            away += view.step.max(away * view.growth);
        }
        pixels
    }

    fn extent(&self) -> Vec2 {
        self.grid.extent()
    }

    /// Height and colour at a place, metres from the north-west corner.
    fn at(&self, place: Vec2) -> (f32, Vec3) {
        let Grid { width, depth, cell } = self.grid;
        let last = Vec2::new((width - 1) as f32, (depth - 1) as f32);
        let p = (place / cell).clamp(Vec2::ZERO, last);
        let (column, row) =
            ((p.x as usize).min(width.saturating_sub(2)), (p.y as usize).min(depth.saturating_sub(2)));
        let (x, z) = (p.x - column as f32, p.y - row as f32);
        // Land of one row or column has no next one.
        let index = |column: usize, row: usize| row.min(depth - 1) * width + column.min(width - 1);
        let corners =
            [index(column, row), index(column + 1, row), index(column, row + 1), index(column + 1, row + 1)];
        let shares = [(1.0 - x) * (1.0 - z), x * (1.0 - z), (1.0 - x) * z, x * z];
        let height = (0..4).map(|corner| self.heights[corners[corner]] * shares[corner]).sum();
        let colour = (0..4).map(|corner| self.colours[corners[corner]] * shares[corner]).sum();
        (height, colour)
    }
}

/// The viewpoint: from the south, with vertical lines vertical.
struct View {
    wide: usize,
    high: usize,
    /// Metres east, up and south of the land's north-west corner.
    eye: Vec3,
    /// Pixels of a metre a metre away.
    focal: f32,
    /// The picture's row at the eye's own height.
    horizon: f32,
    /// The height of the block's foot, metres.
    base: f32,
    /// The first step of a ray along the ground, metres, and the share of the way by which later ones grow.
    step: f32,
    growth: f32,
}

impl View {
    fn of(land: &Diorama, wide: usize, high: usize) -> Self {
        // Land of one sample has no extent to divide by.
        let extent = land.extent().max(Vec2::splat(land.grid.cell));
        // Level land, too, gets a little height, or its slab would be as thin as a line.
        let range = (land.high - land.low).max(0.01 * extent.max_element());
        let base = land.low - 0.04 * extent.max_element() - 0.1 * range;
        let focal = wide as f32 / (2.0 * WIDE);
        // The front edge fills the picture's width.
        let front = extent.x / (2.0 * WIDE * FILLED);
        let middle = front + extent.y / 2.0;
        let target = land.low + 0.35 * range;
        let mut eye = Vec3::new(extent.x / 2.0, target + DOWN * middle, extent.y + front);
        let mut view = Self {
            wide,
            high,
            eye,
            focal,
            horizon: 0.0,
            base,
            step: 0.5 * land.grid.cell,
            growth: 0.5 / focal,
        };
        // Move away until the foot in front and the summits behind are both in the picture, at most 24 times:
        // extremely steep land may not fit at any distance.
        for _ in 0..24 {
            let foot = view.row(base, eye.z - extent.y);
            let top = view.highest_row(land);
            let (free, needed) = (0.88 * high as f32, foot - top);
            // Moved so that foot and top are equally far from the picture's edges.
            view.horizon = 0.5 * (high as f32 - (foot + top - 2.0 * view.horizon));
            if needed <= free {
                break;
            }
            eye += Vec3::new(0.0, DOWN, 1.0) * 0.08 * middle;
            view.eye = eye;
        }
        view
    }

    /// The row of the picture at which something of a height appears at a distance.
    fn row(&self, height: f32, away: f32) -> f32 {
        self.horizon + (self.eye.y - height) / away.max(1e-3) * self.focal
    }

    /// The highest row that contains land.
    fn highest_row(&self, land: &Diorama) -> f32 {
        let Grid { width, depth, cell } = land.grid;
        let of_row = |row: usize| {
            let heights = &land.heights[row * width..(row + 1) * width];
            let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            self.row(high, self.eye.z - row as f32 * cell)
        };
        (0..depth).map(of_row).fold(f32::INFINITY, f32::min)
    }

    /// Where a column's ray is over the land, from and to, in metres north of the eye.
    fn crossed(&self, aside: f32, extent: Vec2) -> Option<(f32, f32)> {
        let (mut near, mut far) = (self.eye.z - extent.y, self.eye.z);
        // East is between 0 and the extent.
        if aside.abs() > 1e-9 {
            // Slab test: the line enters and leaves between the two borders in the order of its slope's sign.
            let (a, b) = (-self.eye.x / aside, (extent.x - self.eye.x) / aside);
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near < far).then_some((near, far))
    }
}

/// Fills rows from `top` to `bottom` with colours by the share of the way down.
fn fill(pixels: &mut [Vec3], top: f32, bottom: f32, colour: impl Fn(f32) -> Vec3) {
    let rows = pixels.len() as f32;
    let (first, last) = (top.clamp(0.0, rows) as usize, bottom.clamp(0.0, rows) as usize);
    for (y, pixel) in pixels.iter_mut().enumerate().take(last).skip(first) {
        *pixel = colour(((y as f32 + 0.5 - top) / (bottom - top).max(1e-3)).clamp(0.0, 1.0));
    }
}

/// Light in the range of a picture: very bright light approaches white without being clipped.
fn rolled_off(light: f32) -> f32 {
    let light = light.max(0.0);
    // The exponential continues with the slope 1 at 0.7, so the roll-off begins without a kink.
    if light <= 0.7 { light } else { 0.7 + 0.3 * (1.0 - libm::expf(-(light - 0.7) / 0.3)) }
}
