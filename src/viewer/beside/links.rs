//! What landscapes have in common: the eye, and the light.

use std::collections::HashMap;

use bevy::prelude::*;

use crate::recipe::{Recipe, Skin};
use crate::sky::sun::Sun;
use crate::viewer::document::Document;
use crate::viewer::window::Number;

/// What a document shares with the others; a component beside it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::viewer) struct Links {
    /// Whether it is seen from where the others are seen.
    pub camera: bool,
    /// Whether it is seen in the light of the first: its sun, its season.
    pub light: bool,
}

impl Default for Links {
    /// The same place, each in the light of its own recipe.
    fn default() -> Self {
        Self { camera: true, light: false }
    }
}

/// A light: where the sun stands, and the season where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::viewer) struct Light {
    pub sun: Sun,
    season: Option<f32>,
}

impl Light {
    fn of(recipe: &Recipe) -> Self {
        let season = match &recipe.texture {
            Skin::Seasons(seasons) => Some(seasons.season),
            _ => None,
        };
        Self { sun: recipe.sun, season }
    }

    /// Puts a recipe into this light. One without seasons has none in any light.
    pub fn fall_on(&self, recipe: &mut Recipe) {
        recipe.sun = self.sun;
        if let (Skin::Seasons(seasons), Some(season)) = (&mut recipe.texture, self.season) {
            seasons.season = season;
        }
    }
}

/// The light that linked documents share.
#[derive(Resource, Default)]
pub(in crate::viewer) struct SharedLight {
    light: Option<Light>,
    /// The light of each document's own recipe, as of the last look.
    known: HashMap<Entity, Light>,
}

impl SharedLight {
    /// The light in which a document is seen, if not in its own.
    pub fn on(&self, number: Number, links: &Links) -> Option<Light> {
        self.light.filter(|_| links.light || number.0 == 0)
    }

    /// A document's recipe in the light in which it is seen.
    pub fn seen_by(&self, recipe: &Recipe, number: Number, links: &Links) -> Recipe {
        let mut recipe = recipe.clone();
        if let Some(light) = self.on(number, links) {
            light.fall_on(&mut recipe);
        }
        recipe
    }
}

/// Finds the light that linked documents share: at first that of the first document, then the last that was changed in
/// any of them.
pub(in crate::viewer) fn share_light(
    mut shared: ResMut<SharedLight>,
    documents: Query<(Entity, &Number, &Document, &Links)>,
) {
    let shared = shared.bypass_change_detection();
    if !documents.iter().any(|(_, number, _, links)| links.light && number.0 > 0) {
        *shared = default();
        return;
    }
    let first = documents.iter().find(|(_, number, ..)| number.0 == 0);
    let mut light = shared.light.or(first.map(|(_, _, document, _)| Light::of(&document.recipe)));
    for (entity, number, document, links) in &documents {
        let now = Light::of(&document.recipe);
        let before = shared.known.insert(entity, now);
        if (links.light || number.0 == 0) && before.is_some_and(|before| before != now) {
            light = Some(now);
        }
    }
    shared.light = light;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Skin;

    #[test]
    fn linked_documents_have_the_light_that_was_changed_last() {
        let mut app = App::new();
        app.init_resource::<SharedLight>().add_systems(Update, share_light);
        let mut spawn = |number: usize, bearing: f32, season: f32| {
            let mut recipe = Recipe::new("Land", (3, 3), 1.0);
            recipe.sun.bearing = bearing;
            recipe.set("texture.season", &season.to_string()).unwrap();
            app.world_mut().spawn((Document::new(recipe, None), Number(number), Links::default())).id()
        };
        let lands = [spawn(0, 10.0, 0.1), spawn(1, 20.0, 0.2), spawn(2, 30.0, 0.3)];
        let seen = |app: &mut App| {
            app.update();
            lands.map(|land| {
                let land = app.world().entity(land);
                let (number, links) = (*land.get::<Number>().unwrap(), land.get::<Links>().unwrap());
                let mut recipe = land.get::<Document>().unwrap().recipe.clone();
                if let Some(light) = app.world().resource::<SharedLight>().on(number, links) {
                    light.fall_on(&mut recipe);
                }
                let Skin::Seasons(seasons) = &recipe.texture else { panic!("{recipe:?}") };
                (recipe.sun.bearing, seasons.season)
            })
        };
        let own = [(10.0, 0.1), (20.0, 0.2), (30.0, 0.3)];
        assert_eq!(seen(&mut app), own);
        app.world_mut().get_mut::<Links>(lands[1]).unwrap().light = true;
        assert_eq!(seen(&mut app), [own[0], own[0], own[2]]);
        app.world_mut().get_mut::<Document>(lands[1]).unwrap().recipe.sun.bearing = 99.0;
        assert_eq!(seen(&mut app), [(99.0, 0.2), (99.0, 0.2), own[2]]);
        app.world_mut().get_mut::<Document>(lands[2]).unwrap().recipe.sun.bearing = 33.0;
        assert_eq!(seen(&mut app)[..2], [(99.0, 0.2), (99.0, 0.2)], "the third is not linked");
        app.world_mut().get_mut::<Links>(lands[1]).unwrap().light = false;
        assert_eq!(seen(&mut app), [own[0], (99.0, 0.2), (33.0, 0.3)], "documents are as they were edited");
    }
}
