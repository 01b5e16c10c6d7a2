//! The difference between two landscapes in the window: a coloured map, and numbers.

use bevy::prelude::*;
use bevy_egui::egui;
use image::RgbaImage;

use crate::Landscape;
use crate::analysis::Difference;
use crate::plugin::{Terrain, TerrainCache, TerrainStatus};
use crate::render::compare;
use crate::render::legend::Legend;
use crate::viewer::build::playback::Player;
use crate::viewer::build::terrain_override::TerrainOverride;
use crate::viewer::document::Document;
use crate::viewer::document::display_names::names_of;
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::session::Landscapes;
use crate::viewer::session::derived::Derived;
use crate::viewer::views::pair;

/// The map has at most this many pixels along its longer side.
const MAP: u32 = 640;

/// The maximum number of letters of a land's name, two of which stand on one line of the panel.
pub(crate) const MOST_LETTERS: usize = 20;

/// The difference between two landscapes, once it has been computed.
#[derive(Resource)]
pub(crate) struct DifferenceView {
    /// Whether it is shown.
    pub open: bool,
    /// Whether the second land is painted with it.
    pub on_land: bool,
    /// The documents: the second minus the first. `None` until there are two.
    pub pair: Option<[Entity; 2]>,
    found: Derived<DifferenceRequest, DifferenceResult>,
    map: Option<egui::TextureHandle>,
    /// The number of results so far.
    made: u32,
}

/// The lands that are compared.
#[derive(Clone, PartialEq)]
struct DifferenceRequest {
    /// The documents that are compared.
    lands: [Entity; 2],
    grounds: [GroundRevision; 2],
    /// Their names, for the legend.
    names: Vec<String>,
}

/// A computed difference.
pub(crate) struct DifferenceResult {
    /// Heights of the second above the first.
    pub difference: Difference,
    /// What the colours of the map stand for.
    pub legend: Legend,
    picture: RgbaImage,
    /// The second land, painted with the colours of the map.
    land: Landscape,
}

impl Default for DifferenceView {
    fn default() -> Self {
        let found = Derived::default();
        Self { open: false, on_land: false, pair: None, found, map: None, made: 0 }
    }
}

impl DifferenceView {
    /// The map with its numbers, or why there is none; `None` until it has been computed.
    pub fn found(
        &mut self,
        context: &egui::Context,
    ) -> Option<Result<(&DifferenceResult, &egui::TextureHandle), &str>> {
        match self.found.latest()? {
            Ok(found) => {
                let map = self.map.get_or_insert_with(|| {
                    let size = [found.picture.width() as usize, found.picture.height() as usize];
                    let image = egui::ColorImage::from_rgba_unmultiplied(size, found.picture.as_raw());
                    context.load_texture("difference", image, egui::TextureOptions::LINEAR)
                });
                Some(Ok((found, map)))
            }
            Err(reason) => Some(Err(reason)),
        }
    }

    /// Follows the open landscapes. At first, the first two are compared. If one that was compared has been
    /// closed, the first of the others takes its place.
    pub fn follow(&mut self, landscapes: &Landscapes) {
        pair::follow(&mut self.pair, landscapes);
    }

    /// Drops the result, and the computation of another.
    fn begin_again(&mut self) {
        (self.found, self.map) = (Derived::default(), None);
    }

    /// Whether the result shown is out of date.
    pub fn is_behind(&self) -> bool {
        !self.found.is_current()
    }
}

pub(crate) fn add(app: &mut App) {
    app.init_resource::<DifferenceView>().add_systems(Update, (find_out, wear).chain());
}

/// Computes the difference, and again when one of the lands has changed.
fn find_out(
    mut differing: ResMut<DifferenceView>,
    landscapes: Res<Landscapes>,
    documents: Query<(&Document, &TerrainStatus)>,
    cache: Res<TerrainCache>,
) {
    differing.follow(&landscapes);
    if !differing.open {
        differing.begin_again();
        return;
    }
    // Drops the result for other lands, because its map and colours would be taken for these.
    if differing.found.requested().is_some_and(|request| Some(request.lands) != differing.pair) {
        differing.begin_again();
    }
    if differing.found.receive().is_some() {
        differing.map = None;
        differing.made += 1;
    }
    let pair = differing.pair.and_then(|lands| Some((lands, documents.get_many(lands).ok()?)));
    let Some((lands, [(first, first_status), (second, second_status)])) = pair else {
        differing.open = landscapes.len() > 1;
        return;
    };
    let revisions = [first.revision(), second.revision()];
    let request = DifferenceRequest {
        lands,
        grounds: revisions.map(|revision| revision.ground),
        names: names_of([first, second], MOST_LETTERS),
    };
    let (recipes, cache) = (revisions.map(|revision| revision.recipe.clone()), cache.0.clone());
    // While a land is still being built, the same heights would be built twice.
    let is_settled = first_status.is_settled() && second_status.is_settled();
    differing.found.follow(request, is_settled, move |request, work| {
        let (difference, second) =
            compare::difference_of([&recipes[0], &recipes[1]], [&cache, &cache], work)?;
        let grid = difference.heights.grid();
        let longer = grid.width.max(grid.depth) as f32;
        let side = |samples: usize| ((MAP as f32 * samples as f32 / longer).round() as u32).max(1);
        let picture = compare::map_of_difference(&difference, (side(grid.width), side(grid.depth)));
        let legend = compare::legend_of_difference(&difference, [&request.names[0], &request.names[1]]);
        let colour = compare::colours_of_difference(&difference);
        let land = Landscape { sea_level: recipes[1].sea_level(), ..Landscape::new(second, colour) };
        Ok(DifferenceResult { difference, legend, picture, land })
    });
}

/// Paints the second land with its difference from the first while the user wants that and the land doesn't
/// show the player's frames.
fn wear(
    mut commands: Commands,
    differing: Res<DifferenceView>,
    player: Res<Player>,
    documents: Query<(Entity, Has<TerrainOverride>)>,
    mut worn: Local<Option<(Entity, u32)>>,
) {
    let is_wanted = differing.open && differing.on_land && !player.open;
    let second = differing.pair.and_then(|[_, second]| documents.get(second).ok());
    let found = differing.found.latest().and_then(|found| found.as_ref().ok()).filter(|_| is_wanted);
    let wanted = second.zip(found);
    let now = wanted.map(|((entity, _), _)| (entity, differing.made));
    if let Some((before, _)) = *worn
        && now.is_none_or(|(entity, _)| entity != before)
        && let Ok(mut land) = commands.get_entity(before)
    {
        land.try_remove::<TerrainOverride>();
    }
    if let Some(((entity, is_worn), found)) = wanted
        && (*worn != now || !is_worn)
    {
        let land = found.land.clone();
        commands.entity(entity).try_insert(TerrainOverride(Terrain::build(move |_| Ok(land.clone()))));
    }
    *worn = now;
}
