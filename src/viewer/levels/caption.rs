//! What is told of a way to draw a land.

use super::Way;
use crate::viewer::legend::{Legend, short};
use crate::viewer::panel::count;

/// What a way costs, and how true it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    /// Triangles that are drawn.
    pub triangles: usize,
    /// How far the samples in view are from the mesh at most: in metres, and in pixels.
    pub errors: (f64, f64),
    /// Milliseconds to bring the mesh up to date in a frame; `None` where it never changes.
    pub update_ms: Option<f32>,
    /// Seconds to prepare it; `None` where it comes with the land.
    pub seconds: Option<f32>,
}

/// The caption of a way; without numbers as long as it is being made, or when it `has_failed`.
pub(super) fn caption(way: Way, numbers: Option<Numbers>, has_failed: bool) -> Legend {
    let Some(numbers) = numbers else {
        let state = if has_failed { "could not be made" } else { "being made …" };
        return Legend::of_text(way.title(), [state.to_owned()]);
    };
    let Numbers { triangles, errors: (metres, pixels), update_ms, seconds } = numbers;
    let errors = match metres {
        0.0 => "no error".to_owned(),
        _ => format!("up to {} m off, {} px as seen from here", short(metres), short(pixels)),
    };
    let made = seconds.map(|seconds| format!("prepared in {} s", short(seconds.into())));
    let update = match update_ms {
        Some(ms) => format!("updated in {} ms a frame", short(ms.into())),
        None => "never updated".to_owned(),
    };
    let times = made.into_iter().chain([update]).collect::<Vec<_>>().join(", ");
    Legend::of_text(way.title(), [format!("{} triangles", count(triangles)), errors, times])
}
