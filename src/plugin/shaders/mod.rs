//! The shaders, compiled into the library from the top-level folder `shaders/`, and how materials use them.

mod extension;

use bevy::asset::{load_internal_asset, uuid_handle};
use bevy::prelude::*;

pub(crate) use extension::{Extension, extend_standard_material, in_order, set_definitions, specialize};

/// The entry points; libraries are found by their own import paths.
pub(crate) const TERRAIN_SHADER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c01");
const FIELD: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c02");
const LAND: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c03");
const CDLOD: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c04");
const SURFACE: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c05");
const SIMPLE_LIGHT: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c06");
const DEBUG_VIEW: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c07");
const DETAIL: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c08");
const TILE: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c09");
const COVER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c0a");
const PLACE: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c0b");
const FAR_SHADOW: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c0c");
const HAZE: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c0d");
const PBR_FAR_SHADOW: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c0e");
const NOISE: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c0f");
const UNDER_WATER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c10");
const WALL: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c11");
pub(crate) const DISPLACEMENT_SHADER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c12");
pub(crate) const AIR_SHADER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c13");
pub(crate) const PLANET_SHADER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c14");
const SCATTER_INSTANCE: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c30");
const SCATTER_IMPOSTOR: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c31");
pub(crate) const SCATTER_SHADER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c32");

const LINES: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c20");
#[cfg(any(feature = "render", test))]
pub(crate) const WIRE_SHADER: Handle<Shader> = uuid_handle!("0a1d6c52-6d2b-4f0e-8d0e-3f6f6a3f1c21");

/// Loads the shaders of ground, and what water and sky share with it, into the app; once is enough.
pub(crate) fn load_shaders(app: &mut App) {
    load_internal_asset!(app, NOISE, "../../../shaders/noise.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, UNDER_WATER, "../../../shaders/under_water.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, FIELD, "../../../shaders/field.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, LAND, "../../../shaders/land.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, CDLOD, "../../../shaders/cdlod.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, PLACE, "../../../shaders/place.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, DETAIL, "../../../shaders/detail.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, TILE, "../../../shaders/tile.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, COVER, "../../../shaders/cover.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, SURFACE, "../../../shaders/surface.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, WALL, "../../../shaders/wall.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, FAR_SHADOW, "../../../shaders/far_shadow.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, PBR_FAR_SHADOW, "../../../shaders/pbr_far_shadow.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, HAZE, "../../../shaders/haze.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, SIMPLE_LIGHT, "../../../shaders/simple_light.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, LINES, "../../../shaders/lines.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, DEBUG_VIEW, "../../../shaders/debug_view.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, TERRAIN_SHADER, "../../../shaders/terrain.wgsl", Shader::from_wgsl);
}

/// Loads the shaders of scattered objects into the app, and those of ground, with which they share.
pub(crate) fn load_scatter_shaders(app: &mut App) {
    load_shaders(app);
    load_internal_asset!(app, SCATTER_INSTANCE, "../../../shaders/scatter_instance.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, SCATTER_IMPOSTOR, "../../../shaders/scatter_impostor.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, SCATTER_SHADER, "../../../shaders/scatter.wgsl", Shader::from_wgsl);
}

/// Loads the shader of displaced meshes into the app.
pub(crate) fn load_displacement_shader(app: &mut App) {
    load_internal_asset!(app, DISPLACEMENT_SHADER, "../../../shaders/displacement.wgsl", Shader::from_wgsl);
}

/// Loads the shaders of planets into the app, and those of ground, with which they share.
pub(crate) fn load_planet_shaders(app: &mut App) {
    load_shaders(app);
    load_internal_asset!(app, PLANET_SHADER, "../../../shaders/planet.wgsl", Shader::from_wgsl);
    load_internal_asset!(app, AIR_SHADER, "../../../shaders/air.wgsl", Shader::from_wgsl);
}

/// Loads the shader of triangles with their edges into the app.
#[cfg(any(feature = "render", test))]
pub(crate) fn load_wire_shader(app: &mut App) {
    load_internal_asset!(app, WIRE_SHADER, "../../../shaders/wire.wgsl", Shader::from_wgsl);
}

#[cfg(test)]
mod tests;
