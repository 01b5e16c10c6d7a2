//! What is drawn, measured in small pictures. One program, so that Bevy is linked once for all of them. Its
//! tests need a Vulkan device; a software one will do. On that a test takes three seconds and more, most of
//! which compiling its shaders takes.
#![cfg(feature = "bevy")]

#[cfg(feature = "viewer")]
mod beside;
#[cfg(feature = "render")]
mod compare;
mod detail;
mod displacement;
mod far_shadow;
mod holes;
#[cfg(feature = "render")]
mod levels;
#[cfg(target_os = "linux")]
mod lives;
mod lost;
#[cfg(target_os = "linux")]
mod memory;
mod planet;
mod scatter;
mod sculpt;
mod silhouette;
mod sky;
mod stream;
mod terrain;
#[cfg(feature = "render")]
mod tour;

#[cfg(target_os = "linux")]
#[path = "../support/own_process.rs"]
mod own_process;
// Each program needs some of it.
#[allow(dead_code)]
#[path = "../support/scene.rs"]
mod scene;

/// Counts allocations, for `lives` in its own process.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
