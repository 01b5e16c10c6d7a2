//! What is there of a plan, and whether it is right.

mod head;
mod sample;
mod status;
mod verify;

pub(crate) use head::{TileHead, head_bytes};
pub use status::{Damage, PassStatus, Status, status};
pub use verify::{Verification, verify};
