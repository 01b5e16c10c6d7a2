//! The texture as a whole: bands, painted map, baking.

use bevy_egui::egui;

use super::land_info::LandInfo;
use super::picture;
use crate::files::FilePath;
use crate::params::Param;
use crate::render::texture_view::TextureView;
use crate::texture::{Bands, Texture};
use crate::viewer::panel::controls::parameters::{self, Usual};
use crate::viewer::panel::controls::style::Tip as _;

/// Resolutions to choose from, texels along the longer side; 0 for two per sample.
const RESOLUTIONS: [u32; 6] = [0, 1024, 2048, 4096, 8192, 16_384];

/// The height bands, which lie under the types.
pub(super) fn bands(ui: &mut egui::Ui, texture: &mut Texture, view: &mut TextureView) {
    if texture.bands.list.is_empty() {
        return;
    }
    parameters::show(ui, texture, |name| name == "bands");
    let tip = "Replaces the bands by terrain types with the same limits, which can be edited individually. Their weights are normalised.";
    if ui.small_button("Turn the bands into types").tip(tip).clicked() {
        for (place, kind) in texture.bands.types().into_iter().enumerate() {
            texture.types.insert(place, kind);
            view.inserted(place);
        }
        texture.bands = Bands::default();
    }
}

/// The painted map, which places the types with an id.
pub(super) fn map(ui: &mut egui::Ui, texture: &mut Texture, land: &LandInfo) {
    let tip = parameters::known(texture, "map").doc;
    let header = egui::CollapsingHeader::new("Painted map").default_open(false);
    let header = header.show_unindented(ui, |ui| {
        let current = texture.map.as_ref().map_or("", |map| map.file.text());
        if let Some(path) = picture::row(ui, "picture", current, land) {
            let mut file = FilePath::new(path);
            file.set_folder(land.folder);
            texture.map.get_or_insert_default().file = file;
        }
        let Some(map) = &mut texture.map else { return };
        parameters::show_usual(ui, map, |name| name != "file", &|param| Usual {
            range: (param.name == "roughen").then_some(0.0..=1000.0),
            ..Usual::default()
        });
        let has_ids = texture.types.iter().any(|kind| kind.id.is_some());
        let remove = ui.add_enabled(!has_ids, egui::Button::new("No map").small());
        if remove.on_disabled_hover_text("Some types are placed by the map; remove their ids first").clicked()
        {
            texture.map = None;
        }
    });
    header.header_response.tip(tip);
}

/// The rows for baking.
pub(super) fn baking(ui: &mut egui::Ui, texture: &mut Texture, land: &LandInfo) {
    egui::CollapsingHeader::new("Baking").default_open(false).show_unindented(ui, |ui| {
        let offered: (&[u32], &dyn Fn(u32) -> String) = (&RESOLUTIONS, &resolution_name);
        let usually = |param: &Param| match param.name {
            "resolution" => Usual { offered: Some(offered), ..Usual::default() },
            "patch" => Usual { range: Some(10.0..=20_000.0), ..Usual::default() },
            "strength" => Usual { range: Some(0.0..=4.0), ..Usual::default() },
            "ambient" => Usual { range: Some(0.0..=2.0), ..Usual::default() },
            _ => Usual::default(),
        };
        parameters::show_usual(ui, texture, |name| name == "resolution", &usually);
        unit(ui, texture, land);
        let is_of_baking =
            |name: &str| ["blend_space", "patch", "occlusion", "light", "shade"].contains(&name);
        parameters::show_usual(ui, texture, is_of_baking, &usually);
    });
}

fn resolution_name(texels: u32) -> String {
    match texels {
        0 => "two per sample".to_owned(),
        texels => texels.to_string(),
    }
}

/// The unit of elevations. Switching converts every value, so that the look stays the same.
fn unit(ui: &mut egui::Ui, texture: &mut Texture, land: &LandInfo) {
    let before = texture.elevation_unit;
    ui.add_enabled_ui(land.histogram.is_some(), |ui| {
        parameters::show(ui, texture, |name| name == "elevation_unit");
    });
    let asked = std::mem::replace(&mut texture.elevation_unit, before);
    if asked != before {
        *texture = texture.with_elevation_unit(asked, land.range(), land.sea_level);
    }
}
