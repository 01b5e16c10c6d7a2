//! Parameters that carry their own description: name, value, range, unit and one line of explanation.
//!
//! `params!` declares a struct and the description of its fields in one place. Reading and writing recipes,
//! the panel's rows, the command line's `--set`, the tables of `upland steps` and the tests of ranges all
//! follow from it.
//!
//! A parameter may itself be a struct of parameters (a group), a list of such structs, or optional, so that
//! whole textures are declared in the same way as single steps.

mod accepted;
pub(crate) mod colour;
mod declare;
mod doc;
pub(crate) mod lists;
mod name;
mod param;
mod place;
mod points;
mod read;
mod reason;
mod text;
mod value;
mod walk;
mod write;

pub(crate) use read::{FieldSeed, Further, Key, as_struct, has_parts, read_named, set_fields, set_from_map};
pub(crate) use reason::reason_in;
pub(crate) use text::set_part;
#[doc(hidden)]
pub use text::{ron_options, set_in, set_whole_from_text};
pub(crate) use write::fields;

pub(crate) use declare::{choice, in_recipes, param, params};
#[doc(hidden)]
pub use doc::join_lines;
pub use name::Name;
pub(crate) use name::is_name;
pub use param::{Param, Parity, RangeEnd};
pub use points::MAX_POINTS;
pub use text::set_from_text;
#[doc(hidden)]
pub use value::Within;
pub use value::{Choice, Forms, List, Optional, Parameter, Params, Reading, Value, declared, names};
#[doc(hidden)]
pub use walk::name_of;
pub use walk::{check, each, each_mut};
pub(crate) use walk::{check_chosen, present_path};

#[cfg(test)]
mod tests;
