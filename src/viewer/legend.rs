//! What the colours of a view stand for: in the window, and in pictures.

use bevy::prelude::*;
use bevy_egui::egui::{self, Color32, RichText};

use super::texture_view::LayerView;
use super::towers::Seen;
use crate::grid::LayerInfo;
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
/// Size of a scale, logical pixels.
const SCALE: egui::Vec2 = egui::vec2(190.0, 12.0);
/// Height of a line, and of what is above and below all of them: the title, margins, and the distance from the corner.
/// Logical pixels.
const LINE: f32 = 18.5;
const AROUND_LINES: f32 = 50.0;

/// What the colours of a view stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Legend {
    title: String,
    /// The ends of a scale, with its colours from the first to the last, evenly spaced.
    scale: Option<(String, String, Vec<Color32>)>,
    /// Colours one by one.
    entries: Vec<(Color32, String)>,
    /// What there is to add.
    notes: Vec<String>,
}

/// What a legend is made from.
pub(super) struct Land<'a> {
    pub debug: DebugView,
    pub layer: Option<&'a LayerView>,
    pub texture: &'a Texture,
    pub heights: (f32, f32),
    pub seen: Option<&'a Seen>,
}

impl Legend {
    /// A title and what there is to say.
    pub fn of_text(title: &str, notes: impl IntoIterator<Item = String>) -> Self {
        Self { title: title.to_owned(), notes: notes.into_iter().collect(), ..Self::default() }
    }

    /// A title, a scale from one end to the other with its colours evenly spaced, and what there is to say.
    pub fn of_scale(
        title: &str,
        (low, high): (String, String),
        colours: Vec<Color32>,
        notes: impl IntoIterator<Item = String>,
    ) -> Self {
        Self { scale: Some((low, high, colours)), ..Self::of_text(title, notes) }
    }

    /// Of a view of a land; `None` for the landscape itself.
    pub fn of(land: &Land) -> Option<Self> {
        let mut legend = Self { title: land.debug.title().to_owned(), ..Self::default() };
        let mut entries = |list: &[(Color32, &str)]| {
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
                (Color32::from_rgb(255, 188, 188), "red: east"),
                (Color32::from_rgb(188, 255, 188), "green: up"),
                (Color32::from_rgb(188, 188, 255), "blue: south"),
            ]),
            DebugView::Levels => {
                let names = ["0, the finest quads", "1", "2", "3", "4", "5"];
                let list = [0, 1, 2, 3, 4, 5].map(|level| linear(level_colour(level)));
                entries(&std::array::from_fn::<_, 6, _>(|level| (list[level], names[level])));
                legend.notes.push("levels of the mesh, and so on".into());
            }
            DebugView::Wireframe => legend.notes.push("triangles as they are drawn".into()),
            DebugView::Chunks => entries(&[
                (Color32::from_rgb(230, 230, 230), "chunks, 16² quads"),
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
                let of = |(colour, times): (Color32, u32)| (colour, format!("{times} ×"));
                legend.entries = list.map(of).into();
                legend.notes.push("how often pixels are shaded".into());
            }
            DebugView::Types => {
                let kinds = land.texture.all_types();
                let colour = |index| Texture::type_colour(index).map(|part| (part * 255.0).round() as u8);
                let entry = |(index, name): (usize, &String)| {
                    let [r, g, b] = colour(index);
                    (Color32::from_rgb(r, g, b), shown_in_line(name, MOST_LETTERS))
                };
                let names = kinds.iter().map(|kind| &kind.name).enumerate();
                legend.entries = names.take(MOST_ENTRIES).map(entry).collect();
                if kinds.len() > MOST_ENTRIES {
                    legend.notes.push(format!("and {} more", kinds.len() - MOST_ENTRIES));
                }
            }
            DebugView::Viewshed => legend.tell_of_towers(land.seen),
        }
        Some(legend)
    }

    fn tell_of_towers(&mut self, seen: Option<&Seen>) {
        let Some(seen) = seen else {
            return self.notes.push("no towers yet: use Put towers under Show".into());
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
        self.entries.push((Color32::from_rgb(52, 54, 60), "hidden".to_owned()));
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

    /// Draws it with its lower left corner at `corner`.
    pub fn show(&self, context: &egui::Context, number: usize, corner: egui::Pos2) {
        let area = egui::Area::new(egui::Id::new(("legend", number)));
        let area = area.pivot(egui::Align2::LEFT_BOTTOM).fixed_pos(corner).interactable(false).fade_in(false);
        area.show(context, |ui| {
            // Light on dark, whatever the theme: it must not be brighter than the land that it explains.
            *ui.visuals_mut() = egui::Visuals::dark();
            let frame = egui::Frame::new().fill(Color32::from_rgba_unmultiplied(0x14, 0x17, 0x1a, 225));
            frame.inner_margin(8.0).corner_radius(5.0).show(ui, |ui| self.content(ui));
        });
    }

    /// Draws what stands in it.
    pub fn content(&self, ui: &mut egui::Ui) {
        ui.spacing_mut().item_spacing = egui::vec2(7.0, 3.0);
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        let colour = ui.visuals().text_color();
        let text = |text: &str| RichText::new(text).color(colour).size(12.5);
        ui.label(RichText::new(&self.title).strong().size(13.5));
        if let Some((low, high, colours)) = &self.scale {
            let (place, _) = ui.allocate_exact_size(SCALE, egui::Sense::hover());
            let mut mesh = egui::Mesh::default();
            for (index, colour) in colours.iter().enumerate() {
                let x = place.left() + place.width() * index as f32 / (colours.len() - 1) as f32;
                mesh.colored_vertex(egui::pos2(x, place.top()), *colour);
                mesh.colored_vertex(egui::pos2(x, place.bottom()), *colour);
                let last = 2 * index as u32 + 1;
                if index > 0 {
                    mesh.add_triangle(last - 3, last - 2, last - 1);
                    mesh.add_triangle(last - 2, last - 1, last);
                }
            }
            ui.painter().add(mesh);
            let (ends, _) = ui.allocate_exact_size(egui::vec2(SCALE.x, 15.0), egui::Sense::hover());
            let font = egui::FontId::proportional(12.5);
            for (at, align, end) in [
                (ends.left_center(), egui::Align2::LEFT_CENTER, low),
                (ends.right_center(), egui::Align2::RIGHT_CENTER, high),
            ] {
                ui.painter().text(at, align, end, font.clone(), colour);
            }
        }
        for (colour, name) in &self.entries {
            ui.horizontal(|ui| {
                let (place, _) = ui.allocate_exact_size(egui::vec2(22.0, 12.0), egui::Sense::hover());
                ui.painter().rect_filled(place, 2.0, *colour);
                ui.label(text(name));
            });
        }
        for note in &self.notes {
            ui.label(text(note));
        }
    }

    /// How many lines below the title a picture of this height has room for.
    pub fn lines_in(height: u32) -> usize {
        let room = height as f32 / density_in(height as f32) - AROUND_LINES;
        (room / LINE).max(0.0) as usize
    }

    /// Draws it into a picture, as large as suits it.
    pub fn draw_into(&self, picture: &mut image::RgbaImage) {
        let size = egui::vec2(picture.width() as f32, picture.height() as f32);
        let density = density_in(size.y);
        let context = egui::Context::default();
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size / density);
        let mut input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
        if let Some(viewport) = input.viewports.get_mut(&input.viewport_id) {
            viewport.native_pixels_per_point = Some(density);
        }
        // An area knows its size from the second time on.
        let mut atlas = None;
        let mut shapes = Vec::new();
        for _ in 0..3 {
            let corner = screen.left_bottom() + egui::vec2(14.0, -14.0);
            let mut output = context.run_ui(input.clone(), |ui| self.show(ui.ctx(), 0, corner));
            shapes = std::mem::take(&mut output.shapes);
            for (id, delta) in std::mem::take(&mut output.textures_delta.set) {
                if id == egui::TextureId::default() {
                    delta.iter().for_each(|delta| blit(&mut atlas, delta));
                }
            }
            output.drop_without_applying_deltas();
        }
        let Some(atlas) = atlas else { return };
        for primitive in context.tessellate(shapes, density) {
            if let egui::epaint::Primitive::Mesh(mesh) = primitive.primitive {
                for triangle in mesh.indices.chunks_exact(3) {
                    let corners = [0, 1, 2].map(|corner| mesh.vertices[triangle[corner] as usize]);
                    fill(picture, corners, &atlas, density);
                }
            }
        }
    }
}

/// Pixels of a picture of this height that are one of the legend's.
fn density_in(height: f32) -> f32 {
    (height / 720.0).clamp(0.75, 3.0)
}

/// Applies a change of the texture of letters.
fn blit(atlas: &mut Option<egui::ColorImage>, delta: &egui::epaint::ImageDelta) {
    let egui::ImageData::Color(change) = &delta.image;
    match (atlas.as_mut(), delta.pos) {
        (Some(atlas), Some([left, top])) => {
            let [width, height] = change.size;
            for row in 0..height {
                let into = (top + row) * atlas.size[0] + left;
                atlas.pixels[into..into + width].copy_from_slice(&change.pixels[row * width..][..width]);
            }
        }
        _ => *atlas = Some((**change).clone()),
    }
}

/// Fills a triangle as a graphics card would: colours and the texture are interpolated, alpha is premultiplied.
fn fill(
    picture: &mut image::RgbaImage,
    corners: [egui::epaint::Vertex; 3],
    atlas: &egui::ColorImage,
    density: f32,
) {
    let [a, b, c] = corners.map(|corner| Vec2::new(corner.pos.x, corner.pos.y) * density);
    let area = (b - a).perp_dot(c - a);
    if area == 0.0 {
        return;
    }
    let (width, height) = picture.dimensions();
    let (low, high) = (a.min(b).min(c).max(Vec2::ZERO), a.max(b).max(c));
    let [texels_across, texels_down] = atlas.size;
    for y in low.y as u32..(high.y.ceil() as u32).min(height) {
        for x in low.x as u32..(high.x.ceil() as u32).min(width) {
            let p = Vec2::new(x as f32, y as f32) + 0.5;
            let shares =
                Vec3::new((b - p).perp_dot(c - p), (c - p).perp_dot(a - p), (a - p).perp_dot(b - p)) / area;
            // Of pixels on an edge that two triangles share only one takes each.
            let edges = [b - c, c - a, a - b].map(|edge| edge.y > 0.0 || (edge.y == 0.0 && edge.x > 0.0));
            let is_inside = (0..3).all(|i| shares[i] > 0.0 || (shares[i] == 0.0 && edges[i]));
            if !is_inside {
                continue;
            }
            let mix = |of: &dyn Fn(&egui::epaint::Vertex) -> f32| -> f32 {
                (0..3).map(|i| shares[i] * of(&corners[i])).sum()
            };
            let uv = [mix(&|corner| corner.uv.x), mix(&|corner| corner.uv.y)];
            let at = |share: f32, texels: usize| ((share * texels as f32) as usize).min(texels - 1);
            let texel = atlas.pixels[at(uv[1], texels_down) * texels_across + at(uv[0], texels_across)];
            let level = |part: usize| {
                mix(&|corner| f32::from(corner.color.to_array()[part])) * f32::from(texel.to_array()[part])
                    / 255.0
            };
            let through = 1.0 - level(3) / 255.0;
            let pixel = picture.get_pixel_mut(x, y);
            for part in 0..3 {
                pixel.0[part] = (f32::from(pixel.0[part]) * through + level(part)).round().min(255.0) as u8;
            }
        }
    }
}

fn srgba(colour: Srgba) -> Color32 {
    let [r, g, b, _] = colour.to_u8_array();
    Color32::from_rgb(r, g, b)
}

fn linear(colour: LinearRgba) -> Color32 {
    srgba(colour.into())
}

/// A number with as many digits as differences of this size need.
fn number(number: f32, difference: f32) -> String {
    let digits = (2.0 - difference.abs().max(1e-6).log10().ceil()).clamp(0.0, 6.0) as usize;
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A number with two digits, or all before the point.
pub(super) fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        ..0.995 => format!("{number:.2}"),
        ..9.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 0.126, 0.999, 3.149, 9.96, 1234.5, -0.456].map(short),
            ["0", "0.13", "1.0", "3.1", "10", "1234", "-0.46"]
        );
    }
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
        let contours = land(DebugView::Contours, None).unwrap();
        assert_eq!(contours.notes, ["every 50 m", "thick every 250 m"]);
    }

    #[test]
    fn a_picture_gets_its_legend_in_the_corner() {
        let layer = LayerView::of(Name::new("flow").unwrap());
        let mut picture = image::RgbaImage::from_pixel(480, 270, image::Rgba([200, 200, 200, 255]));
        let before = picture.clone();
        land(DebugView::Layer, Some(&layer)).unwrap().draw_into(&mut picture);
        let changed: Vec<_> =
            picture.enumerate_pixels().filter(|(x, y, pixel)| before.get_pixel(*x, *y) != *pixel).collect();
        assert!(changed.len() > 4000, "{}", changed.len());
        assert!(changed.iter().all(|(x, y, _)| *x < 260 && *y > 150), "in its corner");
        // The ends of the scale, and letters.
        let has = |colour: [u8; 3]| {
            changed.iter().any(|(.., pixel)| {
                pixel.0.iter().zip(colour).all(|(&level, wanted)| level.abs_diff(wanted) < 12)
            })
        };
        assert!(has([68, 1, 84]) && has([253, 231, 37]) && has([250, 250, 250]));
    }

    #[test]
    fn numbers_have_the_digits_that_matter() {
        let numbers = [number(0.0, 50.0), number(1200.0, 300.0), number(0.25, 0.3), number(1.0, 1.0)];
        assert_eq!(numbers, ["0", "1200", "0.25", "1"]);
    }
}
