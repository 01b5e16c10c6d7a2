//! Legends, as data: what the colours of a view stand for. The window and pictures each draw them.

use bevy::color::{ColorToPacked, LinearRgba, Srgba};

use super::texture_view::LayerView;
use super::viewshed::ViewshedSummary;
use crate::grid::LayerInfo;
use crate::grid::layer::BASIN;
use crate::plugin::{
    DebugView, absent_colour, aspect_colour, contour_step, level_colour, overdraw_colour, residency_colour,
    seen_colour, slope_colour, viridis,
};
use crate::shown::shown_in_line;
use crate::texture::Texture;

/// The most characters of a name.
const MOST_LETTERS: usize = 24;
/// The most entries of a list.
const MOST_ENTRIES: usize = 14;

/// The meanings of a view's colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Legend {
    pub title: String,
    /// The ends of a scale, with its colours from the first to the last, evenly spaced.
    pub scale: Option<(String, String, Vec<[u8; 3]>)>,
    /// Colours one by one.
    pub entries: Vec<([u8; 3], String)>,
    /// Remarks below the colours.
    pub notes: Vec<String>,
}

/// The inputs of a legend.
pub(crate) struct Land<'a> {
    pub debug: DebugView,
    pub layer: Option<&'a LayerView>,
    pub texture: &'a Texture,
    pub heights: (f32, f32),
    pub seen: Option<&'a ViewshedSummary>,
}

impl Legend {
    /// A title with notes.
    pub fn of_text(title: &str, notes: impl IntoIterator<Item = String>) -> Self {
        Self { title: title.to_owned(), notes: notes.into_iter().collect(), ..Self::default() }
    }

    /// A title with a scale, whose colours are evenly spaced from one end to the other, and notes.
    pub fn of_scale(
        title: &str,
        (low, high): (String, String),
        colours: Vec<[u8; 3]>,
        notes: impl IntoIterator<Item = String>,
    ) -> Self {
        Self { scale: Some((low, high, colours)), ..Self::of_text(title, notes) }
    }

    /// The legend of a view; `None` for the landscape itself.
    pub fn of(land: &Land) -> Option<Self> {
        if let Some(layer) = land.layer.filter(|layer| layer.is_of_numbers()) {
            return Some(Self::of_numbers(layer.name.as_str()));
        }
        let mut legend = Self { title: land.debug.title().to_owned(), ..Self::default() };
        let mut entries = |list: &[([u8; 3], &str)]| {
            legend.entries = list.iter().map(|(colour, name)| (*colour, (*name).to_owned())).collect();
        };
        match land.debug {
            DebugView::None | DebugView::Position => return None,
            DebugView::Layer => {
                let layer = land.layer?;
                let name = layer.name.as_str();
                let unit = LayerInfo::unit_of(name);
                legend.title = LayerInfo::of(name).map_or(name, |layer| layer.title).to_owned();
                let low = number(layer.low, layer.high - layer.low);
                let high = format!("{} {unit}", number(layer.high, layer.high - layer.low));
                let colours = (0..=16).map(|step| srgba(viridis(step as f32 / 16.0)));
                legend.scale = Some((low, high.trim_end().to_owned(), colours.collect()));
            }
            DebugView::Slope => {
                let colours = (0..=16).map(|step| linear(slope_colour(step as f32 * 3.75)));
                legend.scale = Some(("0°".into(), "60° and more".into(), colours.collect()));
            }
            DebugView::Aspect => {
                let faces = [(0.0, "north"), (90.0, "east"), (180.0, "south"), (270.0, "west")];
                entries(&faces.map(|(bearing, name)| (linear(aspect_colour(bearing)), name)));
                legend.notes.push("slopes that face there".into());
            }
            DebugView::Contours => {
                let step = contour_step(land.heights);
                legend.notes.push(format!("every {} m", number(step, step)));
                legend.notes.push(format!("thick every {} m", number(5.0 * step, step)));
            }
            DebugView::Normals => entries(&[
                ([255, 188, 188], "red: east"),
                ([188, 255, 188], "green: up"),
                ([188, 188, 255], "blue: south"),
            ]),
            DebugView::Levels => {
                let names = ["0, the finest quads", "1", "2", "3", "4", "5"];
                let list = [0, 1, 2, 3, 4, 5].map(|level| linear(level_colour(level)));
                entries(&std::array::from_fn::<_, 6, _>(|level| (list[level], names[level])));
                legend.notes.push("levels of the mesh, and so on".into());
            }
            DebugView::Wireframe => legend.notes.push("triangles as they are drawn".into()),
            DebugView::Chunks => entries(&[
                ([230, 230, 230], "chunks, 16² quads"),
                (linear(LinearRgba::rgb(1.0, 0.35, 0.02)), "tiles, 128² cells"),
            ]),
            DebugView::Residency => {
                let names =
                    ["as fine as needed", "one level coarser", "two levels coarser", "three and more"];
                let colours = [0, 1, 2, 3].map(residency_colour).into_iter().chain([absent_colour()]);
                let names = names.into_iter().chain(["none in memory"]);
                entries(&colours.map(linear).zip(names).collect::<Vec<_>>());
                legend.notes.push("lines: bounds of tiles".into());
            }
            DebugView::Overdraw => {
                let list = [1, 2, 3, 4, 6, 8].map(|times| (linear(overdraw_colour(times)), times));
                let of = |(colour, times): ([u8; 3], u32)| (colour, format!("{times} ×"));
                legend.entries = list.map(of).into();
                legend.notes.push("how often pixels are shaded".into());
            }
            DebugView::Types => {
                let kinds = land.texture.all_types();
                let colour = |index| Texture::type_colour(index).map(|part| (part * 255.0).round() as u8);
                let entry =
                    |(index, name): (usize, &String)| (colour(index), shown_in_line(name, MOST_LETTERS));
                let names = kinds.iter().map(|kind| &kind.name).enumerate();
                legend.entries = names.take(MOST_ENTRIES).map(entry).collect();
                if kinds.len() > MOST_ENTRIES {
                    legend.notes.push(format!("and {} more", kinds.len() - MOST_ENTRIES));
                }
            }
            DebugView::Viewshed => legend.describe_towers(land.seen),
        }
        Some(legend)
    }

    /// The legend of a layer of numbers.
    fn of_numbers(name: &str) -> Self {
        let title = LayerInfo::of(name).map_or(name, |layer| layer.title);
        let further = Texture::NUMBERS + 1;
        let entry = |number: usize| {
            let colour = Texture::number_colour(number).map(|part| (part * 255.0).round() as u8);
            let and_more = if number == further { " and more" } else { "" };
            (colour, format!("{number}{and_more}"))
        };
        let note = (name == BASIN).then(|| "largest first; 0: sea".to_owned());
        Self { entries: (1..=further).chain([0]).map(entry).collect(), ..Self::of_text(title, note) }
    }

    fn describe_towers(&mut self, seen: Option<&ViewshedSummary>) {
        let Some(seen) = seen else {
            return self.notes.push("no towers yet; use Set towers under Show".into());
        };
        let count = seen.shares.len() as u32;
        for number in (1..=count.min(5)).rev() {
            let name = match (number, count) {
                (1, 1) => "seen".to_owned(),
                (1, _) => "seen by one".to_owned(),
                (5, 6..) => "seen by 5 and more".to_owned(),
                _ => format!("seen by {number}"),
            };
            self.entries.push((srgba(seen_colour(number, count)), name));
        }
        self.entries.push(([52, 54, 60], "hidden".to_owned()));
        let land = seen.extent / 1000.0;
        let area = f64::from(seen.together * land.x * land.y);
        let of = if seen.is_part {
            format!("of the {:.0} × {:.0} km looked at", land.x, land.y)
        } else {
            "of the land".to_owned()
        };
        self.notes.push(format!("{:.1} % {of}", 100.0 * seen.together));
        self.notes.push(if area < 1000.0 { format!("{area:.1} km²") } else { format!("{area:.0} km²") });
    }
}

fn srgba(colour: Srgba) -> [u8; 3] {
    colour.to_u8_array_no_alpha()
}

fn linear(colour: LinearRgba) -> [u8; 3] {
    srgba(colour.into())
}

/// A number with as many digits as differences of this size need.
fn number(number: f32, difference: f32) -> String {
    let digits = (2.0 - difference.abs().max(1e-6).log10().ceil()).clamp(0.0, 6.0) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::params::Name;

    fn land(debug: DebugView, layer: Option<&LayerView>) -> Option<Legend> {
        let texture = Texture::arid();
        Legend::of(&Land { debug, layer, texture: &texture, heights: (0.0, 1000.0), seen: None })
    }

    #[test]
    fn every_view_says_what_its_colours_are() {
        for debug in DebugView::ALL {
            let layer = LayerView::of(Name::new("flow").unwrap());
            let legend = land(debug, Some(&layer));
            assert_eq!(legend.is_none(), debug == DebugView::None, "{debug}");
            let Some(legend) = legend else { continue };
            assert!(!legend.title.is_empty());
            assert!(legend.scale.is_some() || !legend.entries.is_empty() || !legend.notes.is_empty());
        }
        let layer = LayerView { low: 0.0, high: 2.5, ..LayerView::of(Name::new("flow").unwrap()) };
        let (low, high, _) = land(DebugView::Layer, Some(&layer)).unwrap().scale.unwrap();
        assert_eq!((low.as_str(), high.as_str()), ("0", "2.5 km²"));
        let basins = LayerView::of(Name::new("basin").unwrap());
        let basins = land(basins.debug_view(), Some(&basins)).unwrap();
        assert_eq!((basins.scale, basins.entries.len()), (None, 12));
        assert_eq!(basins.entries[10].1, "11 and more");
        let contours = land(DebugView::Contours, None).unwrap();
        assert_eq!(contours.notes, ["every 50 m", "thick every 250 m"]);
    }

    #[test]
    fn numbers_have_the_digits_that_matter() {
        let numbers = [number(0.0, 50.0), number(1200.0, 300.0), number(0.25, 0.3), number(1.0, 1.0)];
        assert_eq!(numbers, ["0", "1200", "0.25", "1"]);
    }
}
