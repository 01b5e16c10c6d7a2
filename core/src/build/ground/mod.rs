//! The ground of a recipe: its groups of steps in turn, for all of a land or for a window of it.

mod land_build;
mod layers;
mod open_files;
mod places;
mod resampled;
mod routes;
mod stored;
mod whole;
mod window;
