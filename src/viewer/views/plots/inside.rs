//! Plots of the edited landscape, made again when it changes.

use bevy::prelude::*;

use super::line::Line;
use crate::analysis::plots::{Plot, PlotKind, PlotOptions};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::plugin::{Job, TerrainCache, TerrainStatus, origin_of};
use crate::render::overview_window::{FAR, window};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::build::terrain_override::same_heights;
use crate::viewer::document::Document;
use crate::viewer::session::{Number, Selection};
use crate::{Cache, Recipe};

/// What is looked at.
#[derive(Resource)]
pub(crate) struct Inside {
    /// Whether the window is shown.
    pub open: bool,
    /// Which plot.
    pub kind: PlotKind,
    /// The line of the profile.
    pub line: Line,
    /// The plot that was made last, of which kind, or why it could not be.
    made: Option<(PlotKind, std::result::Result<Plot, String>)>,
    /// What it was made of.
    asked: Option<Asked>,
    job: Option<Job<Plot>>,
}

impl Default for Inside {
    fn default() -> Self {
        Self {
            open: false,
            kind: PlotKind::Heights,
            line: Line::default(),
            made: None,
            asked: None,
            job: None,
        }
    }
}

impl Inside {
    /// Whether a plot is being made.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// The plot of the chosen kind that was made last, or why it could not be. While it is busy, the land may be
    /// another by now.
    pub fn plot(&self) -> Option<&std::result::Result<Plot, String>> {
        self.made.as_ref().filter(|(kind, _)| *kind == self.kind).map(|(_, plot)| plot)
    }
}

/// What a plot is made of.
#[derive(Clone, PartialEq)]
struct Asked {
    recipe: Recipe,
    kind: PlotKind,
    /// The ends of the profile, metres from the middle of the land.
    line: Option<[Vec2; 2]>,
}

/// Adds what makes plots.
pub(super) fn add(app: &mut App) {
    app.init_resource::<Inside>().add_systems(Update, make);
}

/// Has the plot made anew when another one, or another land, is looked at.
fn make(
    mut inside: ResMut<Inside>,
    documents: Query<(&Number, &Document, &StackView, &TerrainStatus)>,
    selection: Res<Selection>,
    cache: Res<TerrainCache>,
) {
    if !inside.open {
        if inside.job.is_some() {
            (inside.job, inside.asked) = (None, None);
        }
        return;
    }
    if let Some(outcome) = inside.bypass_change_detection().job.as_mut().and_then(Job::outcome) {
        inside.job = None;
        let kind = inside.asked.as_ref().map_or(inside.kind, |asked| asked.kind);
        inside.made = match outcome {
            Ok(plot) => Some((kind, Ok(plot))),
            Err(Error::Cancelled) => None,
            Err(error) => Some((kind, Err(error.to_string()))),
        };
    }
    let edited = documents.iter().find(|(number, ..)| number.0 == selection.edited());
    let Some((_, document, stack, status)) = edited else { return };
    // Of one step alone, if that is what is seen.
    let recipe = stack.seen(&document.recipe);
    let kind = inside.kind;
    let line = (kind == PlotKind::Profile).then(|| inside.line.ends()).flatten();
    let is_asked = inside.asked.as_ref().is_some_and(|asked| {
        (asked.kind, asked.line) == (kind, line) && same_heights(&asked.recipe, &recipe)
    });
    // Heights that are still being built would be built twice.
    if is_asked || !status.is_settled() {
        return;
    }
    let asked = Asked { recipe: recipe.into_owned(), kind, line };
    inside.asked = Some(asked.clone());
    let cache = cache.0.clone();
    inside.job = Some(Job::start_long(move |work| asked.plot(&cache, work)));
}

impl Asked {
    /// Makes the plot: of all of the land, or of land without an end of what lies around its middle.
    fn plot(&self, cache: &Cache, work: &Work) -> Result<Plot> {
        let recipe = &self.recipe;
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
        if is_part {
            plot.remarks
                .push(format!("The land has no end; {:.0} km around its middle were looked at.", FAR / 1e3));
        } else if window.level > 0 {
            let nth = 1u32 << window.level;
            plot.remarks.push(format!("Every {nth}th sample of every {nth}th row was looked at."));
        }
        Ok(plot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: PlotKind) -> Asked {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (129, 129), cell: 20,
            steps: [fbm(height: 400, hurst: 0.5, octaves: 6)])"#;
        Asked { recipe: Recipe::from_ron(text, "hills.ron").unwrap(), kind, line: None }
    }

    #[test]
    fn every_plot_can_be_made_of_a_land_in_the_window() {
        for kind in PlotKind::ALL {
            let plot = asked(kind).plot(&Cache::default(), &Work::new());
            let plot = plot.unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert!(plot.series.iter().any(|series| !series.points.is_empty()), "{kind}");
            assert!(!plot.remarks.iter().any(|remark| remark.contains("th sample")), "{kind}");
        }
    }

    #[test]
    fn land_without_an_end_is_looked_at_around_its_middle_and_that_is_said() {
        let mut endless = asked(PlotKind::Profile);
        endless.recipe.set("size", "endless").unwrap();
        endless.line = Some([Vec2::new(-500.0, 0.0), Vec2::new(500.0, 300.0)]);
        let plot = endless.plot(&Cache::default(), &Work::new()).unwrap();
        assert!(plot.remarks.iter().any(|remark| remark.contains("no end")), "{:?}", plot.remarks);
        let last = plot.series[0].points.last().unwrap()[0];
        assert!((last - 1044.0).abs() < 1.0, "a line of {last} m");
    }
}
