//! Notes for the user on land that is read: that a tile is damaged, for example.
//!
//! Tiles are read by background threads, which cannot show messages. So notes are kept until the program
//! takes them.

use std::mem;
use std::sync::{Mutex, PoisonError};

/// The most notes that are kept.
const MOST: usize = 64;

static NOTES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Adds a note for the user.
pub(super) fn note(text: String) {
    let mut notes = NOTES.lock().unwrap_or_else(PoisonError::into_inner);
    if notes.len() < MOST && !notes.contains(&text) {
        notes.push(text);
    }
}

/// The notes of the land that was read since the last call, a line each: that a tile is damaged and was made
/// on the spot, for example. A program shows them to its user from time to time. The first 64 are kept.
pub fn take_notes() -> Vec<String> {
    mem::take(&mut *NOTES.lock().unwrap_or_else(PoisonError::into_inner))
}
