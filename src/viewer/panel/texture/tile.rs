//! The tile of a terrain type.

use std::ops::RangeInclusive;

use bevy_egui::egui::{self, Color32};

use super::land_info::LandInfo;
use super::picture;
use crate::plugin::Quality;
use crate::texture::{TerrainType, Tile, Tiling};
use crate::viewer::panel::controls::parameters::{self, Usual};
use crate::viewer::panel::controls::quality::say_hidden;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// The colour of a type whose tile is removed and that had no colour of its own.
const PLAIN: [f32; 3] = [0.5, 0.47, 0.42];
/// Range of the slider for a tile's size, metres.
const USUAL_SIZES: RangeInclusive<f32> = 0.5..=200.0;
/// The menu entry for a picture that isn't built in.
const OWN: &str = "a picture …";

/// Draws the rows.
pub(super) fn show(ui: &mut egui::Ui, kind: &mut TerrainType, land: &LandInfo) {
    let worn = kind.tile.as_ref().map(|tiling| tiling.image.text().to_owned());
    let is_own = worn.as_ref().is_some_and(|name| !Tile::built_in().contains(&name.as_str()));
    let wanted_id = ui.make_persistent_id("own picture wanted");
    let mut wanted = ui.data(|data| data.get_temp(wanted_id)).unwrap_or(is_own);
    let mut chosen = worn.clone();
    parameters::named(ui, "tile", "The tiling picture of this ground, from near and from far.", |ui| {
        let shown = if wanted { OWN } else { worn.as_deref().unwrap_or("none") };
        let combo = egui::ComboBox::from_id_salt("tile").selected_text(shown).show_ui(ui, |ui| {
            let none = ui.selectable_label(worn.is_none() && !wanted, "none");
            if none.tip("A plain colour").clicked() {
                (chosen, wanted) = (None, false);
            }
            for name in Tile::built_in() {
                if ui.selectable_label(worn.as_deref() == Some(name), *name).clicked() {
                    (chosen, wanted) = (Some((*name).to_owned()), false);
                }
            }
            let own = ui.selectable_label(wanted, OWN);
            wanted |= own.tip("Your own PNG or BMP file").clicked();
        });
        style::called(combo.response, "tile");
    });
    if wanted {
        let current = worn.as_deref().filter(|_| is_own).unwrap_or("");
        chosen = picture::row(ui, "picture", current, land).or(chosen);
    }
    ui.data_mut(|data| data.insert_temp(wanted_id, wanted));
    if chosen != worn {
        wear(kind, chosen, land);
    }
    if let Some(tiling) = &mut kind.tile {
        let draws_them = |quality: Quality| quality.view().detail > 0.0;
        if let Some(better) = say_hidden(ui, land.quality, "tiles", draws_them) {
            land.better.set(Some(better));
        }
        how(ui, tiling, &mut kind.colour);
    }
}

/// Sets or removes the tile.
fn wear(kind: &mut TerrainType, image: Option<String>, land: &LandInfo) {
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

/// The rows for size, mirroring and colour.
fn how(ui: &mut egui::Ui, tiling: &mut Tiling, colour: &mut Option<[f32; 3]>) {
    parameters::show_usual(ui, tiling, |name| name == "size" || name == "mirror", &|param| Usual {
        range: (param.name == "size").then_some(USUAL_SIZES),
        ..Usual::default()
    });
    let tip = "Shifts the tile's mean colour to that of the row above; off: its own colours";
    parameters::named(ui, "recolour", tip, |ui| {
        let mut recoloured = colour.is_some();
        let tick = ui.checkbox(&mut recoloured, "").tip(tip);
        if style::called(tick, "recolour").changed() {
            *colour = recoloured.then_some(PLAIN);
        }
    });
}

/// Paints a swatch of the tile's mean colour.
pub(super) fn paint(ui: &egui::Ui, rect: egui::Rect, tiling: Option<&Tiling>) {
    let colour = tiling.and_then(|tiling| mean(ui, tiling)).unwrap_or(Color32::GRAY);
    ui.painter().rect_filled(rect, 2, colour);
}

/// The mean colour of a tile, cached; `None` if it cannot be read.
fn mean(ui: &egui::Ui, tiling: &Tiling) -> Option<Color32> {
    let id = egui::Id::new(("mean of tile", tiling.image.on_disk()));
    if let Some(known) = ui.data(|data| data.get_temp::<Option<Color32>>(id)) {
        return known;
    }
    let mean = tiling.read().ok().map(|tile| {
        let [red, green, blue] = tile.mean_level();
        Color32::from_rgb(red, green, blue)
    });
    ui.data_mut(|data| data.insert_temp(id, mean));
    mean
}
