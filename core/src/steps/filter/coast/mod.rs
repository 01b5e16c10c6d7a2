//! Coasts: waves cut cliffs into the land, leave a platform in front of them, and carry the sand along the
//! shore to where it comes to rest.
//!
//! How fast rock retreats follows from its exposure, how far waves come over open water and at which angle,
//! as in Palermo et al., "NEWTS1.0" (Geoscientific Model Development 17, 3433, 2024). The shore is a front,
//! kept as the distance to it (Osher and Sethian 1988), and not as samples that are land or sea: so it is
//! smooth, whichever way it runs. Sand follows a one-line model (Pelnard-Considère 1956) on that line.
//!
//! Its reach is all of the land: waves come over the whole sea, and sand moves along whole shores.
//!
//! Memory: nine more fields: distances to two shores, the retreat, the rock's weakness, and what the
//! nearest places of a shore are found with.

mod along;
mod beach;
mod drift;
mod evolve;
mod finish;
#[cfg(test)]
mod laws;
mod nearest;
mod profile;
mod reaches;
mod shoreline;
mod state;
mod surf;
mod waves;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{HARDNESS, SAND};
use crate::grid::{Grid, Heightfield, memory};
use crate::noise::stream;
use crate::params::params;
use crate::steps::number::brief;
use crate::steps::rock::Variety;
use crate::steps::{Ground, Operation, Site, estimate, step};
use evolve::Volumes;
use finish::{Finished, finish};
use profile::Profile;
use state::State;
use surf::{ROUNDS, Surf};
use waves::Winds;

params! {
    /// Lets the sea shape its shores. Waves cut cliffs into exposed coasts, with a platform at their foot
    /// just below the sea; part of the rock becomes sand, which moves along the shore and builds beaches.
    /// Land where the layer `hardness` is 1 stays. It writes `sand`, the thickness of the sand.
    pub struct Coast {
        /// Height of the sea. All lower ground is under water.
        pub sea_level: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// For how long the sea has stood at this level. Since the ice age it has been about 6000 years.
        pub age: f32 = 6000.0, "years" in 0.0..=100000.0;
        /// How fast a straight, open coast retreats: hard rock by a few millimetres a year, chalk by a
        /// hundred, clay by more.
        pub retreat: f32 = 30.0, "mm/year" in 0.0..=2000.0;
        /// How fast shores retreat that no waves reach.
        pub sheltered: f32 = 1.0, "mm/year" in 0.0..=500.0;
        /// Compass bearing that most waves come from.
        pub waves_from: f32 = 225.0, "°" in 0.0..=360.0;
        /// How much waves come from all sides: at 0 only from within 90° of that bearing, at 1 from
        /// everywhere alike.
        pub all_sides: f32 = 0.35, "" in 0.0..=1.0;
        /// Slope of cliffs.
        pub cliff_slope: f32 = 60.0, "°" in 20.0..=80.0;
        /// Share of the rock that stays on the shore as sand; the sea takes the rest away.
        pub sand: f32 = 0.3, "" in 0.0..=1.0;
        /// How readily waves carry sand along the shore.
        pub drift: f32 = 1.0, "" in 0.0..=10.0;
        /// Slope of beaches: gentle if the sand is fine, steep if it is coarse.
        pub beach_slope: f32 = 4.0, "°" in 2.0..=12.0;
        /// How much the rock's strength varies from place to place: at 0 all of it retreats alike.
        pub variety: f32 = 0.6, "" in 0.0..=2.0;
        /// Distance from one weak part of the rock to the next.
        pub patches: f32 = 150.0, "m" in 1.0..=100000.0, log;
    }
}

/// Sand that waves can carry past a place of exposure 1 in a year, m³.
const CARRIED: f64 = 2000.0;

/// How high the storms of a winter pile up a beach, metres.
const BERM: f32 = 2.5;

/// Width of a beach behind which rock retreats half as fast, metres, and at least in samples.
const PROTECTS: [f32; 2] = [20.0, 1.5];

/// Length over which waves at neighbouring places are alike, metres.
const ALIKE: f64 = 60.0;

/// Bytes that it takes for each sample.
const BYTES: u64 = 40;

/// What the strongest rock still retreats, as a share: nothing stands for ever.
const LEAST: f32 = 0.05;

/// Keeps the rock's strength independent of other noise of the same seed.
const PATCHES: u64 = 0x636f_6173;

impl Operation for Coast {
    step!("coast", "Coast", Filter);

    fn suit(&mut self, site: &Site) {
        if let Some(level) = site.sea_level {
            self.sea_level = level.clamp(-12_000.0, 12_000.0);
        }
    }

    fn formula(&self) -> Option<String> {
        let [retreat, sheltered, age, bearing, level] =
            [self.retreat, self.sheltered, self.age, self.waves_from, self.sea_level].map(brief);
        let [share, sand, drift, slope] =
            [self.all_sides, self.sand, self.drift, self.beach_slope].map(brief);
        Some(format!(
            "∂r/∂t = ({sheltered} + {retreat} X) (1 − hardness),  {age} years at {level} m\n\
             X = Σ w min(fetch, 20 km) max(0, cos),  w: {bearing}°, {share} all round\n\
             D ∂y/∂t = {sand} H ∂r/∂t − ∂q/∂s,  q = {drift} E sin 2α,  beach {slope}°"
        ))
    }

    fn reads(&self) -> Vec<&str> {
        vec![HARDNESS, SAND]
    }

    fn writes(&self) -> Vec<&str> {
        vec![SAND]
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "drift" | "beach_slope" => self.sand > 0.0,
            "patches" => self.variety > 0.0,
            _ => true,
        }
    }

    fn note(&self, cell: f32) -> Option<String> {
        let most = self.age * (self.retreat + self.sheltered) / 1000.0;
        (most > 0.0 && most < cell).then(|| {
            let [most, cell] = [most, cell].map(brief);
            format!(
                "open coasts retreat by {most} m, and samples are {cell} m apart: little can be seen of it"
            )
        })
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 2500.0)
    }

    /// Land without a shore stays as it is, and so does what waves don't reach. The volume of the sand is
    /// exact to a millionth; nothing leaves over the border, but sand sinks where the bed is steep.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let grid = ground.heights.grid();
        memory::require(grid, BYTES * grid.count() as u64)?;
        let hardness = ground.layers.shared(HARDNESS).cloned();
        let variety = Variety { amount: self.variety, patches: self.patches, least: LEAST };
        // None if all rock retreats alike.
        let weakness = (self.variety > 0.0 || hardness.is_some())
            .then(|| variety.weakness(ground.region(), hardness.as_deref(), stream(seed, PATCHES), work))
            .transpose()?;
        let surf = self.surf(grid);
        let mut state = State::new(&surf, &ground.heights, weakness.as_ref(), work)?;
        let mut volumes = Volumes::default();
        work.stage("waves shape the coast", ROUNDS);
        let stays = self.age == 0.0 || self.retreat + self.sheltered == 0.0;
        for number in 1..=if stays { 0 } else { ROUNDS } {
            if !evolve::round(&mut state, &mut volumes, work)? {
                // There never was a shore, or all of the land is gone.
                break;
            }
            work.advance(1);
            if number < ROUNDS {
                work.frame("round", number, ROUNDS, || {
                    finish(&state, &mut volumes.clone(), work).map(|finished| finished.heights)
                })?;
            }
        }
        let Finished { rock, heights } = finish(&state, &mut volumes, work)?;
        if ground.wants(SAND) {
            let lies = ground.layers.shared(SAND).cloned();
            let sand = sand_layer(&ground.heights, lies.as_deref(), rock, &heights, work)?;
            ground.write_layer(SAND, sand);
        }
        ground.heights = heights;
        work.frame("round", ROUNDS, ROUNDS, || Ok(&ground.heights))
    }
}

impl Coast {
    fn surf(&self, grid: Grid) -> Surf {
        let slope = |degrees: f32| libm::tanf(degrees.to_radians());
        Surf {
            profile: Profile {
                sea_level: self.sea_level,
                cell: grid.cell,
                cliff: slope(self.cliff_slope),
                beach: slope(self.beach_slope),
                berm: BERM,
            },
            winds: Winds::new(self.waves_from, self.all_sides),
            sheltered: self.age * self.sheltered / 1000.0,
            exposed: self.age * self.retreat / 1000.0,
            sand: self.sand,
            carried: CARRIED * f64::from(self.age) * f64::from(self.drift),
            protects: PROTECTS[0].max(PROTECTS[1] * grid.cell),
            alike: ALIKE,
        }
    }
}

/// The thickness of the sand: what lay there before and has not been cut away, and what is new.
fn sand_layer(
    before: &Heightfield,
    lay: Option<&Heightfield>,
    rock: Heightfield,
    heights: &Heightfield,
    work: &Work,
) -> Result<Heightfield> {
    let mut sand = rock;
    let width = sand.grid().width;
    let rows = sand.heights_mut().par_chunks_mut(width).enumerate();
    rows.try_for_each(|(row, sand)| {
        work.check()?;
        let lay = lay.map(|lay| lay.row(row));
        for (column, (sand, height)) in sand.iter_mut().zip(heights.row(row)).enumerate() {
            let cut = before.at(column, row) - *sand;
            let left = lay.map_or(0.0, |lay| (lay[column] - cut).max(0.0));
            *sand = height - *sand + left;
        }
        Ok::<_, crate::Error>(())
    })?;
    Ok(sand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::generate::{Fbm, Generate};

    fn islands() -> Result<Heightfield> {
        let grid = Grid::new(160, 120, 20.0)?;
        Fbm { height: 200.0, frequency: 3.0, ..Fbm::default() }.generate(grid, 5, &Work::new())
    }

    fn shaped(coast: &Coast, land: &Heightfield, layers: &[(&str, &Heightfield)]) -> Result<Ground> {
        let mut ground = Ground::new(land.clone());
        layers.iter().for_each(|(name, layer)| ground.write_layer(name, (*layer).clone()));
        coast.apply(&mut ground, 1, &Work::new())?;
        Ok(ground)
    }

    #[test]
    fn land_without_a_shore_stays_as_it_is() -> Result<()> {
        let land = islands()?;
        for sea_level in [-3000.0, 3000.0] {
            let ground = shaped(&Coast { sea_level, ..Coast::default() }, &land, &[])?;
            assert!(ground.heights == land);
            assert_eq!(ground.layer(SAND)?.range(), (0.0, 0.0));
        }
        let young = shaped(&Coast { age: 0.0, ..Coast::default() }, &land, &[])?;
        assert!(young.heights == land);
        assert!(shaped(&Coast::default(), &land, &[])?.heights != land);
        Ok(())
    }

    #[test]
    fn the_hardest_rock_stays() -> Result<()> {
        let land = islands()?;
        let hard = Heightfield::flat(land.grid(), 1.0);
        assert!(shaped(&Coast::default(), &land, &[(HARDNESS, &hard)])?.heights == land);
        Ok(())
    }

    #[test]
    fn sand_is_what_lies_above_the_rock() -> Result<()> {
        let land = islands()?;
        let ground = shaped(&Coast::default(), &land, &[])?;
        let sand = ground.layer(SAND)?;
        assert!(sand.range().0 >= 0.0 && sand.range().1 > 1.0);
        // What lay there before and has not been cut lies there still.
        let lay = Heightfield::flat(land.grid(), 3.0);
        let more = shaped(&Coast::default(), &land, &[(SAND, &lay)])?;
        assert!(more.heights == ground.heights);
        let more = more.layer(SAND)?;
        let samples = more
            .heights()
            .iter()
            .zip(sand.heights())
            .zip(ground.heights.heights().iter().zip(land.heights()));
        for ((more, sand), (after, before)) in samples {
            assert!((*sand..=sand + 3.0).contains(more));
            if *sand == 0.0 && after == before {
                assert_eq!(*more, 3.0);
            }
        }
        Ok(())
    }

    #[test]
    fn all_land_can_be_lost_to_the_sea() -> Result<()> {
        let ground =
            shaped(&Coast { age: 1e5, retreat: 2000.0, variety: 0.0, ..Coast::default() }, &islands()?, &[])?;
        assert!(ground.heights.range().1 <= 3.0, "{:?}", ground.heights.range());
        Ok(())
    }
}
