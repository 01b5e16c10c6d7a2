//! Which tiling picture a terrain type wears.

use bevy_egui::egui::{self, Color32, RichText};

use super::super::{parameters, style};
use super::Land;
use crate::texture::{TerrainType, Tile, Tiling};

/// The colour of a type that takes its tile off and has had none of its own.
const PLAIN: [f32; 3] = [0.5, 0.47, 0.42];
/// The choice of a picture that isn't built in.
const OWN: &str = "a picture …";

/// Draws the rows.
pub(super) fn show(ui: &mut egui::Ui, kind: &mut TerrainType, land: &Land) {
    let worn = kind.tile.as_ref().map(|tiling| tiling.image.text().to_owned());
    let mut chosen = worn.clone();
    // What is typed counts once it names a picture.
    let id = ui.make_persistent_id("typed path");
    let mut typed = ui.data(|data| data.get_temp::<Option<String>>(id)).flatten();
    if typed.is_none() {
        typed = worn.clone().filter(|name| !Tile::built_in().contains(&name.as_str()));
    }
    parameters::named(ui, "tile", "The tiling picture that it wears, near the eye and from afar.", |ui| {
        let shown = if typed.is_some() { OWN } else { worn.as_deref().unwrap_or("none") };
        egui::ComboBox::from_id_salt("tile").selected_text(shown).show_ui(ui, |ui| {
            let none = ui.selectable_label(worn.is_none(), "none").on_hover_text("An even colour");
            if none.clicked() {
                (chosen, typed) = (None, None);
            }
            for name in Tile::built_in() {
                if ui.selectable_label(worn.as_deref() == Some(name), *name).clicked() {
                    (chosen, typed) = (Some((*name).to_owned()), None);
                }
            }
            let own = ui.selectable_label(typed.is_some(), OWN);
            if own.on_hover_text("A PNG or BMP of your own, by its path").clicked() {
                typed.get_or_insert_default();
            }
        });
    });
    if let Some(path) = &mut typed
        && let Some(given) = picture(ui, path, land)
    {
        chosen = Some(given);
    }
    if chosen != worn {
        wear(kind, chosen, land);
        typed = None;
    }
    ui.data_mut(|data| data.insert_temp(id, typed));
    if let Some(tiling) = &mut kind.tile {
        how(ui, tiling, &mut kind.colour);
    }
}

/// The path of a picture: handed back once it was typed to its end and there is such a file.
fn picture(ui: &mut egui::Ui, path: &mut String, land: &Land) -> Option<String> {
    let exists = land.folder.join(&*path).is_file() && !path.is_empty();
    let mut given = None;
    parameters::named(ui, "picture", "Its path, beside the recipe or from the root. PNG or BMP.", |ui| {
        let field = egui::TextEdit::singleline(path).hint_text("moss.png").desired_width(f32::INFINITY);
        if ui.add(field).lost_focus() && exists {
            given = Some(path.clone());
        }
    });
    if !exists && !path.is_empty() {
        let text = RichText::new("There is no such file; the land keeps what it wears.").color(style::ERROR);
        ui.label(text);
    }
    given
}

/// Puts a tile on, or takes it off.
fn wear(kind: &mut TerrainType, image: Option<String>, land: &Land) {
    let Some(image) = image else {
        kind.tile = None;
        kind.colour.get_or_insert(PLAIN);
        return;
    };
    match &mut kind.tile {
        Some(tiling) => tiling.image.set(image),
        None => {
            let mut tiling = Tiling::new(image);
            tiling.image.set_folder(land.folder);
            kind.tile = Some(tiling);
        }
    }
}

/// How a tile is worn.
fn how(ui: &mut egui::Ui, tiling: &mut Tiling, colour: &mut Option<[f32; 3]>) {
    parameters::named(ui, "tile size", "Metres along the longer side of one repeat.", |ui| {
        let size = egui::DragValue::new(&mut tiling.size).range(0.01..=100_000.0).speed(0.05).suffix(" m");
        ui.add(size);
        let tip = "Mirror every other repeat: no seams even in pictures that don't tile";
        ui.checkbox(&mut tiling.mirror, "mirror").on_hover_text(tip);
        let mut recoloured = colour.is_some();
        let tip = "Bring the tile to the colour in the row above, as its mean; off: its own colours";
        if ui.checkbox(&mut recoloured, "recolour").on_hover_text(tip).changed() {
            *colour = recoloured.then_some(PLAIN);
        }
    });
}

/// Paints what a type that wears a tile in its own colours looks like.
pub(super) fn paint(ui: &egui::Ui, rect: egui::Rect, _tiling: Option<&Tiling>) {
    ui.painter().rect_filled(rect, 2, Color32::GRAY);
}
