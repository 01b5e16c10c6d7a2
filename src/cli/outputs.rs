//! The files that commands write: checks of their names, which must differ from each other and from all
//! inputs; writing them together or not at all; and the lines that report them.

use std::path::{Path, PathBuf};

use super::report::{Failure, Outcome, say};
use crate::files::{ReplacedFile, replace_together, target_of};
use crate::grid::Grid;
use crate::recipe::Recipe;

/// The most files of a line that are named individually.
const MOST_NAMED: usize = 4;

/// A file to be written, and a description of its content.
pub(super) struct Output {
    what: String,
    path: PathBuf,
}

impl Output {
    /// An output at `path`; `what` is its name on the command line.
    pub(super) fn new(what: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { what: what.into(), path: path.into() }
    }
}

/// Refuses outputs that would overwrite each other or one of the inputs. Call it before long work begins.
/// Paths are compared and not the files themselves, because most outputs don't exist yet.
pub(super) fn check(outputs: &[Output], inputs: &[PathBuf]) -> Outcome {
    let places: Vec<PathBuf> = outputs.iter().map(|output| place(&output.path)).collect::<Result<_, _>>()?;
    for (index, output) in outputs.iter().enumerate() {
        let path = output.path.display();
        if let Some(earlier) = places[..index].iter().position(|place| *place == places[index]) {
            let other = &outputs[earlier];
            let same = if other.path == output.path {
                String::new()
            } else {
                format!(" is the same file as {}", other.path.display())
            };
            return Err(Failure::Usage(format!(
                "{path}{same}: {} and {} cannot both be written there; give each its own name",
                other.what, output.what
            )));
        }
        for input in inputs.iter().filter(|input| input.exists()) {
            if place(input)? == places[index] {
                return Err(Failure::Usage(format!(
                    "{path}: {} would replace a file that is read for it; give another name",
                    output.what
                )));
            }
        }
    }
    Ok(())
}

/// Runs a task that writes a command's files and prints its results. The files are moved into place together
/// when it has succeeded; after a failure existing files are unchanged.
pub(super) fn together<T>(write: impl FnOnce() -> Result<T, Failure>) -> Result<(T, Written), Failure> {
    let (result, files) = replace_together(write)?;
    Ok((result, Written(files)))
}

/// Files that a command has written.
pub(super) struct Written(Vec<ReplacedFile>);

impl Written {
    /// Those that `is_meant` accepts, and the others.
    pub(super) fn split(self, is_meant: impl Fn(&Path) -> bool) -> [Self; 2] {
        let (meant, others) = self.0.into_iter().partition(|file| is_meant(&file.path));
        [Self(meant), Self(others)]
    }

    /// Reports all of them on one line: their names, their content, their size. Prints nothing if there are
    /// none.
    pub(super) fn report(&self, content: &str) {
        if let Some(line) = line(&self.0, content) {
            say(&line);
        }
    }
}

/// The line that reports files: `wrote hills.tif: 65 × 33 samples 30 m apart, heights from 2 to 380 m, 8.6
/// kB`.
fn line(files: &[ReplacedFile], content: &str) -> Option<String> {
    let mut names: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
    let (count, last) = (names.len(), names.last()?.clone());
    let names = if count > MOST_NAMED {
        format!("{} … {last} ({count} files)", names.swap_remove(0))
    } else {
        names.join(", ")
    };
    let size = in_bytes(files.iter().map(|file| file.bytes).sum());
    let size = if count > 1 { format!("{size} in all") } else { size };
    Some(match content {
        "" => format!("wrote {names}: {size}"),
        content => format!("wrote {names}: {content}, {size}"),
    })
}

/// The number of samples of a grid, and their distance.
pub(super) fn samples(grid: Grid) -> String {
    format!("{} × {} samples {} m apart", grid.width, grid.depth, grid.cell)
}

/// The lowest and the highest of some values, called `name`, with the significant digits.
pub(super) fn range(name: &str, (low, high): (f32, f32), unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    if low == high {
        return format!("{name} {low}{unit} everywhere");
    }
    if low.abs().max(high.abs()) >= 1e9 {
        return format!("{name} from {low:e} to {high:e}{unit}");
    }
    let span = f64::from(high) - f64::from(low);
    // Four digits of the span: more would pretend a precision that is not there, fewer would make the ends
    // equal.
    let decimals = (3.0 - span.log10().floor()).clamp(0.0, 9.0) as usize;
    let number = |number: f32| {
        let text = format!("{number:.decimals$}");
        let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    format!("{name} from {} to {}{unit}", number(low), number(high))
}

/// A number above 0 with three significant digits.
pub(super) fn digits(number: f64) -> String {
    let before_point = if number > 0.0 { number.log10().floor() } else { 2.0 };
    format!("{number:.*}", (2.0 - before_point).clamp(0.0, 12.0) as usize)
}

/// A number of bytes, for people.
pub(super) fn in_bytes(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut units = ["bytes", "kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    // A value that rounds to 1000 is shown as 1 of the next unit.
    while size >= 999.95
        && let Some(next) = units.next()
    {
        (size, unit) = (size / 1000.0, next);
    }
    if bytes < 1000 { format!("{bytes} {unit}") } else { format!("{size:.1} {unit}") }
}

/// The files that a recipe is made from, including the recipe `name` itself.
pub(super) fn inputs(name: &str, recipe: &Recipe) -> Vec<PathBuf> {
    let mut inputs = vec![PathBuf::from(name)];
    inputs.extend(recipe.files());
    inputs
}

/// The canonical path of an output, however it is spelled or linked.
fn place(path: &Path) -> Result<PathBuf, Failure> {
    let target = target_of(path)?;
    let target = std::path::absolute(&target).unwrap_or(target);
    let name = target.file_name().unwrap_or_default().to_owned();
    // The folder exists even where the file does not yet.
    let folder = target.parent().unwrap_or(Path::new(""));
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    // File names are not case-sensitive on these systems.
    let name = if cfg!(any(windows, target_os = "macos")) { name.to_ascii_lowercase() } else { name };
    Ok(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sizes: &[(&str, u64)]) -> Vec<ReplacedFile> {
        sizes.iter().map(|&(name, bytes)| ReplacedFile { path: name.into(), bytes }).collect()
    }

    #[test]
    fn files_are_reported_with_their_names_their_content_and_their_size() {
        let line = |sizes: &[(&str, u64)], content: &str| line(&files(sizes), content).unwrap_or_default();
        assert_eq!(line(&[], "nothing"), "");
        assert_eq!(line(&[("a.tif", 8580)], "3 × 2 samples"), "wrote a.tif: 3 × 2 samples, 8.6 kB");
        assert_eq!(line(&[("a.obj", 700), ("a.mtl", 100)], ""), "wrote a.obj, a.mtl: 800 bytes in all");
        let many: Vec<(&str, u64)> = ["a", "b", "c", "d", "e"].map(|name| (name, 1)).into();
        assert_eq!(line(&many, "tiles"), "wrote a … e (5 files): tiles, 5 bytes in all");
    }

    #[test]
    fn sizes_have_a_unit_that_suits_them() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1000, "1.0 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (2_626_400, "2.6 MB"),
            (17_179_869_184, "17.2 GB"),
        ] {
            assert_eq!(in_bytes(bytes), text);
        }
    }

    #[test]
    fn three_digits_are_enough_for_an_area() {
        let texts = [16.624, 0.001_234, 1234.6, 0.0].map(digits);
        assert_eq!(texts, ["16.6", "0.00123", "1235", "0"]);
    }

    #[test]
    fn ranges_have_significant_digits() {
        for (low, high, text) in [
            (-63.193_84, 380.118_2, "heights from -63.2 to 380.1 m"),
            (236.0, 1076.0, "heights from 236 to 1076 m"),
            (0.0, 7.0, "heights from 0 to 7 m"),
            (-0.000_01, 4.0, "heights from 0 to 4 m"),
            (0.001, 0.001_234_5, "heights from 0.001 to 0.0012345 m"),
            (12.5, 12.5, "heights 12.5 m everywhere"),
            (-3e38, 3e38, "heights from -3e38 to 3e38 m"),
        ] {
            assert_eq!(range("heights", (low, high), "m"), text);
        }
        assert_eq!(range("`hardness`", (0.0, 1.0), ""), "`hardness` from 0 to 1");
    }
}
