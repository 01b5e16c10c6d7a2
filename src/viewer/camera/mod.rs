//! Moving through the landscapes: flying and walking, the pilots whom cameras follow, and the ground under the cursor.

pub(crate) mod cursor;
pub(crate) mod fly;
pub(crate) mod pilot;
pub(crate) mod pilots;
