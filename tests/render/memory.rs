//! What drawing takes and doesn't give back. This test needs a Vulkan device, a software one will do.
use crate::own_process::in_own_process;
use crate::scene::*;
use bevy::prelude::*;
use upland::plugin::TerrainView;

/// Memory of this process, MiB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

/// A software device compiled the vertex shader again for every draw and kept all of them: 39 MiB in this
/// many frames.
#[test]
fn memory_stays_as_it_is_while_nothing_new_is_drawn() {
    if !in_own_process("memory::memory_stays_as_it_is_while_nothing_new_is_drawn") {
        return;
    }
    for view in [TerrainView::LIGHT, TerrainView::DEFAULT] {
        let mut headless = stage(96, 54);
        spawn(&mut headless, &painted(65, 65, 30.0));
        let target = headless.target();
        let pose = Transform::from_xyz(0.0, 1500.0, 2000.0).looking_at(Vec3::ZERO, Vec3::Y);
        camera(&mut headless, target, view, pose);
        headless.capture(TIME_LIMIT).unwrap();
        let mut draw = |frames: usize| {
            (0..frames).for_each(|_| headless.update());
            resident()
        };
        // What is allocated once and used again is there by then.
        let before = draw(50);
        let after = draw(100);
        assert!(after - before < 20.0, "{before:.0} MiB became {after:.0} with {view:?}");
    }
}
