//! Explains the colours of a view, over the land.

use bevy_egui::egui::{self, Color32, RichText};

use crate::render::legend::Legend;

/// Size of a scale, logical pixels.
const SCALE: egui::Vec2 = egui::vec2(190.0, 12.0);

/// Draws it with its lower left corner at `corner`. `of` identifies what it is the legend of.
pub(super) fn show(legend: &Legend, context: &egui::Context, of: impl egui::AsId, corner: egui::Pos2) {
    let area = egui::Area::new(egui::Id::new(("legend", of)));
    let area = area.pivot(egui::Align2::LEFT_BOTTOM).fixed_pos(corner).interactable(false).fade_in(false);
    area.show(context, |ui| {
        // Light on dark in both themes, because it must not be brighter than the land that it explains.
        *ui.visuals_mut() = egui::Visuals::dark();
        let frame = egui::Frame::new().fill(Color32::from_rgba_unmultiplied(0x14, 0x17, 0x1a, 225));
        frame.inner_margin(8.0).corner_radius(5.0).show(ui, |ui| content(legend, ui));
    });
}

/// Draws its content.
pub(super) fn content(legend: &Legend, ui: &mut egui::Ui) {
    ui.spacing_mut().item_spacing = egui::vec2(7.0, 3.0);
    ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
    let colour = ui.visuals().text_color();
    let text = |text: &str| RichText::new(text).color(colour).size(12.5);
    ui.label(RichText::new(&legend.title).strong().size(13.5));
    if let Some((low, high, colours)) = &legend.scale {
        let (place, _) = ui.allocate_exact_size(SCALE, egui::Sense::hover());
        let mut mesh = egui::Mesh::default();
        for (index, colour) in colours.iter().enumerate() {
            let x = place.left() + place.width() * index as f32 / (colours.len() - 1) as f32;
            mesh.colored_vertex(egui::pos2(x, place.top()), solid(*colour));
            mesh.colored_vertex(egui::pos2(x, place.bottom()), solid(*colour));
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
    for (colour, name) in &legend.entries {
        ui.horizontal(|ui| {
            let (place, _) = ui.allocate_exact_size(egui::vec2(22.0, 12.0), egui::Sense::hover());
            ui.painter().rect_filled(place, 2.0, solid(*colour));
            ui.label(text(name));
        });
    }
    for note in &legend.notes {
        ui.label(text(note));
    }
}

fn solid([r, g, b]: [u8; 3]) -> Color32 {
    Color32::from_rgb(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Name;
    use crate::plugin::DebugView;
    use crate::render::legend::Land;
    use crate::render::legend_picture::fill;
    use crate::render::texture_view::LayerView;
    use crate::texture::Texture;
    use image::{Rgba, RgbaImage};

    /// A picture with a legend drawn as in the window.
    fn drawn(legend: &Legend, mut picture: RgbaImage, density: f32) -> RgbaImage {
        let size = egui::vec2(picture.width() as f32, picture.height() as f32) / density;
        let context = egui::Context::default();
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size);
        let mut input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
        input.viewports.get_mut(&input.viewport_id).unwrap().native_pixels_per_point = Some(density);
        // An area only knows its size from the second frame on.
        let mut shapes = Vec::new();
        for _ in 0..3 {
            let corner = screen.left_bottom() + egui::vec2(14.0, -14.0);
            let mut output = context.run_ui(input.clone(), |ui| show(legend, ui.ctx(), 0, corner));
            shapes = std::mem::take(&mut output.shapes);
            output.drop_without_applying_deltas();
        }
        let letters = context.fonts(|fonts| fonts.image());
        for primitive in context.tessellate(shapes, density) {
            let egui::epaint::Primitive::Mesh(mesh) = primitive.primitive else { continue };
            for triangle in mesh.indices.chunks_exact(3) {
                let corners = [0, 1, 2].map(|corner| mesh.vertices[triangle[corner] as usize]);
                fill(&mut picture, corners, &letters, density);
            }
        }
        picture
    }

    #[test]
    fn pictures_have_the_same_legends_as_the_window() {
        let texture = Texture::arid();
        let layer = LayerView::of(Name::new("flow").unwrap());
        for debug in DebugView::ALL {
            let land =
                Land { debug, layer: Some(&layer), texture: &texture, heights: (0.0, 1000.0), seen: None };
            let Some(legend) = Legend::of(&land) else { continue };
            for (size, density) in [((640, 720), 1.0), ((480, 540), 0.75), ((640, 1000), 1000.0 / 720.0)] {
                let empty = RgbaImage::from_pixel(size.0, size.1, Rgba([200, 200, 200, 255]));
                let in_window = drawn(&legend, empty.clone(), density);
                let mut in_picture = empty;
                legend.draw_into(&mut in_picture);
                let pixels = in_window.pixels().zip(in_picture.pixels());
                let others =
                    pixels.filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 2)).count();
                assert_eq!(others, 0, "{debug} at {density}");
            }
        }
    }
}
