//! Names of landscapes that are shown together: no two of them are the same.

use std::ffi::OsStr;
use std::path::Path;

use crate::shown::shown_in_line;

/// The fewest letters that a mark leaves of a name.
pub(crate) const LEAST: usize = 5;

/// The names of landscapes, each with its file if it has one, as they are shown together: each on one line of
/// at most `letters` letters, and no two of them the same.
///
/// Names that differ stay as they are. Others are marked with the names of their files: "High range
/// (mine.ron)". Where these are the same too, or missing, or too long, the first name stays and the others
/// have numbers: "High range (2)". In very narrow places a mark may be longer than the room for it.
pub(crate) fn display_names(lands: &[(&str, Option<&Path>)], letters: usize) -> Vec<String> {
    let names: Vec<String> = lands.iter().map(|(name, _)| shown_in_line(name, letters)).collect();
    let files: Vec<String> = lands.iter().map(|(_, file)| file_name(*file)).collect();
    let is_alone = |index: usize, marks: &[&[String]]| {
        (0..names.len()).all(|other| other == index || marks.iter().any(|of| of[other] != of[index]))
    };
    let by_file = |index: usize| {
        let file = &files[index];
        let fits = !file.is_empty() && file.chars().count() + LEAST + 3 <= letters;
        if !is_alone(index, &[&names]) && fits && is_alone(index, &[&names, &files]) {
            marked(lands[index].0, file, letters)
        } else {
            names[index].clone()
        }
    };
    let mut unique: Vec<String> = (0..names.len()).map(by_file).collect();
    // From the second on, so that the first of equal names keeps its own.
    for index in 1..unique.len() {
        if unique[..index].contains(&unique[index]) {
            let mut numbered = (2..).map(|number| marked(lands[index].0, &number.to_string(), letters));
            if let Some(free) = numbered.find(|name| !unique.contains(name)) {
                unique[index] = free;
            }
        }
    }
    unique
}

/// The name with a mark behind it, cut so that both have room.
fn marked(name: &str, mark: &str, letters: usize) -> String {
    let room = letters.saturating_sub(mark.chars().count() + 3).max(LEAST);
    format!("{} ({mark})", shown_in_line(name, room))
}

/// The file's own name, without its folders; empty if there is none.
fn file_name(file: Option<&Path>) -> String {
    let name = file.and_then(Path::file_name).map(OsStr::to_string_lossy);
    shown_in_line(&name.unwrap_or_default(), usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lands: &[(&str, &str)], letters: usize) -> Vec<String> {
        let file = |index: usize| Some(Path::new(lands[index].1)).filter(|file| !file.as_os_str().is_empty());
        let lands: Vec<_> = (0..lands.len()).map(|index| (lands[index].0, file(index))).collect();
        display_names(&lands, letters)
    }

    #[test]
    fn names_that_are_not_alike_stay_as_they_are() {
        assert_eq!(told(&[("Downs", "a.ron"), ("High range", "")], 40), ["Downs", "High range"]);
        assert!(told(&[], 40).is_empty());
    }

    #[test]
    fn equal_names_are_told_apart_by_their_files_or_else_by_numbers() {
        let range = "High range";
        let both = told(&[(range, "maps/a.ron"), (range, "b.ron"), ("Downs", "a.ron")], 40);
        assert_eq!(both, ["High range (a.ron)", "High range (b.ron)", "Downs"]);
        assert_eq!(told(&[(range, ""), (range, "b.ron")], 40), [range, "High range (b.ron)"]);
        let copies = told(&[(range, ""), (range, ""), (range, "")], 40);
        assert_eq!(copies, [range, "High range (2)", "High range (3)"]);
        let same_file_name = told(&[(range, "a/land.ron"), (range, "b/land.ron")], 40);
        assert_eq!(same_file_name, [range, "High range (2)"]);
        let taken = told(&[(range, ""), (range, ""), ("High range (2)", "")], 40);
        assert_eq!(taken, [range, "High range (3)", "High range (2)"]);
    }

    #[test]
    fn names_that_are_alike_once_they_are_cut_are_told_apart_in_the_room_there_is() {
        let lands =
            [("High range of the far north", "north.ron"), ("High range of the far south", "south.ron")];
        let long = told(&lands, 20);
        assert_eq!(long, ["High ra… (north.ron)", "High ra… (south.ron)"]);
        assert_eq!(told(&lands, 12), ["High range …", "High ra… (2)"]);
        for letters in 0..30 {
            let names = told(&[lands[0], lands[1], lands[0], ("", ""), ("", ""), ("\n", "")], letters);
            let mut different = names.clone();
            different.sort();
            different.dedup();
            assert_eq!(different.len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn nothing_in_a_file_name_commands_a_terminal() {
        let names = told(&[("Hills", "a\u{1b}[31m.ron"), ("Hills", "b.ron")], 40);
        assert!(names.iter().all(|name| !name.contains(char::is_control)), "{names:?}");
    }
}
