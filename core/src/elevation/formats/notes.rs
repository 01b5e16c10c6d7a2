//! Cell size, place and range as short texts, for formats that can carry texts but have no fields for these
//! values.
//!
//! | key | text |
//! |---|---|
//! | `upland:range` | the heights of 0 and of 65535 |
//! | `upland:cell` | `metres X Z`, or `degrees X Z LATITUDE` |
//! | `upland:origin` | `WEST SOUTH`, in the units of the cell, where the coordinate system is unknown |
//! | `upland:place` | the corner in the south-west, a column's and a row's step on the map, and the coordinate system |

use crate::elevation::formats::companions::StatedPlace;
use crate::elevation::formats::meaning::shown;
use crate::elevation::formats::sixteen_bit;
use crate::elevation::map::MapPlace;
use crate::elevation::raster::{CellSize, Origin, Raster};

/// The prefix of every key.
const PREFIX: &str = "upland:";

/// The metadata in the texts of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Notes {
    pub(super) range: Option<(f32, f32)>,
    pub(super) cell: CellSize,
    origin: Option<Origin>,
    place: Option<MapPlace>,
}

impl Notes {
    pub(super) fn of(raster: &Raster, range: Option<(f32, f32)>) -> Self {
        let is_plain = |place: &&MapPlace| place.definition().is_none() && place.origin().is_some();
        let place = raster.place().filter(|place| !is_plain(place)).cloned();
        let origin = raster.origin().filter(|_| place.is_none());
        Self { range, cell: raster.cell(), origin, place }
    }

    /// For land without a place.
    pub(super) fn of_cell(cell: CellSize) -> Self {
        Self { cell, ..Self::default() }
    }

    /// Cell size and place.
    pub(super) fn given(&self) -> StatedPlace {
        let cell = match self.cell {
            CellSize::Unknown => [1.0, 1.0],
            CellSize::Metres { x, z } | CellSize::Degrees { x, z, .. } => [x, z],
        };
        let at = || self.origin.map(|origin| MapPlace::at(origin, cell));
        StatedPlace::Sure(self.cell, self.place.clone().or_else(at))
    }

    /// The texts to store, with their keys.
    pub(super) fn texts(&self) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        let mut add = |key: &str, text: String| texts.push((format!("{PREFIX}{key}"), text));
        if let Some((low, high)) = self.range {
            add("range", format!("{low} {high}"));
        }
        match self.cell {
            CellSize::Unknown => {}
            CellSize::Metres { x, z } => add("cell", format!("metres {x} {z}")),
            CellSize::Degrees { x, z, latitude } => add("cell", format!("degrees {x} {z} {latitude}")),
        }
        if let Some(Origin { west, south }) = self.origin {
            add("origin", format!("{west} {south}"));
        }
        if let Some(place) = &self.place {
            add("place", place.line());
        }
        texts
    }

    /// Reads one text of a file; keys of other programs are ignored.
    ///
    /// # Errors
    /// A message for the user when a text of upland's is malformed.
    pub(super) fn take(&mut self, key: &str, text: &str) -> Result<(), String> {
        let Some(key) = key.strip_prefix(PREFIX) else { return Ok(()) };
        let senseless = || Err(format!("the text `{PREFIX}{key}` in it makes no sense: `{}`", shown(text)));
        if key == "place" {
            self.place = MapPlace::of_line(text);
            return if self.place.is_some() { Ok(()) } else { senseless() };
        }
        let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
        let unit = if key == "cell" && !words.is_empty() { words.remove(0) } else { "" };
        let numbers: Vec<f64> = words.iter().map_while(|word| word.parse().ok()).collect();
        let all_numbers = numbers.len() == words.len() && numbers.iter().all(|n| n.is_finite());
        match (key, unit, numbers.as_slice()) {
            ("range", _, &[low, high]) if sixteen_bit::check_range(low as f32, high as f32).is_ok() => {
                self.range = Some((low as f32, high as f32));
            }
            ("cell", "metres", &[x, z]) if all_numbers => self.cell = CellSize::Metres { x, z },
            ("cell", "degrees", &[x, z, latitude]) if all_numbers => {
                self.cell = CellSize::Degrees { x, z, latitude };
            }
            ("origin", _, &[west, south]) if all_numbers => self.origin = Some(Origin { west, south }),
            ("range" | "cell" | "origin", _, _) => return senseless(),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_as_they_were() {
        let cells = [
            CellSize::Unknown,
            CellSize::Metres { x: 0.1, z: 29.8 },
            CellSize::Degrees { x: 0.1 / 3.0, z: 1e-9, latitude: -36.876 },
        ];
        for cell in cells {
            let origin = Some(Origin { west: -84.41375, south: 36.73291666666667 });
            let notes = Notes { range: Some((-12.5, f32::MAX)), cell, origin, place: None };
            let mut back = Notes::default();
            for (key, text) in notes.texts() {
                back.take(&key, &text).unwrap();
            }
            assert_eq!(back, notes);
        }
    }

    #[test]
    fn a_place_on_a_known_map_comes_back_as_it_was() {
        let cell = CellSize::Metres { x: 25.0, z: 25.0 };
        let raster = Raster::new(1, 1, vec![0.0], cell).unwrap();
        let place = MapPlace::of_line("500000 4999275 50 0 0 50 EPSG:3857");
        assert!(place.is_some());
        let notes = Notes::of(&raster.with_place(place.clone()), None);
        let mut back = Notes::default();
        for (key, text) in notes.texts() {
            back.take(&key, &text).unwrap();
        }
        let StatedPlace::Sure(found, at) = back.given() else { panic!() };
        assert_eq!((found, at), (cell, place));
    }

    #[test]
    fn invalid_notes_are_refused_and_foreign_ones_ignored() {
        let mut notes = Notes::default();
        for (key, text) in [
            ("range", "1"),
            ("range", "2 1"),
            ("cell", "miles 1 1"),
            ("cell", ""),
            ("origin", "x y"),
            ("place", "1 2"),
        ] {
            assert!(notes.take(&format!("upland:{key}"), text).is_err(), "{key} {text}");
        }
        notes.take("Comment", "hello").unwrap();
        notes.take("upland:of-the-future", "?").unwrap();
        assert_eq!(notes, Notes::default());
    }
}
