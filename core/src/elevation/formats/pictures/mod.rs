//! Heights from pictures: brightness, colours that encode heights, and colours and levels as they are.

pub(super) mod bmp;
pub(super) mod coloured;
pub(super) mod indexed;
pub(crate) mod picture;
pub(super) mod pixels;
pub(super) mod png;
pub(super) mod terrain_rgb;
