//! The texture as a whole: what lies beside its types, and how it is baked.

use bevy_egui::egui::{self, RichText};

use super::super::super::texture_view::TextureView;
use super::super::{parameters, style};
use super::Land;
use crate::texture::{Bands, BlendSpace, ElevationUnit, Light, Texture};

/// Resolutions that are offered, texels along the longer side; 0 for two per sample.
const RESOLUTIONS: [u32; 6] = [0, 1024, 2048, 4096, 8192, 16_384];

/// What there is of height bands and of a painted map, which lie beside the types.
pub(super) fn bands(ui: &mut egui::Ui, texture: &mut Texture, view: &mut TextureView) {
    let count = texture.bands.list.len();
    if count > 0 {
        ui.horizontal_wrapped(|ui| {
            let sums = if texture.bands.extend { "" } else { " Their weights are summed, not divided." };
            let text = format!("{count} height bands lie under these types.{sums}");
            ui.label(RichText::new(text).color(style::QUIET));
            let tip = "Terrain types of the same limits, to be edited one by one. Their weights are divided.";
            if ui.small_button("Make them types").on_hover_text(tip).clicked() {
                for (place, kind) in texture.bands.types().into_iter().enumerate() {
                    texture.types.insert(place, kind);
                    view.inserted(place);
                }
                texture.bands = Bands::default();
            }
        });
    }
    if let Some(map) = &texture.map {
        let text = format!("{} says where the types with a map id lie.", map.file.text());
        ui.label(RichText::new(text).color(style::QUIET));
    }
}

/// The rows that are about baking.
pub(super) fn baking(ui: &mut egui::Ui, texture: &mut Texture, land: &Land) {
    egui::CollapsingHeader::new("Baking").default_open(false).show_unindented(ui, |ui| {
        resolution(ui, &mut texture.resolution);
        unit(ui, texture, land);
        let tip = "Where colours are blended: in linear light, as light itself adds up, or in the sRGB values, \
                   as older programs do, where mixtures come out darker.";
        parameters::named(ui, "blend in", tip, |ui| {
            ui.selectable_value(&mut texture.blend_space, BlendSpace::Linear, "linear light");
            ui.selectable_value(&mut texture.blend_space, BlendSpace::Srgb, "sRGB");
        });
        let tip = "Size of the largest patches of the noise that mottles colours and roughens borders.";
        parameters::named(ui, "patch", tip, |ui| {
            let slider = egui::Slider::new(&mut texture.patch, 10.0..=20_000.0).logarithmic(true);
            ui.add(slider.clamping(egui::SliderClamping::Never).max_decimals(1).suffix(" m"));
        });
        texture.patch = texture.patch.clamp(0.1, 1_000_000.0);
        let tip = "How much of the shade that the land's own shape casts from the sky is baked.";
        parameters::named(ui, "occlusion", tip, |ui| {
            ui.add(egui::Slider::new(&mut texture.occlusion, 0.0..=1.0).max_decimals(2));
        });
        light(ui, &mut texture.light);
    });
}

/// Sunlight in the colours themselves, for programs that don't light them.
fn light(ui: &mut egui::Ui, light: &mut Option<Light>) {
    let tip = "Bakes sunlight and cast shadows into the colours, for maps and for programs that don't light the \
               land. Here the sun then shines twice.";
    let mut lit = light.is_some();
    parameters::named(ui, "sunlight", tip, |ui| ui.checkbox(&mut lit, "baked in"));
    if !lit {
        *light = None;
        return;
    }
    let light = light.get_or_insert_default();
    let mut row = |name, tip, value: &mut f32, range, unit| {
        parameters::named(ui, name, tip, |ui| {
            ui.add(egui::Slider::new(value, range).max_decimals(2).suffix(unit));
        });
    };
    row("  bearing", "Where the sun stands, clockwise from north.", &mut light.bearing, 0.0..=360.0, "°");
    row("  elevation", "Its height above the horizon.", &mut light.elevation, 0.0..=90.0, "°");
    row("  strength", "How bright ground is that faces the sun.", &mut light.strength, 0.0..=4.0, "");
    row("  ambient", "How bright ground is in the shadow.", &mut light.ambient, 0.0..=2.0, "");
    parameters::named(ui, "  shadows", "Whether ground casts shadows.", |ui| {
        ui.checkbox(&mut light.shadows, "")
    });
}

fn resolution(ui: &mut egui::Ui, resolution: &mut u32) {
    let name = |texels: u32| match texels {
        0 => "two per sample".to_owned(),
        texels => texels.to_string(),
    };
    let tip = "Texels along the longer side. More is sharper, and slower to bake.";
    parameters::named(ui, "resolution", tip, |ui| {
        egui::ComboBox::from_id_salt("resolution").selected_text(name(*resolution)).show_ui(ui, |ui| {
            for texels in RESOLUTIONS {
                ui.selectable_value(resolution, texels, name(texels));
            }
        });
        ui.label(RichText::new("texels").color(style::QUIET));
    });
}

fn unit(ui: &mut egui::Ui, texture: &mut Texture, land: &Land) {
    let tip = "What elevations are given in. Switching converts every value, so the look stays. Shares run from \
               0 at the sea, or the lowest point of a dry land, to 1 at the summit, and fit every land.";
    parameters::named(ui, "elevations in", tip, |ui| {
        let mut unit = texture.elevation_unit;
        ui.add_enabled_ui(land.histogram.is_some(), |ui| {
            ui.selectable_value(&mut unit, ElevationUnit::Metres, "metres");
            ui.selectable_value(&mut unit, ElevationUnit::Share, "shares");
        });
        if unit != texture.elevation_unit {
            *texture = texture.with_elevation_unit(unit, land.range(), land.sea_level);
        }
    });
}
