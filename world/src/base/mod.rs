//! The base of a plan: all of its land after the last step that must know all of it, as objects.
//!
//! A field is cut into pieces of 1024² values, which are little-endian floats of 32 bits, row by row. Lines
//! of rivers, which roads in any tile must know, are objects too. The list of all objects, `base.json`, has
//! the SHA-256 of each and is written last, so that a base is there as a whole or not at all. Workers read
//! the pieces that lie under their tiles.

mod list;
mod make;
mod pieces;

pub(crate) use list::{BASE, BaseList, FOLDER};
pub(crate) use make::make;
pub(crate) use pieces::grounds_of;
