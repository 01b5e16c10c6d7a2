//! Fluvial erosion: rivers cut valleys by stream power, slopes slide into them.
//!
//! The stream power law ∂h/∂t = U − K·√A·S (A drainage area, S slope along the river, K erodibility, U
//! uplift) is solved implicitly from the outlets upstream in linear time, after Braun and Willett, "A very
//! efficient O(n), implicit and parallel method to solve the stream power equation" (2013); slopes are
//! limited meanwhile as by Cordonnier et al., "Large scale terrain generation from tectonic uplift and
//! fluvial erosion" (2016). The uplift is ours: it draws every point back to its height before the erosion, U
//! = (h₀ − h)/τ. So every new height is a weighted mean of the old one, the original one and the one
//! downstream, and the land stays within its range, whatever the parameters.
//!
//! Memory: as a rule at most two more fields, that is seven and a half bytes a sample, the queue of the
//! depression being filled, and 1 MiB for the rock.
//!
//! With sediment, rivers drop part of what they carry; see [`sediment`] and [`delta`]. It then takes 24 bytes
//! a sample more.
//!
//! It works from coarse grids to fine: the coarse ones form the great valleys, each finer one adds smaller
//! ones. The coarse grids are the same for every size of field, and so is the landform.
//!
//! It writes the layers `flow`, `wear` and `deposit` where they are wanted. Each takes one more field, and
//! the last two also a copy of the heights before. Where there is a layer `hardness`, erodibility is
//! multiplied by (1 − hardness).
//!
//! Where a step has laid beds of rock ([`Bedding`]), each sample has the erodibility and the steepest slope
//! of the beds between it and the sample downstream, in every iteration. It then takes one more field.

mod delta;
mod drainage;
mod floors;
mod hollow;
mod incision;
mod jitter;
mod land;
#[cfg(test)]
mod laws;
mod layers;
mod links;
mod original;
mod outlets;
mod params;
mod pass;
mod pyramid;
mod rock;
mod route;
mod sediment;
mod slide;
mod ways;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{BED_HARDNESS, DEPOSIT, FLOW, HARDNESS, WEAR};
use crate::grid::{Grid, Heightfield};
use crate::steps::number::{brief, sum};
use crate::steps::{Bedding, Ground, Operation, Site, estimate, step};
use original::Original;
pub use params::{Erode, Outlets};
use pass::Pass;
use pyramid::{Pyramid, ladder};
use rock::{STRONGEST, VARIES, WEAKEST};

impl Operation for Erode {
    step!("erode", "River erosion", Filter);

    /// Water leaves over the border as if the land went on, and rivers end in the sea. Without a sea all of
    /// the land is eroded. Rivers drop sediment.
    fn suit(&mut self, site: &Site) {
        self.outlets = Outlets::Slopes;
        self.sediment = 1.0;
        let lowest = site.range.map(|(lowest, _)| lowest.floor().min(self.base_level));
        if let Some(level) = site.sea_level.or(lowest) {
            self.base_level = level.clamp(-12_000.0, 12_000.0);
        }
    }

    fn reads(&self) -> Vec<&str> {
        vec![HARDNESS]
    }

    fn writes(&self) -> Vec<&str> {
        vec![FLOW, WEAR, DEPOSIT]
    }

    fn renews(&self) -> Vec<&str> {
        vec![BED_HARDNESS]
    }

    /// Afterwards every sample above the base level has a descending path to an outlet, unless rivers drop
    /// sediment: then hollows hold lakes until they are full. Level land stays level.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        if ground.wants(WEAR) || ground.wants(DEPOSIT) {
            // Both layers compare with the heights before the erosion, so those must survive it.
            *ground = self.applied(ground, seed, work)?;
            return Ok(());
        }
        let hardness = ground.layers.shared(HARDNESS).cloned();
        let (wants_flow, bedding) = (ground.wants(FLOW), ground.bedding().cloned());
        let rock = (hardness.as_deref(), bedding.as_deref());
        let flow = self.erode_in_place(&mut ground.heights, rock, wants_flow, seed, work)?;
        flow.into_iter().for_each(|flow| ground.write_layer(FLOW, flow));
        layers::write_bed_hardness(ground, work)
    }

    /// The heights before serve as the original land, so here too it takes at most two more fields.
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let (before, hardness) = (&ground.heights, ground.layers().get(HARDNESS));
        let rock = (hardness, ground.bedding().map(|bedding| &**bedding));
        let (after, flow) = self.eroded(before, rock, ground.wants(FLOW), seed, work)?;
        let mut changed = ground.with_heights(after);
        flow.into_iter().for_each(|flow| changed.write_layer(FLOW, flow));
        for (name, of) in [(WEAR, layers::wear as fn(f32, f32) -> f32), (DEPOSIT, layers::deposit)] {
            if ground.wants(name) {
                let layer = layers::between(before, &changed.heights, of, work)?;
                changed.write_layer(name, layer);
            }
        }
        layers::write_bed_hardness(&mut changed, work)?;
        Ok(changed)
    }

    fn formula(&self) -> Option<String> {
        if self.age == 0.0 {
            return Some("h′ = h".to_owned());
        }
        let [age, smoothing, slope, base] =
            [self.age, self.smoothing, self.max_slope, self.base_level].map(brief);
        let creep = if self.smoothing == 0.0 { String::new() } else { format!(" + {smoothing}² ∇²h") };
        let rise = if self.sediment == 0.0 {
            sum(&[(1.0, "", "h₀ − h"), (-self.strength, " ", "(1 − hardness) √A S")])
        } else {
            let law = sum(&[(self.strength, " ", "√A S"), (-self.sediment, " ", "Q/A")]);
            format!("h₀ − h − softness ({law})")
        };
        // Deltas raise the sea bed.
        let (kept, carried) = if self.sediment == 0.0 { ("=", "") } else { ("≥", ",  Q: sediment") };
        let gentler = match self.debris_flows {
            0.0 => String::new(),
            area => format!(",  S ≤ that / (1 + (A / {} km²)^0.8)", brief(area)),
        };
        let [weakest, strongest] = [WEAKEST, STRONGEST].map(brief);
        let rock = match self.variety {
            0.0 => String::new(),
            variety => {
                let varies = brief(VARIES * variety);
                format!(" · (1 + {varies} N, kept within {weakest} … {strongest}),  N: fBm")
            }
        };
        Some(format!(
            "∂h/∂t = {rise}{creep},  t = 0 … {age}\n\
             S ≤ tan {slope}°{rock},  A: drained m²\n\
             h {kept} h₀ where h₀ ≤ {base}{gentler}{carried}"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        if self.age == 0.0 {
            return estimate::of_samples(grid, 5.0);
        }
        // Each grid costs its samples times its steps, at 110 ns for each, as measured by the bench of
        // estimates.
        let grids = ladder(grid).into_iter().chain([grid]).enumerate();
        let steps = grids.map(|(index, grid)| grid.count() as f64 * Pass::number(index).steps as f64);
        let each = if self.sediment > 0.0 { 190.0 } else { 110.0 };
        estimate::in_seconds(each * steps.sum::<f64>())
    }
}

impl Erode {
    /// Erodes a field, and returns its drainage areas if they are wanted.
    fn erode_in_place(
        &self,
        field: &mut Heightfield,
        rock: (Option<&Heightfield>, Option<&Bedding>),
        wants_flow: bool,
        seed: u64,
        work: &Work,
    ) -> Result<Option<Heightfield>> {
        let Some(mut pyramid) = Pyramid::coarse_to_fine(self, field, rock, seed, work)? else {
            return wants_flow.then(|| layers::flow_on(self, field, seed, work)).transpose();
        };
        let begin = pyramid.start_heights(work)?;
        // The field is overwritten, so the original is stored in 24 bits a sample; `eroded` reads it from the
        // field instead, with the same precision and so the same bits.
        let original = Original::keep(field, self.base_level, work)?;
        pyramid.erode_full_grid((field, original), begin, wants_flow, work)
    }

    /// As [`erode_in_place`](Self::erode_in_place), on a copy.
    fn eroded(
        &self,
        field: &Heightfield,
        rock: (Option<&Heightfield>, Option<&Bedding>),
        wants_flow: bool,
        seed: u64,
        work: &Work,
    ) -> Result<(Heightfield, Option<Heightfield>)> {
        let Some(mut pyramid) = Pyramid::coarse_to_fine(self, field, rock, seed, work)? else {
            let flow = wants_flow.then(|| layers::flow_on(self, field, seed, work)).transpose()?;
            return Ok((field.copy_while(work)?, flow));
        };
        let begin = pyramid.start_heights(work)?;
        let mut eroded = field.copy_while(work)?;
        let original = Original::beside(field, self.base_level, work)?;
        let flow = pyramid.erode_full_grid((&mut eroded, original), begin, wants_flow, work)?;
        Ok((eroded, flow))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::steps::generate::{Fbm, Generate};

    fn rough(width: usize, depth: usize, seed: u64) -> Result<Heightfield> {
        Fbm { height: 900.0, ..Fbm::default() }.generate(Grid::new(width, depth, 60.0)?, seed, &Work::new())
    }

    /// Samples above the base level and off the border that no neighbour is lower than.
    fn pits(field: &Heightfield, base_level: f32) -> usize {
        let Grid { width, depth, .. } = field.grid();
        let inside = |index: usize| {
            let (column, row) = (index % width, index / width);
            column > 0 && row > 0 && column + 1 < width && row + 1 < depth
        };
        let heights = field.heights();
        (0..heights.len())
            .filter(|&index| inside(index) && heights[index] > base_level)
            .filter(|&index| {
                let mut around = drainage::neighbours(field.grid(), index);
                !around.any(|next| heights[next.there] < heights[index])
            })
            .count()
    }

    #[test]
    fn eroded_land_has_no_pits() -> Result<()> {
        for (width, depth) in [(129, 129), (200, 91)] {
            let mut field = rough(width, depth, 3)?;
            assert!(pits(&field, 0.0) > 0);
            Erode::default().apply_to(&mut field, 1, &Work::new())?;
            assert_eq!(pits(&field, 0.0), 0);
        }
        Ok(())
    }

    /// The rises per metre from every sample above the base level up to its higher neighbours.
    fn rises(field: &Heightfield, base_level: f32) -> Vec<f32> {
        let (Grid { width, cell, .. }, heights) = (field.grid(), field.heights());
        let mut rises = Vec::new();
        for (index, &height) in heights.iter().enumerate().filter(|(_, height)| **height > base_level) {
            for next in drainage::neighbours(field.grid(), index) {
                let there = heights[next.there];
                if there > height {
                    let straight = next.there % width == index % width || next.there / width == index / width;
                    let away = if straight { cell } else { cell * std::f32::consts::SQRT_2 };
                    rises.push((there - height) / away);
                }
            }
        }
        rises
    }

    /// What is steeper slides down: along the water's way to the steepest slope that stands, on its sides to
    /// [`slide::BANK`] of that.
    #[test]
    fn no_slope_is_steeper_than_what_stands() -> Result<()> {
        for (max_slope, seed) in [(20.0, 5), (12.0, 6)] {
            let before = rough(257, 257, seed)?;
            let eroded = |max_slope| -> Result<Vec<f32>> {
                let mut field = before.clone();
                Erode { max_slope, variety: 0.0, ..Erode::default() }.apply_to(
                    &mut field,
                    1,
                    &Work::new(),
                )?;
                Ok(rises(&field, 0.0))
            };
            let stands = libm::tanf(f32::to_radians(max_slope));
            let share_above = |rises: &[f32], most: f32| {
                rises.iter().filter(|rise| **rise > most).count() as f32 / rises.len() as f32
            };
            let (kept, free) = (eroded(max_slope)?, eroded(80.0)?);
            // Rounding moves the last bits.
            let most = 1.001 * slide::BANK * stands;
            assert_eq!(share_above(&kept, most), 0.0, "{max_slope}°");
            assert!(share_above(&free, most) > 0.03, "no slope had to slide: {}", share_above(&free, most));
            assert!(share_above(&kept, stands) > 0.003, "banks are steeper: {}", share_above(&kept, stands));
        }
        Ok(())
    }

    /// How much higher the border lies than the land a few samples inside, metres on average.
    fn wall(field: &Heightfield) -> f32 {
        const INSIDE: usize = 6;
        let Grid { width, depth, .. } = field.grid();
        let mut rises = Vec::new();
        for column in INSIDE..width - INSIDE {
            rises.push(field.at(column, 0) - field.at(column, INSIDE));
            rises.push(field.at(column, depth - 1) - field.at(column, depth - 1 - INSIDE));
        }
        for row in INSIDE..depth - INSIDE {
            rises.push(field.at(0, row) - field.at(INSIDE, row));
            rises.push(field.at(width - 1, row) - field.at(width - 1 - INSIDE, row));
        }
        rises.iter().sum::<f32>() / rises.len() as f32
    }

    /// Takes some seconds: eight lands are eroded.
    #[test]
    fn no_wall_is_left_along_the_border_where_water_follows_its_slopes() -> Result<()> {
        let (mut walls, mut without) = (0.0, 0.0);
        for seed in 1..5 {
            let mut before = rough(193, 161, seed)?;
            before.heights_mut().iter_mut().for_each(|height| *height += 1000.0);
            let eroded = |outlets| -> Result<f32> {
                let mut field = before.clone();
                Erode { outlets, ..Erode::default() }.apply_to(&mut field, seed, &Work::new())?;
                Ok(wall(&field))
            };
            walls += eroded(Outlets::Border)? / 4.0;
            without += eroded(Outlets::Slopes)? / 4.0;
        }
        assert!(without < 0.25 * walls && without > -0.25 * walls, "{walls} m, {without} m");
        Ok(())
    }

    #[test]
    fn a_small_field_is_the_land_of_a_large_one() -> Result<()> {
        let erode = Erode::default();
        let (mut small, mut large) = (rough(129, 129, 8)?, rough(257, 257, 8)?);
        large = Heightfield::new(Grid::new(257, 257, 30.0)?, large.into_heights())?;
        let before = small.clone();
        erode.apply_to(&mut small, 1, &Work::new())?;
        erode.apply_to(&mut large, 1, &Work::new())?;
        // How far the two lie apart, compared to how far erosion has moved them from where they began.
        let (mut apart, mut moved) = (0.0, 0.0);
        for row in 0..129 {
            for column in 0..129 {
                let height = small.at(column, row);
                apart += (height - large.at(2 * column, 2 * row)).powi(2);
                moved += (height - before.at(column, row)).powi(2);
            }
        }
        assert!(apart < 0.03 * moved, "{}", apart / moved);
        Ok(())
    }

    #[test]
    fn any_number_of_threads_makes_the_same_land() -> Result<()> {
        let eroded = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut field = rough(150, 131, 2)?;
                Erode::default().apply_to(&mut field, 9, &Work::new())?;
                Ok::<_, crate::Error>(field)
            })
        };
        let one = eroded(1)?;
        assert!(one == eroded(2)? && one == eroded(7)?);
        Ok(())
    }

    #[test]
    fn cancelled_erosion_stops() -> Result<()> {
        let work = Work::new();
        work.cancel();
        let outcome = Erode::default().apply_to(&mut rough(40, 40, 1)?, 1, &work);
        assert!(matches!(outcome, Err(crate::Error::Cancelled)));
        Ok(())
    }

    #[test]
    fn any_size_can_be_eroded() -> Result<()> {
        for (width, depth) in [(1, 1), (2, 1), (1, 7), (2, 2), (3, 50), (300, 2), (1, 400), (65, 66)] {
            let mut field = rough(width, depth, 4)?;
            Erode::default().apply_to(&mut field, 1, &Work::new())?;
            assert_eq!((field.grid().width, field.grid().depth), (width, depth));
            assert!(field.heights().iter().all(|height| height.is_finite()), "{width}×{depth}");
        }
        Ok(())
    }

    #[test]
    fn ground_that_is_not_harder_than_usual_is_eroded_as_if_nobody_had_said_so() -> Result<()> {
        let (land, work) = (rough(150, 131, 2)?, Work::new());
        let mut field = land.clone();
        Erode::default().apply_to(&mut field, 9, &work)?;
        let soft = Heightfield::flat(land.grid(), 0.0);
        let (eroded, flow) = Erode::default().eroded(&land, (Some(&soft), None), true, 9, &work)?;
        assert!(eroded == field && flow.is_some());
        let mut in_place = land;
        assert_eq!(
            Erode::default().erode_in_place(&mut in_place, (Some(&soft), None), true, 9, &work)?,
            flow
        );
        assert!(in_place == field);
        Ok(())
    }

    #[test]
    fn level_land_stays_level() -> Result<()> {
        let mut field = Heightfield::flat(Grid::new(30, 20, 10.0)?, 700.0);
        Erode::default().apply_to(&mut field, 1, &Work::new())?;
        assert_eq!(field.range(), (700.0, 700.0));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        // Filling a hollow may take one step of the number format for every sample of its floor.
        #[test]
        fn heights_stay_within_the_range_they_had(
            (width, depth) in (1usize..90, 1usize..40),
            seed in 0u64..1000,
            strength in 0.05f32..=100.0,
            age in 0.0f32..=20.0,
            smoothing in 0.0f32..=2000.0,
            max_slope in 1.0f32..=80.0,
            variety in 0.0f32..=1.0,
            base_level in -1500.0f32..=1500.0,
            outlets in prop::sample::select(vec![Outlets::Border, Outlets::Sea, Outlets::Slopes]),
            sediment in prop::sample::select(vec![0.0, 0.01, 0.5, 1.0, 4.0, 20.0]),
            debris_flows in prop::sample::select(vec![0.0, 0.001, 0.05, 10.0]),
            has_hard_rock in proptest::bool::ANY,
        ) {
            let erode = Erode {
                strength,
                age,
                smoothing,
                max_slope,
                variety,
                base_level,
                outlets,
                sediment,
                debris_flows,
            };
            let mut field = rough(width, depth, seed).unwrap();
            let (low, high) = field.range();
            // Sills of rock that nothing erodes, among softer ground.
            let hard = |column: usize, row: usize| ((column / 5 + row / 7) % 3) as f32 / 2.0;
            let hard = Heightfield::from_fn(field.grid(), hard);
            let hardness = has_hard_rock.then_some(&hard);
            erode.erode_in_place(&mut field, (hardness, None), false, seed, &Work::new()).unwrap();
            let (lowest, highest) = field.range();
            prop_assert!(lowest >= low - 0.5 && highest <= high + 0.5, "{low} {high} → {lowest} {highest}");
            prop_assert!(field.heights().iter().all(|height| height.is_finite()));
        }
    }
}
