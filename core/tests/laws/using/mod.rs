//! What is made of land: meshes, plots, plants, viewsheds, lessons, walkers.

mod agents;
mod lessons;
mod mesh;
mod mesh_files;
mod mistakes;
mod plants;
mod plots;
mod scatter;
mod viewshed;
