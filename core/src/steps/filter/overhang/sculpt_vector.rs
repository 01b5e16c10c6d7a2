//! Sculpting by a vector displacement map: three channels move every sample of the land.
//!
//! The lecture's vector height field. The upward part of a sample's displacement is added to its height, the
//! sideways part to the layers [`SHIFT`].

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::elevation::formats::{self, ReadOptions, UpChannel, VectorChannel};
use crate::error::{Error, Result};
use crate::files::FilePath;
use crate::grid::layer::{MOST_SHIFTED, SHIFT, SHIFT_EAST, SHIFT_SOUTH};
use crate::grid::{Domain, Grid, Heightfield};
use crate::params::params;
use crate::resize::Resize;
use crate::steps::number::{plus, sum};
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Moves the ground by the three channels of a picture that lies over all of the land: east, up and
    /// south. So cliffs that were sculpted elsewhere can overhang. It cannot be used on endless land.
    pub struct SculptVector {
        /// The vector displacement map: EXR, TIFF, PNG or BMP.
        pub file: FilePath = FilePath::default();
        /// Which channel moves up.
        pub up: UpChannel = UpChannel::Green;
        /// Metres for each unit of the map's values.
        pub scale: f32 = 1.0, "m" in -1000.0..=1000.0;
        /// The value that moves nothing: 0 in most files of floats, 128 of 8 bits, 32768 of 16 bits.
        pub middle: f32 = 0.0, "" in -65535.0..=65535.0;
        /// How the map is resampled to the land.
        pub resize: Resize = Resize::CatmullRom;
    }
}

impl Operation for SculptVector {
    step!("sculpt_vector", "Sculpt by vectors", Filter);

    fn formula(&self) -> Option<String> {
        let moved = match self.middle {
            0.0 => "c".to_owned(),
            middle => format!("(c{})", plus(-middle)),
        };
        let (place, channels) = match self.up {
            UpChannel::Green => ("(x, h, z)", "red, green, blue"),
            UpChannel::Blue => ("(x, h, −z)", "red, blue, green"),
        };
        let sum = sum(&[(1.0, "", place), (self.scale, " · ", &moved)]);
        Some(format!("{place}′ = {sum},  c: {channels}"))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Whole
    }

    fn reads(&self) -> Vec<&str> {
        SHIFT.to_vec()
    }

    fn writes(&self) -> Vec<&str> {
        SHIFT.to_vec()
    }

    /// # Errors
    /// When no file is named, it cannot be read, or has not the channels red, green and blue.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let [east, up, south] = self.up.channels();
        let grid = ground.grid();
        raise(&mut ground.heights, &self.moved(up, grid, work)?, work)?;
        for (name, channel) in [(SHIFT_EAST, east), (SHIFT_SOUTH, south)] {
            if !ground.wants(name) {
                continue;
            }
            let mut shift = self.moved(channel, grid, work)?;
            // Shifts of several steps add up, and are limited together.
            if let Some(before) = ground.layers().get(name) {
                raise(&mut shift, before, work)?;
            }
            shift
                .heights_mut()
                .iter_mut()
                .for_each(|shift| *shift = shift.clamp(-MOST_SHIFTED, MOST_SHIFTED));
            ground.write_layer(name, shift);
        }
        Ok(())
    }
}

impl SculptVector {
    /// How far a channel moves every sample of a grid, in metres.
    fn moved(&self, (channel, sign): VectorChannel, grid: Grid, work: &Work) -> Result<Heightfield> {
        if self.file.text().is_empty() {
            return Err(Error::parameter(
                "file",
                "names no file; give the path of a vector displacement map",
            ));
        }
        let options = ReadOptions { channel, ..ReadOptions::default() };
        let raster = self.file.read_with(
            |path| formats::read(path, &options),
            |path, bytes| formats::read_bytes(path, bytes, &options),
        )?;
        let read = Grid::new(raster.width(), raster.depth(), grid.cell)?;
        let mut values = raster.into_values();
        work.stage("vector map", read.depth);
        values.par_chunks_mut(read.width).try_for_each(|values| {
            work.check()?;
            values.iter_mut().for_each(|value| *value = sign * (*value - self.middle) * self.scale);
            work.advance(1);
            Ok::<_, Error>(())
        })?;
        let field = Heightfield::new(read, values)?;
        let fits = (read.width, read.depth) == (grid.width, grid.depth);
        if fits { Ok(field) } else { self.resize.apply(&field, grid, work) }
    }
}

/// Adds to every value.
///
/// # Errors
/// [`Error::Cancelled`].
fn raise(field: &mut Heightfield, by: &Heightfield, work: &Work) -> Result<()> {
    let width = field.grid().width;
    let rows = field.heights_mut().par_chunks_mut(width).zip(by.heights().par_chunks(width));
    rows.try_for_each(|(row, by)| {
        work.check()?;
        row.iter_mut().zip(by).for_each(|(value, by)| *value += by);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    #[test]
    fn three_channels_move_every_sample_by_a_vector() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.png");
        RgbImage::from_fn(3, 2, |column, row| Rgb([130 + column as u8, 128, 120 - row as u8]))
            .save(&path)
            .unwrap();
        let file = FilePath::new(path.to_string_lossy());
        let sculpt = SculptVector { file, scale: 2.0, middle: 128.0, ..SculptVector::default() };
        let sculpted = |sculpt: &SculptVector| -> Result<Ground> {
            let mut ground = Ground::level(Grid::new(3, 2, 5.0)?);
            ground.write_layer(SHIFT_EAST, Heightfield::flat(ground.grid(), 1.0));
            sculpt.apply(&mut ground, 0, &Work::new())?;
            Ok(ground)
        };
        let ground = sculpted(&sculpt)?;
        assert_eq!(ground.heights.heights(), [0.0; 6]);
        assert_eq!(ground.layer(SHIFT_EAST)?.heights(), [5.0, 7.0, 9.0, 5.0, 7.0, 9.0]);
        assert_eq!(ground.layer(SHIFT_SOUTH)?.heights(), [-16.0, -16.0, -16.0, -18.0, -18.0, -18.0]);
        let ground = sculpted(&SculptVector { up: UpChannel::Blue, ..sculpt.clone() })?;
        assert_eq!(ground.heights.heights(), [-16.0, -16.0, -16.0, -18.0, -18.0, -18.0]);
        assert_eq!(ground.layer(SHIFT_SOUTH)?.heights(), [0.0; 6]);
        let far = sculpted(&SculptVector { scale: 1000.0, ..sculpt })?;
        assert_eq!(far.layer(SHIFT_EAST)?.heights(), [MOST_SHIFTED; 6]);
        Ok(())
    }

    #[test]
    fn maps_that_cannot_be_read_are_told() {
        let said = |name: &str| {
            let sculpt = SculptVector { file: FilePath::new(name), ..SculptVector::default() };
            let mut ground = Ground::level(Grid::new(2, 2, 1.0).unwrap());
            sculpt.apply(&mut ground, 0, &Work::new()).unwrap_err().to_string()
        };
        assert!(said("").starts_with("file: names no file"));
        assert!(said("nowhere/vectors.exr").contains("vectors.exr"));
        let folder = tempfile::tempdir().unwrap();
        let heights = folder.path().join("heights.asc");
        std::fs::write(&heights, "not a grid").unwrap();
        assert!(said(&heights.to_string_lossy()).contains("heights.asc"));
    }
}
