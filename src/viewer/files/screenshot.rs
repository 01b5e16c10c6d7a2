//! Screenshots: the window's content, saved as a PNG.

use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};

use super::export::Exporting;
use crate::error::{Error, Result};
use crate::files::replace_file;
use crate::viewer::document::{Document, free_name};
use crate::viewer::session::Selection;
use crate::viewer::session::status_message::Message;

/// The state of screenshots.
#[derive(Resource, Default)]
pub(crate) struct Screenshots {
    /// Whether one has been requested.
    pub is_wanted: bool,
    /// Whether the screenshot in this frame is taken while panels are hidden, so that it shows only the land.
    pub is_of_land: bool,
}

/// Takes a screenshot if one was requested. It runs before anything is drawn in that frame,
/// so that marks on the land can be left out.
pub(crate) fn take(
    mut commands: Commands,
    mut screenshots: ResMut<Screenshots>,
    selection: Res<Selection>,
    mut marks: ResMut<GizmoConfigStore>,
    documents: Query<&Document>,
    exporting: Res<Exporting>,
    mut message: ResMut<Message>,
) {
    let screenshots = &mut *screenshots;
    let is_wanted = std::mem::take(&mut screenshots.is_wanted);
    let is_of_land = is_wanted && selection.are_panels_hidden();
    if std::mem::replace(&mut screenshots.is_of_land, is_of_land) != is_of_land {
        marks.iter_mut().for_each(|(_, config, _)| config.enabled = !is_of_land);
    }
    if !is_wanted {
        return;
    }
    let name = documents.iter().next().map_or("upland", |document| &document.recipe.name);
    match path_of(name, &exporting) {
        Ok(path) => {
            commands.spawn(Screenshot::primary_window()).observe(
                move |captured: On<ScreenshotCaptured>, mut message: ResMut<Message>| match save(
                    &captured.image,
                    &path,
                ) {
                    Ok(()) => message.report_file("Saved", &path),
                    Err(error) => message.error(error.to_string()),
                },
            );
        }
        Err(error) => message.error(error.to_string()),
    }
}

/// A path that is neither taken by a file nor by the picture that is being drawn, whose file doesn't exist
/// yet.
fn path_of(name: &str, exporting: &Exporting) -> Result<PathBuf> {
    let free = free_name(name, "png")?;
    if exporting.is_drawing(&free) { free_name(&format!("{name} window"), "png") } else { Ok(free) }
}

pub(crate) fn save(image: &Image, path: &Path) -> Result<()> {
    let failed = |reason: String| Error::file(path, format!("the screenshot cannot be written: {reason}"));
    let picture = image.clone().try_into_dynamic().map_err(|error| failed(error.to_string()))?.to_rgb8();
    replace_file(path, |file| {
        picture.write_to(file, image::ImageFormat::Png).map_err(|error| failed(error.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screenshot_avoids_the_path_of_a_picture_that_is_being_drawn() {
        let path = path_of("Cellar", &Exporting::default()).unwrap();
        let drawn = path_of("Cellar", &Exporting::drawing(path.clone())).unwrap();
        assert_ne!(drawn, path);
        assert_eq!(drawn.parent(), path.parent());
        let whole = std::path::absolute(&path).unwrap();
        assert_eq!(path_of("Cellar", &Exporting::drawing(whole)).unwrap(), drawn);
        // A picture with another name doesn't matter.
        let other = path.with_file_name("attic.png");
        assert_eq!(path_of("Cellar", &Exporting::drawing(other)).unwrap(), path);
    }
}
