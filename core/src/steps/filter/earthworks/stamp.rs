//! A stamp: the heights of a file laid on the land, placed, turned and scaled, with a falloff at its edge.

use std::sync::Arc;

use glam::{DVec2, Vec2};
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::elevation::formats::{self, ReadOptions};
use crate::error::{Error, Result};
use crate::files::FilePath;
use crate::grid::{Domain, Grid, Heightfield};
use crate::math::smoothstep::smoothstep;
use crate::params::{choice, params};
use crate::steps::filter::earthworks::place;
use crate::steps::generate::ImportChannel;
use crate::steps::number::{SMOOTHSTEP, brief, sum};
use crate::steps::{Ground, Operation, Reach, estimate, step};

choice! {
    /// How a stamp combines with the land.
    pub enum StampBlend {
        /// Its heights are added: the land under it stays.
        Add = "add",
        /// Its heights are subtracted.
        Subtract = "subtract",
        /// The higher of the two: a mountain that stands in the land.
        Max = "max",
        /// The lower of the two: a quarry.
        Min = "min",
        /// It takes the place of the land.
        Replace = "replace",
    }
}

choice! {
    /// What a stamp's heights are counted from, where they are not added.
    pub enum StampFrom {
        /// The height of the land at its middle.
        Ground = "ground",
        /// Height 0.
        Fixed = "fixed",
    }
}

choice! {
    /// The outline within which a stamp counts.
    pub enum StampOutline {
        /// All of the picture.
        Rectangle = "rectangle",
        /// The ellipse in it.
        Ellipse = "ellipse",
    }
}

params! {
    /// Lays the heights of a file on the land around every point: a crater, a mountain, a quarry, painted or
    /// measured elsewhere. Towards the edge of its outline it falls off to the land as it is. Between the
    /// file's samples it is interpolated smoothly, the same at every resolution. Moved later it leaves no
    /// trace.
    pub struct Stamp {
        /// The file: PNG, BMP, TIFF, GeoTIFF, EXR, ESRI ASCII grid, SRTM tile (HGT) or raw 16-bit.
        pub file: FilePath = FilePath::default();
        /// Which channel of a picture is the height.
        pub channel: ImportChannel = ImportChannel::Luma;
        /// Where its middle is, as shares of the land's sides from its north-west corner; on endless land in
        /// units from the origin.
        pub points: Vec<Vec2> = vec![Vec2::splat(0.5)], "" in -1000.0..=1000.0;
        /// Length of its sides from north to south, before it is turned.
        pub length: f32 = 500.0, "m" in 1.0..=200000.0, log;
        /// Length of its sides from west to east, before it is turned.
        pub width: f32 = 500.0, "m" in 1.0..=200000.0, log;
        /// How far it is turned clockwise, as seen from above.
        pub turn: f32 = 0.0, "°" in -360.0..=360.0;
        /// Heights are the file's values times this.
        pub scale: f32 = 1.0, "m" in -1000.0..=1000.0;
        /// Added to all heights after scaling.
        pub bias: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// How it combines with the land.
        pub mode: StampBlend = StampBlend::Add;
        /// What its heights are counted from.
        pub from: StampFrom = StampFrom::Ground;
        /// The outline within which it counts.
        pub outline: StampOutline = StampOutline::Ellipse;
        /// Over which share of the way from its edge to its middle it falls off.
        pub falloff: f32 = 0.3, "" in 0.0..=1.0;
    }
}

/// The values of a stamp's file.
pub(crate) struct StampPicture {
    channel: ImportChannel,
    /// One apart.
    values: Heightfield,
}

impl StampPicture {
    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.values.grid().count() as u64
    }
}

impl Stamp {
    /// The name of the parameter that names the file.
    pub(crate) const FILE: &'static str = "file";

    /// Everything that follows from the file depends on the file and on this.
    pub(crate) fn opened_for(&self) -> u8 {
        self.channel as u8
    }

    /// Whether the file has been read already.
    pub(crate) fn is_open(&self) -> bool {
        self.file.opened::<StampPicture>().is_some_and(|open| open.channel == self.channel)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When none is named, or it cannot be read.
    pub(crate) fn open(&self) -> Result<StampPicture> {
        if self.file.text().is_empty() {
            return Err(Error::parameter(
                "file",
                "names no file; give the path of an elevation file or a picture",
            ));
        }
        let options = ReadOptions { channel: self.channel.into(), ..ReadOptions::default() };
        let raster = self.file.read_with(
            |path| formats::read(path, &options),
            |path, bytes| formats::read_bytes(path, bytes, &options),
        )?;
        let grid = Grid::new(raster.width(), raster.depth(), 1.0)?;
        Ok(StampPicture { channel: self.channel, values: Heightfield::new(grid, raster.into_values())? })
    }

    fn picture(&self) -> Result<Arc<StampPicture>> {
        // The open picture may be of a channel that was chosen before.
        let open = self.file.opened::<StampPicture>().filter(|open| open.channel == self.channel);
        open.map_or_else(|| Ok(Arc::new(self.open()?)), Ok)
    }

    /// Whether its heights are counted from those of the land at its middle.
    fn is_on_ground(&self) -> bool {
        self.from == StampFrom::Ground && !matches!(self.mode, StampBlend::Add | StampBlend::Subtract)
    }

    fn middles(&self, domain: &Domain) -> Vec<DVec2> {
        self.points.iter().map(|point| place::in_metres(domain, *point)).collect()
    }

    /// How much of it counts at a place, given as shares of the ways from its middle to its sides.
    fn share(&self, place: DVec2) -> f32 {
        let out = match self.outline {
            StampOutline::Rectangle => place.abs().max_element(),
            StampOutline::Ellipse => place.length(),
        };
        // `out` is 1 on the outline: shares of the half sides, so an ellipse is a circle here.
        match (1.0 - out) as f32 {
            inside if inside < 0.0 => 0.0,
            _ if self.falloff <= 0.0 => 1.0,
            inside => smoothstep(inside / self.falloff),
        }
    }

    /// The height of land that was `land` high, under this share of a stamp that is `stamp` high there. Modes
    /// that compare or replace heights count the stamp's from `base`.
    fn mixed(&self, land: f32, stamp: f32, base: f32, share: f32) -> f32 {
        let to = match self.mode {
            StampBlend::Add => land + stamp,
            StampBlend::Subtract => land - stamp,
            StampBlend::Max => land.max(base + stamp),
            StampBlend::Min => land.min(base + stamp),
            StampBlend::Replace => base + stamp,
        };
        land + (to - land) * share
    }
}

impl Operation for Stamp {
    step!("stamp", "Stamp", Filter);

    fn formula(&self) -> Option<String> {
        let heights = sum(&[(self.scale, " · ", "v(x)"), (self.bias, "", "")]);
        let values = format!("s = {heights},  v: the file's values");
        let to = match self.mode {
            StampBlend::Add => "h + s",
            StampBlend::Subtract => "h − s",
            StampBlend::Max => "max(h, b + s)",
            StampBlend::Min => "min(h, b + s)",
            StampBlend::Replace => "b + s",
        };
        let share = match self.falloff {
            0.0 => "w = 1".to_owned(),
            falloff => format!("w = S((1 − r) / {}),  {SMOOTHSTEP}", brief(falloff)),
        };
        Some(format!("h′ = h + w (t − h),  t = {to}\n{values}\n{share}"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // Each counts by the share of the land that it covers.
        let [width, length] = [self.width, self.length].map(|side| f64::from(side) / f64::from(grid.cell));
        let samples = grid.width as f64 * grid.depth as f64;
        let (covered, rows) = (width * length, ((width + length) / grid.depth as f64).min(1.0));
        let points = self.points.len() as f64;
        estimate::in_seconds(samples * (5.0 + 6.0 * rows * points) + 40.0 * covered.min(samples) * points)
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn places(&self, domain: &Domain) -> Vec<DVec2> {
        if self.is_on_ground() { self.middles(domain) } else { Vec::new() }
    }

    fn uses(&self, name: &str) -> bool {
        name != "from" || !matches!(self.mode, StampBlend::Add | StampBlend::Subtract)
    }

    /// # Errors
    /// When no file is named, the one that is cannot be read, or heights become infinite.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let picture = self.picture()?;
        work.check()?;
        let (region, grid) = (*ground.region(), ground.grid());
        let middles = self.middles(&region.domain());
        let bases = match self.is_on_ground() {
            true => ground.heights_at(&middles)?,
            false => vec![0.0; middles.len()],
        };
        let half = 0.5 * DVec2::new(self.width.into(), self.length.into());
        let (sine, cosine) = libm::sincos(f64::from(self.turn).to_radians());
        // Half the diagonal: as far as a turned rectangle can lie from its middle.
        let reach = half.length();
        let samples = picture.values.grid();
        let last = DVec2::new((samples.width - 1) as f64, (samples.depth - 1) as f64);
        work.stage("stamp", grid.depth);
        let rows = ground.heights.heights_mut().par_chunks_mut(grid.width).enumerate();
        rows.try_for_each(|(row, heights)| {
            work.check()?;
            work.advance(1);
            let z = region.z_in_metres(row);
            let near: Vec<(DVec2, f32)> = middles
                .iter()
                .zip(&bases)
                .filter(|(middle, _)| (middle.y - z).abs() <= reach)
                .map(|(middle, base)| (*middle, *base))
                .collect();
            if near.is_empty() {
                return Ok(());
            }
            for (column, height) in heights.iter_mut().enumerate() {
                let p = DVec2::new(region.x_in_metres(column), z);
                // One after the other, so that later points of the list lie over earlier ones.
                for (middle, base) in &near {
                    let away = p - middle;
                    // Clockwise from above, where x is east and z south.
                    let turned = DVec2::new(cosine * away.x + sine * away.y, cosine * away.y - sine * away.x);
                    let place = turned / half;
                    let share = self.share(place);
                    if share > 0.0 {
                        // From −1 … 1 to the picture's first … last sample.
                        let at = ((place * 0.5 + 0.5) * last).as_vec2();
                        let stamp = picture.values.sample_smooth(at) * self.scale + self.bias;
                        *height = self.mixed(*height, stamp, *base, share);
                    }
                }
            }
            Ok::<_, Error>(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Held;

    /// A stamp of these values, row by row, on level ground of height 5.
    fn stamped(stamp: Stamp, text: &str) -> Result<Heightfield> {
        let mut stamp = Stamp { file: FilePath::new("a.asc"), ..stamp };
        stamp.file.hold(Held::new([(stamp.file.on_disk(), Ok(text.as_bytes().into()))].into()));
        let mut ground = Ground::new(Heightfield::flat(Grid::new(101, 101, 1.0)?, 5.0));
        stamp.apply(&mut ground, 0, &Work::new())?;
        Ok(ground.heights)
    }

    /// Higher to the east by 1 a column.
    const RAMP: &str =
        "ncols 5\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\n0 1 2 3 4\n0 1 2 3 4\n0 1 2 3 4\n";

    fn sharp() -> Stamp {
        Stamp {
            width: 40.0,
            length: 20.0,
            falloff: 0.0,
            outline: StampOutline::Rectangle,
            ..Stamp::default()
        }
    }

    #[test]
    fn it_lies_where_it_is_placed_turned_and_scaled() {
        let land = stamped(Stamp { scale: 10.0, bias: 2.0, ..sharp() }, RAMP).unwrap();
        for (column, height) in [(29, 5.0), (30, 7.0), (40, 17.0), (50, 27.0), (70, 47.0), (71, 5.0)] {
            assert!((land.at(column, 50) - height).abs() < 1e-4, "{column}: {}", land.at(column, 50));
        }
        assert_eq!((land.at(50, 39), land.at(50, 61)), (5.0, 5.0));
        // What lay in the east lies in the south.
        let land = stamped(Stamp { turn: 90.0, ..sharp() }, RAMP).unwrap();
        for (row, height) in [(40, 6.0), (45, 6.5), (55, 7.5), (60, 8.0)] {
            assert!((land.at(50, row) - height).abs() < 1e-4, "{row}: {}", land.at(50, row));
        }
        let elsewhere = vec![Vec2::new(0.2, 0.2), Vec2::new(0.8, 0.8)];
        let land = stamped(Stamp { points: elsewhere, ..sharp() }, RAMP).unwrap();
        assert!((land.at(20, 20) - 7.0).abs() < 1e-5 && (land.at(80, 80) - 7.0).abs() < 1e-5);
        assert_eq!(land.at(50, 50), 5.0);
    }

    #[test]
    fn every_mode_is_what_it_is_called() {
        let at = |mode, from| {
            let land = stamped(Stamp { mode, from, scale: 3.0, bias: -4.0, ..sharp() }, RAMP).unwrap();
            [30, 50, 70].map(|column| land.at(column, 50))
        };
        use StampBlend::*;
        use StampFrom::*;
        assert_eq!(at(Add, Ground), [1.0, 7.0, 13.0]);
        assert_eq!(at(Subtract, Fixed), [9.0, 3.0, -3.0]);
        assert_eq!(at(Max, Fixed), [5.0, 5.0, 8.0]);
        assert_eq!(at(Max, Ground), [5.0, 7.0, 13.0]);
        assert_eq!(at(Min, Ground), [1.0, 5.0, 5.0]);
        assert_eq!(at(Replace, Fixed), [-4.0, 2.0, 8.0]);
        assert_eq!(at(Replace, Ground), [1.0, 7.0, 13.0]);
    }

    #[test]
    fn towards_the_edge_it_falls_off_to_the_land() {
        let stamp = Stamp { scale: 0.0, bias: 8.0, falloff: 0.5, outline: StampOutline::Ellipse, ..sharp() };
        let land = stamped(stamp, RAMP).unwrap();
        assert_eq!((land.at(50, 50), land.at(58, 50), land.at(71, 50)), (13.0, 13.0, 5.0));
        // Half way between the edge and where it is there in full.
        assert!((land.at(65, 50) - 9.0).abs() < 1e-4 && (land.at(70, 50) - 5.0).abs() < 1e-4);
        let heights: Vec<f32> = (50..75).map(|column| land.at(column, 50)).collect();
        assert!(heights.windows(2).all(|pair| pair[0] >= pair[1]));
    }

    #[test]
    fn no_file_and_a_damaged_one_are_told() {
        let mut ground = Ground::level(Grid::new(3, 3, 1.0).unwrap());
        let none = Stamp::default().apply(&mut ground, 0, &Work::new()).unwrap_err().to_string();
        assert!(none.starts_with("file: names no file"), "{none}");
        assert!(stamped(sharp(), "ncols 5\nnrows 3\n").unwrap_err().to_string().contains("a.asc"));
    }
}
