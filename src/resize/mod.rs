//! Resizing: the same land with another number of samples.

mod catmull_rom;

pub use catmull_rom::catmull_rom;
