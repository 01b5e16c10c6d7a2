//! The caption of a way to draw a land.

use super::Way;
use crate::render::legend::Legend;
use crate::render::short_numbers::{count, short};

/// Cost and error of a way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Numbers {
    /// Triangles that are drawn.
    pub triangles: usize,
    /// How far the samples in view are from the mesh at most: in metres, and in pixels.
    pub errors: (f64, f64),
    /// Milliseconds to bring the mesh up to date in a frame; `None` where it never changes.
    pub update_ms: Option<f32>,
    /// Seconds to prepare it; `None` where it comes with the land.
    pub seconds: Option<f32>,
}

/// The most letters in a line of a reason.
const LINE: usize = 42;

/// The caption of a way; without numbers as long as it is being made, or when that `failed` for a reason.
pub(crate) fn caption(way: Way, numbers: Option<Numbers>, failed: Option<&str>) -> Legend {
    let Some(numbers) = numbers else {
        let state = match (failed, way) {
            (None, _) => vec!["being made …".to_owned()],
            (Some(_), Way::Cdlod) => vec!["there is nothing to compare it with".to_owned()],
            (Some(reason), _) => in_lines(&format!("could not be made: {reason}")),
        };
        return Legend::of_text(way.title(), state);
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

/// A text in lines of at most [`LINE`] letters, as long as its words are shorter.
fn in_lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| line.chars().count() + word.chars().count() < LINE);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_in_short_lines_under_what_failed() {
        let reason = "gone.png: cannot read: no such file or folder";
        let lines = in_lines(reason);
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() <= LINE), "{lines:?}");
        assert_eq!(lines.join(" "), reason);
        let told = |way| format!("{:?}", caption(way, None, Some(reason)));
        assert!(told(Way::Tin).contains("could not be made: gone.png"));
        assert!(!told(Way::Cdlod).contains("could not"), "the land is drawn all the same");
        assert!(format!("{:?}", caption(Way::Tin, None, None)).contains("being made"));
    }
}
