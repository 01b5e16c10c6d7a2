//! All of a land after some of its steps, stored once and then read in parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::land_build::LandBuild;
use super::resampled::keep_samples_of_part;
use crate::build::Cache;
use crate::build::groups::{Role, StepGroup, land_before};
use crate::build::stored_ground::{STORED_OVERVIEW, StoredField, StoredGround, StoredNeed, StoredSummary};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::grid::{Domain, Grid, Heightfield, Layers, Region};
use crate::recipe::Recipe;
use crate::resize::{SplineSurface, bilinear_over_part, samples_of_part, spline_over_part};
use crate::steps::filter::Road;
use crate::steps::water::WaterBuffer;
use crate::steps::{Ground, Reach};

/// What is given each field of a stored ground: after how many groups of steps, which field, its values.
pub type StoreField<'a> = dyn FnMut(usize, &StoredField, &Heightfield) -> Result<()> + 'a;

impl Recipe {
    /// What windows of `level` and finer, with these layers, need of all the land: empty if each step works
    /// by position or looks at a neighbourhood.
    ///
    /// # Errors
    /// When a step must know all of a land that is endless or too large, and when no step writes one of the
    /// layers.
    #[doc(hidden)]
    pub fn stored_needs(&self, layers: &[&str], level: i32) -> Result<Vec<StoredNeed>> {
        self.check_reach()?;
        let domain = self.domain()?;
        let has_water = layers.contains(&WATER_DEPTH);
        Ok(needs_of(&self.groups(layers)?, domain, level, has_water).into_values().collect())
    }

    /// Makes all of the land at level 0 up to the last step that [needs](Self::stored_needs) it, and calls
    /// `store` with every field that is needed. Returns what else is known of the land, after each number of
    /// groups in the needs.
    ///
    /// # Errors
    /// As [`stored_needs`](Self::stored_needs) and [`build_heightfield`](Self::build_heightfield), and those
    /// of `store`.
    #[doc(hidden)]
    pub fn store_grounds(
        &self,
        layers: &[&str],
        level: i32,
        work: &Work,
        store: &mut StoreField<'_>,
    ) -> Result<BTreeMap<usize, StoredSummary>> {
        self.check_reach()?;
        let groups = self.groups(layers)?;
        let mut needs = needs_of(&groups, self.domain()?, level, layers.contains(&WATER_DEPTH));
        let mut summaries = BTreeMap::new();
        let Some(last) = needs.keys().max().copied() else { return Ok(summaries) };
        // Files, routes and strokes are kept for the steps; results of steps are used once.
        let cache = Cache::new(256 << 20);
        let build = LandBuild::of(self, &groups, 0, Some(&cache), work)?;
        let (mut ground, mut outer) = (build.whole_after(0)?, Vec::new());
        for (number, group) in groups.iter().enumerate().take(last) {
            let work = work.part(number as f32 / last as f32, (number + 1) as f32 / last as f32);
            let need = needs.remove(&(number + 1));
            let has_spline = need.as_ref().is_some_and(|need| need.fields.contains(&StoredField::Spline));
            let is_dug = group.leaves_water();
            let before = (is_dug && has_spline).then(|| ground.heights.clone());
            ground = build.advance(number, ground, &mut outer, &work)?;
            let Some(need) = need else { continue };
            for field in need.fields {
                let values = field_of(&ground, before.as_ref(), &field, &work)?;
                store(number + 1, &field, &values)?;
            }
            let river_beds = need.river_beds.then(|| ground.river_beds());
            let range = ground.heights.range_while(&work)?;
            summaries.insert(number + 1, StoredSummary { range, river_beds });
        }
        Ok(summaries)
    }

    /// Makes windows read stored ground, each given after how many groups of steps, instead of making all of
    /// the land. Until `cache` is cleared, windows with these layers or fewer need no more than that.
    ///
    /// # Errors
    /// When a number of groups is not one of this recipe, or a file that the recipe names is missing.
    #[doc(hidden)]
    pub fn read_stored(
        &self,
        layers: &[&str],
        grounds: Vec<(usize, Arc<dyn StoredGround>)>,
        cache: &Cache,
    ) -> Result<()> {
        let groups = self.groups(layers)?;
        for (count, ground) in grounds {
            let Some(group) = count.checked_sub(1).and_then(|last| groups.get(last)) else {
                let reason =
                    format!("there are {} groups of steps, and none with the number {count}", groups.len());
                return Err(Error::parameter("steps", reason));
            };
            let Some(key) = group.key else {
                let reason = "reads a file that is missing; put it where the recipe says";
                return Err(Error::parameter(group.label(), reason));
            };
            cache.know_stored(key, ground);
        }
        Ok(())
    }
}

/// What windows of `level` and finer need of all the land, by the number of groups; the depth of rivers is
/// among it if the windows have that of their water.
fn needs_of(
    groups: &[StepGroup],
    domain: Domain,
    level: i32,
    has_water: bool,
) -> BTreeMap<usize, StoredNeed> {
    let mut needs = BTreeMap::new();
    // The surface of a river follows from its bed in the finished land.
    if has_water && groups.iter().any(StepGroup::leaves_water) {
        need_after(&mut needs, groups, groups.len()).fields.insert(StoredField::RiverWater);
    }
    let mut walk = NeedsWalk { groups, domain, level, needs, seen: BTreeSet::new() };
    walk.walk_from(groups.len(), false);
    walk.needs
}

/// Collects what windows need of all the land, from the last group to the first, as windows are requested.
struct NeedsWalk<'a> {
    groups: &'a [StepGroup<'a>],
    domain: Domain,
    level: i32,
    needs: BTreeMap<usize, StoredNeed>,
    /// The numbers of groups after which the land has been asked for.
    seen: BTreeSet<usize>,
}

impl NeedsWalk<'_> {
    /// Adds what is needed for windows of the land after the first `count` groups; `needs_beds` says whether
    /// a later step leaves the beds of rivers open.
    fn walk_from(&mut self, mut count: usize, mut needs_beds: bool) {
        while let Some(number) = count.checked_sub(1).filter(|_| self.seen.insert(count)) {
            let (groups, group) = (self.groups, &self.groups[number]);
            needs_beds |= group.step.operation_as::<Road>().is_some();
            match group.reach(self.domain) {
                Reach::Point | Reach::Near(_) => {}
                Reach::Range => {
                    let before = land_before(groups, number);
                    if before > 0 {
                        need_after(&mut self.needs, groups, before);
                    }
                }
                Reach::Whole => {
                    let need = need_after(&mut self.needs, groups, number + 1);
                    if needs_beds && groups[..=number].iter().any(|group| !group.waterways.is_empty()) {
                        (need.river_beds, needs_beds) = (true, false);
                    }
                    let fields = &mut need.fields;
                    fields.extend([StoredField::Heights, StoredField::Overview]);
                    fields.extend((self.level < 0).then_some(StoredField::Spline));
                    fields.extend(group.needs.iter().cloned().map(StoredField::Layer));
                    // A finer window gets the depth that a river digs, on the land before it.
                    if !(group.leaves_water() && self.level < 0) {
                        return;
                    }
                }
            }
            if let Role::Ends(outer) = group.role {
                self.walk_from(group.from, needs_beds);
                count = outer;
            } else {
                count = group.from;
            }
        }
    }
}

/// What is needed after the first `count` groups.
fn need_after<'a>(
    needs: &'a mut BTreeMap<usize, StoredNeed>,
    groups: &[StepGroup],
    count: usize,
) -> &'a mut StoredNeed {
    let step = groups[count - 1].first;
    let none = || StoredNeed { groups: count, step, fields: Default::default(), river_beds: false };
    needs.entry(count).or_insert_with(none)
}

/// The values of a field of all of the land; `before` is the land before rivers, if the ground is that after
/// them.
fn field_of(
    ground: &Ground,
    before: Option<&Heightfield>,
    field: &StoredField,
    work: &Work,
) -> Result<Heightfield> {
    Ok(match field {
        StoredField::Heights => ground.heights.clone(),
        StoredField::Overview => {
            let apart = 1usize << STORED_OVERVIEW;
            let Grid { width, depth, cell } = ground.grid();
            let grid = Grid::new((width - 1) / apart + 1, (depth - 1) / apart + 1, cell * apart as f32)?;
            Heightfield::from_fn(grid, |column, row| ground.heights.at(column * apart, row * apart))
        }
        StoredField::Spline => {
            let surface = match before {
                Some(before) => SplineSurface::through(&dug(&ground.heights, before, work)?, work)?,
                None => SplineSurface::through(&ground.heights, work)?,
            };
            surface.control_points().clone()
        }
        StoredField::Layer(name) => ground.layer(name)?.clone(),
        StoredField::RiverWater => river_water_of(ground, work)?,
    })
}

/// The depth of the water of rivers and lakes on all of a land, without the sea's.
pub(super) fn river_water_of(ground: &Ground, work: &Work) -> Result<Heightfield> {
    let depths = WaterBuffer::depths_on(&ground.heights, ground.waters(None), work)?;
    Heightfield::new(ground.grid(), depths)
}

/// How much rivers change each height.
pub(super) fn dug(after: &Heightfield, before: &Heightfield, work: &Work) -> Result<Heightfield> {
    let mut dug = after.copy_while(work)?;
    let all = dug.heights_mut().par_iter_mut().zip(before.heights());
    all.for_each(|(after, before)| *after -= before);
    Ok(dug)
}

impl LandBuild<'_> {
    /// As [`part_of_base`](Self::part_of_base), from stored ground.
    pub(super) fn part_of_stored(
        &self,
        stored: &dyn StoredGround,
        count: usize,
        region: &Region,
    ) -> Result<Ground> {
        let size = self.size_of_land();
        let fetch = |field: StoredField| {
            move |first: [u32; 2], size: [u32; 2]| stored.part(&field, first, size, self.work)
        };
        let heights = match region.level() {
            STORED_OVERVIEW.. => {
                samples_of_part(STORED_OVERVIEW, region, &fetch(StoredField::Overview), self.work)?
            }
            0.. => samples_of_part(0, region, &fetch(StoredField::Heights), self.work)?,
            _ => {
                let mut heights = spline_over_part(size, region, &fetch(StoredField::Spline), self.work)?;
                self.keep_stored_samples(stored, &StoredField::Heights, &mut heights, region)?;
                heights
            }
        };
        let mut layers = Layers::default();
        for name in &self.groups[count - 1].needs {
            let field = StoredField::Layer(name.clone());
            layers.set(name.clone(), self.part_of_stored_layer(stored, &field, region)?);
        }
        let ground = Ground::level_in(*region).with_heights(heights).with_layers(layers);
        Ok(ground.wanting(&self.groups[count - 1].wanted))
    }

    /// The values of a stored field in a region, interpolated linearly where that is finer than level 0.
    pub(super) fn part_of_stored_layer(
        &self,
        stored: &dyn StoredGround,
        field: &StoredField,
        region: &Region,
    ) -> Result<Heightfield> {
        let fetch = |first: [u32; 2], size: [u32; 2]| stored.part(field, first, size, self.work);
        if region.level() >= 0 {
            return samples_of_part(0, region, &fetch, self.work);
        }
        let mut finer = bilinear_over_part(self.size_of_land(), region, &fetch, self.work)?;
        self.keep_stored_samples(stored, field, &mut finer, region)?;
        Ok(finer)
    }

    /// As [`dug`](Self::dug) for a region finer than level 0, from stored ground.
    pub(super) fn dug_by_stored(
        &self,
        stored: &dyn StoredGround,
        count: usize,
        region: &Region,
    ) -> Result<Ground> {
        let mut ground = self.after(count - 1, region)?;
        let fetch =
            |first: [u32; 2], size: [u32; 2]| stored.part(&StoredField::Spline, first, size, self.work);
        let dug = spline_over_part(self.size_of_land(), region, &fetch, self.work)?;
        let all = ground.heights.heights_mut().par_iter_mut().zip(dug.heights());
        all.for_each(|(height, dug)| *height += dug);
        self.keep_stored_samples(stored, &StoredField::Heights, &mut ground.heights, region)?;
        Ok(ground)
    }

    /// As [`keep_samples`](super::resampled::keep_samples), for a field of stored ground.
    fn keep_stored_samples(
        &self,
        stored: &dyn StoredGround,
        field: &StoredField,
        values: &mut Heightfield,
        region: &Region,
    ) -> Result<()> {
        let apart = 1i64 << -region.level();
        // The samples of level 0 within the region, if there are any.
        let span = |axis: usize| {
            let (first, size) = (region.window().first[axis], i64::from(region.window().size[axis]));
            let (first, last) = (-(-first).div_euclid(apart), (first + size - 1).div_euclid(apart));
            (last >= first).then_some((first, last - first + 1))
        };
        let (Some((column, width)), Some((row, depth))) = (span(0), span(1)) else { return Ok(()) };
        let part =
            stored.part(field, [column as u32, row as u32], [width as u32, depth as u32], self.work)?;
        let grid = Grid::new(width as usize, depth as usize, self.domain.cell())?;
        keep_samples_of_part(values, &Heightfield::new(grid, part)?, [column, row], region);
        Ok(())
    }

    /// Samples along x and z at level 0. Stored ground is bounded.
    fn size_of_land(&self) -> [u32; 2] {
        self.domain.size().unwrap_or([1, 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::tests::recipe;
    use crate::grid::Window;
    use crate::steps::water::RiverBed;

    /// Fields in memory, which count how many values are read.
    #[derive(Default)]
    struct Held {
        fields: BTreeMap<StoredField, Heightfield>,
        range: (f32, f32),
        river_beds: Option<Vec<RiverBed>>,
    }

    impl StoredGround for Held {
        fn part(&self, field: &StoredField, first: [u32; 2], size: [u32; 2], _: &Work) -> Result<Vec<f32>> {
            let field = &self.fields[field];
            let [column, row] = first.map(|first| first as usize);
            let rows = row..row + size[1] as usize;
            Ok(rows.flat_map(|row| field.row(row)[column..column + size[0] as usize].to_vec()).collect())
        }

        fn river_beds(&self, _: &Work) -> Result<Option<Vec<RiverBed>>> {
            Ok(self.river_beds.clone())
        }

        fn range(&self) -> (f32, f32) {
            self.range
        }
    }

    /// A cache that knows the stored grounds of a recipe.
    fn stored(recipe: &Recipe, layers: &[&str], level: i32) -> Cache {
        let mut grounds: BTreeMap<usize, Held> = BTreeMap::new();
        let summaries = recipe.store_grounds(layers, level, &Work::new(), &mut |groups, field, values| {
            grounds.entry(groups).or_default().fields.insert(field.clone(), values.clone());
            Ok(())
        });
        for (groups, summary) in summaries.unwrap() {
            let held = grounds.entry(groups).or_default();
            (held.range, held.river_beds) = (summary.range, summary.river_beds);
        }
        let needs = recipe.stored_needs(layers, level).unwrap();
        let stored: Vec<_> =
            grounds.iter().map(|(groups, held)| (*groups, held.fields.keys().cloned().collect())).collect();
        assert_eq!(needs.into_iter().map(|need| (need.groups, need.fields)).collect::<Vec<_>>(), stored);
        let cache = Cache::default();
        let grounds = grounds.into_iter().map(|(groups, held)| (groups, Arc::new(held) as _)).collect();
        recipe.read_stored(layers, grounds, &cache).unwrap();
        cache
    }

    #[test]
    fn windows_of_stored_ground_have_the_bits_of_the_whole() {
        for (steps, layers) in [
            ("fbm(), erode(), terrace(), gullies()", &["flow"][..]),
            ("fbm(), normalize(), fbm()", &[]),
            ("fbm(), erode(), invert(), gaussian(sigma: 2)", &["wear"]),
            ("fbm(), erode(), stones(), river()", &[]),
            ("fbm(), river(), erode(), normalize()", &[]),
            ("fbm(), river(), stones(), road(points: [(0.2, 0.1), (0.8, 0.9)], width: 40)", &[]),
            (
                "fbm(), river(), road(points: [(0.1, 0.3), (0.9, 0.2)], width: 40), river(bearing: 90), \
                 road(points: [(0.2, 0.1), (0.8, 0.9)], width: 40)",
                &[],
            ),
            ("fbm(), river(), erode(), road(points: [(0.2, 0.1), (0.8, 0.9)], width: 40)", &["road"]),
            ("fbm(), group(mask: slope), erode(), gullies(), end(), stones()", &["flow"]),
            ("fbm(), group(start: level, blend: add), ridged(), normalize(), end()", &[]),
            (
                "fbm(), erode(), group(blend: max), normalize(), group(), erode(), end(), end(), mean()",
                &["wear"],
            ),
        ] {
            let recipe = recipe("(97, 65)", steps);
            let (known, work) = (Cache::default(), Work::new());
            let cache = stored(&recipe, layers, -2);
            for window in
                ["0:0,0,97x65", "0:30,11,20x31", "-2:50,60,77x41", "-1:191,127,2x2", "3:1,1,9x7", "5:0,0,3x2"]
            {
                let window: Window = window.parse().unwrap();
                let expected = recipe.build_window_layers(window, layers, &known, &work).unwrap();
                let found = recipe.build_window_layers(window, layers, &cache, &work).unwrap();
                assert_eq!(found.heights, expected.heights, "{steps}: {window}");
                for name in layers {
                    assert_eq!(
                        found.layer(name).unwrap(),
                        expected.layer(name).unwrap(),
                        "{steps}: {window}"
                    );
                }
            }
            // Nothing was made as a whole: that would have been kept.
            let whole = 4 * recipe.grid().unwrap().count() as u64;
            assert!(cache.bytes() < whole, "{steps}: {} bytes are kept", cache.bytes());
        }
    }

    #[test]
    fn land_that_is_made_in_windows_needs_nothing_of_the_whole() {
        let needs = |steps: &str, level| recipe("(65, 65)", steps).stored_needs(&[], level).unwrap();
        assert_eq!(needs("fbm(), gullies()", -3), []);
        assert_eq!(needs("normalize(), fbm()", 0), [], "level ground has its range in every window");
        let [range] = &needs("fbm(), normalize(), fbm()", 0)[..] else { panic!("one is needed") };
        assert_eq!((range.groups, range.fields.len()), (1, 0));
        let [eroded] = &needs("fbm(), erode(), gullies()", 0)[..] else { panic!("one is needed") };
        assert_eq!((eroded.groups, eroded.step, eroded.fields.len()), (2, 1, 2));
        let error = recipe("(65, 65)", "fbm()").read_stored(
            &[],
            vec![(2, Arc::new(Held::default()))],
            &Cache::default(),
        );
        assert!(error.unwrap_err().to_string().contains("none with the number 2"));
    }
}
