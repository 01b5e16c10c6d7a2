//! Strata: layers of hard and soft rock under the land, which the steps after them wear down.
//!
//! The beds fill space: which one a point lies in follows from its height, the dip, the folds and the faults
//! there. Erosion asks again in every iteration, so that rivers run into hard beds and fall over them, and
//! slopes become staircases of cliffs and benches: mesas where the beds are level, cuestas where they dip.
//! The land itself stays as it is.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::BED_HARDNESS;
use crate::grid::{Domain, Grid};
use crate::params::params;
use crate::steps::number::brief;
use crate::steps::{Bedding, Ground, Operation, Reach, Site, estimate, step};

params! {
    /// Layers of rock, hard and soft by turns, under all of the land: they are tilted, folded and broken by
    /// faults. The land stays as it is until later steps wear it down: after `erode`, hard beds stand as
    /// cliffs and caps, and soft ones lie as benches and aprons between them. `ledges` follow the same beds.
    /// It writes `bed_hardness`: how hard the bed at the surface is.
    pub struct Strata {
        /// Mean thickness of a bed.
        pub thickness: f32 = 60.0, "m" in 1.0..=2000.0, log;
        /// The hard beds' share of all rock.
        pub share: f32 = 0.35, "" in 0.02..=0.98;
        /// How well the hardest beds withstand rivers: at 0 as little as the softest, at 0.9 rivers cut them
        /// ten times as slowly.
        pub hardness: f32 = 0.85, "" in 0.0..=0.99;
        /// Steepest slope on which the hardest beds stand: their cliffs. It takes the place of the
        /// `max_slope` of `erode`.
        pub cliff: f32 = 70.0, "°" in 1.0..=85.0;
        /// Steepest slope on which the softest beds stand.
        pub slope: f32 = 27.0, "°" in 1.0..=85.0;
        /// How much the beds differ in thickness and hardness from others of their kind.
        pub uneven: f32 = 0.5, "" in 0.0..=1.0;
        /// How steeply the beds slope.
        pub dip: f32 = 2.0, "°" in 0.0..=80.0;
        /// Compass bearing towards which they slope.
        pub bearing: f32 = 120.0, "°" in 0.0..=360.0;
        /// How far folds bend the beds up and down.
        pub fold: f32 = 40.0, "m" in 0.0..=5000.0;
        /// Distance from one fold to the next.
        pub fold_size: f32 = 3000.0, "m" in 10.0..=1000000.0, log;
        /// How far the rock on one side of a fault has moved up or down at most.
        pub faults: f32 = 0.0, "m" in 0.0..=5000.0;
        /// Distance from one fault to the next: they run across the dip.
        pub fault_distance: f32 = 4000.0, "m" in 10.0..=1000000.0, log;
    }
}

impl Strata {
    fn beds(&self, seed: u64) -> Bedding {
        let tangent = |angle: f32| libm::tan(f64::from(angle).to_radians());
        let mut beds = Bedding::level((self.share, self.uneven), seed);
        beds.thickness = f64::from(self.thickness);
        beds.hardness = f64::from(self.hardness);
        beds.steepest = [tangent(self.slope), tangent(self.cliff)];
        // What has no effect is left as it is: then the same beds are equal.
        if self.uses("bearing") {
            beds.dip = (tangent(self.dip), f64::from(self.bearing).to_radians());
        }
        if self.fold > 0.0 {
            beds.folds = (self.fold, f64::from(self.fold_size));
        }
        if self.faults > 0.0 {
            beds.faults = (self.faults, f64::from(self.fault_distance));
        }
        beds
    }
}

impl Operation for Strata {
    step!("strata", "Layers of rock", Filter);

    /// A dozen beds between the lowest and the highest ground.
    fn suit(&mut self, site: &Site) {
        if let Some((low, high)) = site.range {
            self.thickness = ((high - low) / 12.0).clamp(5.0, 500.0).round();
            self.fold = (0.6 * self.thickness).round();
        }
    }

    fn formula(&self) -> Option<String> {
        let [thickness, share, dip, slope, cliff] =
            [self.thickness, 100.0 * self.share, self.dip, self.slope, self.cliff].map(brief);
        let bent = |metres: f32, symbol: &str| match metres {
            0.0 => String::new(),
            metres => format!(" + {} {symbol}", brief(metres)),
        };
        let dips = if self.dip == 0.0 { String::new() } else { format!(" + d tan {dip}°") };
        let (folds, faults) = (bent(self.fold, "F"), bent(self.faults, "B"));
        let slower = brief(self.hardness / (1.0 - self.hardness));
        Some(format!(
            "p = (h{dips}{folds}{faults}) / {thickness} m\n\
             K′ = K / (1 + {slower} r(p)),  r: 1 in hard beds, {share} % of all\n\
             cot S ≥ (1 − r) cot {slope}° + r cot {cliff}°"
        ))
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "bearing" => self.dip > 0.0 || self.faults > 0.0,
            "fold_size" => self.fold > 0.0,
            "fault_distance" => self.faults > 0.0,
            _ => true,
        }
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 40.0)
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn writes(&self) -> Vec<&str> {
        vec![BED_HARDNESS]
    }

    fn bedding(&self, _domain: &Domain, seed: u64) -> Option<Bedding> {
        Some(self.beds(seed))
    }

    /// Rock lies under all of the land.
    fn mixes(&self) -> bool {
        false
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        if ground.wants(BED_HARDNESS) {
            let exposed = self.beds(seed).exposed(ground.region(), &ground.heights, work)?;
            ground.write_layer(BED_HARDNESS, exposed);
        }
        // For those that run steps by themselves: in a recipe each step is given the beds before it.
        ground.lay_beds(self.beds(seed));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::grid::layer::FLOW;
    use crate::grid::{Heightfield, Window};
    use crate::recipe::Recipe;
    use crate::steps::filter::erode::Erode;
    use crate::steps::generate::{Fbm, Generate};

    /// Level beds in which hard and soft rock are as different as can be, without noise.
    fn level() -> Strata {
        Strata { uneven: 0.0, dip: 0.0, fold: 0.0, ..Strata::default() }
    }

    fn ground_on(strata: &Strata, land: &Heightfield) -> Ground {
        let mut ground = Ground::new(land.clone());
        ground.lay_beds(strata.beds(3));
        ground
    }

    /// A tableland that rivers can cut into.
    fn tableland(side: usize, cell: f32) -> Result<Heightfield> {
        let mut land = Fbm { height: 1400.0, frequency: 2.5, hurst: 1.0, ..Fbm::default() }.generate(
            Grid::new(side, side, cell)?,
            7,
            &Work::new(),
        )?;
        land.heights_mut().iter_mut().for_each(|height| *height = (*height + 750.0).min(600.0) + 200.0);
        Ok(land)
    }

    #[test]
    fn beds_follow_dip_and_bearing() -> Result<()> {
        let strata = Strata { dip: 30.0, bearing: 90.0, ..level() };
        let grid = Grid::new(200, 40, 10.0)?;
        let land = Heightfield::flat(grid, 500.0);
        let exposed = strata.beds(3).exposed(&grid.into(), &land, &Work::new())?;
        // Beds fall to the east, so a level walk to the east leads up through them: 1 m in tan 30° m.
        let level = strata.beds(3);
        let rise = f64::from(30.0f32).to_radians().tan();
        for (column, row) in [(0, 0), (57, 3), (199, 39)] {
            let expected = level.hardness_at(500.0 + rise * 10.0 * column as f64);
            assert_eq!(exposed.at(column, row), expected, "{column}");
        }
        let hard = exposed.row(0).iter().filter(|hardness| **hardness > 0.5).count();
        assert!((50..90).contains(&hard), "35 % of all rock is hard: {hard} of 200");
        Ok(())
    }

    #[test]
    fn faults_break_beds_and_folds_bend_them() -> Result<()> {
        let grid = Grid::new(400, 8, 25.0)?;
        let offsets = |strata: Strata| strata.beds(3).offsets(&grid.into(), &Work::new());
        let steps = |offsets: &Heightfield| -> (usize, f32) {
            let steps = offsets.row(4).windows(2).map(|pair| (pair[1] - pair[0]).abs());
            (steps.clone().filter(|step| *step > 10.0).count(), steps.fold(0.0, f32::max))
        };
        let faults = Strata { faults: 300.0, fault_distance: 1000.0, bearing: 90.0, ..level() };
        // Ten blocks in ten kilometres; some neighbours have moved nearly alike.
        let (count, most) = steps(&offsets(faults)?);
        assert!((5..=11).contains(&count) && most <= 300.0, "{count} {most}");
        let folds = offsets(Strata { fold: 200.0, fold_size: 2000.0, ..level() })?;
        assert_eq!(steps(&folds).0, 0, "folds break nothing");
        let (low, high) = folds.range();
        assert!(high - low > 100.0 && high - low < 600.0, "{low} {high}");
        Ok(())
    }

    /// Where a river is in balance, (h₀ − h)/τ = K √A S: rivers in hard rock are steeper by the ratio of the
    /// erodibilities.
    #[test]
    fn rivers_are_as_much_steeper_in_hard_rock_as_it_is_harder() -> Result<()> {
        // Beds so thick that most rivers run in one of them for a while.
        let strata =
            Strata { thickness: 150.0, share: 0.5, hardness: 0.6, cliff: 84.0, slope: 84.0, ..level() };
        let original = tableland(257, 60.0)?;
        let mut ground = ground_on(&strata, &original);
        let erode = Erode { strength: 3.0, age: 20.0, smoothing: 0.0, max_slope: 80.0, ..Erode::default() };
        let erode = Erode { variety: 0.0, base_level: -500.0, ..erode };
        erode.apply(&mut ground, 1, &Work::new())?;
        let (land, flow, beds) = (&ground.heights, ground.layer(FLOW)?, strata.beds(3));
        let mut steepness = [Vec::new(), Vec::new()];
        for row in 2..255 {
            for column in 2..255 {
                let height = land.at(column, row);
                let around = (0..9).filter(|place| *place != 4).map(|place| {
                    let (east, south) = (place % 3, place / 3);
                    let away = if (east + south) % 2 == 1 { 60.0 } else { 60.0 * std::f32::consts::SQRT_2 };
                    (land.at(column + east - 1, row + south - 1), away)
                });
                let fall = |(there, away): &(f32, f32)| (height - there) / away;
                let steepest = around.max_by(|a, b| fall(a).total_cmp(&fall(b))).expect("neighbours");
                let above = original.at(column, row) - height;
                // Rivers that are not where drainage still moves, in one bed from one sample to the next.
                let area = flow.at(column, row);
                let bed = beds.hardness_at(height.into());
                let foot = beds.hardness_at(steepest.0.into());
                if !(0.5..20.0).contains(&area) || above < 20.0 || bed != foot {
                    continue;
                }
                let slope = fall(&steepest) * (1e6 * area).sqrt() / above;
                steepness[usize::from(bed > 0.5)].push(slope);
            }
        }
        let [soft, hard] = steepness.map(|mut all| {
            all.sort_by(f32::total_cmp);
            assert!(all.len() > 300, "{}", all.len());
            all[all.len() / 2]
        });
        let ratio = hard / soft;
        assert!((ratio * (1.0 - 0.6) - 1.0).abs() < 0.03, "{ratio}");
        Ok(())
    }

    /// The shares of the tops of cliffs, steeper than 45°, that lie within one sample of a border between two
    /// beds, and of those that lie on top of a hard one.
    fn cliff_tops(land: &Heightfield, strata: &Strata) -> [f64; 2] {
        let (cell, beds) = (land.grid().cell, strata.beds(3));
        let (mut tops, mut at_borders, mut on_hard) = (0u32, 0, 0);
        for row in 1..land.grid().depth - 1 {
            for column in 1..land.grid().width - 1 {
                let height = land.at(column, row);
                let slope = |(east, south): (usize, usize)| {
                    let away = if (east + south) % 2 == 1 { cell } else { cell * std::f32::consts::SQRT_2 };
                    ((height - land.at(column + east - 1, row + south - 1)) / away).atan().to_degrees()
                };
                let around = (0..9).filter(|place| *place != 4).map(|place| (place % 3, place / 3));
                let Some(down) = around.max_by(|a, b| slope(*a).total_cmp(&slope(*b))) else { continue };
                let up = (2 - down.0, 2 - down.1);
                let (below, above) = (slope(down), -slope(up));
                if above < 0.0 || below < 45.0 || below - above < 15.0 {
                    continue;
                }
                let [lower, upper] =
                    [down, up].map(|(east, south)| land.at(column + east - 1, row + south - 1));
                let point = |point: i16| lower + (upper - lower) * f32::from(point) / 60.0;
                let hard = |number: i16| beds.hardness_at(point(number).into()) > 0.5;
                tops += 1;
                at_borders += usize::from((0..60).any(|number| hard(number) != hard(number + 1)));
                on_hard += usize::from((0..60).any(|number| hard(number) && !hard(number + 1)));
            }
        }
        assert!(tops > 500, "{tops}");
        [at_borders, on_hard].map(|count: usize| count as f64 / f64::from(tops))
    }

    #[test]
    fn cliffs_end_where_beds_do() -> Result<()> {
        let strata = Strata { thickness: 80.0, ..level() };
        let land = tableland(257, 16.0)?;
        let erode = Erode { strength: 2.0, age: 2.0, smoothing: 3.0, variety: 0.0, ..Erode::default() };
        let erode = Erode { base_level: -500.0, max_slope: 65.0, ..erode };
        let mut ground = ground_on(&strata, &land);
        erode.apply(&mut ground, 1, &Work::new())?;
        let [at_borders, on_hard] = cliff_tops(&ground.heights, &strata);
        // As many as chance has where all rock is alike.
        let mut without = Ground::new(land);
        erode.apply(&mut without, 1, &Work::new())?;
        let [_, by_chance] = cliff_tops(&without.heights, &strata);
        assert!(at_borders >= 0.6, "{at_borders}");
        assert!(on_hard > 2.0 * by_chance, "{on_hard} {by_chance}");
        Ok(())
    }

    #[test]
    fn any_number_of_threads_erodes_the_same_beds() -> Result<()> {
        let strata = Strata { dip: 8.0, faults: 90.0, fault_distance: 900.0, ..Strata::default() };
        let eroded = |threads: usize, sediment: f32| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut ground = ground_on(&strata, &tableland(75, 70.0)?);
                Erode { sediment, ..Erode::default() }.apply(&mut ground, 9, &Work::new())?;
                Ok::<_, crate::Error>(ground.heights)
            })
        };
        for sediment in [0.0, 1.0] {
            let one = eroded(1, sediment)?;
            assert!(
                one == eroded(2, sediment)? && one == eroded(7, sediment)? && one == eroded(32, sediment)?
            );
        }
        Ok(())
    }

    #[test]
    fn heights_stay_within_their_range_in_any_beds() -> Result<()> {
        let land = tableland(40, 100.0)?;
        let (low, high) = land.range();
        for (number, (dip, thickness)) in
            [(0.0, 1.0), (80.0, 5.0), (20.0, 2000.0), (45.0, 60.0)].into_iter().enumerate()
        {
            for hardness in [0.0, 0.99] {
                let strata =
                    Strata { dip, thickness, hardness, share: 0.02, uneven: 1.0, ..Strata::default() };
                let strata =
                    Strata { cliff: 85.0, slope: 1.0, faults: 5000.0, fault_distance: 10.0, ..strata };
                let mut ground = ground_on(&strata, &land);
                let erode = Erode { sediment: (number % 2) as f32, ..Erode::default() };
                erode.apply(&mut ground, 1, &Work::new())?;
                let (lowest, highest) = ground.heights.range();
                assert!(lowest >= low - 0.5 && highest <= high + 0.5, "{lowest} {highest}");
            }
        }
        Ok(())
    }

    /// Windows of the land are read from all of it, but `ledges` on them ask for the beds again.
    #[test]
    fn later_steps_know_the_beds_in_every_window() -> Result<()> {
        let text = "(version: 1, name: \"Beds\", size: (129, 129), cell: 20, steps: [
            fbm(height: 900), strata(thickness: 50), erode(), ledges(thickness: 40, slope_min: 5)])";
        let build = |text: &str| {
            let recipe = Recipe::from_ron(text, "beds.ron")?;
            let (cache, work) = (Cache::default(), Work::new());
            let whole = recipe.build_window("0:0,0,129x129".parse()?, &cache, &work)?;
            let part = recipe.build_window("0:31,40,50x60".parse()?, &Cache::default(), &work)?;
            let window = Window { level: -2, first: [100, 130], size: [40, 40] };
            let fine = recipe.build_window(window, &cache, &work)?;
            assert_eq!(fine.heights, recipe.build_window(window, &Cache::default(), &work)?.heights);
            for (column, row) in [(0, 0), (17, 50), (49, 59)] {
                let there = whole.heights.at(column + 31, row + 40);
                assert_eq!(part.heights.at(column, row), there, "{column} {row}");
            }
            Ok::<_, crate::Error>(fine.heights)
        };
        let (level, dipping) = (build(text)?, build(&text.replace("50)", "50, dip: 40)"))?);
        assert_ne!(level, dipping);
        Ok(())
    }

    #[test]
    fn erosion_says_which_beds_it_has_laid_bare() -> Result<()> {
        let text = |steps: &str| {
            format!(
                "(version: 1, name: \"Beds\", size: (65, 65), cell: 40, steps: [fbm(height: 900), {steps}])"
            )
        };
        let layer = |steps: &str| {
            let recipe = Recipe::from_ron(&text(steps), "beds.ron")?;
            let ground = recipe.build_layers(&[BED_HARDNESS], &Cache::default(), &Work::new())?;
            Ok::<_, crate::Error>((ground.layer(BED_HARDNESS)?.clone(), ground.heights))
        };
        let ((before, _), (after, land)) = (layer("strata()")?, layer("strata(), erode()")?);
        assert_ne!(before, after);
        // As if the beds were laid under the eroded land.
        let beds = Recipe::from_ron(&text("strata()"), "beds.ron")?.steps.remove(1);
        let mut eroded = Ground::new(land);
        beds.apply(&mut eroded, 0, &Work::new())?;
        assert_eq!(*eroded.layer(BED_HARDNESS)?, after);
        let without = layer("erode()").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(without.contains("no step has written a layer `bed_hardness`"), "{without}");
        Ok(())
    }

    #[test]
    fn it_can_be_switched_off_but_not_mixed() -> Result<()> {
        let recipe = |strata: &str| {
            let text = format!(
                "(version: 1, name: \"Beds\", size: (65, 65), cell: 40, steps: [fbm(height: 900), {strata} \
                 erode()])"
            );
            Recipe::from_ron(&text, "beds.ron")
        };
        let build = |strata: &str| recipe(strata)?.build_heightfield(&Work::new());
        assert_eq!(build("strata(on: false),")?, build("")?);
        assert_ne!(build("strata(),")?, build("")?);
        let said = recipe("strata(amount: 0.5),").map_err(|error| error.to_string());
        assert!(said.as_ref().is_err_and(|said| said.contains("amount")), "{said:?}");
        Ok(())
    }
}
