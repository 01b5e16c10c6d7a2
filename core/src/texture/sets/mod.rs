//! Textures that the program makes: ready-made sets, seasons, bitmaps in bands of height, and textures
//! interpolated between two others.

mod banded;
mod in_season;
mod ready_made;
mod seasons;
mod towards;

pub(crate) use ready_made::{is_guessed_snow, lying_snow, road};
