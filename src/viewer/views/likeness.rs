//! How alike two landscapes in the window are, measured again when one of them changes.

use bevy::prelude::*;

use crate::analysis::likeness::{Comparison, compare};
use crate::analysis::plots::Plot;
use crate::compute::work::Work;
use crate::error::Result;
use crate::plugin::{TerrainCache, TerrainStatus, origin_of};
use crate::render::overview_window::{FAR, part_in_words, window};
use crate::viewer::document::Document;
use crate::viewer::document::display_names::names_of;
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::session::Landscapes;
use crate::viewer::session::derived::Derived;
use crate::viewer::views::{difference, pair};
use crate::{Cache, Heightfield, Recipe};

/// The panel that shows how alike two landscapes are.
#[derive(Resource, Default)]
pub(crate) struct LikenessView {
    /// Whether it is shown.
    pub open: bool,
    /// The documents: a land, and the one that it is measured against. `None` until there are two.
    pub pair: Option<[Entity; 2]>,
    /// Index of the plot that is shown.
    pub plot: usize,
    made: Derived<LikenessRequest, Likeness>,
}

/// The lands that are compared.
#[derive(Clone, PartialEq)]
struct LikenessRequest {
    lands: [Entity; 2],
    grounds: [GroundRevision; 2],
    names: Vec<String>,
}

/// How alike two lands are.
pub(crate) struct Likeness {
    /// The measures.
    pub comparison: Comparison,
    /// The plots of both lands.
    pub plots: [Plot; 6],
    /// What was measured of a land, if not all of it.
    pub remarks: Vec<String>,
}

impl LikenessView {
    /// How alike the two lands are, or why that couldn't be measured; `None` until it has been. It may be out
    /// of date.
    pub fn found(&self) -> Option<&std::result::Result<Likeness, String>> {
        self.made.latest_for(|request| Some(request.lands) == self.pair)
    }

    /// Whether what was found is that of the lands as they are now edited.
    pub fn is_current(&self) -> bool {
        self.made.is_current()
    }
}

/// Adds the system that measures.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<LikenessView>().add_systems(Update, measure);
}

/// Measures again when one of the lands has changed.
fn measure(
    mut view: ResMut<LikenessView>,
    landscapes: Res<Landscapes>,
    documents: Query<(&Document, &TerrainStatus)>,
    cache: Res<TerrainCache>,
) {
    pair::follow(&mut view.pair, &landscapes);
    if !view.open {
        return view.made.stop();
    }
    view.made.receive();
    let found = view.pair.and_then(|lands| Some((lands, documents.get_many(lands).ok()?)));
    let Some((lands, [(first, first_status), (second, second_status)])) = found else {
        view.open = landscapes.len() > 1;
        return;
    };
    let revisions = [first.revision(), second.revision()];
    let request = LikenessRequest {
        lands,
        grounds: revisions.map(|revision| revision.ground),
        names: names_of([first, second], difference::MOST_LETTERS),
    };
    let (recipes, cache) = (revisions.map(|revision| revision.recipe.clone()), cache.0.clone());
    // While a land is still being built, the same heights would be built twice.
    let is_settled = first_status.is_settled() && second_status.is_settled();
    view.made.follow(request, is_settled, move |request, work| {
        likeness([&recipes[0], &recipes[1]], [&request.names[0], &request.names[1]], &cache, work)
    });
}

fn likeness(recipes: [&Recipe; 2], names: [&str; 2], cache: &Cache, work: &Work) -> Result<Likeness> {
    let (one, first) = heights(recipes[0], names[0], cache, work)?;
    let (other, second) = heights(recipes[1], names[1], cache, work)?;
    let lands = [(names[0], &one), (names[1], &other)];
    let comparison = compare(lands, recipes.map(Recipe::sea_level), work)?;
    let plots = comparison.plots();
    let remarks = [first, second].into_iter().flatten().collect();
    Ok(Likeness { comparison, plots, remarks })
}

/// The heights of a whole land, or of the area around the middle of endless land; and which of them were
/// read, if not all.
fn heights(recipe: &Recipe, name: &str, cache: &Cache, work: &Work) -> Result<(Heightfield, Option<String>)> {
    let (window, is_part) = window(recipe, &[-origin_of(recipe)], FAR)?;
    let field = recipe.build_window(window, cache, work)?.heights;
    Ok((field, part_in_words(window, is_part).map(|part| format!("Measured of {name}: {part}."))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn land(name: &str, size: &str, hurst: f32) -> Recipe {
        let text = format!(
            r#"(version: 1, name: "{name}", seed: 3, size: {size}, cell: 20, unit: 2000,
                steps: [fbm(height: 400, hurst: {hurst}, octaves: 6)])"#
        );
        let text = if size == "endless" { text } else { text.replace(", unit: 2000", "") };
        Recipe::from_ron(&text, "land.ron").unwrap()
    }

    #[test]
    fn a_land_is_like_itself_and_less_like_a_rougher_one() {
        let cache = Cache::default();
        let smooth = land("Smooth", "(129, 129)", 1.0);
        let rough = land("Rough", "(97, 65)", 0.4);
        let with = |other: &Recipe| {
            let names = ["Smooth", other.name.as_str()];
            likeness([&smooth, other], names, &cache, &Work::new()).unwrap()
        };
        let (same, different) = (with(&smooth), with(&rough));
        let roughness = |of: &Likeness| of.comparison.distance("spectral exponent").unwrap();
        assert_eq!(roughness(&same), 0.0);
        assert!(roughness(&different) > 0.5, "{}", roughness(&different));
        assert!(different.remarks.is_empty());
        assert!(different.plots.iter().all(|plot| plot.series.len() >= 2), "a series of each land");
    }

    #[test]
    fn what_is_measured_of_endless_land_is_said() {
        let (one, endless) = (land("Bounded", "(65, 65)", 1.0), land("Far", "endless", 1.0));
        let found = likeness([&one, &endless], ["Bounded", "Far"], &Cache::default(), &Work::new()).unwrap();
        assert_eq!(found.remarks, ["Measured of Far: the 15 km around the middle of the endless land."]);
    }
}
