//! The plugin as a game meets it, without pictures of its land: what becomes of terrains, what is reported,
//! what games can ask. One program, so that Bevy is linked once for all of them; pictures are in the program
//! `render`.
#![cfg(feature = "bevy")]

mod asset_while_loading;
mod bad_input;
mod build;
mod busy;
#[cfg(feature = "cli")]
mod custom_step;
#[cfg(feature = "viewer")]
mod earthworks;
mod headless;
mod lives;
#[cfg(feature = "world")]
mod planned;
mod reflection;
mod repaint;
mod scenes;
#[cfg(feature = "viewer")]
mod twice;

#[path = "../support/own_process.rs"]
mod own_process;
// Each program needs some of it.
#[allow(dead_code)]
#[path = "../support/scene.rs"]
mod scene;
#[allow(dead_code)]
#[path = "../support/server.rs"]
mod server;

/// Counts what is allocated, which `lives` asks for in a process of its own.
#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
