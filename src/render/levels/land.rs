//! Trees and meshes of a land that are made once.

use std::time::Instant;

use bevy::math::DVec2;
use rayon::prelude::*;

use super::error_bounds::ErrorBounds;
use super::wire::{Wires, of_grid, of_triangles, place_of};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Window};
use crate::mesh::{Bound, Method, Roam, Triangulation};
use crate::render::overview_window::{FAR, window};
use crate::{Cache, Recipe};

/// The default error of a TIN, as a share of the land's range of heights.
const TIN_ERROR: f32 = 1.0 / 400.0;

/// A land as it is compared. Places are in metres from its north-west sample.
pub(crate) struct Compared {
    /// The samples.
    pub window: Window,
    /// Where their north-west one lies, metres from the land's sample (0, 0).
    pub corner: DVec2,
    /// Whether they are a part of the land.
    pub is_part: bool,
    pub roam: Roam,
    /// The triangles of the TIN, and their errors in metres.
    pub tin: Vec<ErrorBounds>,
    /// The largest distance of a sample from the TIN, metres.
    pub tin_error: f32,
    /// Seconds that were spent on each: the trees of ROAM, the TIN, the grid.
    pub seconds: [f32; 3],
    /// Meshes that stay as they are, until they are taken to be drawn.
    pub tin_wires: Wires,
    pub grid_wires: Wires,
    /// How many triangles all samples make.
    pub grid_triangles: usize,
}

impl Compared {
    /// Prepares the part of a land around a place, metres from its sample (0, 0), with a TIN within an error
    /// in metres.
    ///
    /// # Errors
    /// When the land or a mesh of it cannot be made, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new(
        recipe: &Recipe,
        cache: &Cache,
        place: DVec2,
        tin_error: Option<f32>,
        work: &Work,
    ) -> Result<Self> {
        let (window, is_part) = window(recipe, &[place], FAR)?;
        let field = recipe.build_window(window, cache, work)?.heights;
        let Grid { width, depth, cell } = field.grid();
        let (low, high) = field.range();
        let tin_error = tin_error.unwrap_or_else(|| round((high - low) * TIN_ERROR)).max(0.01);

        let begun = Instant::now();
        let tin = Triangulation::new(&field, Method::Tin, Bound::Error(tin_error), work)?;
        let tin_seconds = begun.elapsed().as_secs_f32();
        let corners = |triangle: &[u32; 3]| triangle.map(|point| tin.points[point as usize]);
        let triangles: Vec<_> = tin.triangles.iter().map(corners).collect();
        let errors = tin.errors(&field, work)?;
        let seen = triangles.par_iter().zip(&errors).map(|(triangle, &error)| {
            let places = triangle.map(|corner| place_of(&field, corner));
            let [a, b, c] = places;
            ErrorBounds { low: a.min(b).min(c), high: a.max(b).max(c), error }
        });
        let seen = seen.collect();
        let tin_wires = of_triangles(&field, &triangles);

        let begun = Instant::now();
        let grid_wires = of_grid(&field);
        let grid_seconds = begun.elapsed().as_secs_f32();

        let begun = Instant::now();
        let roam = Roam::new(field, work)?;
        let roam_seconds = begun.elapsed().as_secs_f32();
        Ok(Self {
            corner: DVec2::from(window.first.map(|first| first as f64)) * f64::from(cell),
            window,
            is_part,
            roam,
            tin: seen,
            tin_error,
            seconds: [roam_seconds, tin_seconds, grid_seconds],
            tin_wires,
            grid_wires,
            grid_triangles: 2 * (width - 1) * (depth - 1),
        })
    }
}

/// A number with one digit that is not much larger.
fn round(number: f32) -> f32 {
    let power = 10f32.powf(number.max(1e-3).log10().floor());
    (number / power).round().max(1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_errors_have_one_digit() {
        assert_eq!(
            [2.34, 0.0, 16.0, 0.77].map(round).map(|error| format!("{error:.3}")),
            ["2.000", "0.001", "20.000", "0.800"]
        );
    }

    #[test]
    fn a_land_is_compared_whole_or_around_the_eye() {
        let mut recipe = Recipe::new("Hills", (65, 65), 20.0);
        recipe.steps.push(crate::Step::from_name("fbm").unwrap());
        let compare = |recipe: &Recipe, place, error| {
            Compared::new(recipe, &Cache::default(), place, error, &Work::new()).unwrap()
        };
        let whole = compare(&recipe, DVec2::ZERO, Some(3.0));
        assert!(!whole.is_part && whole.corner == DVec2::ZERO && whole.tin_error == 3.0);
        assert_eq!(whole.grid_triangles, 2 * 64 * 64);
        assert!(whole.tin.iter().all(|triangle| triangle.error <= 3.0));
        assert!(whole.tin.len() < whole.grid_triangles);

        recipe.unit = Some(1280.0);
        let place = DVec2::new(100_000.0, -50_000.0);
        let part = compare(&recipe, place, None);
        let middle = part.corner + part.roam.field().grid().extent().as_dvec2() / 2.0;
        assert!(part.is_part && middle.distance(place) < 100.0);
    }
}
