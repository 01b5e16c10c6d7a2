//! Parameters that every step of a recipe has in addition to its own: how it combines with the present land,
//! and where it acts.

use crate::files::FilePath;
use crate::params::{Name, choice, names, params};

choice! {
    /// How generated land combines with the present land.
    pub enum Blend {
        /// The new land replaces the present one.
        Replace = "replace",
        /// Heights are added.
        Add = "add",
        /// The new heights are subtracted.
        Subtract = "subtract",
        /// Heights are multiplied; give the new land a `height` of about 1.
        Multiply = "multiply",
        /// The lower of the two.
        Min = "min",
        /// The higher of the two.
        Max = "max",
    }
}

params! {
    /// Parameters of every step, in addition to its own.
    pub struct Mixing {
        /// Whether the step runs at all.
        pub on: bool = true;
        /// How generated land combines with the present land. Filters always replace.
        pub blend: Blend = Blend::Replace;
        /// Share of the step's result that is used; the rest stays as it was. Waterways are always dug in
        /// full.
        pub amount: f32 = 1.0, "" in 0.0..=1.0;
        /// Varies the randomness: steps of the same kind with different variants differ.
        pub variant: u32 = 0, "" in 0.0..=9999.0;
    }
}

choice! {
    /// What decides where a step acts.
    pub enum MaskKind {
        /// Nothing: it acts everywhere.
        None = "none",
        /// The height of the land before the step.
        Height = "height",
        /// The slope of the land before the step.
        Slope = "slope",
        /// The compass bearing that the ground slopes towards, before the step.
        Aspect = "aspect",
        /// What terrain types also go by, such as wetness, shade or convexity: of all the land before the
        /// step.
        Factor = "factor",
        /// Noise: random patches.
        Noise = "noise",
        /// The brightness of a picture.
        Image = "image",
        /// A layer that an earlier step has written.
        Layer = "layer",
    }
}

params! {
    /// Where on the land a step acts.
    pub struct Mask {
        /// What decides where the step acts.
        pub mask: MaskKind = MaskKind::None;
        /// The layer that is the mask, such as `flow` after an `erode`.
        pub mask_layer: Name = Name::default();
        /// The factor that is the mask, from 0 to 1: `wetness`, `convexity`, `shade` or another. Steps with
        /// such a mask are made for all of the land.
        pub mask_factor: Name = Name::default();
        /// Lower limit of where the step acts in full: height in metres, slope in degrees, the bearing
        /// clockwise from north in degrees, a factor from 0 to 1, or the layer in its own unit. At the lowest
        /// value there is no limit. Bearings from 300 to 40 lie around north.
        pub mask_min: f32 = -12000.0, "" in -12000.0..=12000.0, unlimited below;
        /// Upper limit of where the step acts in full, in the same unit. At the highest value there is no
        /// limit.
        pub mask_max: f32 = 12000.0, "" in -12000.0..=12000.0, unlimited above;
        /// Distance beyond the limits, in the same unit, over which the step fades out linearly.
        pub mask_release: f32 = 0.0, "" in 0.0..=12000.0;
        /// Patches of noise per unit: along the longer side, or in `unit` metres of endless land.
        pub mask_frequency: f32 = 4.0, "" in 0.05..=1024.0, log;
        /// The step acts where the noise, from −1 to 1, is higher than this.
        pub mask_threshold: f32 = 0.0, "" in -1.0..=1.0;
        /// Width of the transition around the threshold: 0 gives the patches hard edges.
        pub mask_softness: f32 = 0.1, "" in 0.0..=2.0;
        /// The picture, stretched over the whole land: white (255 or 65535) lets the step act in full,
        /// black not at all, and grey in proportion. On endless land it covers one unit, east and south of
        /// the origin, and its border continues for ever.
        pub mask_image: FilePath = FilePath::default();
        /// Swaps where the step acts and where it doesn't.
        pub mask_invert: bool = false;
    }
}

/// The names of the parameters that a recipe accepts for every step. No step may use one of these names for a
/// parameter of its own.
pub(super) fn common_names() -> Vec<&'static str> {
    [names(&Mixing::default()), names(&Mask::default())].concat()
}
