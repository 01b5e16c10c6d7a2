//! The ground of a recipe: its groups of steps in turn, for all of a land or for a window of it.

mod layers;
mod open_files;
mod resampled;
mod routes;
mod whole;
mod window;
