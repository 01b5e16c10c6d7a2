//! F12, or the command palette: saves the window's content as a PNG.

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};

use super::document::{Document, free_name};
use super::export::Exporting;
use super::message::Message;
use crate::elevation::formats::replace_file;
use crate::error::{Error, Result};

/// Whether one is wanted without a key.
#[derive(Resource, Default)]
pub(super) struct ScreenshotWanted(pub bool);

/// Takes a screenshot when F12 is pressed, or one is wanted.
pub(super) fn take(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut wanted: ResMut<ScreenshotWanted>,
    documents: Query<&Document>,
    exporting: Res<Exporting>,
    mut message: ResMut<Message>,
) {
    let is_wanted = std::mem::take(&mut wanted.bypass_change_detection().0);
    if !keys.just_pressed(KeyCode::F12) && !is_wanted {
        return;
    }
    let name = documents.iter().next().map_or("upland", |document| &document.recipe.name);
    // A picture that is being drawn is no file yet.
    let free = free_name(name, "png");
    let free = match free {
        Ok(path) if exporting.is_drawing(&path) => free_name(&format!("{name} window"), "png"),
        free => free,
    };
    match free {
        Ok(path) => {
            commands.spawn(Screenshot::primary_window()).observe(
                move |captured: On<ScreenshotCaptured>, mut message: ResMut<Message>| match save(
                    &captured.image,
                    &path,
                ) {
                    Ok(()) => message.tell(format!("Saved {}", path.display())),
                    Err(error) => message.error(error.to_string()),
                },
            );
        }
        Err(error) => message.error(error.to_string()),
    }
}

pub(super) fn save(image: &Image, path: &std::path::Path) -> Result<()> {
    let failed = |reason: String| Error::file(path, format!("the screenshot cannot be written: {reason}"));
    let picture = image.clone().try_into_dynamic().map_err(|error| failed(error.to_string()))?.to_rgb8();
    replace_file(path, |file| {
        picture.write_to(file, image::ImageFormat::Png).map_err(|error| failed(error.to_string()))
    })
}
