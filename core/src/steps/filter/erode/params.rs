//! The parameters of erosion.

use crate::params::{choice, params};

choice! {
    /// Where rivers end.
    pub enum Outlets {
        /// In the sea, and over the border of the field wherever a valley meets it.
        Border = "border",
        /// In the sea only: the border is a watershed.
        Sea = "sea",
        /// In the sea, and over the border of the field wherever the ground slopes outwards there, as if the
        /// land went on beyond: no wall is left along the border. Steps that are added to a recipe in the
        /// window have this.
        Slopes = "slopes",
    }
}

params! {
    /// River erosion: rivers cut branching valleys and leave ridges between them, until the land has the
    /// slopes that rivers and rock can hold. The landform is the same at every resolution, its detail is
    /// not. Heights stay within the range they had. Where the layer `hardness` is 1, rivers neither cut nor
    /// drop anything; creep and slides are unaffected. It writes `flow`, the final drainage area of each
    /// sample, and `wear` and `deposit`, how much lower and how much higher the ground has become: their
    /// difference is that of the heights before and after.
    pub struct Erode {
        /// Erodibility relative to uplift: how strongly rivers cut against the rise of the land.
        pub strength: f32 = 4.0, "" in 0.05..=100.0, log;
        /// Duration, in units of the uplift's time constant: well below 1 valleys are gullies, above 3 they
        /// have reached their final shape.
        pub age: f32 = 3.0, "" in 0.0..=20.0;
        /// Distance over which soil creep rounds crests and banks.
        pub smoothing: f32 = 20.0, "m" in 0.0..=2000.0;
        /// Steepest stable slope; steeper ground slides down.
        pub max_slope: f32 = 40.0, "°" in 1.0..=80.0;
        /// How much the rock's strength, and with it the steepest stable slope, varies from place to place.
        pub variety: f32 = 0.5, "" in 0.0..=1.0;
        /// Height at which rivers end. Lower ground is sea bed: it stays as it is, or deltas of sediment grow
        /// on it up to this height. A sea that stands higher drowns the valleys' mouths: bays and fjords.
        pub base_level: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Where rivers end.
        pub outlets: Outlets = Outlets::Border;
        /// How readily rivers drop what they carry. At 0 all of it leaves the land; natural rivers have 0.5
        /// to 2. Valleys get floors, hollows hold lakes until they are full, and deltas grow into the sea.
        // Natural rivers: Guerit et al. (2019).
        pub sediment: f32 = 0.0, "" in 0.0..=20.0;
        /// Drainage area at which the steepest stable slope along a stream is half as steep, because debris
        /// flows cut it. At 0 it is the same everywhere.
        pub debris_flows: f32 = 0.0, "km²" in 0.0..=10.0;
    }
}
