//! Steps and rules that are added to a recipe while it is edited.

use crate::error::{Error, Result};
use crate::grid::layer::ROAD;
use crate::recipe::limits::{MOST_STEPS, check_count};
use crate::recipe::{Blend, Recipe, Skin, Step};
use crate::rules::Rule;
use crate::steps::filter::Road;
use crate::steps::water::River;
use crate::steps::{Kind, Site};
use crate::texture::{Limits, TerrainType, Texture, road};

/// The surface of a road that is added to a land whose texture has none for roads.
const GRAVEL: [f32; 3] = [0.56, 0.53, 0.48];

/// Plants of a new rule grow up to the first share of the land's height above its lowest dry ground, and thin
/// out over the second.
const TREE_LINE: f32 = 0.55;
const TREE_LINE_FADE: f32 = 0.1;

/// Metres between the edge of a carriageway and the plants of a new rule.
const FREE_OF_ROADS: f32 = 4.0;

impl Recipe {
    /// Checks that this many more steps can be added: a recipe with more than 1000 could not be read again.
    ///
    /// # Errors
    /// [`Error::Parameter`] with how many there would be, and how many there may be.
    pub fn check_room(&self, more_steps: usize) -> Result<()> {
        check_count(self.steps.len().saturating_add(more_steps), MOST_STEPS, "steps")
            .map_err(|reason| Error::parameter("steps", reason))
    }

    /// Adds a step after all others, with values that suit a step added by hand. Its variant differs from
    /// those of other steps of its kind; a generator's heights are added to the land instead of replacing it;
    /// and the step's numbers [suit](crate::steps::Operation::suit) the land, whose lowest and highest height
    /// is `range`, if it is known. A step that no group can hold ends the groups that are still open. It
    /// doesn't check that there is room for the step; see [`check_room`](Self::check_room).
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Recipe, Step, water::{River, RiverCourse}};
    ///
    /// let mut recipe = Recipe::new("Island", (257, 257), 30.0);
    /// for name in ["fbm", "island", "river"] {
    ///     recipe.add_step(Step::from_name(name).unwrap(), None);
    /// }
    /// let river: &River = recipe.steps[2].operation_as().unwrap();
    /// assert_eq!((river.course, river.width), (RiverCourse::Valleys, 90.0));
    /// ```
    pub fn add_step(&mut self, mut step: Step, range: Option<(f32, f32)>) {
        step.mixing.variant = self.free_variant(&step);
        if !self.steps.is_empty() {
            if step.operation.kind() == Kind::Generator {
                step.mixing.blend = Blend::Add;
            }
            let alike = self.steps.iter().filter(|other| other.name() == step.name()).count() as u32;
            let (cell, sea_level) = (self.cell, self.sea_level());
            let is_endless = self.unit.is_some();
            step.operation.suit(&Site { cell, sea_level, range, alike, is_endless });
        }
        let is_road = step.operation_as::<Road>().is_some();
        if step.is_of_all_land() {
            self.end_groups();
        }
        self.steps.push(step);
        if is_road {
            add_road_surface(&mut self.texture);
        }
    }

    /// After a change of the sea: moves the ends of rivers that ended in it to its present level, and keeps
    /// roads that find their own route above it. `before` is the former level, if there was a sea.
    #[doc(hidden)]
    pub fn move_mouths(&mut self, before: Option<f32>) {
        let levels = [before, self.sea_level()];
        let [before, now] = levels.map(|level| level.unwrap_or(River::NO_SEA));
        let [lowest_before, lowest] = levels.map(Road::lowest_above);
        for step in &mut self.steps {
            let road = step.operation_as::<Road>().filter(|road| road.finds_route());
            if let Some(road) = road.filter(|road| road.lowest == lowest_before) {
                step.operation = Road { lowest, ..road.clone() }.into();
            }
            if let Some(river) = step.operation_as::<River>().filter(|river| river.sea == before) {
                step.operation = River { sea: now, ..river.clone() }.into();
            }
        }
    }

    /// A rule for plants with sensible limits for one that is added by hand: on dry ground that is not steep,
    /// below the tree line. `range` is the lowest and the highest height of the land, if they are known.
    #[doc(hidden)]
    pub fn new_rule(&self, range: Option<(f32, f32)>) -> Rule {
        let (object, density) = match self.texture {
            Skin::Arid => ("juniper", 60.0),
            _ => ("spruce", 200.0),
        };
        // Roads stay free of plants, also those that are added later.
        let road_distance = Limits { min: FREE_OF_ROADS, ..Rule::ANY_DISTANCE };
        let slope = Limits::new(0.0, 30.0, 8.0);
        let mut rule = Rule { slope, road_distance, ..Rule::new(object, density, 4.0) };
        if let Some((low, high)) = range.filter(|(low, high)| low < high) {
            // Counted from the sea: trees don't grow below it.
            let low = self.sea_level().map_or(low, |sea| sea.max(low)).min(high);
            let height = high - low;
            rule.elevation = Limits {
                max: (low + TREE_LINE * height).min(Rule::ANY_ELEVATION.max),
                release: TREE_LINE_FADE * height,
                ..Rule::ANY_ELEVATION
            };
        }
        let is_taken = |name: &str| self.scatter.iter().any(|other| other.name == name);
        let mut names = (1..).map(|number: u32| match number {
            1 => object.to_owned(),
            _ => format!("{object} {number}"),
        });
        rule.name = names.find(|name| !is_taken(name)).unwrap_or_default();
        rule
    }

    /// A variant that no other step of this kind has, so that the new land differs.
    #[doc(hidden)]
    pub fn free_variant(&self, new: &Step) -> u32 {
        let taken = |variant| {
            self.steps.iter().any(|step| step.name() == new.name() && step.mixing.variant == variant)
        };
        (0..).find(|variant| !taken(*variant)).unwrap_or(0)
    }
}

/// Whether a texture has no terrain type on roads, but room for one.
fn lacks_road_surface(texture: &Texture) -> bool {
    let is_of_roads =
        |kind: &TerrainType| kind.factors.layer.as_ref().is_some_and(|layer| layer.name.as_str() == ROAD);
    !texture.types.iter().any(is_of_roads) && texture.has_room()
}

/// Adds a terrain type on roads to custom textures that have none.
fn add_road_surface(skin: &mut Skin) {
    match skin {
        Skin::Custom(texture) if lacks_road_surface(texture) => texture.types.push(road_surface()),
        Skin::Sets(sets) => sets.sets.iter_mut().for_each(add_road_surface),
        // Ready-made textures are drawn with gravel on roads, and must stay ready-made.
        _ => {}
    }
}

/// The surface of roads in ready-made textures, in a colour of its own and without a tile: custom textures
/// need not have tiles.
fn road_surface() -> TerrainType {
    TerrainType { colour: Some(GRAVEL), tile: None, variation: 0.15, ..road() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::compute::work::Work;
    use crate::recipe::{Sets, Water};
    use crate::steps::filter::Erode;
    use crate::steps::generate::Fault;

    fn with(names: &[&str]) -> Recipe {
        let mut recipe = Recipe::new("Land", (129, 129), 80.0);
        recipe.water.sea = true;
        names.iter().for_each(|name| recipe.add_step(Step::from_name(name).unwrap(), None));
        recipe
    }

    #[test]
    fn land_that_is_added_replaces_none_and_differs_from_its_like() {
        let recipe = with(&["fbm", "fbm", "gaussian"]);
        let blends: Vec<Blend> = recipe.steps.iter().map(|step| step.mixing.blend).collect();
        assert_eq!(blends[1], Blend::Add);
        // The first is all there is, and a filter works on what is there.
        let usual = |name| Step::from_name(name).unwrap().mixing.blend;
        assert_eq!([blends[0], blends[2]], [usual("fbm"), usual("gaussian")]);
        assert_ne!(recipe.steps[0].mixing.variant, recipe.steps[1].mixing.variant);
    }

    #[test]
    fn the_first_step_is_as_it_comes() {
        assert_eq!(with(&["fault"]).steps[0].operation_as(), Some(&Fault::default()));
        assert_ne!(with(&["fbm", "fault"]).steps[1].operation_as(), Some(&Fault::default()));
    }

    #[test]
    fn a_river_that_is_added_to_an_island_is_seen_whatever_the_seed() {
        let mut recipe = with(&["fbm", "island", "river", "river"]);
        for seed in 0..20 {
            recipe.seed = seed;
            let (field, rivers) = recipe.build_ground(&Work::new()).unwrap();
            assert_eq!(recipe.notes(), [], "wide enough for the samples");
            assert_eq!(recipe.notes_on(&field, &rivers), [], "seed {seed}");
            let bed: Vec<f32> = rivers[0].bed().map(|(column, row)| field.at(column, row)).collect();
            assert!(bed[0] > 0.0, "seed {seed}: it begins at {} m", bed[0]);
            assert!(bed.last().unwrap() <= &0.0, "seed {seed}");
            assert!(bed.windows(2).all(|pair| pair[1] <= pair[0]), "seed {seed}");
            assert!(bed.len() > 10, "seed {seed}: {} samples", bed.len());
        }
    }

    #[test]
    fn rivers_that_are_added_know_the_sea_and_each_other() {
        let mut recipe = with(&["fbm", "river"]);
        recipe.water.sea_level = 120.0;
        recipe.add_step(Step::from_name("river").unwrap(), None);
        recipe.water.sea = false;
        recipe.add_step(Step::from_name("river").unwrap(), None);
        let rivers = recipe.steps.iter().filter_map(|step| step.operation_as::<River>());
        let known: Vec<_> = rivers.map(|river| (river.sea, river.rank)).collect();
        assert_eq!(known, [(0.0, 1), (120.0, 2), (-12_000.0, 3)]);
        recipe.check().unwrap();
    }

    #[test]
    fn erosion_that_is_added_ends_at_the_sea_and_without_one_nowhere() {
        let base_level = |sea: Option<f32>, range: Option<(f32, f32)>| {
            let mut recipe = with(&["fbm"]);
            recipe.water = Water { sea: sea.is_some(), sea_level: sea.unwrap_or_default() };
            recipe.add_step(Step::from_name("erode").unwrap(), range);
            recipe.check().unwrap();
            recipe.steps[1].operation_as::<Erode>().unwrap().base_level
        };
        assert_eq!(base_level(Some(-200.0), Some((-900.0, 900.0))), -200.0);
        assert_eq!(base_level(Some(300.0), None), 300.0);
        assert_eq!(base_level(None, Some((-450.5, 400.0))), -451.0);
        assert_eq!(base_level(None, Some((70.0, 400.0))), 0.0);
        assert_eq!(base_level(None, Some((-1e6, 400.0))), -12_000.0);
        assert_eq!(base_level(None, None), 0.0);
    }

    #[test]
    fn a_river_that_is_older_than_the_sea_ends_in_it() {
        let mut recipe = with(&["fbm", "river"]);
        recipe.water.sea = false;
        recipe.add_step(Step::from_name("river").unwrap(), None);
        let set_by_hand = 55.0;
        recipe.steps.push(Step::new(River { sea: set_by_hand, ..River::default() }));
        let seas = |recipe: &Recipe| -> Vec<f32> {
            let rivers = recipe.steps.iter().filter_map(|step| step.operation_as::<River>());
            rivers.map(|river| river.sea).collect()
        };
        assert_eq!(seas(&recipe), [0.0, River::NO_SEA, set_by_hand]);
        (recipe.water.sea, recipe.water.sea_level) = (true, 20.0);
        recipe.move_mouths(None);
        assert_eq!(seas(&recipe), [0.0, 20.0, set_by_hand]);
        recipe.water.sea_level = 30.0;
        recipe.move_mouths(Some(20.0));
        assert_eq!(seas(&recipe), [0.0, 30.0, set_by_hand]);
        recipe.water.sea = false;
        recipe.move_mouths(Some(30.0));
        assert_eq!(seas(&recipe), [0.0, River::NO_SEA, set_by_hand]);
        recipe.check().unwrap();
    }

    #[test]
    fn a_road_that_is_added_lies_on_the_land_of_every_seed() {
        let mut recipe = with(&["fbm", "island", "road"]);
        let mut routes = Vec::new();
        for seed in 0..20 {
            recipe.seed = seed;
            assert_eq!(recipe.notes(), [], "it is wide enough for the samples");
            let land = Recipe { steps: recipe.steps[..2].to_vec(), ..recipe.clone() };
            let land = land.build_heightfield(&Work::new()).unwrap();
            let laid = recipe.with_found_routes(&Cache::default(), &Work::new()).unwrap();
            let points = &laid.steps[2].operation_as::<Road>().unwrap().points;
            assert!(points.len() > 2, "seed {seed}");
            let heights = points.iter().map(|point| land.sample(*point * land.grid().extent()));
            assert!(heights.fold(f32::MAX, f32::min) > 1.5, "seed {seed}: {points:?}");
            routes.push(points.clone());
        }
        routes.dedup();
        assert_eq!(routes.len(), 20, "another land has another road");
    }

    #[test]
    fn a_road_on_endless_land_keeps_its_points() {
        let mut recipe = Recipe { unit: Some(5000.0), ..with(&["fbm"]) };
        recipe.add_step(Step::from_name("road").unwrap(), None);
        assert_eq!(recipe.steps[1].operation_as::<Road>().unwrap().points, Road::default().points);
    }

    #[test]
    fn a_road_that_finds_its_route_stays_above_the_present_sea() {
        let mut recipe = with(&["fbm", "road", "road"]);
        let mut by_hand = recipe.steps[1].operation_as::<Road>().unwrap().clone();
        by_hand.points = Road::default().points;
        recipe.steps[2].operation = by_hand.into();
        let lowest =
            |recipe: &Recipe| [1, 2].map(|index| recipe.steps[index].operation_as::<Road>().unwrap().lowest);
        assert_eq!(lowest(&recipe), [2.0, 2.0]);
        recipe.water.sea_level = 30.0;
        recipe.move_mouths(Some(0.0));
        assert_eq!(lowest(&recipe), [32.0, 2.0]);
        recipe.water.sea = false;
        recipe.move_mouths(Some(30.0));
        assert_eq!(lowest(&recipe), [Road::default().lowest, 2.0]);
    }

    #[test]
    fn a_land_with_a_road_has_a_surface_for_it() {
        let mut recipe = with(&["fbm", "road"]);
        let surfaces = |recipe: &Recipe| {
            let fade = recipe.fade();
            fade.textures[0].types.iter().filter(|kind| kind.factors.layer.is_some()).count()
        };
        assert_eq!(surfaces(&recipe), 1);
        assert!(!matches!(recipe.texture, Skin::Custom(_)), "a ready-made texture has one already");
        recipe.texture = Skin::Custom(Texture::temperate());
        assert_eq!(surfaces(&recipe), 0);
        recipe.add_step(Step::from_name("road").unwrap(), None);
        assert_eq!(surfaces(&recipe), 1);
        recipe.add_step(Step::from_name("road").unwrap(), None);
        assert_eq!(surfaces(&recipe), 1, "one is enough");
        recipe.check().unwrap();
    }

    #[test]
    fn a_road_leaves_ready_made_textures_among_several_as_they_are() {
        let mut recipe = with(&["fbm"]);
        let ready_made = [Skin::Arid, Skin::Temperate.in_season(0.75)];
        let own = Skin::Custom(Texture::temperate());
        let sets = [&ready_made[..], &[own]].concat();
        recipe.texture = Skin::Sets(Sets { sets, ..Sets::default() });
        recipe.add_step(Step::from_name("road").unwrap(), None);
        let Skin::Sets(Sets { sets, .. }) = &recipe.texture else { panic!("{:?}", recipe.texture) };
        assert_eq!(sets[..2], ready_made);
        assert!(!lacks_road_surface(&sets[2].texture()));
        let fade = recipe.fade();
        let surfaces = fade.textures.iter().map(|texture| {
            let roads = texture.types.iter().filter(|kind| kind.factors.layer.is_some());
            roads.map(|road| road.tile.is_some()).collect::<Vec<_>>()
        });
        assert_eq!(surfaces.collect::<Vec<_>>(), [[true], [true], [false]], "one each, with its own picture");
    }

    #[test]
    fn a_new_rule_has_a_name_of_its_own_and_stands_where_plants_grow() {
        let mut recipe = with(&["fbm"]);
        recipe.water.sea = false;
        let land = recipe.build_heightfield(&Work::new()).unwrap();
        for expected in ["spruce", "spruce 2", "spruce 3"] {
            let rule = recipe.new_rule(Some(land.range()));
            assert_eq!(rule.name, expected);
            recipe.scatter.push(rule);
        }
        recipe.check().unwrap();
        let ((low, high), rule) = (land.range(), &recipe.scatter[0]);
        assert!(low < rule.elevation.max && rule.elevation.max < high - 0.2 * (high - low), "{rule:?}");
        assert!(rule.elevation.min < low && rule.slope.max < 40.0 && rule.slope.min == 0.0, "{rule:?}");
        // Where most of the land lies below the sea, heights count from the sea.
        (recipe.water.sea, recipe.water.sea_level) = (true, high - 10.0);
        let rule = recipe.new_rule(Some((low, high)));
        assert!(high - 10.0 < rule.elevation.max && rule.elevation.max < high, "{rule:?}");
        assert_eq!(recipe.new_rule(None).elevation, Rule::ANY_ELEVATION);
    }

    #[test]
    fn plants_of_a_new_rule_keep_off_roads() {
        let mut recipe = with(&["flat"]);
        recipe.water.sea = false;
        recipe.steps[0].operation = crate::steps::generate::Flat { height: 50.0 }.into();
        let points = vec![glam::Vec2::new(0.1, 0.5), glam::Vec2::new(0.9, 0.5)];
        recipe.steps.push(Step::new(Road { points, width: 200.0, ..Road::default() }));
        let on_road = |recipe: &Recipe| {
            let work = Work::new();
            let scatter = crate::scatter::Scatter::new(recipe, 0, &Cache::default(), &work).unwrap();
            // Not wider than the road, which runs along row 64.
            let window = crate::grid::Window { level: 0, first: [40, 63], size: [49, 3] };
            scatter.within(scatter.rectangle_of(window), &work).unwrap().len()
        };
        recipe.scatter = vec![recipe.new_rule(None)];
        assert_eq!(on_road(&recipe), 0);
        recipe.scatter[0].road_distance = Rule::ANY_DISTANCE;
        assert!(on_road(&recipe) > 100, "the same rule without that limit");
    }
}
