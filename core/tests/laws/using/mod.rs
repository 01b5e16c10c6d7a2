//! What is made of land: meshes, plots, plants, viewsheds, lessons, walkers.

mod agents;
mod fit;
mod lessons;
mod likeness;
mod mesh;
mod mesh_files;
mod mistakes;
mod plants;
mod plots;
mod scatter;
mod viewshed;
