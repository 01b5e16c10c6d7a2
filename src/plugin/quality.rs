//! Levels of quality: settings that belong together, from a software device to a fast graphics card, and a
//! trial that finds the level which a device can draw.

use std::fmt;
use std::str::FromStr;

use bevy::light::ShadowFilteringMethod;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;

use crate::plugin::device::is_software_device;
use crate::plugin::material::{Shading, TerrainView};
use crate::plugin::scatter::TerrainScatter;

/// How much is drawn: settings for cameras and skies that belong together.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{Quality, Sky, SkyCamera};
///
/// fn setup(mut commands: Commands) {
///     let quality = Quality::Medium;
///     commands.spawn(Sky { shadow_cascades: quality.shadow_cascades(), ..default() });
///     commands.spawn((SkyCamera::default(), quality.view(), quality.msaa()));
/// }
/// ```
#[doc(alias("graphics_settings", "preset"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Reflect)]
#[type_path = "upland::plugin"]
pub enum Quality {
    /// For devices without a graphics card: simple light, large quads, no detail below the land's own texels,
    /// no distant shadows, half the resolution.
    Low,
    /// For small graphics devices.
    Medium,
    /// For graphics cards.
    High,
    /// For fast graphics cards: finer ground, sharper and more distant shadows.
    Ultra,
}

impl Quality {
    /// All levels, from low to ultra.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Ultra];

    /// A guess for a graphics adapter.
    pub fn for_device(adapter: &RenderAdapterInfo) -> Self {
        // Bevy does not re-export the type.
        let is_integrated = format!("{:?}", adapter.device_type) == "IntegratedGpu";
        match (is_software_device(adapter), is_integrated) {
            (true, _) => Self::Low,
            (false, true) => Self::Medium,
            (false, false) => Self::High,
        }
    }

    /// Its name: `low`, `medium`, `high` or `ultra`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Ultra => "ultra",
        }
    }

    /// How cameras see terrains.
    pub fn view(self) -> TerrainView {
        match self {
            Self::Low => TerrainView {
                pixel_error: 3.0,
                quad_pixels: 14.0,
                detail: 0.0,
                far_shadows: 0,
                ..TerrainView::LIGHT
            },
            Self::Medium => TerrainView {
                shading: Shading::Full,
                pixel_error: 2.0,
                quad_pixels: 10.0,
                texel_pixels: 4.0,
                far_shadows: 14,
                ..TerrainView::DEFAULT
            },
            Self::High => TerrainView::DEFAULT,
            Self::Ultra => TerrainView {
                pixel_error: 1.0,
                quad_pixels: 4.0,
                texel_pixels: 2.0,
                detail_range: 900.0,
                far_shadows: 40,
                ..TerrainView::DEFAULT
            },
        }
    }

    /// How far scattered objects are drawn, and how far they cast shadows. At low quality nothing is
    /// scattered. Plants show the season of the land; [`scatter_of`](Self::scatter_of) leaves it as it is.
    pub fn scatter(self) -> TerrainScatter {
        match self {
            Self::Low => TerrainScatter { on: false, distance: 0.3, shadows: 0.0, ..TerrainScatter::OFF },
            Self::Medium => TerrainScatter { distance: 0.6, shadows: 120.0, ..TerrainScatter::default() },
            Self::High => TerrainScatter::default(),
            Self::Ultra => TerrainScatter { distance: 1.5, shadows: 1500.0, ..TerrainScatter::default() },
        }
    }

    /// Settings with the distances and amounts of [`scatter`](Self::scatter), and season and sway from
    /// before: for a quality that changes while the game runs.
    ///
    /// ```
    /// use upland::plants::Season;
    /// use upland::plugin::{Quality, TerrainScatter};
    ///
    /// let winter = TerrainScatter { season: Season::Winter.into(), ..TerrainScatter::default() };
    /// let less = Quality::Medium.scatter_of(winter);
    /// assert!(less.distance < winter.distance && less.season == winter.season);
    /// ```
    pub fn scatter_of(self, before: TerrainScatter) -> TerrainScatter {
        TerrainScatter { season: before.season, sway: before.sway, ..self.scatter() }
    }

    /// Shadow cascades, for [`Sky::shadow_cascades`](crate::plugin::Sky::shadow_cascades).
    pub fn shadow_cascades(self) -> usize {
        match self {
            Self::Low => 1,
            Self::Medium => 3,
            Self::High | Self::Ultra => 4,
        }
    }

    /// Texels along a side of a shadow map, for
    /// [`SkyPlugin::shadow_map_size`](crate::plugin::SkyPlugin::shadow_map_size).
    pub fn shadow_map_size(self) -> usize {
        match self {
            Self::Low => 1024,
            Self::Medium | Self::High => 2048,
            Self::Ultra => 4096,
        }
    }

    /// How the borders of shadow maps' texels are smoothed.
    pub fn shadow_filtering(self) -> ShadowFilteringMethod {
        match self {
            Self::Low => ShadowFilteringMethod::Hardware2x2,
            _ => ShadowFilteringMethod::Gaussian,
        }
    }

    /// Samples for each pixel.
    pub fn msaa(self) -> Msaa {
        match self {
            Self::Low | Self::Medium => Msaa::Off,
            Self::High | Self::Ultra => Msaa::Sample4,
        }
    }

    /// Whether there are colours brighter than white, and a glow around what is bright.
    pub fn has_glow(self) -> bool {
        self > Self::Low
    }

    /// Pixels that are drawn for each of the screen's, along a side: below 1, a smaller picture is drawn and
    /// enlarged.
    pub fn render_scale(self) -> f32 {
        if self == Self::Low { 0.5 } else { 1.0 }
    }

    fn next(self, step: isize) -> Option<Self> {
        Self::ALL.get((self as usize).checked_add_signed(step)?).copied()
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Quality {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|quality| quality.name() == text);
        found.ok_or_else(|| {
            format!("`{text}` is not a level of quality; there are low, medium, high and ultra")
        })
    }
}

/// Finds the quality that a device can draw, from the durations of frames: it starts from a guess, and goes
/// down while frames take too long, or up while they are quick.
///
/// Give it every frame while a usual scene is in view. After each change it ignores frames for a moment, in
/// which shaders are compiled and tiles arrive.
///
/// ```
/// use upland::plugin::{Quality, QualityTrial};
///
/// let mut trial = QualityTrial::new(Quality::High);
/// while !trial.is_over() {
///     trial.frame(0.1);
/// }
/// assert_eq!(trial.quality(), Quality::Low);
/// ```
#[derive(Clone, Debug)]
pub struct QualityTrial {
    quality: Quality,
    /// The lowest level that was too slow.
    too_slow: Option<Quality>,
    is_over: bool,
    /// Seconds that have passed since the last change.
    passed: f32,
    frames: Vec<f32>,
}

/// Seconds after a change that do not count, and then those that do; and the fewest frames in these.
const WARM_UP: f32 = 1.5;
const MEASURED: f32 = 3.0;
const FEWEST: usize = 8;

/// Seconds of a frame above which a level is too slow, and below which the next one is tried: a screen that
/// shows 60 frames a second allows no less than 0.0167.
const SLOW: f32 = 1.0 / 24.0;
const QUICK: f32 = 1.0 / 55.0;

impl QualityTrial {
    /// A trial that starts from a guess.
    pub fn new(guess: Quality) -> Self {
        Self { quality: guess, too_slow: None, is_over: false, passed: 0.0, frames: Vec::new() }
    }

    /// The level to draw with now; the result when the trial is over.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// Whether the level has been found.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes in the duration of a frame, seconds. Invalid durations are left out.
    pub fn frame(&mut self, seconds: f32) {
        if self.is_over || !(seconds.is_finite() && seconds > 0.0) {
            return;
        }
        self.passed += seconds;
        if self.passed <= WARM_UP {
            return;
        }
        self.frames.push(seconds);
        if self.passed < WARM_UP + MEASURED || self.frames.len() < FEWEST {
            return;
        }
        // The median: single long frames, while a tile arrives or another program works, do not count.
        self.frames.sort_by(f32::total_cmp);
        let median = self.frames[self.frames.len() / 2];
        let next = if median > SLOW {
            self.too_slow = Some(self.quality);
            self.quality.next(-1)
        } else if median < QUICK {
            // Never up to a level that was too slow, or the trial would go back and forth.
            self.quality.next(1).filter(|next| self.too_slow != Some(*next))
        } else {
            None
        };
        self.is_over = next.is_none();
        self.quality = next.unwrap_or(self.quality);
        self.passed = 0.0;
        self.frames.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level that is found on a device, and how many frames that took.
    fn found(guess: Quality, seconds: impl Fn(Quality) -> f32) -> (Quality, usize) {
        let mut trial = QualityTrial::new(guess);
        let frames = (0..).find(|_| {
            trial.frame(seconds(trial.quality()));
            trial.is_over()
        });
        (trial.quality(), frames.unwrap())
    }

    #[test]
    fn a_trial_ends_at_the_highest_level_that_is_quick_enough() {
        for guess in Quality::ALL {
            assert_eq!(found(guess, |_| 0.5).0, Quality::Low);
            assert_eq!(found(guess, |_| 0.004).0, Quality::Ultra);
            let seconds = |quality| if quality > Quality::Medium { 0.06 } else { 0.0167 };
            assert_eq!(found(guess, seconds).0, Quality::Medium, "from {guess}");
        }
        // Neither too slow nor quick: as guessed.
        assert_eq!(found(Quality::High, |_| 0.03).0, Quality::High);
        assert!(found(Quality::High, |_| 2.0).1 < 40, "a slow device is not kept waiting for many frames");
    }

    #[test]
    fn a_few_long_frames_and_what_is_no_duration_change_nothing() {
        let mut trial = QualityTrial::new(Quality::High);
        for frame in 0..10_000 {
            trial.frame(match frame % 20 {
                0 => 0.3,
                7 => f32::NAN,
                8 => -1.0,
                _ => 0.03,
            });
        }
        assert!(trial.is_over());
        assert_eq!(trial.quality(), Quality::High);
    }

    #[test]
    fn levels_have_names_and_cost_more_from_one_to_the_next() {
        for quality in Quality::ALL {
            assert_eq!(quality.to_string().parse(), Ok(quality));
        }
        assert!("best".parse::<Quality>().unwrap_err().contains("low, medium, high and ultra"));
        for pair in Quality::ALL.windows(2) {
            let [less, more] = [pair[0].view(), pair[1].view()];
            assert!(less.pixel_error > more.pixel_error && less.texel_pixels >= more.texel_pixels);
            assert!(less.far_shadows <= more.far_shadows && less.detail_range <= more.detail_range);
            assert!(pair[0].shadow_cascades() <= pair[1].shadow_cascades());
            assert!(pair[0].render_scale() <= pair[1].render_scale());
            let [less, more] = [pair[0].scatter(), pair[1].scatter()];
            assert!(less.distance < more.distance && less.shadows < more.shadows && less.on <= more.on);
        }
    }
}
