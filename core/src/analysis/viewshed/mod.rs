//! Viewsheds: which ground a tower sees, and which ground it is seen from.
//!
//! `line_of_sight.rs` defines a line of sight. Two methods find a viewshed: `exact.rs` gives every sample the
//! result of the line of sight to it, `fast.rs` carries reference planes outwards.

mod counts;
mod curvature;
mod exact;
mod fast;
mod line_of_sight;
mod octant;
mod tower;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, memory};

use counts::SightCounts;
pub use curvature::{Curvature, EARTH_RADIUS, REFRACTION};
use line_of_sight::{Eye, Ground};
pub use line_of_sight::{Sight, line_of_sight};
use octant::Octant;
pub use tower::Tower;
use tower::check_metres;

/// The most towers of one viewshed.
pub const MAX_TOWERS: usize = 255;

/// Samples of a land up to which its viewsheds are exact, unless a method is chosen.
pub const EXACT_UP_TO: usize = 4_000_000;

/// How a viewshed is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Sees a sample if and only if [`line_of_sight()`] does.
    Exact,
    /// By reference planes: many times quicker, and wrong about a few samples, most of them at the edges of
    /// what is seen.
    Fast,
}

/// The height of the targets, and how a viewshed is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewshedOptions {
    /// Height of the targets, metres above the ground, at least 0.
    pub target_height: f32,
    /// How far one sees, horizontally, in metres, at least 0; `None` for any distance.
    pub radius: Option<f32>,
    /// The planet's curvature; `None` for a flat one.
    pub curvature: Option<Curvature>,
    /// `None` for [`Method::Exact`] up to [`EXACT_UP_TO`] samples and [`Method::Fast`] above.
    pub method: Option<Method>,
}

/// How many towers see each sample of a land.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewshed {
    grid: Grid,
    counts: Vec<u8>,
    seen_by_tower: Vec<usize>,
}

impl Viewshed {
    /// The grid of the land.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// How many towers see each sample, row by row from the north-west.
    pub fn counts(&self) -> &[u8] {
        &self.counts
    }

    /// How many samples each tower sees, its own among them, in the order in which the towers were given.
    pub fn seen_by_tower(&self) -> &[usize] {
        &self.seen_by_tower
    }

    /// How many samples at least one tower sees.
    pub fn seen_together(&self) -> usize {
        self.counts.iter().filter(|&&count| count > 0).count()
    }
}

/// Finds which samples of a land each tower sees: its own, and all within the radius to which there is a line
/// of sight.
///
/// The result is the same, bit for bit, at any number of threads.
///
/// ```
/// # use upland_core as upland;
/// use glam::vec2;
/// use upland::viewshed::{Tower, ViewshedOptions, viewshed};
///
/// // A wall 50 m high from north to south, and a tower 10 m high in the west.
/// let grid = upland::Grid::new(9, 3, 10.0)?;
/// let land = upland::Heightfield::from_fn(grid, |column, _| if column == 4 { 50.0 } else { 0.0 });
/// let tower = Tower { position: vec2(0.0, 10.0), height: 10.0 };
/// let seen = viewshed(&land, &[tower], &ViewshedOptions::default(), &upland::Work::new())?;
/// assert_eq!(seen.counts()[9..18], [1, 1, 1, 1, 1, 0, 0, 0, 0]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When there is no tower or more than [`MAX_TOWERS`], one stands outside the land, a number is outside its
/// range, or the land has a height that is not finite; [`Error::Size`] when there is too little memory, and
/// [`Error::Cancelled`].
pub fn viewshed(
    field: &Heightfield,
    towers: &[Tower],
    options: &ViewshedOptions,
    work: &Work,
) -> Result<Viewshed> {
    let grid = field.grid();
    if !(1..=MAX_TOWERS).contains(&towers.len()) {
        let reason = format!("there are {}; give 1 to {MAX_TOWERS}", towers.len());
        return Err(Error::parameter("towers", reason));
    }
    check_metres("target_height", options.target_height)?;
    let radius = options.radius.unwrap_or(f32::MAX);
    check_metres("radius", radius)?;
    let ground = Ground::new(field, options.curvature)?;
    let eyes: Vec<Eye> = towers.iter().map(|tower| ground.eye(tower)).collect::<Result<_>>()?;
    if !field.is_finite_while(work)? {
        return Err(Error::parameter("heights", "one is not a number of metres; give finite heights"));
    }
    memory::require(grid, grid.count() as u64)?;

    let chosen = if grid.count() > EXACT_UP_TO { Method::Fast } else { Method::Exact };
    let method = options.method.unwrap_or(chosen);
    let radius = f64::from(radius) / f64::from(grid.cell);
    let octants: Vec<Vec<Octant>> = eyes.iter().map(|eye| Octant::around(grid, eye.place, radius)).collect();
    let rings: usize = octants.iter().flatten().map(|octant| octant.reach).sum();
    let parts = if method == Method::Exact { exact::SECTORS } else { 1 };
    work.stage("viewshed", rings * parts);

    let target = f64::from(options.target_height);
    let range = field.range_while(work)?;
    let seen = SightCounts::new(grid.count());
    let mut seen_by_tower = Vec::with_capacity(eyes.len());
    // One tower after another, because octants of different towers share samples.
    for (eye, octants) in eyes.iter().zip(&octants) {
        seen.add(eye.place[1] * grid.width + eye.place[0]);
        let look = |(octant, part): (&Octant, usize)| match method {
            Method::Exact => exact::look(&ground, eye, target, range, octant, part, &seen, work),
            Method::Fast => fast::look(&ground, eye, target, octant, &seen, work),
        };
        let all = octants.par_iter().flat_map_iter(|octant| (0..parts).map(move |part| (octant, part)));
        let others = all.map(look).try_reduce(|| 0, |a, b| Ok(a + b))?;
        seen_by_tower.push(1 + others);
    }
    Ok(Viewshed { grid, counts: seen.into_counts(), seen_by_tower })
}
