//! The list of terrain types, whose rows can be reordered by dragging and opened.

use bevy_egui::egui::{self, Rect, RichText, Sense, vec2};

use super::land_info::LandInfo;
use super::terrain_type;
use crate::render::texture_view::TextureView;
use crate::texture::{TerrainType, Texture};
use crate::viewer::panel::controls::reorder::{self, toggle};
use crate::viewer::panel::controls::style::{self, Tip as _};

/// The tooltip of the dots by which a type is dragged.
const DRAG_TIP: &str = "Drag to reorder. The order matters for types that are not mixed: each lies over those \
                        above it in this list.";

/// The list that a type is dragged in.
struct TypeRows;

/// A change of the list.
enum Change {
    Move(usize, usize),
    Double(usize),
    Remove(usize),
}

/// Draws the list.
pub(super) fn show(ui: &mut egui::Ui, texture: &mut Texture, view: &mut TextureView, land: &LandInfo) {
    let mut change = None;
    let mut rows = Vec::new();
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for index in 0..texture.types.len() {
            let row = ui.push_id(index, |ui| {
                let frame = egui::Frame::group(ui.style()).inner_margin(egui::Margin::symmetric(5, 2));
                frame.show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    head(ui, texture, index, view, &mut change);
                    if view.opened == Some(index) {
                        ui.spacing_mut().item_spacing.y = 4.0;
                        terrain_type::show(ui, texture, index, land);
                        ui.add_space(2.0);
                    }
                })
            });
            rows.push(row.inner.response.rect);
        }
    });
    if let Some((from, to)) = reorder::dropped::<TypeRows>(ui, &rows) {
        change = Some(Change::Move(from, to));
    }
    match change {
        Some(Change::Move(from, to)) => {
            let kind = texture.types.remove(from);
            texture.types.insert(to, kind);
            view.moved(from, to);
        }
        Some(Change::Double(index)) => {
            let kind = &texture.types[index];
            let double = TerrainType { name: free_name(&texture.types, &kind.name), ..kind.clone() };
            texture.types.insert(index + 1, double);
            view.inserted(index + 1);
        }
        Some(Change::Remove(index)) => {
            texture.types.remove(index);
            view.removed(index);
        }
        None => {}
    }
    ui.horizontal(|ui| {
        add(ui, texture, view);
        seen(ui, texture, view);
    });
}

fn no_room() -> String {
    format!("A texture can have at most {} bands and types", Texture::MOST_TYPES)
}

fn add(ui: &mut egui::Ui, texture: &mut Texture, view: &mut TextureView) {
    let tip = "Adds a terrain type at the end of the list. It lies everywhere until it has limits.";
    let button = ui.add_enabled(texture.has_room(), egui::Button::new("Add type")).tip(tip);
    if button.on_disabled_hover_text(no_room()).clicked() {
        let name = free_name(&texture.types, "new type");
        view.opened = Some(texture.types.len());
        texture.types.push(TerrainType::new(name, [0.55, 0.5, 0.42]));
    }
}

/// Mentions when something other than the plain texture is shown. It is next to a button that always exists,
/// so that the layout doesn't jump.
fn seen(ui: &mut egui::Ui, texture: &Texture, view: &mut TextureView) {
    if view.is_plain(texture) {
        return;
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        if ui.button("Show all").tip("End weight, solo and mute").clicked() {
            view.show_all();
        }
        let named = |index: usize| texture.types.get(index).map_or("", |kind| kind.name.as_str());
        let text = match (view.weight, view.solo) {
            (Some(index), _) => format!("weight of {}", named(index)),
            (None, Some(index)) => format!("{} alone", named(index)),
            _ => "some are muted".into(),
        };
        ui.add(egui::Label::new(RichText::new(text).color(style::good(ui))).truncate());
    });
}

/// The row of one type.
fn head(
    ui: &mut egui::Ui,
    texture: &mut Texture,
    index: usize,
    view: &mut TextureView,
    change: &mut Option<Change>,
) {
    let (count, has_room) = (texture.types.len(), texture.has_room());
    let kind = &mut texture.types[index];
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.spacing_mut().button_padding.x = 3.0;
        reorder::handle::<TypeRows>(ui, index, DRAG_TIP);
        swatch(ui, kind);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let menu = ui.menu_button("☰", |ui| {
                let double = ui.add_enabled(has_room, egui::Button::new("➕  Duplicate"));
                if double.on_disabled_hover_text(no_room()).clicked() {
                    *change = Some(Change::Double(index));
                }
                let remove = ui.add_enabled(count > 1, egui::Button::new("✖  Remove"));
                let remove = remove.on_disabled_hover_text("The land needs at least one type");
                if remove.clicked() {
                    *change = Some(Change::Remove(index));
                }
            });
            style::sign(menu.response, "Duplicate or remove this type");

            let mut muted = view.muted.contains(&index);
            if toggle(ui, &mut muted, "M", "Mute: leave this type out") && !view.muted.remove(&index) {
                view.muted.insert(index);
            }
            let mut solo = view.solo == Some(index);
            if toggle(ui, &mut solo, "S", "Solo: only this type has its colours") {
                view.solo = solo.then_some(index);
                view.weight = None;
            }
            let mut weight = view.weight == Some(index);
            if toggle(ui, &mut weight, "W", "Weight: the share of this type in the ground, white for all") {
                view.weight = weight.then_some(index);
                view.solo = None;
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                name(ui, kind, index, view)
            });
        });
    });
}

/// The type's name, a button that folds and unfolds the type.
fn name(ui: &mut egui::Ui, kind: &TerrainType, index: usize, view: &mut TextureView) {
    let is_open = view.opened == Some(index);
    let (rect, triangle) = ui.allocate_exact_size(vec2(10.0, 18.0), Sense::click());
    let openness = if is_open { 1.0 } else { 0.0 };
    let icon = triangle.clone().with_new_rect(Rect::from_center_size(rect.center(), vec2(10.0, 10.0)));
    egui::collapsing_header::paint_default_icon(ui, openness, &icon);
    let text = if kind.name.is_empty() { RichText::new("(no name)") } else { RichText::new(&kind.name) };
    let text = if view.muted.contains(&index) {
        text.strikethrough().color(style::quiet(ui))
    } else if is_open {
        text.strong()
    } else {
        text
    };
    let unfold = format!("{} {}", if is_open { "Fold" } else { "Unfold" }, kind.name);
    style::unfolds(triangle.clone(), &unfold);
    let label = ui.add(egui::Label::new(text).truncate().selectable(false).sense(Sense::click()));
    let label = label.on_hover_cursor(egui::CursorIcon::PointingHand);
    if label.clicked() || triangle.clicked() {
        view.opened = if is_open { None } else { Some(index) };
    }
}

/// The colour picker.
fn swatch(ui: &mut egui::Ui, kind: &mut TerrainType) {
    let size = vec2(22.0, 16.0);
    let Some(colour) = &mut kind.colour else {
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        super::tile::paint(ui, rect, kind.tile.as_ref());
        let name = kind.tile.as_ref().map_or("", |tiling| tiling.image.text());
        response.tip(format!("Uses the tile {name} in its own colours"));
        return;
    };
    let mut levels = colour.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8);
    ui.spacing_mut().interact_size = size;
    let response = ui.color_edit_button_srgb(&mut levels);
    if response.changed() {
        *colour = levels.map(|level| f32::from(level) / 255.0);
    }
    style::called(response.tip("The colour"), &format!("Colour of {}", kind.name));
}

/// `name`, with a number if a type has that name already.
fn free_name(types: &[TerrainType], name: &str) -> String {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end();
    let stem = if stem.is_empty() { name } else { stem };
    let taken = |name: &str| types.iter().any(|kind| kind.name == name);
    if !taken(name) {
        return name.to_owned();
    }
    (2..).map(|number| format!("{stem} {number}")).find(|name| !taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_numbered() {
        let types = ["sand", "sand 2", "7"].map(|name| TerrainType::new(name, [0.5; 3]));
        assert_eq!(free_name(&types, "rock"), "rock");
        assert_eq!(free_name(&types, "sand"), "sand 3");
        assert_eq!(free_name(&types, "sand 2"), "sand 3");
        assert_eq!(free_name(&types, "7"), "7 2");
    }
}
