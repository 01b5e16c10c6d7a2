//! Strokes of a brush: sculpting by hand, from a file of strokes.

use glam::Vec2;
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::{self, FileKind, FilePath};
use crate::grid::layer::HOLE;
use crate::grid::{Domain, Heightfield, Region, Window};
use crate::params::params;
use crate::sculpt::{Before, EVERYWHERE, Places, Sculpture, Strokes};
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Makes the strokes of a file, one after the other: raised and lowered ground, ramps, craters and more,
    /// as they were drawn in the window or in a game. Types that they paint lie on the land wherever this
    /// step is.
    pub struct SculptStrokes {
        /// The file of strokes, RON or JSON.
        pub file: FilePath = FilePath::default();
        /// Whether strokes of the file cut or close holes: the step then writes the layer `hole`.
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
    /// Refuses strokes that cut or close holes if the parameter `holes` is off: other parts of the program
    /// ask only the recipe whether its land has holes.
    fn check_holes(&self, sculpture: &Sculpture) -> Result<()> {
        // A step that says it writes no holes must not: windows and plans rely on `writes`.
        if self.holes || !sculpture.changes_holes(0..usize::MAX, EVERYWHERE) {
            return Ok(());
        }
        Err(Error::parameter("holes", "is false, but strokes of the file cut or close holes; set it to true"))
    }

    /// Changes the layer of holes.
    fn cut(&self, sculpture: &Sculpture, ground: &mut Ground, work: &Work) -> Result<()> {
        if !self.holes || !ground.wants(HOLE) {
            return Ok(());
        }
        let mut layer = match ground.layers().get(HOLE) {
            Some(before) => before.copy_while(work)?,
            None => Heightfield::flat(ground.grid(), 0.0),
        };
        let (x, z) = places(&layer, ground.region());
        in_bands(&mut layer, (&x, &z), work, |holes, places| {
            sculpture.cut(0..sculpture.len(), holes, places);
        })?;
        ground.write_layer(HOLE, layer);
        Ok(())
    }
}

impl Operation for SculptStrokes {
    step!("strokes", "Strokes of a brush", Filter);

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn reads(&self) -> Vec<&str> {
        self.writes()
    }

    fn writes(&self) -> Vec<&str> {
        if self.holes { vec![HOLE] } else { Vec::new() }
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        match ground.sculpture().cloned() {
            // It has looked around.
            Some(sculpture) => {
                self.check_holes(&sculpture)?;
                // `look` has nothing left to ask for, so this error means that a stroke was missed before.
                let before = |_| Err(Error::parameter("strokes", "have not looked around"));
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
}

/// Changes a field. By itself the step looks around on the given land: a recipe lets it look at the land at
/// other levels too.
fn change_alone(sculpture: &Sculpture, field: &mut Heightfield, region: &Region, work: &Work) -> Result<()> {
    // The land before the strokes, since `field` changes while they look at it.
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
        // Beyond the border brushes see the height of the border.
        Ok(places.map(|place| land.sample_surface(place.clamp(Vec2::ZERO, extent))).collect())
    };
    apply(sculpture, field, region, &before, work)
}

fn apply(
    sculpture: &Sculpture,
    field: &mut Heightfield,
    region: &Region,
    before: &Before,
    work: &Work,
) -> Result<()> {
    let (x, z) = places(field, region);
    sculpture.look([x[0], z[0], x[x.len() - 1], z[z.len() - 1]], before, work)?;
    work.stage("strokes", z.len());
    in_bands(field, (&x, &z), work, |heights, places| {
        sculpture.change_at_once(0..sculpture.len(), heights, places);
        work.advance(places.z.len());
    })
}

/// Where the columns and the rows of a region's field lie, metres.
fn places(field: &Heightfield, region: &Region) -> (Vec<f64>, Vec<f64>) {
    let grid = field.grid();
    let x = (0..grid.width).map(|column| region.x_in_metres(column)).collect();
    (x, (0..grid.depth).map(|row| region.z_in_metres(row)).collect())
}

/// Rows that are changed between two questions whether to go on.
const ROWS: usize = 4;

/// Changes some rows at a time of the values that lie at these columns and rows.
fn in_bands(
    field: &mut Heightfield,
    (x, z): (&[f64], &[f64]),
    work: &Work,
    change: impl Fn(&mut [f32], Places) + Sync,
) -> Result<()> {
    let bands = field.heights_mut().par_chunks_mut(x.len() * ROWS).zip(z.par_chunks(ROWS));
    // A few rows together: a stroke's part in them is found once for all.
    bands.try_for_each(|(values, z)| {
        work.check()?;
        change(values, Places { x, z });
        Ok(())
    })
}
