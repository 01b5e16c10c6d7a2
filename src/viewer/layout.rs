//! Divides the window: landscapes side by side in the space that the panels leave.

use bevy::camera::Viewport;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;

/// What the panels take from each side of the window, logical pixels.
#[derive(Resource, Default, Clone, Copy, PartialEq)]
pub(super) struct Margins {
    /// Width of the panel on the left.
    pub left: f32,
    /// Height of the status line.
    pub bottom: f32,
}

/// Index of a landscape in the window, from the left.
#[derive(Component)]
pub(super) struct Slot(pub usize);

/// Pixels between two landscapes.
const GAP: u32 = 2;

/// Gives each landscape's camera its part of the window.
pub(super) fn divide(
    margins: Res<Margins>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut cameras: Query<(&Slot, &mut Camera)>,
) {
    let scale = window.scale_factor();
    let (left, bottom) = ((margins.left * scale) as u32, (margins.bottom * scale) as u32);
    let whole = window.physical_size();
    let free = whole.saturating_sub(UVec2::new(left, bottom));
    let count = cameras.iter().count().max(1) as u32;
    let width = (free.x.saturating_sub(GAP * (count - 1))) / count;
    for (place, mut camera) in &mut cameras {
        let active = width > 0 && free.y > 0;
        if camera.is_active != active {
            camera.is_active = active;
        }
        if !active {
            continue;
        }
        let viewport = Viewport {
            physical_position: UVec2::new(left + place.0 as u32 * (width + GAP), 0),
            physical_size: UVec2::new(width, free.y),
            ..default()
        };
        let same = camera.viewport.as_ref().is_some_and(|old| {
            old.physical_position == viewport.physical_position && old.physical_size == viewport.physical_size
        });
        if !same {
            camera.viewport = Some(viewport);
        }
    }
}
