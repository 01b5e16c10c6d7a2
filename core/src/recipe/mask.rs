//! Masks: where on the land a step acts, by height, slope, aspect, a factor, a layer, noise or a picture.

use std::sync::Arc;

use rayon::prelude::*;

use crate::analysis::{Factor, Land, Picture, factors};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, Region};
use crate::noise::stream;
use crate::resize::bilinear_over;
use crate::steps::common::{Mask, MaskKind};
use crate::steps::generate::{Fbm, Generate};
use crate::steps::{Ground, no_layer};

/// Keeps the noise of a mask independent of the step's own.
const NOISE: u64 = 0x6D61_736B;

impl Mask {
    /// Whether there is no mask.
    pub fn is_none(&self) -> bool {
        self.mask == MaskKind::None
    }

    /// Whether the parameter `name` has an effect with this kind of mask.
    pub fn uses(&self, name: &str) -> bool {
        match name {
            "mask" => true,
            "mask_min" | "mask_max" | "mask_release" => {
                use MaskKind::{Aspect, Factor, Height, Layer, Slope};
                matches!(self.mask, Height | Slope | Aspect | Factor | Layer)
            }
            "mask_layer" => self.mask == MaskKind::Layer,
            "mask_factor" => self.mask == MaskKind::Factor,
            "mask_frequency" | "mask_threshold" | "mask_softness" => self.mask == MaskKind::Noise,
            "mask_image" => self.mask == MaskKind::Image,
            "mask_invert" => !self.is_none(),
            _ => false,
        }
    }

    /// Samples around each that the mask reads, at every level.
    pub(crate) fn halo(&self) -> u32 {
        u32::from(matches!(self.mask, MaskKind::Slope | MaskKind::Aspect))
    }

    /// Whether it must know all of the land.
    pub(crate) fn is_of_whole_land(&self) -> bool {
        self.mask == MaskKind::Factor
    }

    /// The factor that it goes by, if it goes by one.
    ///
    /// # Errors
    /// When there is none of this name; the message lists those that there are.
    pub(crate) fn factor(&self) -> Result<Option<&'static Factor>> {
        if self.mask != MaskKind::Factor {
            return Ok(None);
        }
        let name = self.mask_factor.as_str();
        let unknown = || {
            let said = if name.is_empty() {
                "names no factor".into()
            } else {
                format!("there is no factor `{name}`")
            };
            Error::parameter("mask_factor", format!("{said}; there are {}", factors::names().join(", ")))
        };
        factors::find(name).ok_or_else(unknown).map(Some)
    }

    /// The layer that it reads, if any.
    pub(super) fn layer(&self) -> Option<&str> {
        (self.mask == MaskKind::Layer).then(|| self.mask_layer.as_str())
    }

    /// Prepares the mask for a ground.
    ///
    /// # Errors
    /// When `mask_min` is above `mask_max`, when there is no picture or it cannot be read, when there is no
    /// such layer or factor, those of measuring a factor, and [`Error::Cancelled`].
    pub(crate) fn over(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Shares<'_>> {
        use MaskKind::{Height, Layer, Slope};
        let limited = matches!(self.mask, Height | Slope | Layer | MaskKind::Factor);
        if limited && self.mask_min > self.mask_max {
            let reason = format!("{} is above `mask_max`, {}; swap them", self.mask_min, self.mask_max);
            return Err(Error::parameter("mask_min", reason));
        }
        let pattern = match self.mask {
            MaskKind::Noise => Some(self.noise(ground.region(), seed, work)?.into()),
            MaskKind::Image => Some(self.image(ground.region(), work)?.into()),
            MaskKind::Layer => {
                let name = self.mask_layer.as_str();
                let there = ground.layers();
                let layer = there.shared(name).ok_or_else(|| no_layer("mask_layer", name, there.names()))?;
                Some(layer.clone())
            }
            MaskKind::Factor => self.measured_factor(ground, work)?.map(Arc::new),
            _ => None,
        };
        let sure = SureOfSlope::of(self);
        Ok(Shares { mask: self, pattern, sure })
    }

    /// The factor that it goes by, if it goes by one, on a ground with its water.
    fn measured_factor(&self, ground: &Ground, work: &Work) -> Result<Option<Heightfield>> {
        let Some(factor) = self.factor()? else { return Ok(None) };
        let Ground { rivers, lakes, heights, .. } = ground;
        let land = Land { sea_level: ground.sea_level(), rivers, lakes, ..Land::dry(heights) };
        let measured = factor.measure(land, &work.unobserved())?;
        let mut values = Heightfield::flat(heights.grid(), 0.0);
        let rows = values.heights_mut().par_chunks_mut(heights.grid().width).enumerate();
        rows.try_for_each(|(row, values)| {
            work.check()?;
            let samples = values.iter_mut().enumerate();
            samples.for_each(|(column, value)| *value = measured.at(column, row));
            Ok::<_, Error>(())
        })?;
        Ok(Some(values))
    }

    fn noise(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let noise = Fbm { height: 1.0, frequency: self.mask_frequency, octaves: 4.0, ..Fbm::default() };
        // A stream of its own: the mask must not follow the step's own noise.
        noise.make(region, stream(seed, NOISE), &work.unobserved())
    }

    fn image(&self, region: &Region, work: &Work) -> Result<Heightfield> {
        if self.mask_image.text().is_empty() {
            return Err(Error::parameter("mask_image", "names no file; give the path of a picture"));
        }
        bilinear_over(&Picture::new(self.mask_image.clone()).brightness()?, region, work)
    }

    /// The share, in [0, 1], where what it goes by is `value`, before it is inverted.
    pub(crate) fn share_of(&self, value: f32) -> f32 {
        match self.mask {
            MaskKind::None => 1.0,
            MaskKind::Height | MaskKind::Slope => self.within(value),
            MaskKind::Aspect => self.within_bearings(value),
            MaskKind::Noise => self.above_threshold(value),
            MaskKind::Image => value,
            MaskKind::Layer | MaskKind::Factor => self.layer_within(value),
        }
    }

    /// 1 from `mask_min` to `mask_max`, fading to 0 over the release.
    fn within(&self, value: f32) -> f32 {
        self.faded((self.mask_min - value).max(value - self.mask_max))
    }

    /// The share at `excess` beyond the limits.
    fn faded(&self, excess: f32) -> f32 {
        if excess <= 0.0 {
            1.0
        } else if excess < self.mask_release {
            1.0 - excess / self.mask_release
        } else {
            0.0
        }
    }

    /// As [`within`](Self::within), but a limit at the end of its range is none.
    fn layer_within(&self, value: f32) -> f32 {
        // A layer's values may lie beyond the parameters' range, which suits heights.
        let most = Mask::default();
        let min = if self.mask_min > most.mask_min { self.mask_min } else { f32::NEG_INFINITY };
        let max = if self.mask_max < most.mask_max { self.mask_max } else { f32::INFINITY };
        self.faded((min - value).max(value - max))
    }

    /// 1 from one bearing clockwise to the other, fading to 0 over the release on either side; 0 on level
    /// ground, which has no bearing and is NaN.
    fn within_bearings(&self, bearing: f32) -> f32 {
        if bearing.is_nan() {
            return 0.0;
        }
        let most = Mask::default();
        if self.mask_min <= most.mask_min || self.mask_max >= most.mask_max {
            return 1.0;
        }
        let turn = |angle: f32| angle.rem_euclid(360.0);
        let (width, from) = (turn(self.mask_max - self.mask_min), turn(bearing - self.mask_min));
        // Whole turns, such as 0 to 360.
        if width == 0.0 && self.mask_max != self.mask_min {
            return 1.0;
        }
        if from <= width { 1.0 } else { self.faded((from - width).min(360.0 - from)) }
    }

    /// 0 below the threshold, 1 above, with a transition of half the softness to either side.
    fn above_threshold(&self, noise: f32) -> f32 {
        let excess = noise - self.mask_threshold;
        if self.mask_softness > 0.0 {
            (excess / self.mask_softness + 0.5).clamp(0.0, 1.0)
        } else {
            f32::from(u8::from(excess > 0.0))
        }
    }
}

/// Rises in metres per metre at which a slope mask is 1 or 0 beyond doubt, whatever the rounding of the
/// angle.
#[derive(Clone, Copy)]
struct SureOfSlope {
    one: [f32; 2],
    zero_up_to: f32,
    zero_from: f32,
}

impl SureOfSlope {
    fn of(mask: &Mask) -> Self {
        // Degrees; more than a hundred times what rounding makes of an angle.
        const DOUBT: f32 = 0.001;
        // Tangents grow with angles, so limits can be compared without the angle of each sample.
        let rise = |degrees: f32| match degrees {
            ..0.0 => -1.0,
            0.0..90.0 => libm::tan(f64::from(degrees).to_radians()) as f32,
            _ => f32::INFINITY,
        };
        // No slope is below 0°.
        let from = if mask.mask_min > 0.0 { rise(mask.mask_min + DOUBT) } else { 0.0 };
        Self {
            one: [from, rise(mask.mask_max - DOUBT)],
            zero_up_to: rise(mask.mask_min - mask.mask_release - DOUBT),
            zero_from: rise(mask.mask_max + mask.mask_release + DOUBT),
        }
    }

    /// The share at a rise, if it is beyond doubt.
    fn share_of(&self, rise: f32) -> Option<f32> {
        let [from, to] = self.one;
        if rise >= from && rise <= to {
            Some(1.0)
        } else if rise <= self.zero_up_to || rise >= self.zero_from {
            Some(0.0)
        } else {
            None
        }
    }
}

/// The mask's value at each sample.
pub(crate) struct Shares<'a> {
    mask: &'a Mask,
    /// The values of the noise, the picture or the layer.
    pattern: Option<Arc<Heightfield>>,
    sure: SureOfSlope,
}

impl Shares<'_> {
    /// As [`at`](Self::at), for all samples of a row; `shares` has room for as many.
    pub(super) fn of_row(&self, field: &Heightfield, row: usize, shares: &mut [f32]) {
        match self.mask.mask {
            MaskKind::None => shares.fill(self.at(field, 0, row)),
            MaskKind::Slope => {
                for (column, share) in shares.iter_mut().enumerate() {
                    // An angle takes longer than all else here; on most land it need not be known.
                    *share = match self.sure.share_of(field.gradient_at(column, row).length()) {
                        Some(sure) if self.mask.mask_invert => 1.0 - sure,
                        Some(sure) => sure,
                        None => self.at(field, column, row),
                    };
                }
            }
            _ => {
                let all = shares.iter_mut().enumerate();
                all.for_each(|(column, share)| *share = self.at(field, column, row));
            }
        }
    }

    /// The mask's value, in [0, 1], at a sample of `field`, the land before the step.
    pub(crate) fn at(&self, field: &Heightfield, column: usize, row: usize) -> f32 {
        let share = self.mask.share_of(self.measured(field, column, row));
        if self.mask.mask_invert { 1.0 - share } else { share }
    }

    /// What the mask goes by there: the height in metres, the slope in degrees, the noise, the brightness of
    /// the picture in [0, 1], or the layer in its own unit; 1 without a mask.
    pub(crate) fn measured(&self, field: &Heightfield, column: usize, row: usize) -> f32 {
        match self.mask.mask {
            MaskKind::None => 1.0,
            MaskKind::Height => field.at(column, row),
            MaskKind::Slope => field.slope_at(column, row),
            MaskKind::Aspect => aspect_at(field, column, row),
            MaskKind::Noise | MaskKind::Image | MaskKind::Layer | MaskKind::Factor => {
                self.pattern.as_ref().map_or(1.0, |pattern| pattern.at(column, row))
            }
        }
    }
}

/// The compass bearing that the ground slopes towards, degrees clockwise from north; NaN where it is level.
fn aspect_at(field: &Heightfield, column: usize, row: usize) -> f32 {
    let gradient = field.gradient_at(column, row);
    if gradient.x == 0.0 && gradient.y == 0.0 {
        return f32::NAN;
    }
    // Downhill is against the gradient; z grows to the south.
    libm::atan2f(-gradient.x, gradient.y).to_degrees().rem_euclid(360.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::files::FilePath;
    use crate::grid::Grid;
    use crate::params::Name;
    use crate::recipe::Recipe;

    fn shares(mask: &Mask, field: &Heightfield) -> Vec<f32> {
        let shares = mask.over(&Ground::new(field.clone()), 5, &Work::new()).unwrap();
        let grid = field.grid();
        (0..grid.count()).map(|index| shares.at(field, index % grid.width, index / grid.width)).collect()
    }

    /// Rises 1 m a metre towards the east: 0 to 100 m, 45°.
    fn ramp() -> Heightfield {
        Heightfield::from_fn(Grid::new(11, 3, 10.0).unwrap(), |column, _| 10.0 * column as f32)
    }

    #[test]
    fn a_height_mask_is_whole_between_its_limits_and_fades_over_the_release() {
        let mask = Mask {
            mask: MaskKind::Height,
            mask_min: 40.0,
            mask_max: 60.0,
            mask_release: 40.0,
            ..Mask::default()
        };
        let expected = [0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0];
        assert_eq!(shares(&mask, &ramp())[..11], expected);
        let inverted = Mask { mask_invert: true, ..mask };
        assert_eq!(shares(&inverted, &ramp())[..11], expected.map(|share| 1.0 - share));
    }

    #[test]
    fn a_hard_edge_belongs_to_the_inside() {
        let mask = Mask { mask: MaskKind::Height, mask_min: 50.0, ..Mask::default() };
        assert_eq!(shares(&mask, &ramp())[..11], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_slope_mask_knows_steep_from_flat() {
        let steep = Mask { mask: MaskKind::Slope, mask_min: 44.0, mask_max: 46.0, ..Mask::default() };
        assert!(shares(&steep, &ramp()).iter().all(|&share| share == 1.0));
        let gentle = Mask { mask_min: 0.0, mask_max: 30.0, mask_release: 30.0, ..steep };
        assert!(shares(&gentle, &ramp()).iter().all(|&share| (share - 0.5).abs() < 1e-5));
    }

    #[test]
    fn a_row_has_the_shares_of_its_samples() {
        // Slopes from flat to upright, and every kind of limit on them.
        let grid = Grid::new(200, 3, 1.0).unwrap();
        let fields = [0.002, 0.05, 40.0].map(|steepest: f32| {
            Heightfield::from_fn(grid, |column, row| steepest * (column * column + 90 * row) as f32 / 200.0)
        });
        let mut checked = [0; 3];
        for (min, max, release) in
            [(0.0, 38.0, 14.0), (44.0, 46.0, 0.0), (-5.0, 90.0, 3.0), (30.0, 90.0, 40.0), (0.01, 0.02, 0.01)]
        {
            for (mask_invert, field) in
                [false, true].iter().flat_map(|invert| fields.iter().map(move |field| (*invert, field)))
            {
                let mask = Mask {
                    mask: MaskKind::Slope,
                    mask_min: min,
                    mask_max: max,
                    mask_release: release,
                    mask_invert,
                    ..Mask::default()
                };
                let ground = Ground::new(field.clone());
                let shares = mask.over(&ground, 5, &Work::new()).unwrap();
                let mut row = [0.5; 200];
                shares.of_row(field, 1, &mut row);
                for (column, share) in row.into_iter().enumerate() {
                    assert_eq!(share, shares.at(field, column, 1), "column {column}, {mask:?}");
                    let rise = field.gradient_at(column, 1).length();
                    checked[shares.sure.share_of(rise).map_or(2, |share| share as usize)] += 1;
                }
            }
        }
        assert!(checked.iter().all(|count| *count > 100), "{checked:?}");
    }

    #[test]
    fn an_aspect_mask_goes_by_the_bearing_downhill() {
        let grid = Grid::new(5, 5, 10.0).unwrap();
        let plane = |east: f32, south: f32| {
            Heightfield::from_fn(grid, |column, row| east * column as f32 + south * row as f32)
        };
        let share = |(mask_min, mask_max): (f32, f32), field: &Heightfield| {
            let mask =
                Mask { mask: MaskKind::Aspect, mask_min, mask_max, mask_release: 45.0, ..Mask::default() };
            shares(&mask, field)[12]
        };
        // Rises to the west, so it slopes to the east.
        for (field, bearing) in [
            (plane(-1.0, 0.0), 90.0),
            (plane(1.0, 0.0), 270.0),
            (plane(0.0, 1.0), 0.0),
            (plane(0.0, -1.0), 180.0),
            (plane(-1.0, -1.0), 135.0),
        ] {
            assert!((aspect_at(&field, 2, 2) - bearing).abs() < 1e-3, "{bearing}");
            assert_eq!(share((bearing - 1.0, bearing + 1.0), &field), 1.0);
            assert!((share((bearing + 22.5, bearing + 90.0), &field) - 0.5).abs() < 1e-3, "{bearing}");
            assert_eq!(share((bearing + 90.0, bearing + 270.0), &field), 0.0);
        }
        assert_eq!(share((300.0, 60.0), &plane(0.0, 1.0)), 1.0, "around north");
        assert_eq!(share((300.0, 60.0), &plane(0.0, -1.0)), 0.0);
        assert_eq!(share((0.0, 360.0), &plane(0.0, -1.0)), 1.0, "all around");
        assert_eq!(share((0.0, 360.0), &plane(0.0, 0.0)), 0.0, "level ground faces nowhere");
    }

    #[test]
    fn a_factor_mask_has_the_values_of_the_factor() {
        let grid = Grid::new(41, 41, 20.0).unwrap();
        let hollow = Heightfield::from_fn(grid, |column, row| {
            0.5 * ((column as f32 - 20.0).powi(2) + (row as f32 - 20.0).powi(2))
        });
        let mask = |name: &str| Mask {
            mask: MaskKind::Factor,
            mask_factor: Name::new(name).unwrap(),
            mask_min: 0.25,
            mask_release: 0.25,
            ..Mask::default()
        };
        let measured = factors::CONCAVITY.measure(Land::dry(&hollow), &Work::new()).unwrap();
        let shares = shares(&mask("concavity"), &hollow);
        for (index, share) in shares.iter().enumerate() {
            let expected = (measured.at(index % 41, index / 41) / 0.25).min(1.0);
            assert!((share - expected).abs() < 1e-5, "{index}: {share} {expected}");
        }
        assert!(shares[20 * 41 + 20] > 0.9, "the middle of a hollow");
        let say = |name: &str| {
            mask(name)
                .over(&Ground::new(hollow.clone()), 0, &Work::new())
                .err()
                .map(|error| error.to_string())
        };
        let said = say("wet").unwrap();
        assert!(
            said.starts_with("mask_factor: there is no factor `wet`; there are wetness, concavity"),
            "{said}"
        );
        assert!(say("").unwrap().starts_with("mask_factor: names no factor; there are"));
    }

    #[test]
    fn a_factor_mask_is_that_of_all_the_land_with_its_sea() {
        let recipe = |sea: &str, size: &str| {
            let text = format!(
                "(version: 1, name: \"Wet\", size: {size}, cell: 30, steps: [fbm(height: 900),
                    scale(bias: 200, mask: factor, mask_factor: \"water_nearness\", mask_min: 0.9)],
                    water: (sea: true, sea_level: {sea}))"
            );
            Recipe::from_ron(&text, "wet.ron").unwrap()
        };
        let (cache, work) = (Cache::default(), Work::new());
        let whole =
            recipe("0", "(65, 65)").build_window("0:0,0,65x65".parse().unwrap(), &cache, &work).unwrap();
        let part = "0:20,30,30x25".parse().unwrap();
        let part = recipe("0", "(65, 65)").build_window(part, &Cache::default(), &work).unwrap();
        for (column, row) in [(0, 0), (11, 20), (29, 24)] {
            assert_eq!(part.heights.at(column, row), whole.heights.at(column + 20, row + 30));
        }
        // The same cache: another sea is another mask.
        let raised = |sea: &str| {
            let recipe = recipe(sea, "(65, 65)");
            let land = recipe.build_window("0:0,0,65x65".parse().unwrap(), &cache, &work).unwrap().heights;
            let mut bare = recipe;
            bare.steps.pop();
            let bare = bare.build_heightfield(&work).unwrap();
            let changed = land.heights().iter().zip(bare.heights()).map(|(land, bare)| land != bare);
            changed.collect::<Vec<_>>()
        };
        let (low, high) = (raised("-100"), raised("100"));
        assert!(low != high && low.iter().any(|raised| *raised) && !low.iter().all(|raised| *raised));
        let probe = recipe("0", "(65, 65)").probe([20, 30], &cache, &work).unwrap();
        assert_eq!(probe.steps[1].mask == 0.0, probe.steps[1].before == probe.steps[1].after);
        let endless = recipe("0", "endless").build_window("0:0,0,9x9".parse().unwrap(), &cache, &work);
        let said = endless.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains("needs to know all of the land, and endless land has no end"), "{said}");
    }

    #[test]
    fn a_noise_mask_covers_more_the_lower_its_threshold() {
        let field = Heightfield::flat(Grid::new(129, 129, 10.0).unwrap(), 0.0);
        let covered = |mask_threshold| {
            let mask = Mask { mask: MaskKind::Noise, mask_threshold, ..Mask::default() };
            let shares = shares(&mask, &field);
            assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
            shares.iter().sum::<f32>() / shares.len() as f32
        };
        let covered = [-1.0, -0.2, 0.0, 0.2, 1.0].map(covered);
        assert!(covered.windows(2).all(|pair| pair[0] > pair[1]), "{covered:?}");
        assert!(covered[0] > 0.99 && covered[4] < 0.01 && (covered[2] - 0.5).abs() < 0.2, "{covered:?}");
    }

    #[test]
    fn a_picture_masks_by_its_brightness_whatever_its_darkest_and_its_brightest_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dim.png");
        let text = path.display().to_string();
        let mask = Mask { mask: MaskKind::Image, mask_image: FilePath::new(text), ..Mask::default() };
        let of = |levels: [u8; 3]| {
            image::GrayImage::from_raw(3, 1, levels.to_vec()).unwrap().save(&path).unwrap();
            shares(&mask, &Heightfield::flat(Grid::new(3, 1, 1.0).unwrap(), 0.0))
        };
        assert_eq!(of([51, 102, 153]), [0.2, 0.4, 0.6]);
        assert_eq!(of([0, 0, 0]), [0.0; 3]);
        assert_eq!(of([255, 255, 255]), [1.0; 3]);
    }

    #[test]
    fn limits_the_wrong_way_round_and_a_missing_picture_are_refused() {
        let grid = Grid::new(3, 3, 1.0).unwrap();
        let say = |mask: Mask| {
            let shares = mask.over(&Ground::level(grid), 0, &Work::new());
            shares.err().map(|error| error.to_string())
        };
        let height = Mask { mask: MaskKind::Height, mask_min: 9.0, mask_max: 3.0, ..Mask::default() };
        assert_eq!(say(height).unwrap(), "mask_min: 9 is above `mask_max`, 3; swap them");
        let image = Mask { mask: MaskKind::Image, ..Mask::default() };
        assert!(say(image).unwrap().starts_with("mask_image: names no file"));
    }

    #[test]
    fn a_layer_masks_in_its_own_unit_and_the_ends_of_the_range_are_no_limits() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 50_000.0];
        let grid = Grid::new(6, 1, 1.0).unwrap();
        let mut ground = Ground::level(grid);
        ground.write_layer("flow", Heightfield::new(grid, values.to_vec()).unwrap());
        let mask = Mask { mask: MaskKind::Layer, mask_layer: Name::new("flow").unwrap(), ..Mask::default() };
        let shares = |mask: &Mask| {
            let shares = mask.over(&ground, 0, &Work::new()).unwrap();
            [0, 1, 2, 3, 4, 5].map(|column| shares.at(&ground.heights, column, 0))
        };
        assert_eq!(shares(&mask), [1.0; 6]);
        let above = Mask { mask_min: 3.0, mask_release: 2.0, ..mask.clone() };
        assert_eq!(shares(&above), [0.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
        let below = Mask { mask_max: 3.0, mask_invert: true, ..mask.clone() };
        assert_eq!(shares(&below), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        let say = |name: &str| {
            let mask = Mask { mask_layer: Name::new(name).unwrap(), ..mask.clone() };
            mask.over(&ground, 0, &Work::new()).err().map(|error| error.to_string())
        };
        let said = "mask_layer: no step has written a layer `wear`; there are flow";
        assert_eq!(say("wear").as_deref(), Some(said));
        assert_eq!(say("").as_deref(), Some("mask_layer: names no layer; there are flow"));
    }

    #[test]
    fn the_panel_is_told_which_parameters_matter() {
        let mask = Mask { mask: MaskKind::Noise, ..Mask::default() };
        let mut used = crate::params::names(&mask);
        used.retain(|name| mask.uses(name));
        assert_eq!(used, ["mask", "mask_frequency", "mask_threshold", "mask_softness", "mask_invert"]);
    }
}
