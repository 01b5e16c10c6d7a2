//! The texture section: the set, its terrain types, and baking.

mod compass;
mod factors;
mod histogram;
mod layer;
mod limits;
mod list;
mod picture;
mod sets;
mod terrain_type;
mod tile;
mod whole;

use std::cell::Cell;
use std::path::Path;

use bevy::prelude::App;
use bevy_egui::egui;

use super::controls::style;
use crate::plugin::Quality;
use crate::recipe::Skin;
use crate::render::texture_view::TextureView;
use crate::texture::{ElevationUnit, Texture};
use crate::viewer::document::Document;

pub(super) use histogram::GroundHistogram;

/// Adds what the panel needs: the view of each document's texture, and the histograms.
pub(super) fn add(app: &mut App) {
    app.register_required_components::<Document, TextureView>();
    histogram::add(app);
}

/// What the section needs to know about the land.
struct LandInfo<'a> {
    /// The distribution of heights and slopes, once computed.
    histogram: Option<&'a GroundHistogram>,
    /// Height of its sea, metres.
    sea_level: Option<f32>,
    /// The folder that relative paths of pictures start from.
    folder: &'a Path,
    /// The quality that the window draws with.
    quality: Quality,
    /// A quality that shows what the present one hides, if the user asks for it.
    better: Cell<Option<Quality>>,
}

impl LandInfo<'_> {
    /// The lowest and highest point in metres; a guess as long as they are unknown.
    fn range(&self) -> (f32, f32) {
        let (low, high) = self.histogram.map_or((0.0, 1000.0), |histogram| histogram.height.range);
        if high > low { (low, high) } else { (low, low + 1.0) }
    }

    /// As [`range`](Self::range), in the texture's unit.
    fn range_in_unit(&self, texture: &Texture) -> (f32, f32) {
        let (low, high) = self.range();
        let in_unit = |metres| texture.elevation_from_metres(metres, (low, high), self.sea_level);
        (in_unit(low), in_unit(high))
    }

    /// Converts an elevation from the texture's unit to metres.
    fn metres(&self, texture: &Texture, elevation: f32) -> f32 {
        let ((low, high), (from, to)) = (self.range(), self.range_in_unit(texture));
        low + (elevation - from) / (to - from) * (high - low)
    }
}

/// Draws the section. A change of a ready-made set makes it a custom one; a change that would leave the land
/// without a texture is refused, and the reason returned. Returns another quality, if the user asks for it.
pub(super) fn show(
    ui: &mut egui::Ui,
    document: &mut Document,
    view: &mut TextureView,
    histogram: Option<&GroundHistogram>,
    quality: Quality,
) -> Result<Option<Quality>, String> {
    let path = document.path().map(Path::to_owned);
    let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let sea_level = document.recipe.sea_level();
    let land = LandInfo { histogram, sea_level, folder, quality, better: Cell::new(None) };
    layer::show(ui, &document.recipe.layers(), view);
    sets::show(ui, &mut document.recipe.texture, view, &land);
    let skin = sets::edited(&mut document.recipe.texture, view);
    let before = skin.texture();
    let mut texture = before.clone();

    list::show(ui, &mut texture, view, &land);
    if let Some(caveat) = view.caveat(&texture) {
        ui.label(egui::RichText::new(caveat).color(style::error(ui)));
    }
    whole::bands(ui, &mut texture, view);
    whole::map(ui, &mut texture, &land);
    whole::baking(ui, &mut texture, &land);

    let better = land.better.get();
    if texture == before {
        return Ok(better);
    }
    texture.check().map_err(|error| error.to_string())?;
    *skin = Skin::Custom(texture);
    Ok(better)
}

/// Formats an elevation in the texture's unit for people.
fn elevation_text(unit: ElevationUnit, value: f32) -> String {
    let text = match unit {
        ElevationUnit::Metres if value.abs() < 9.95 => format!("{value:.1} m"),
        ElevationUnit::Metres => format!("{value:.0} m"),
        ElevationUnit::Share => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    text.replace('-', "−")
}

fn slope_text(value: f32) -> String {
    let text = format!("{value:.1}");
    format!("{}°", text.trim_end_matches(".0"))
}
