//! Moving through the landscapes: flying and walking, the pilots that cameras follow, and the ground under
//! the cursor.

pub(crate) mod cursor;
pub(crate) mod fly;
pub(crate) mod pilot;
pub(crate) mod pilots;
