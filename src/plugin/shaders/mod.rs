//! The shaders, compiled into the library from the top-level folder `shaders/`, and how materials use them.

mod extension;

use std::marker::PhantomData;

use bevy::asset::uuid::Uuid;
use bevy::prelude::*;

pub(crate) use extension::{Extension, extend_standard_material, in_order, set_definitions, specialize};

/// Declares shaders, a handle and a file in each row, and the functions that load them into an app.
macro_rules! shaders {
    ($($(#[$about:meta])+ $load:ident $(after $first:ident)? { $($SHADER:ident $file:literal,)+ })+) => {$(
        $(pub(crate) const $SHADER: Handle<Shader> = handle($file);)+

        $(#[$about])+
        pub(crate) fn $load(app: &mut App) {
            $($first(app);)?
            $(load(app, &$SHADER, $file, include_str!(concat!("../../../shaders/", $file)));)+
        }
    )+};
}

/// The handle of the shader in a file, which follows from the file's name.
const fn handle(file: &str) -> Handle<Shader> {
    // FNV-1a with 128 bits.
    let (mut hash, mut index) = (0x6C62_272E_07BB_0142_62B8_2175_6295_C58D_u128, 0);
    while index < file.len() {
        hash = (hash ^ file.as_bytes()[index] as u128).wrapping_mul((1 << 88) + 0x13B);
        index += 1;
    }
    Handle::Uuid(Uuid::from_u128(hash), PhantomData)
}

/// The folder that builds for development read shaders from, in place of their own: so that an edit of one needs
/// no build.
#[cfg(debug_assertions)]
const EDITED: &str = "UPLAND_SHADERS";

fn load(app: &mut App, handle: &Handle<Shader>, file: &'static str, built_in: &'static str) {
    let path = format!("shaders/{file}");
    let shader = Shader::from_wgsl(built_in, path.clone());
    #[cfg(debug_assertions)]
    let shader = match std::env::var_os(EDITED).map(|folder| std::path::Path::new(&folder).join(file)) {
        Some(edited) => match std::fs::read_to_string(&edited) {
            Ok(text) => Shader::from_wgsl(text, path),
            Err(error) => {
                warn!("{} is not read, and the built-in shader is used: {error}", edited.display());
                shader
            }
        },
        None => shader,
    };
    // Handles by number are never refused: only those that assets hand out have generations.
    _ = app.world_mut().resource_mut::<Assets<Shader>>().insert(handle, shader);
}

// Materials name their entry points by these handles; libraries are found by their own import paths.
shaders! {
    /// Loads the shaders of ground, and what water and sky share with it, into the app; once is enough.
    load_shaders {
        NOISE "noise.wgsl",
        CLOUDS "clouds.wgsl",
        UNDER_WATER "under_water.wgsl",
        FIELD "field.wgsl",
        LAND "land.wgsl",
        CDLOD "cdlod.wgsl",
        PLACE "place.wgsl",
        DETAIL "detail.wgsl",
        CANOPY "canopy.wgsl",
        RIBS "ribs.wgsl",
        TILE "tile.wgsl",
        COVER "cover.wgsl",
        SURFACE "surface.wgsl",
        WALL "wall.wgsl",
        FAR_SHADOW "far_shadow.wgsl",
        PBR_FAR_SHADOW "pbr_far_shadow.wgsl",
        HAZE "haze.wgsl",
        AMBIENT "ambient.wgsl",
        SIMPLE_LIGHT "simple_light.wgsl",
        LINES "lines.wgsl",
        DEBUG_VIEW "debug_view.wgsl",
        TERRAIN_SHADER "terrain.wgsl",
    }

    /// Loads the shaders of the sky into the app, and those of ground, with which they share.
    load_sky_shaders after load_shaders {
        SKY "sky.wgsl",
        BACKDROP_SHADER "sky_backdrop.wgsl",
    }

    /// Loads the shader of water into the app, and those of ground, with which it shares.
    load_water_shader after load_shaders {
        WATER_SHADER "water.wgsl",
    }

    /// Loads the shaders of scattered objects into the app, and those of ground, with which they share.
    load_scatter_shaders after load_shaders {
        SCATTER_INSTANCE "scatter_instance.wgsl",
        SCATTER_IMPOSTOR "scatter_impostor.wgsl",
        LEAVES "leaves.wgsl",
        SCATTER_SHADER "scatter.wgsl",
    }

    /// Loads the shaders of planets into the app, and those of ground, with which they share.
    load_planet_shaders after load_shaders {
        PLANET_SHADER "planet.wgsl",
        AIR_SHADER "air.wgsl",
    }

    /// Loads the shader of displaced meshes into the app.
    load_displacement_shader {
        DISPLACEMENT_SHADER "displacement.wgsl",
    }
}

#[cfg(any(feature = "render", test))]
shaders! {
    /// Loads the shader of triangles with their edges into the app.
    load_wire_shader {
        WIRE_SHADER "wire.wgsl",
    }
}

#[cfg(test)]
mod tests;
