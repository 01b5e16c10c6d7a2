//! Strokes of a brush: sculpting by hand, from a file of strokes.

use glam::Vec2;
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::{self, FileKind, FilePath};
use crate::grid::layer::HOLE;
use crate::grid::{Domain, Heightfield, Region, Window};
use crate::params::params;
use crate::sculpt::{Before, Places, Sculpture, Strokes};
use crate::steps::filter::Filter;
use crate::steps::{Ground, Reach};

params! {
    /// Makes the strokes of a file, one after the other: raised and lowered ground, ramps, craters and more, as they were
    /// drawn in the window or in a game. Types that they paint lie on the land wherever this step is.
    pub struct SculptStrokes {
        /// The file of strokes, RON or JSON.
        pub file: FilePath = FilePath::default();
        /// Whether strokes of the file cut holes: the step then writes the layer `hole`.
        pub holes: bool = false;
    }
}

impl SculptStrokes {
    /// Reads the strokes.
    ///
    /// # Errors
    /// When no file is named, and those of [`Strokes::read`].
    pub fn strokes(&self) -> Result<Strokes> {
        if self.file.text().is_empty() {
            return Err(Error::parameter("file", "names no file; give the path of a file of strokes"));
        }
        self.file.read_with(
            |path| Strokes::from_bytes(path, &files::read(path, FileKind::Strokes)?),
            Strokes::from_bytes,
        )
    }
}

impl SculptStrokes {
    /// Refuses strokes that cut holes where the recipe does not say so: who draws the land asks the recipe alone.
    fn check_holes(&self, sculpture: &Sculpture) -> Result<()> {
        if self.holes || !sculpture.has_holes() {
            return Ok(());
        }
        Err(Error::parameter("holes", "is false, but strokes of the file cut holes; set it to true"))
    }

    /// Changes the layer of holes.
    fn cut(&self, sculpture: &Sculpture, ground: &mut Ground, work: &Work) -> Result<()> {
        if !self.holes || !ground.wants(HOLE) {
            return Ok(());
        }
        let (grid, region) = (ground.grid(), *ground.region());
        let mut layer = match ground.layers().get(HOLE) {
            Some(before) => before.copy_while(work)?,
            None => Heightfield::flat(grid, 0.0),
        };
        let x: Vec<f64> = (0..grid.width).map(|column| region.x_in_metres(column)).collect();
        let z: Vec<f64> = (0..grid.depth).map(|row| region.z_in_metres(row)).collect();
        let bands = layer.heights_mut().par_chunks_mut(grid.width * ROWS).zip(z.par_chunks(ROWS));
        bands.try_for_each(|(holes, z)| {
            work.check()?;
            sculpture.cut(0..sculpture.len(), holes, Places { x: &x, z });
            Ok::<_, Error>(())
        })?;
        ground.write_layer(HOLE, layer);
        Ok(())
    }
}

impl Filter for SculptStrokes {
    fn change(&self, field: &mut Heightfield, region: &Region, _seed: u64, work: &Work) -> Result<()> {
        change_alone(&Sculpture::new(region.domain(), &self.strokes()?), field, region, work)
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn reads(&self) -> Vec<&str> {
        self.writes()
    }

    fn writes(&self) -> Vec<&str> {
        if self.holes { vec![HOLE] } else { Vec::new() }
    }

    fn change_ground(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        match ground.sculpture().cloned() {
            // It has looked around.
            Some(sculpture) => {
                self.check_holes(&sculpture)?;
                let before = |_| Err(Error::parameter("strokes", "have not looked around"));
                ground.heights.unshare_while(work)?;
                apply(&sculpture, &mut ground.heights, &region, &before, work)?;
                self.cut(&sculpture, ground, work)
            }
            None => {
                let sculpture = Sculpture::new(region.domain(), &self.strokes()?);
                self.check_holes(&sculpture)?;
                change_alone(&sculpture, &mut ground.heights, &region, work)?;
                self.cut(&sculpture, ground, work)
            }
        }
    }

    fn changed_ground(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let mut changed = ground.clone();
        changed.heights.unshare_while(work)?;
        self.change_ground(&mut changed, seed, work)?;
        Ok(changed)
    }
}

/// Changes a field. By itself the step looks around on the given land: a recipe lets it look at the land at other levels
/// too.
fn change_alone(sculpture: &Sculpture, field: &mut Heightfield, region: &Region, work: &Work) -> Result<()> {
    let land = field.copy_while(work)?;
    let corner = [region.x_in_metres(0), region.z_in_metres(0)];
    let before = |window: Window| {
        let cell = libm::ldexp(f64::from(region.domain().cell()), window.level);
        let at = |axis: usize, index: u32| {
            ((window.first[axis] + i64::from(index)) as f64 * cell - corner[axis]) as f32
        };
        let extent = land.grid().extent();
        let row = |row: u32| (0..window.size[0]).map(move |column| Vec2::new(at(0, column), at(1, row)));
        let places = (0..window.size[1]).flat_map(row);
        Ok(places.map(|place| land.sample_surface(place.clamp(Vec2::ZERO, extent))).collect())
    };
    apply(sculpture, field, region, &before, work)
}

/// Rows that are changed between two questions whether to go on.
const ROWS: usize = 4;

fn apply(
    sculpture: &Sculpture,
    field: &mut Heightfield,
    region: &Region,
    before: &Before,
    work: &Work,
) -> Result<()> {
    let grid = field.grid();
    let x: Vec<f64> = (0..grid.width).map(|column| region.x_in_metres(column)).collect();
    let z: Vec<f64> = (0..grid.depth).map(|row| region.z_in_metres(row)).collect();
    sculpture.look([x[0], z[0], x[grid.width - 1], z[grid.depth - 1]], before, work)?;
    work.stage("strokes", grid.depth);
    let bands = field.heights_mut().par_chunks_mut(grid.width * ROWS).zip(z.par_chunks(ROWS));
    bands.try_for_each(|(heights, z)| {
        work.check()?;
        sculpture.change_at_once(0..sculpture.len(), heights, Places { x: &x, z });
        work.advance(z.len());
        Ok(())
    })
}
