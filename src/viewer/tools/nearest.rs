//! Flies to the nearest object that the rules of the edited landscape scatter. Plants are only drawn near the
//! eye, so they can be hard to find by hand.

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::plugin::{Job, TerrainCache, TerrainGround};
use crate::scatter::{Rectangle, Scatter};
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::Document;
use crate::viewer::session::Selection;
use crate::viewer::session::status_message::Message;

/// Side of the squares that are searched, metres.
const SQUARE: f64 = 128.0;
/// On endless land, the search goes no farther than this, metres.
const FARTHEST: f64 = 6000.0;
/// The same on land with a border, which may be thousands of kilometres wide: measured from its point nearest
/// to the eye.
const FARTHEST_WITHIN: f64 = 30_000.0;

/// The search for the nearest object.
#[derive(Resource, Default)]
pub(crate) struct Nearest {
    /// Whether the user has requested it.
    pub is_wanted: bool,
    /// The running search, and the land that it is for.
    job: Option<(Entity, Job<Option<DVec3>>)>,
}

impl Nearest {
    /// The share of the search on a land that is done, if one runs.
    pub fn progress(&self, land: Entity) -> Option<f32> {
        let job = self.job.as_ref().filter(|(of, _)| *of == land);
        job.map(|(_, job)| job.overall())
    }

    /// Ends the search.
    pub fn cancel(&mut self) {
        self.job = None;
    }
}

/// Adds the search.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Nearest>().add_systems(Update, find);
}

/// Starts a requested search, and a journey to the object that it finds.
fn find(
    mut nearest: ResMut<Nearest>,
    documents: Query<(Entity, &Document, &TerrainGround)>,
    state: Res<Selection>,
    cache: Res<TerrainCache>,
    mut pilot: ResMut<Pilot>,
    mut message: ResMut<Message>,
) {
    let edited = state.edited().and_then(|edited| documents.get(edited).ok());
    let outcome = nearest.job.as_mut().and_then(|(land, job)| Some((*land, job.outcome()?)));
    if let Some((land, outcome)) = outcome {
        nearest.job = None;
        match outcome {
            // The user is editing another land now, whose view may have a pilot of its own.
            Ok(_) if edited.is_none_or(|(now, ..)| now != land) => {}
            Ok(Some(place)) => pilot.go_to(place),
            Ok(None) => message.report("No plants or objects were found; check the limits of the rules"),
            Err(Error::Cancelled) => {}
            Err(error) => message.error(error.to_string()),
        }
    }
    if !nearest.is_wanted {
        return;
    }
    nearest.is_wanted = false;
    let Some((land, document, ground)) = edited else { return };
    let (recipe, cache, origin) = (document.recipe.clone(), cache.0.clone(), ground.origin);
    let eye = pilot.place.xz() - origin;
    let bounds = match recipe.unit {
        None => {
            let extent = ground.extent().as_dvec2();
            let from = eye.clamp(DVec2::ZERO, extent);
            [DVec2::ZERO.max(from - FARTHEST_WITHIN), extent.min(from + FARTHEST_WITHIN)]
        }
        Some(_) => [eye - FARTHEST, eye + FARTHEST],
    };
    let job = Job::start_long(move |work| {
        let scatter = Scatter::new(&recipe, 0, &cache, &work.part(0.0, 0.3))?;
        let place = nearest_of(&scatter, eye, bounds, &work.part(0.3, 1.0))?;
        Ok(place.map(|place| place + DVec3::new(origin.x, 0.0, origin.y)))
    });
    nearest.job = Some((land, job));
}

/// The object nearest to a position among those in the nearest square that has any; metres from the land's
/// sample (0, 0).
fn nearest_of(scatter: &Scatter, eye: DVec2, [low, high]: [DVec2; 2], work: &Work) -> Result<Option<DVec3>> {
    let squares = ((high - low) / SQUARE).ceil().max(DVec2::ONE).as_u64vec2();
    let corner =
        |index: u64| low + DVec2::new((index % squares.x) as f64, (index / squares.x) as f64) * SQUARE;
    let away = |index: u64| (corner(index) + SQUARE / 2.0).distance_squared(eye);
    let mut order: Vec<u64> = (0..squares.x * squares.y).collect();
    order.sort_by(|a, b| away(*a).total_cmp(&away(*b)));
    let count = order.len();
    for (number, index) in order.into_iter().enumerate() {
        work.check()?;
        // Each square has stages of its own.
        let work = work.part(number as f32 / count as f32, (number + 1) as f32 / count as f32);
        work.stage("the nearest object", 1);
        let corner = corner(index);
        let square = Rectangle { low: corner.to_array(), high: (corner + SQUARE).min(high).to_array() };
        let objects = scatter.of_rules(square, |_| true, &work)?;
        let distance = |place: &DVec3| place.xz().distance_squared(eye);
        let places = objects.into_iter().map(|object| object.position);
        if let Some(place) = places.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cache;
    use crate::recipe::{Recipe, Step};
    use crate::scatter::Rule;
    use crate::texture::Limits;

    #[test]
    fn a_search_reports_how_far_it_is_and_can_be_cancelled() {
        let mut recipe = Recipe::new("Plain", (257, 257), 20.0);
        recipe.steps.push(Step::from_name("flat").unwrap());
        recipe.scatter = vec![Rule::new("spruce", 1.0, 3.0)];
        recipe.scatter[0].elevation = Limits::new(8000.0, 9000.0, 0.0);
        let mut app = App::new();
        add(&mut app);
        app.init_resource::<TerrainCache>().init_resource::<Pilot>().init_resource::<Message>();
        let ground = TerrainGround::bare(recipe.build_heightfield(&Work::new()).unwrap());
        let land = app.world_mut().spawn((Document::new(recipe, None), ground)).id();
        app.insert_resource(Selection::editing(land));
        let search = |app: &mut App| {
            app.world_mut().resource_mut::<Nearest>().is_wanted = true;
            app.update();
        };
        let progress = |app: &App| app.world().resource::<Nearest>().progress(land);
        assert_eq!(progress(&app), None);
        search(&mut app);
        assert!(progress(&app).is_some());
        let of_another = app.world().resource::<Nearest>().progress(Entity::PLACEHOLDER);
        assert_eq!(of_another, None);
        app.world_mut().resource_mut::<Nearest>().cancel();
        (0..5).for_each(|_| app.update());
        assert_eq!(progress(&app), None);
        assert!(
            app.world().resource::<Message>().text.is_empty(),
            "a search that was cancelled finds nothing"
        );
        search(&mut app);
        let start = std::time::Instant::now();
        let mut before = 0.0;
        while let Some(share) = progress(&app) {
            assert!(share >= before && start.elapsed().as_secs() < 120, "{share} after {before}");
            before = share;
            app.update();
        }
        let said = &app.world().resource::<Message>().text;
        assert!(said.starts_with("No plants or objects were found"), "{said}");
    }

    #[test]
    fn the_nearest_object_is_found_at_any_distance_or_none_if_there_is_none() {
        let mut recipe = Recipe::new("Plain", (129, 129), 20.0);
        recipe.steps.push(Step::from_name("flat").unwrap());
        recipe.scatter = vec![Rule::new("spruce", 1.0, 3.0)];
        let find = |recipe: &Recipe, eye: DVec2| {
            let scatter = Scatter::new(recipe, 0, &Cache::default(), &Work::new()).unwrap();
            nearest_of(&scatter, eye, [DVec2::ZERO, DVec2::splat(2560.0)], &Work::new()).unwrap()
        };
        let far = find(&recipe, DVec2::new(-9000.0, 1280.0)).unwrap();
        let middle = find(&recipe, DVec2::splat(1280.0)).unwrap();
        assert!(far.x < 600.0, "{far}");
        assert!(middle.xz().distance(DVec2::splat(1280.0)) < 400.0, "{middle}");
        recipe.scatter[0].elevation = Limits::new(8000.0, 9000.0, 0.0);
        assert_eq!(find(&recipe, DVec2::ZERO), None);
    }
}
