//! Files: choosing files to open, writing pictures, films and other exports, and questions before changes are
//! lost.

pub(crate) mod confirm;
pub(crate) mod export;
pub(crate) mod output;
#[cfg(feature = "world")]
pub(crate) mod plans;
pub(crate) mod recent;
pub(crate) mod screenshot;
