//! Determines who owns the mouse over the land: the camera, unless a tool is active.

use bevy::prelude::*;

use super::point_editor::Drawing;
use super::probe::Probing;
use super::sculpt::Sculpting;
use super::towers::TowerTool;
use crate::viewer::camera::fly;
use crate::viewer::session::{PointerOwner, ToolInput};

/// Determines in each frame who owns the mouse.
pub(crate) fn add(app: &mut App) {
    // After the tools, so that one that ends in this frame already gives the mouse back, and before the
    // camera reads it.
    app.init_resource::<PointerOwner>().add_systems(Update, find_owner.after(ToolInput).before(fly::look));
}

fn find_owner(
    mut owner: ResMut<PointerOwner>,
    (drawing, tower_tool): (Res<Drawing>, Res<TowerTool>),
    (probing, sculpting): (Res<Probing>, Res<Sculpting>),
) {
    owner.set_if_neq(owner_of(drawing.is_on() || tower_tool.is_on, sculpting.open, probing.open));
}

/// The owner while these tools are active; several can be.
fn owner_of(sets_points: bool, has_brush: bool, probes: bool) -> PointerOwner {
    if sets_points {
        PointerOwner::Points
    } else if has_brush {
        PointerOwner::Brush
    } else if probes {
        PointerOwner::Probe
    } else {
        PointerOwner::Camera
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_that_needs_the_most_buttons_owns_the_mouse() {
        assert_eq!(owner_of(false, false, false), PointerOwner::Camera);
        assert_eq!(owner_of(false, false, true), PointerOwner::Probe);
        assert_eq!(owner_of(false, true, true), PointerOwner::Brush);
        assert_eq!(owner_of(true, true, true), PointerOwner::Points);
    }
}
