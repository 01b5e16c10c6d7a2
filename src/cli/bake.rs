//! `upland bake`: the texture of a recipe's land into a PNG.

use super::{Outcome, arguments, land, progress, report};
use crate::error::Error;
use crate::recipe::Skin;

pub(super) fn run(arguments: &arguments::Bake) -> Outcome {
    check_png(&arguments.output)?;
    let mut recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let mut skin = recipe.texture.texture();
    if let Some(texels) = arguments.texels {
        skin.resolution = texels;
    }
    recipe.texture = Skin::Custom(skin);
    let baked = progress::with_bar(|work| recipe.bake(&recipe.build_heightfield(work)?, work))?;
    if baked.unclaimed_share > 0.0 {
        let share = 100.0 * baked.unclaimed_share;
        report(&format!(
            "{share:.2} % of the texels are claimed by no terrain type and wear the nearest one"
        ));
    }
    let colour = baked.colour;
    let bytes = colour.opaque().into_iter().flatten().collect();
    write_png(&arguments.output, colour.width as u32, colour.depth as u32, bytes)
}

/// Refuses a picture's name that is no PNG's, before the work begins.
pub(super) fn check_png(path: &std::path::Path) -> Outcome {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(crate::formats::check_folder(path)?);
    }
    Err(Error::file(path, "a picture is written as .png; give it that extension").into())
}

/// Writes an RGB picture, whole or not at all.
pub(super) fn write_png(path: &std::path::Path, width: u32, height: u32, rgb: Vec<u8>) -> Outcome {
    let picture = image::RgbImage::from_raw(width, height, rgb)
        .ok_or_else(|| Error::file(path, "the picture has too few pixels"))?;
    crate::formats::replace_file(path, |file| {
        picture
            .write_to(file, image::ImageFormat::Png)
            .map_err(|error| Error::file(path, format!("cannot be written: {error}")))
    })?;
    Ok(())
}

/// Writes a drawn picture; its alpha says nothing.
#[cfg(feature = "viewer")]
pub(super) fn write_drawn(path: &std::path::Path, picture: &image::RgbaImage) -> Outcome {
    let rgb = picture.pixels().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    write_png(path, picture.width(), picture.height(), rgb)
}
