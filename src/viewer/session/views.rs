//! Where each landscape is seen in the window, how much of the window panels take, and which view of the land
//! is shown.

use bevy::prelude::*;
use bevy_egui::egui;

use crate::plugin::DebugView;

/// The systems that draw the panels.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PanelSystems;

/// The view that all cameras show, except where a document shows a layer.
#[derive(Resource, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownDebugView(pub DebugView);

/// The space that panels take from each side of the window, logical pixels.
#[derive(Resource, Default, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Margins {
    /// From the left.
    pub left: f32,
    /// From the right.
    pub right: f32,
    /// From the top.
    pub top: f32,
    /// From the bottom: the status line, and panels above it.
    pub bottom: f32,
}

impl Margins {
    /// The space around the land.
    pub fn around(land: Rect, window: egui::Rect) -> Self {
        Self {
            left: (land.min.x - window.left()).max(0.0),
            right: (window.right() - land.max.x).max(0.0),
            top: (land.min.y - window.top()).max(0.0),
            bottom: (window.bottom() - land.max.y).max(0.0),
        }
    }

    /// The space that they leave of a window of this size in physical pixels, with `density` of these per
    /// logical pixel.
    pub fn space(&self, window: UVec2, density: f32) -> URect {
        let from = |near: f32, far: f32, whole: u32| {
            let end = whole.saturating_sub((far * density) as u32);
            ((near * density) as u32).min(end)..end
        };
        let (x, y) = (from(self.left, self.right, window.x), from(self.top, self.bottom, window.y));
        URect { min: UVec2::new(x.start, y.start), max: UVec2::new(x.end, y.end) }
    }
}

/// Where in the window a camera's view is seen, logical pixels.
#[derive(Component, Default, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place(Rect);

impl Place {
    /// A view that is not seen, and that no cursor is over.
    pub const NOWHERE: Self = Self(Rect::EMPTY);

    /// Between two corners.
    pub fn new(a: Vec2, b: Vec2) -> Self {
        Self(Rect::from_corners(a, b))
    }

    /// Its corners.
    pub fn rect(&self) -> Rect {
        self.0
    }

    /// Whether it is seen at all.
    pub fn is_seen(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether the cursor is over the view.
    pub fn contains(&self, cursor: Vec2) -> bool {
        self.0.contains(cursor)
    }

    /// The cursor's position in the camera's own view, which may have fewer pixels; `None` if the cursor is
    /// outside.
    pub fn in_view(&self, camera: &Camera, cursor: Vec2) -> Option<Vec2> {
        let view = camera.logical_viewport_rect().filter(|_| self.contains(cursor))?;
        Some(view.min + (cursor - self.0.min) / self.0.size() * view.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landscapes_get_the_space_that_panels_leave() {
        let margins = Margins { left: 340.0, bottom: 20.0, ..default() };
        assert_eq!(margins.space(UVec2::new(1280, 720), 1.0), URect::new(340, 0, 1280, 700));
        assert_eq!(margins.space(UVec2::new(2560, 1440), 2.0), URect::new(680, 0, 2560, 1400));
        let all = Margins { left: 300.0, right: 200.0, top: 100.0, bottom: 50.0 };
        assert_eq!(all.space(UVec2::new(1280, 720), 1.0), URect::new(300, 100, 1080, 670));
        let land = Rect::new(300.0, 100.0, 1080.0, 670.0);
        let window = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 720.0));
        assert_eq!(Margins::around(land, window), all);
        for window in [UVec2::ZERO, UVec2::ONE, UVec2::new(340, 20)] {
            assert!(margins.space(window, 1.0).size().min_element() == 0, "{window}");
        }
    }

    #[test]
    fn the_cursor_is_found_in_a_view_with_fewer_pixels() {
        let place = Place(Rect::new(340.0, 0.0, 1240.0, 700.0));
        assert!(place.contains(Vec2::new(341.0, 1.0)) && !place.contains(Vec2::new(339.0, 1.0)));
        let mut camera = Camera::default();
        assert_eq!(place.in_view(&camera, Vec2::new(790.0, 350.0)), None, "a camera without a target yet");
        camera.computed.target_info =
            Some(bevy::camera::RenderTargetInfo { physical_size: UVec2::new(450, 350), scale_factor: 1.0 });
        assert_eq!(place.in_view(&camera, Vec2::new(790.0, 350.0)), Some(Vec2::new(225.0, 175.0)));
        assert_eq!(place.in_view(&camera, Vec2::new(10.0, 350.0)), None);
    }
}
