//! Plots of the edited landscape, made again when it changes.

use bevy::prelude::*;

use super::line::Line;
use crate::analysis::plots::{Plot, PlotKind, PlotOptions};
use crate::compute::work::Work;
use crate::error::Result;
use crate::plugin::{TerrainCache, TerrainStatus, origin_of};
use crate::render::overview_window::{FAR, part_in_words, window};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::document::Document;
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::session::Selection;
use crate::viewer::session::derived::Derived;
use crate::{Cache, Recipe};

/// The panel of plots.
#[derive(Resource)]
pub(crate) struct Inside {
    /// Whether the window is shown.
    pub open: bool,
    /// The kind of plot.
    pub kind: PlotKind,
    /// The line of the profile.
    pub line: Line,
    made: Derived<PlotRequest, Plot>,
}

impl Default for Inside {
    fn default() -> Self {
        Self { open: false, kind: PlotKind::Heights, line: Line::default(), made: Derived::default() }
    }
}

impl Inside {
    /// Whether a plot is being made.
    pub fn is_busy(&self) -> bool {
        self.made.is_busy()
    }

    /// Whether the plot is that of the land as it is now edited.
    pub fn is_current(&self) -> bool {
        self.made.is_current()
    }

    /// The last plot of the selected kind, or why it could not be made. It may be out of date.
    pub fn plot(&self) -> Option<&std::result::Result<Plot, String>> {
        self.made.latest_for(|request| request.kind == self.kind)
    }
}

/// A request for a plot.
#[derive(Clone, PartialEq)]
struct PlotRequest {
    ground: GroundRevision,
    /// Index of the step that is seen alone.
    solo: Option<usize>,
    kind: PlotKind,
    /// The ends of the profile, metres from the middle of the land.
    line: Option<[Vec2; 2]>,
}

/// Adds the system that makes plots.
pub(super) fn add(app: &mut App) {
    app.init_resource::<Inside>().add_systems(Update, make);
}

/// Makes the plot again when another kind is selected, or the land has changed.
fn make(
    mut inside: ResMut<Inside>,
    documents: Query<(&Document, &StackView, &TerrainStatus)>,
    selection: Res<Selection>,
    cache: Res<TerrainCache>,
) {
    if !inside.open {
        return inside.made.stop();
    }
    inside.made.receive();
    let edited = selection.edited().and_then(|edited| documents.get(edited).ok());
    let Some((document, stack, status)) = edited else { return };
    let revision = document.revision();
    let kind = inside.kind;
    let request = PlotRequest {
        ground: revision.ground,
        solo: stack.solo_in(&revision.recipe),
        kind,
        line: (kind == PlotKind::Profile).then(|| inside.line.ends()).flatten(),
    };
    let (recipe, cache) = (revision.recipe.clone(), cache.0.clone());
    // While the land is still being built, the same heights would be built twice.
    inside.made.follow(request, status.is_settled(), move |request, work| match request.solo {
        Some(solo) => request.plot(&recipe.alone(solo), &cache, work),
        None => request.plot(&recipe, &cache, work),
    });
}

impl PlotRequest {
    /// Makes the plot: of the whole land, or of the area around the middle of endless land.
    fn plot(&self, recipe: &Recipe, cache: &Cache, work: &Work) -> Result<Plot> {
        let middle = -origin_of(recipe);
        let (window, is_part) = window(recipe, &[middle], FAR)?;
        let field = recipe.build_window(window, cache, work)?.heights;
        let corner = window.first.map(|first| first as f64 * f64::from(field.grid().cell));
        let from_corner = |place: Vec2| {
            let place = (place.as_dvec2() + middle - bevy::math::DVec2::from(corner)).as_vec2();
            place.clamp(Vec2::ZERO, field.grid().extent())
        };
        let options = PlotOptions {
            hurst: recipe.hurst_in_theory(),
            sea_level: recipe.sea_level(),
            line: self.line.map(|line| line.map(from_corner)),
            ..PlotOptions::default()
        };
        let mut plot = self.kind.plot(&field, &options, work)?;
        plot.remarks.extend(part_in_words(window, is_part).map(|part| format!("The plot shows {part}.")));
        Ok(plot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills() -> Recipe {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (129, 129), cell: 20,
            steps: [fbm(height: 400, hurst: 0.5, octaves: 6)])"#;
        Recipe::from_ron(text, "hills.ron").unwrap()
    }

    fn plot(recipe: Recipe, kind: PlotKind, line: Option<[Vec2; 2]>) -> Result<Plot> {
        let document = Document::new(recipe, None);
        let request = PlotRequest { ground: document.revision().ground, solo: None, kind, line };
        request.plot(&document.recipe, &Cache::default(), &Work::new())
    }

    #[test]
    fn every_plot_can_be_made_of_a_land_in_the_window() {
        for kind in PlotKind::ALL {
            let plot = plot(hills(), kind, None).unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert!(plot.series.iter().any(|series| !series.points.is_empty()), "{kind}");
            assert!(!plot.remarks.iter().any(|remark| remark.contains("th sample")), "{kind}");
        }
    }

    #[test]
    fn a_plot_of_endless_land_shows_its_middle_and_says_so() {
        let mut endless = hills();
        endless.set("size", "endless").unwrap();
        let line = Some([Vec2::new(-500.0, 0.0), Vec2::new(500.0, 300.0)]);
        let plot = plot(endless, PlotKind::Profile, line).unwrap();
        assert!(plot.remarks.iter().any(|remark| remark.contains("endless")), "{:?}", plot.remarks);
        let last = plot.series[0].points.last().unwrap()[0];
        assert!((last - 1044.0).abs() < 1.0, "a line of {last} m");
    }
}
