//! The table of the built-in steps. A line holds the name in recipes, the type and the title for people.

use glam::DVec2;

use super::registry::Make;
use super::{Ground, Kind, Operation, Reach, Site};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Region};
use crate::steps::filter::{
    Binomial, Clamp, Convolve, Curve, Erode, Filter, Gaussian, Gullies, Hole, Invert, Island, Ledges,
    LowPass, Majority, Mean, Normalize, Paint, Platform, Power, Ripples, Road, Scale, SculptStrokes,
    SculptVector, Stamp, Stones, Terrace, Undercut, Warp,
};
use crate::steps::generate::{
    Deposition, DiamondSquare, Fault, Fbm, Flat, Generate, Heterogeneous, Hybrid, Import, Midpoint,
    Multifractal, Ridged, Spectral, Turbulence,
};
use crate::steps::water::{Carve, River};

macro_rules! built_in {
    ($(
        $Kind:ident { $($name:ident: $Type:ident = $title:literal,)+ }
    )+) => {
        /// The built-in steps in the table's order.
        pub(super) const BUILT_IN: &[Make] = &[$($(|| Box::new($Type::default()),)+)+];
        $($(
            impl Operation for $Type {
                fn name(&self) -> &'static str {
                    stringify!($name)
                }

                fn title(&self) -> &'static str {
                    $title
                }

                fn kind(&self) -> Kind {
                    Kind::$Kind
                }

                built_in! { @$Kind $Type }
            }
        )+)+
    };
    (@Generator $Type:ident) => {
        fn formula(&self) -> Option<String> {
            Generate::formula(self)
        }

        fn uses(&self, name: &str) -> bool {
            Generate::uses(self, name)
        }

        fn suit(&mut self, site: &Site) {
            Generate::suit(self, site);
        }

        fn seconds(&self, grid: Grid) -> f64 {
            Generate::seconds(self, grid)
        }

        fn reach(&self, domain: Domain) -> Reach {
            Generate::reach(self, domain)
        }

        fn writes(&self) -> Vec<&str> {
            Generate::writes(self)
        }

        fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
            *ground = Operation::applied(self, ground, seed, work)?;
            Ok(())
        }

        /// Copies nothing: a generator doesn't need the present land.
        fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
            let wanted = |name: &str| ground.wants(name);
            let (heights, layers) = self.make_with_layers(ground.region(), &wanted, seed, work)?;
            let mut made = ground.with_heights(heights);
            layers.into_iter().for_each(|(name, layer)| made.write_layer(name, layer));
            Ok(made)
        }
    };
    (@Filter $Type:ident) => {
        fn formula(&self) -> Option<String> {
            Filter::formula(self)
        }

        fn note(&self, cell: f32) -> Option<String> {
            Filter::note(self, cell)
        }

        fn suit(&mut self, site: &Site) {
            Filter::suit(self, site);
        }

        fn seconds(&self, grid: Grid) -> f64 {
            Filter::seconds(self, grid)
        }

        fn reach(&self, domain: Domain) -> Reach {
            Filter::reach(self, domain)
        }

        fn surroundings(&self, window: &Region, seed: u64, work: &Work) -> Result<Option<Region>> {
            Filter::surroundings(self, window, seed, work)
        }

        fn halo(&self, window: &Region, seed: u64) -> u32 {
            Filter::halo(self, window, seed)
        }

        fn makes_of_surroundings(&self) -> bool {
            Filter::makes_of_surroundings(self)
        }

        fn places(&self, domain: &Domain) -> Vec<DVec2> {
            Filter::places(self, domain)
        }

        fn uses(&self, name: &str) -> bool {
            Filter::uses(self, name)
        }

        fn reads(&self) -> Vec<&str> {
            Filter::reads(self)
        }

        fn writes(&self) -> Vec<&str> {
            Filter::writes(self)
        }

        fn shifts_by(&self) -> f32 {
            Filter::shifts_by(self)
        }

        fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
            self.change_ground(ground, seed, work)
        }

        fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
            self.changed_ground(ground, seed, work)
        }
    };
    (@Waterway $Type:ident) => {
        fn formula(&self) -> Option<String> {
            Carve::formula(self)
        }

        fn note(&self, cell: f32) -> Option<String> {
            Carve::note(self, cell)
        }

        fn suit(&mut self, site: &Site) {
            Carve::suit(self, site);
        }

        fn seconds(&self, grid: Grid) -> f64 {
            Carve::seconds(self, grid)
        }

        fn uses(&self, name: &str) -> bool {
            $Type::uses(self, name)
        }

        /// Digs this waterway alone; [`dig`](crate::steps::water::dig) joins those of several steps.
        fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
            let course = self.carve(&mut ground.heights, seed, work)?;
            ground.rivers.push(course);
            Ok(())
        }

        fn as_waterway(&self) -> Option<&dyn Carve> {
            Some(self)
        }
    };
}

built_in! {
    Generator {
        flat: Flat = "Flat ground",
        fbm: Fbm = "Fractional Brownian motion",
        turbulence: Turbulence = "Turbulence",
        multifractal: Multifractal = "Multiplicative multifractal",
        heterogeneous: Heterogeneous = "Heterogeneous terrain",
        hybrid: Hybrid = "Hybrid multifractal",
        ridged: Ridged = "Ridged multifractal",
        spectral: Spectral = "Spectral synthesis",
        midpoint: Midpoint = "Midpoint displacement",
        diamond_square: DiamondSquare = "Diamond-square",
        fault: Fault = "Fault formation",
        deposition: Deposition = "Particle deposition",
        import: Import = "Elevation file or bitmap",
    }
    Filter {
        normalize: Normalize = "Normalise to a range",
        scale: Scale = "Scale and shift",
        clamp: Clamp = "Clamp",
        power: Power = "Power curve",
        terrace: Terrace = "Terraces",
        curve: Curve = "Curve",
        invert: Invert = "Invert",
        island: Island = "Island falloff",
        warp: Warp = "Domain warp",
        mean: Mean = "Mean",
        gaussian: Gaussian = "Gaussian",
        binomial: Binomial = "Binomial",
        low_pass: LowPass = "Low-pass",
        convolve: Convolve = "Mask of one's own",
        majority: Majority = "Majority, for maps of types",
        erode: Erode = "River erosion",
        gullies: Gullies = "Gullies",
        ledges: Ledges = "Ledges of rock",
        stones: Stones = "Stones",
        ripples: Ripples = "Ripples of sand",
        undercut: Undercut = "Undercut slopes",
        sculpt_vector: SculptVector = "Sculpt by vectors",
        strokes: SculptStrokes = "Strokes of a brush",
        paint: Paint = "Paint a layer",
        road: Road = "Road",
        platform: Platform = "Platform",
        stamp: Stamp = "Stamp",
        hole: Hole = "Hole in the ground",
    }
    Waterway {
        river: River = "River",
    }
}
