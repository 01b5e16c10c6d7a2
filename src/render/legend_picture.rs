//! Legends in pictures: letters and colours as the window draws them, without a window.

use std::sync::Arc;

use bevy::math::{Vec2, Vec3};
use epaint::emath::GuiRounding;
use epaint::text::{FontDefinitions, Fonts, TextOptions};
use epaint::{
    ClippedShape, Color32, ColorImage, FontColorTransferFunction, FontId, Galley, Mesh, Pos2, Primitive,
    Rect, Shape, TessellationOptions, Tessellator, Vertex, pos2, vec2,
};

use super::legend::Legend;

/// Colours of the ground of a legend, its title and its text, whatever the theme: it must not be brighter
/// than the land that it explains.
const GROUND: [u8; 4] = [0x14, 0x17, 0x1a, 225];
const TITLE: Color32 = Color32::WHITE;
const TEXT: Color32 = Color32::from_gray(140);
/// Sizes of both.
const TITLE_SIZE: f32 = 13.5;
const TEXT_SIZE: f32 = 12.5;
/// Size of a scale, of the line under it, and of the field of a colour, logical pixels.
const SCALE: epaint::Vec2 = vec2(190.0, 12.0);
const ENDS: f32 = 15.0;
const FIELD: epaint::Vec2 = vec2(22.0, 12.0);
/// Height of a line with a colour, space between lines and next to a colour, around all of them, and from the
/// corner of the picture, logical pixels.
const ENTRY: f32 = 18.0;
const BETWEEN: epaint::Vec2 = vec2(7.0, 3.0);
const MARGIN: f32 = 8.0;
const FROM_CORNER: f32 = 14.0;
/// Height of a line, and of what is above and below all of them: the title, margins, and the distance from
/// the corner. Logical pixels.
const LINE: f32 = 18.5;
const AROUND_LINES: f32 = 50.0;

impl Legend {
    /// How many lines below the title a picture of this height has room for.
    pub fn lines_in(height: u32) -> usize {
        let room = height as f32 / density_in(height as f32) - AROUND_LINES;
        (room / LINE).max(0.0) as usize
    }

    /// Draws it into a picture, as large as suits it.
    pub fn draw_into(&self, picture: &mut image::RgbaImage) {
        let size = vec2(picture.width() as f32, picture.height() as f32);
        let density = density_in(size.y);
        // Letters on a dark ground: they are thinned as epaint does for dark themes.
        let options = TextOptions {
            color_transfer_function: FontColorTransferFunction::DARK_MODE_DEFAULT,
            ..TextOptions::default()
        };
        let mut pen = Pen { fonts: Fonts::new(options, FontDefinitions::default()), density };
        let screen = Rect::from_min_size(Pos2::ZERO, size / density);
        let shapes = pen.shapes(self, screen);
        let atlas = pen.fonts.texture_atlas();
        let (side, discs) = (atlas.size(), atlas.prepared_discs());
        let mut tessellator = Tessellator::new(density, TessellationOptions::default(), side, discs);
        let letters = pen.fonts.image();
        let clipped = shapes.into_iter().map(|shape| ClippedShape { clip_rect: screen, shape });
        for primitive in tessellator.tessellate_shapes(clipped.collect()) {
            if let Primitive::Mesh(mesh) = primitive.primitive {
                for triangle in mesh.indices.chunks_exact(3) {
                    let corners = [0, 1, 2].map(|corner| mesh.vertices[triangle[corner] as usize]);
                    fill(picture, corners, &letters, density);
                }
            }
        }
    }
}

/// Lays out letters.
struct Pen {
    fonts: Fonts,
    /// Pixels of the picture that are one of the legend's.
    density: f32,
}

impl Pen {
    fn write(&mut self, text: &str, size: f32, colour: Color32) -> Arc<Galley> {
        let mut fonts = self.fonts.with_pixels_per_point(self.density);
        fonts.layout_no_wrap(text.to_owned(), FontId::proportional(size), colour)
    }

    /// A legend in the lower left corner.
    fn shapes(&mut self, legend: &Legend, screen: Rect) -> Vec<Shape> {
        let mut shapes = Vec::new();
        // Laid out twice: once for the size, once at its place.
        let mut size = self.content(legend, Pos2::ZERO, &mut shapes);
        size += vec2(2.0, 2.0) * MARGIN;
        let corner = pos2(FROM_CORNER, screen.bottom() - FROM_CORNER - size.y);
        // A legend that is higher than the picture keeps its lower end in it. On whole pixels, so that
        // letters are sharp.
        let corner = corner.round_ui().round_to_pixels(self.density).round_ui();
        shapes.clear();
        let [r, g, b, a] = GROUND;
        let ground = Rect::from_min_size(corner, size);
        shapes.push(Shape::rect_filled(ground, 5.0, Color32::from_rgba_unmultiplied(r, g, b, a)));
        self.content(legend, ground.min + vec2(MARGIN, MARGIN), &mut shapes);
        shapes
    }

    /// Lays out a legend's content from a place downwards. Returns how much space it takes.
    fn content(&mut self, legend: &Legend, from: Pos2, shapes: &mut Vec<Shape>) -> epaint::Vec2 {
        let (mut at, mut width) = (from, 0.0f32);
        // egui rounds each widget's rectangle to 1/32 of a point. Without that, lines would drift from those
        // of the window until the first letters fall into another row of pixels.
        let mut advance = |at: &mut Pos2, size: epaint::Vec2| {
            let place = Rect::from_min_size(*at, size).round_ui();
            at.y = place.bottom() + BETWEEN.y;
            width = width.max(place.width());
        };
        let title = self.write(&legend.title, TITLE_SIZE, TITLE);
        let size = title.size();
        shapes.push(Shape::galley(at, title, TITLE));
        advance(&mut at, size);
        if let Some((low, high, colours)) = &legend.scale {
            shapes.push(scale(Rect::from_min_size(at, SCALE), colours).into());
            advance(&mut at, SCALE);
            let ends = Rect::from_min_size(at, vec2(SCALE.x, ENDS));
            let [low, high] = [low, high].map(|end| self.write(end, TEXT_SIZE, TEXT));
            let top = |of: &Galley| ends.center().y - 0.5 * of.size().y;
            shapes.push(Shape::galley(pos2(ends.left(), top(&low)), low, TEXT));
            shapes.push(Shape::galley(pos2(ends.right() - high.size().x, top(&high)), high, TEXT));
            advance(&mut at, ends.size());
        }
        for (colour, name) in &legend.entries {
            let name = self.write(name, TEXT_SIZE, TEXT);
            let [r, g, b] = *colour;
            let field = Rect::from_min_size(at + vec2(0.0, 0.5 * (ENTRY - FIELD.y)), FIELD);
            shapes.push(Shape::rect_filled(field, 2.0, Color32::from_rgb(r, g, b)));
            let size = vec2(FIELD.x + BETWEEN.x + name.size().x, ENTRY.max(name.size().y));
            let beside = at + vec2(FIELD.x + BETWEEN.x, 0.5 * (size.y - name.size().y));
            shapes.push(Shape::galley(beside.round_ui(), name, TEXT));
            advance(&mut at, size);
        }
        for note in &legend.notes {
            let note = self.write(note, TEXT_SIZE, TEXT);
            let size = note.size();
            shapes.push(Shape::galley(at, note, TEXT));
            advance(&mut at, size);
        }
        vec2(width, at.y - from.y - BETWEEN.y)
    }
}

/// Colours that blend into each other, evenly spaced.
fn scale(place: Rect, colours: &[[u8; 3]]) -> Mesh {
    let mut mesh = Mesh::default();
    for (index, [r, g, b]) in colours.iter().enumerate() {
        let x = place.left() + place.width() * index as f32 / (colours.len() - 1) as f32;
        let colour = Color32::from_rgb(*r, *g, *b);
        mesh.colored_vertex(pos2(x, place.top()), colour);
        mesh.colored_vertex(pos2(x, place.bottom()), colour);
        let last = 2 * index as u32 + 1;
        if index > 0 {
            mesh.add_triangle(last - 3, last - 2, last - 1);
            mesh.add_triangle(last - 2, last - 1, last);
        }
    }
    mesh
}

/// Pixels of a picture of this height that are one of the legend's.
fn density_in(height: f32) -> f32 {
    (height / 720.0).clamp(0.75, 3.0)
}

/// Fills a triangle as a graphics card would: colours and the texture are interpolated, alpha is
/// premultiplied.
pub(crate) fn fill(picture: &mut image::RgbaImage, corners: [Vertex; 3], atlas: &ColorImage, density: f32) {
    let [a, b, c] = corners.map(|corner| Vec2::new(corner.pos.x, corner.pos.y) * density);
    let area = (b - a).perp_dot(c - a);
    if area == 0.0 {
        return;
    }
    let (width, height) = picture.dimensions();
    // Only pixels of the triangle's own rectangle are looked at.
    let (low, high) = (a.min(b).min(c).max(Vec2::ZERO), a.max(b).max(c));
    let [texels_across, texels_down] = atlas.size;
    for y in low.y as u32..(high.y.ceil() as u32).min(height) {
        for x in low.x as u32..(high.x.ceil() as u32).min(width) {
            // Pixels count by their centres.
            let p = Vec2::new(x as f32, y as f32) + 0.5;
            // Barycentric coordinates: the area of each of three triangles as a share of the whole.
            let shares =
                Vec3::new((b - p).perp_dot(c - p), (c - p).perp_dot(a - p), (a - p).perp_dot(b - p)) / area;
            // A pixel on an edge that two triangles share is drawn by exactly one of them (a fill rule).
            let edges = [b - c, c - a, a - b].map(|edge| edge.y > 0.0 || (edge.y == 0.0 && edge.x > 0.0));
            let is_inside = (0..3).all(|i| shares[i] > 0.0 || (shares[i] == 0.0 && edges[i]));
            if !is_inside {
                continue;
            }
            let mix =
                |of: &dyn Fn(&Vertex) -> f32| -> f32 { (0..3).map(|i| shares[i] * of(&corners[i])).sum() };
            let uv = [mix(&|corner| corner.uv.x), mix(&|corner| corner.uv.y)];
            let at = |share: f32, texels: usize| ((share * texels as f32) as usize).min(texels - 1);
            let texel = atlas.pixels[at(uv[1], texels_down) * texels_across + at(uv[0], texels_across)];
            let level = |part: usize| {
                mix(&|corner| f32::from(corner.color.to_array()[part])) * f32::from(texel.to_array()[part])
                    / 255.0
            };
            // Colours are multiplied by their opacity already.
            let through = 1.0 - level(3) / 255.0;
            let pixel = picture.get_pixel_mut(x, y);
            for part in 0..3 {
                pixel.0[part] = (f32::from(pixel.0[part]) * through + level(part)).round().min(255.0) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Name;
    use crate::plugin::DebugView;
    use crate::render::legend::Land;
    use crate::render::texture_view::LayerView;
    use crate::texture::Texture;

    fn land(debug: DebugView, layer: Option<&LayerView>) -> Option<Legend> {
        let texture = Texture::arid();
        Legend::of(&Land { debug, layer, texture: &texture, heights: (0.0, 1000.0), seen: None })
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
}
