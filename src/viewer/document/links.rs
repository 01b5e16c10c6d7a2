//! What linked landscapes share: the camera's position, the light and the season.

use std::collections::HashMap;

use bevy::prelude::*;

use super::Document;
use crate::recipe::{Recipe, Skin};
use crate::sky::sun::{SolarTime, Sun};
use crate::texture;
use crate::viewer::session::Landscapes;

/// What a document shares with the others; a component next to it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// Whether its camera follows the others.
    pub camera: bool,
    /// Whether it is lit like the first: by the same sun, at the same time of day.
    pub light: bool,
    /// Whether it is in the season of the first.
    pub season: bool,
}

impl Default for Links {
    /// The same camera, but each in the light and the season of its own recipe.
    fn default() -> Self {
        Self { camera: true, light: false, season: false }
    }
}

/// Positions of suns: that of the sky, and of the one whose light is painted into the colours, if any.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Suns {
    sky: Sun,
    /// Its bearing and elevation, and the place and time of day that replace them.
    painted: Option<(Sun, Option<SolarTime>)>,
}

impl Suns {
    fn of(recipe: &Recipe) -> Self {
        let painted = painted(&recipe.texture);
        let stands = |light: &texture::Light| Sun { bearing: light.bearing, elevation: light.elevation };
        Self { sky: recipe.sun, painted: painted.map(|light| (stands(light), light.time)) }
    }

    fn shine_on(&self, recipe: &mut Recipe) {
        recipe.sun = self.sky;
        if let Some((sun, time)) = self.painted {
            paint(&mut recipe.texture, &mut |light| {
                (light.bearing, light.elevation, light.time) = (sun.bearing, sun.elevation, time);
            });
        }
    }
}

/// The light that is painted into the colours; the first one if there are several sets.
fn painted(skin: &Skin) -> Option<&texture::Light> {
    match skin {
        Skin::Custom(texture) => texture.light.as_ref(),
        Skin::Sets(sets) => sets.sets.iter().find_map(painted),
        _ => None,
    }
}

/// Changes every light that is painted into colours.
fn paint(skin: &mut Skin, change: &mut dyn FnMut(&mut texture::Light)) {
    match skin {
        Skin::Custom(texture) => texture.light.iter_mut().for_each(change),
        Skin::Sets(sets) => sets.sets.iter_mut().for_each(|set| paint(set, change)),
        _ => {}
    }
}

/// The season of a land's colours, if they have one; the first one if there are several sets.
pub(crate) fn season_of(skin: &Skin) -> Option<f32> {
    skin.shown_season()
}

/// Sets the season of all colours that have one.
fn put_into(season: f32, skin: &mut Skin) {
    match skin {
        Skin::Seasons(seasons) => seasons.season = season,
        Skin::Sets(sets) => sets.sets.iter_mut().for_each(|set| put_into(season, set)),
        _ => {}
    }
}

/// What a document takes from the others instead of its own recipe, as far as it is linked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkedLight {
    suns: Option<Suns>,
    season: Option<f32>,
}

impl LinkedLight {
    /// The sun of the sky, if it is not the recipe's own.
    pub fn sun(&self) -> Option<Sun> {
        self.suns.map(|suns| suns.sky)
    }

    /// Applies this light to a recipe. A recipe without seasons gets none, and colours without painted light
    /// get none either.
    pub fn fall_on(&self, recipe: &mut Recipe) {
        if let Some(suns) = self.suns {
            suns.shine_on(recipe);
        }
        if let Some(season) = self.season {
            put_into(season, &mut recipe.texture);
        }
    }
}

/// Something that linked documents share.
struct Shared<T> {
    now: Option<T>,
    /// The value in each document's own recipe, as of the last frame.
    known: HashMap<Entity, T>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { now: None, known: HashMap::new() }
    }
}

impl<T: Copy + PartialEq> Shared<T> {
    /// Finds the shared value: at first that of the first document, later the one that was last changed in a
    /// linked document. `all` are the documents that have a value, with whether they are linked.
    fn find(&mut self, all: &[(Entity, bool, T)], first: Option<Entity>) {
        if !all.iter().any(|(entity, is_linked, _)| *is_linked && Some(*entity) != first) {
            *self = Self::default();
            return;
        }
        let of_first = all.iter().find(|(entity, ..)| Some(*entity) == first).map(|(.., now)| *now);
        let mut shared = self.now.or(of_first);
        for (entity, is_linked, now) in all {
            let before = self.known.insert(*entity, *now);
            let is_linked = *is_linked || Some(*entity) == first;
            if is_linked && before.is_some_and(|before| before != *now) {
                shared = Some(*now);
            }
        }
        self.now = shared;
    }
}

/// The light and the season that linked documents share.
#[derive(Resource, Default)]
pub(crate) struct SharedLight {
    /// The first document, with which the others are linked.
    first: Option<Entity>,
    suns: Shared<Suns>,
    season: Shared<f32>,
}

impl SharedLight {
    /// The light in which a document is seen, if it is not that of its own recipe.
    pub fn on(&self, document: Entity, links: &Links) -> Option<LinkedLight> {
        let is_linked = |link: bool| link || self.first == Some(document);
        let suns = self.suns.now.filter(|_| is_linked(links.light));
        let season = self.season.now.filter(|_| is_linked(links.season));
        (suns.is_some() || season.is_some()).then_some(LinkedLight { suns, season })
    }

    /// A document's recipe in the light in which it is seen.
    pub fn seen_by(&self, recipe: &Recipe, document: Entity, links: &Links) -> Recipe {
        let mut recipe = recipe.clone();
        if let Some(light) = self.on(document, links) {
            light.fall_on(&mut recipe);
        }
        recipe
    }
}

/// Finds the light and the season that linked documents share.
pub(crate) fn share_light(
    mut shared: ResMut<SharedLight>,
    landscapes: Res<Landscapes>,
    documents: Query<(Entity, &Document, &Links)>,
) {
    let shared = shared.bypass_change_detection();
    shared.first = landscapes.first();
    let suns =
        documents.iter().map(|(entity, document, links)| (entity, links.light, Suns::of(&document.recipe)));
    shared.suns.find(&suns.collect::<Vec<_>>(), shared.first);
    let seasons = documents.iter().filter_map(|(entity, document, links)| {
        Some((entity, links.season, season_of(&document.recipe.texture)?))
    });
    shared.season.find(&seasons.collect::<Vec<_>>(), shared.first);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_documents_share_the_light_that_was_changed_last() {
        let mut app = App::new();
        app.init_resource::<SharedLight>().add_systems(Update, share_light);
        let mut spawn = |bearing: f32, season: f32| {
            let mut recipe = Recipe::new("Land", (3, 3), 1.0);
            recipe.sun.bearing = bearing;
            recipe.set("texture.season", &season.to_string()).unwrap();
            Landscapes::spawn(app.world_mut(), (Document::new(recipe, None), Links::default()))
        };
        let lands = [spawn(10.0, 0.1), spawn(20.0, 0.2), spawn(30.0, 0.3)];
        let seen = |app: &mut App| {
            app.update();
            lands.map(|land| {
                let links = app.world().get::<Links>(land).unwrap();
                let mut recipe = app.world().get::<Document>(land).unwrap().recipe.clone();
                if let Some(light) = app.world().resource::<SharedLight>().on(land, links) {
                    light.fall_on(&mut recipe);
                }
                let Skin::Seasons(seasons) = &recipe.texture else { panic!("{recipe:?}") };
                (recipe.sun.bearing, seasons.season)
            })
        };
        let own = [(10.0, 0.1), (20.0, 0.2), (30.0, 0.3)];
        assert_eq!(seen(&mut app), own);
        let link = |app: &mut App, light: bool, season: bool| {
            *app.world_mut().get_mut::<Links>(lands[1]).unwrap() = Links { camera: true, light, season };
        };
        link(&mut app, true, false);
        assert_eq!(seen(&mut app), [own[0], (10.0, 0.2), own[2]], "light and season are linked separately");
        link(&mut app, false, true);
        assert_eq!(seen(&mut app), [own[0], (20.0, 0.1), own[2]]);
        link(&mut app, true, true);
        assert_eq!(seen(&mut app), [own[0], own[0], own[2]]);
        app.world_mut().get_mut::<Document>(lands[1]).unwrap().recipe.sun.bearing = 99.0;
        assert_eq!(seen(&mut app), [(99.0, 0.1), (99.0, 0.1), own[2]]);
        let season = |app: &mut App, land: usize, season: &str| {
            let mut document = app.world_mut().get_mut::<Document>(lands[land]).unwrap();
            document.recipe.set("texture.season", season).unwrap();
        };
        season(&mut app, 1, "0.7");
        assert_eq!(seen(&mut app), [(99.0, 0.7), (99.0, 0.7), own[2]]);
        app.world_mut().get_mut::<Document>(lands[2]).unwrap().recipe.sun.bearing = 33.0;
        assert_eq!(seen(&mut app)[..2], [(99.0, 0.7), (99.0, 0.7)], "the third is not linked");
        link(&mut app, false, false);
        assert_eq!(seen(&mut app), [own[0], (99.0, 0.7), (33.0, 0.3)], "documents are as they were edited");
    }

    #[test]
    fn sets_that_fade_into_each_other_share_a_season() {
        let text = "(version: 1, name: \"Land\", size: (3, 3), cell: 1, steps: [], texture: sets(sets: [arid, \
                    seasons(season: 0.5)], mask: \"a.png\"))";
        let mut recipe = Recipe::from_ron(text, "land.ron").unwrap();
        assert_eq!(season_of(&recipe.texture), Some(0.5));
        put_into(0.75, &mut recipe.texture);
        assert_eq!(season_of(&recipe.texture), Some(0.75));
        assert_eq!(season_of(&Skin::Temperate), None);
    }

    #[test]
    fn linked_documents_share_the_time_of_day_of_painted_light() {
        let mut app = App::new();
        app.init_resource::<SharedLight>().add_systems(Update, share_light);
        let noon = SolarTime { latitude: 50.0, day: 81, hour: 12.0 };
        let light =
            |hour: f32| texture::Light { time: Some(SolarTime { hour, ..noon }), ..Default::default() };
        let mut spawn = |is_linked: bool, hour: Option<f32>| {
            let mut recipe = Recipe::new("Land", (3, 3), 1.0);
            let texture = texture::Texture { light: hour.map(light), ..texture::Texture::temperate() };
            recipe.texture = Skin::Custom(texture);
            let links = Links { light: is_linked, ..default() };
            Landscapes::spawn(app.world_mut(), (Document::new(recipe, None), links))
        };
        let lands =
            [spawn(true, Some(12.0)), spawn(true, Some(9.0)), spawn(true, None), spawn(false, Some(15.0))];
        let hours = |app: &mut App| {
            app.update();
            lands.map(|land| {
                let links = app.world().get::<Links>(land).unwrap();
                let recipe = &app.world().get::<Document>(land).unwrap().recipe;
                let seen = app.world().resource::<SharedLight>().seen_by(recipe, land, links);
                painted(&seen.texture).and_then(|light| light.time).map(|time| time.hour)
            })
        };
        let unlinked = Some(15.0);
        assert_eq!(hours(&mut app), [Some(12.0), Some(12.0), None, unlinked]);
        let mut document = app.world_mut().get_mut::<Document>(lands[1]).unwrap();
        paint(&mut document.recipe.texture, &mut |painted| *painted = light(18.0));
        assert_eq!(hours(&mut app), [Some(18.0), Some(18.0), None, unlinked]);
    }
}
