//! Lands as they are built: recipes, caches, windows, tiles, layers, threads.

mod cache;
mod cancel;
mod groups;
mod layers;
mod read_back;
mod recipe;
mod streamed;
mod threads;
mod tiles;
mod windows;
