//! Plots as tables of comma-separated values (RFC 4180).

use std::borrow::Cow;
use std::fmt::Write;

use super::plot::Plot;

/// The points of a plot as a table: a header with the names and units of the columns, then for each point the
/// name of its series and its values along both axes, names in place of numbers where the axis has them.
/// Numbers have as many digits as give the same number again. Lines end in CR LF, in UTF-8.
///
/// ```
/// # use upland_core as upland;
/// let plot = upland::plots::line_profile(&[2.5, 4.0], 10.0)?;
/// assert_eq!(upland::plots::csv(&plot), "series,distance (m),height (m)\r\nprofile,0,2.5\r\nprofile,10,4\r\n");
/// # Ok::<(), upland::Error>(())
/// ```
pub fn csv(plot: &Plot) -> String {
    let [x, y] = [&plot.x, &plot.y].map(ToString::to_string);
    let mut text = format!("series,{},{}\r\n", field(&x), field(&y));
    for series in &plot.series {
        let name = field(&series.name);
        for [x, y] in &series.points {
            let _ = match plot.x.scale.name_of(*x) {
                Some(x) => write!(text, "{name},{},{y}\r\n", field(x)),
                None => write!(text, "{name},{x},{y}\r\n"),
            };
        }
    }
    text
}

/// A text as a field: in quotation marks where it has to be, its own doubled.
fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn only_what_would_be_misread_is_quoted() {
        for (text, expected) in [
            ("height (m)", "height (m)"),
            ("a, b", "\"a, b\""),
            ("the \"best\"", "\"the \"\"best\"\"\""),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(field(text), expected);
        }
    }
}
