//! Divides the window: landscapes side by side in the space that the panels leave. One that is drawn with fewer
//! pixels than the window has is drawn into a picture, which is enlarged under the panels.

use bevy::camera::{CameraOutputMode, ClearColorConfig, RenderTarget, Viewport};
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, EguiTextureHandle, PrimaryEguiContext, egui};

use super::beside::{Arrangement, Part};
use super::levels::{Comparison, Pane};
use super::panel;
use super::quality::Chosen;

/// Divides the window and shows enlarged pictures.
pub(super) struct LayoutPlugin;

impl Plugin for LayoutPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Margins>()
            .add_systems(Update, divide)
            .add_systems(EguiPrimaryContextPass, show_pictures.before(panel::show));
    }
}

/// What the panels take from each side of the window, logical pixels.
#[derive(Resource, Default, Clone, Copy, Debug, PartialEq)]
pub(super) struct Margins {
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
    /// What is around the land, logical pixels.
    pub fn around(land: Rect, window: egui::Rect) -> Self {
        Self {
            left: (land.min.x - window.left()).max(0.0),
            right: (window.right() - land.max.x).max(0.0),
            top: (land.min.y - window.top()).max(0.0),
            bottom: (window.bottom() - land.max.y).max(0.0),
        }
    }

    /// What they leave of a window of this size, in pixels of which so many are one of theirs.
    pub fn space(&self, window: UVec2, density: f32) -> URect {
        let from = |near: f32, far: f32, whole: u32| {
            let end = whole.saturating_sub((far * density) as u32);
            ((near * density) as u32).min(end)..end
        };
        let (x, y) = (from(self.left, self.right, window.x), from(self.top, self.bottom, window.y));
        URect { min: UVec2::new(x.start, y.start), max: UVec2::new(x.end, y.end) }
    }
}

/// Index of a landscape in the window, from the left.
#[derive(Component)]
#[require(Place)]
pub(super) struct Slot(pub usize);

/// Where in the window a camera's view is seen, logical pixels.
#[derive(Component, Default, Clone, Copy, Debug, PartialEq)]
pub(super) struct Place(Rect);

impl Place {
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

    /// The cursor's position in the camera's own view, which may have fewer pixels; `None` beside it.
    pub fn in_view(&self, camera: &Camera, cursor: Vec2) -> Option<Vec2> {
        let view = camera.logical_viewport_rect().filter(|_| self.contains(cursor))?;
        Some(view.min + (cursor - self.0.min) / self.0.size() * view.size())
    }
}

/// The picture that a camera draws, if it doesn't draw into the window.
#[derive(Component)]
pub(super) struct Picture {
    image: Handle<Image>,
    size: UVec2,
}

/// What decides where a camera is seen: a landscape's number, or a pane of a comparison.
type Seat = (Option<&'static Slot>, Option<&'static Pane>);

/// A camera, and where it is seen.
type Seen = (
    Entity,
    Seat,
    &'static mut Place,
    (&'static mut Camera, &'static mut RenderTarget),
    Option<&'static Picture>,
);

/// Gives each camera its part of the window, or a picture of its size times the quality's scale: landscapes side by
/// side, or the panes of the one whose levels of detail are compared.
fn divide(
    mut commands: Commands,
    margins: Res<Margins>,
    (chosen, comparison, arrangement): (Res<Chosen>, Res<Comparison>, Res<Arrangement>),
    window: Single<&Window, With<PrimaryWindow>>,
    mut cameras: Query<Seen>,
    mut panels: Query<&mut Camera, (With<PrimaryEguiContext>, Without<Place>)>,
    mut images: ResMut<Assets<Image>>,
) {
    let (density, scale) = (window.scale_factor(), chosen.quality().render_scale());
    let space = margins.space(window.physical_size(), density);
    let parts = match comparison.document {
        Some(_) => Arrangement::default().parts(space, 4),
        None => arrangement.parts(space, cameras.iter().filter(|(_, (slot, _), ..)| slot.is_some()).count()),
    };
    for (entity, seat, mut place, (mut camera, mut target), picture) in &mut cameras {
        let number = match (comparison.document, seat) {
            (Some(_), (_, Some(pane))) => Some(pane.0),
            (Some(compared), (Some(slot), _)) => (slot.0 == compared).then_some(0),
            (None, (slot, _)) => slot.map(|slot| slot.0),
            (Some(_), (None, None)) => None,
        };
        let part = number.and_then(|number| parts.as_ref()?.get(number).copied());
        if camera.is_active != part.is_some() {
            camera.is_active = part.is_some();
        }
        let Some(part) = part else {
            // Nothing is under a cursor there.
            place.set_if_neq(Place(Rect::EMPTY));
            continue;
        };
        let Part { pixels: part, of } = part;
        place.set_if_neq(Place(Rect::from_corners(
            part.min.as_vec2() / density,
            part.max.as_vec2() / density,
        )));
        if camera.sub_camera_view != of {
            camera.sub_camera_view = of;
        }
        if scale < 1.0 {
            let size = (part.size().as_vec2() * scale).as_uvec2().max(UVec2::ONE);
            if picture.is_none_or(|picture| picture.size != size) {
                let mut image =
                    Image::new_target_texture(size.x, size.y, TextureFormat::Rgba8UnormSrgb, None);
                image.sampler = ImageSampler::linear();
                let image = images.add(image);
                camera.viewport = None;
                *target = RenderTarget::Image(image.clone().into());
                commands.entity(entity).try_insert(Picture { image, size });
            }
            continue;
        }
        if picture.is_some() {
            *target = RenderTarget::Window(WindowRef::Primary);
            commands.entity(entity).try_remove::<Picture>();
        }
        let viewport = Viewport { physical_position: part.min, physical_size: part.size(), ..default() };
        let same = camera.viewport.as_ref().is_some_and(|old| {
            old.physical_position == viewport.physical_position && old.physical_size == viewport.physical_size
        });
        if !same {
            camera.viewport = Some(viewport);
        }
    }
    // If nothing else draws into the window, the panels' camera has to clear it.
    let clears = scale < 1.0;
    for mut camera in &mut panels {
        let CameraOutputMode::Write { blend_state, clear_color } = camera.output_mode else { continue };
        if clears != matches!(clear_color, ClearColorConfig::Default) {
            let clear_color = if clears { ClearColorConfig::Default } else { ClearColorConfig::None };
            camera.output_mode = CameraOutputMode::Write { blend_state, clear_color };
        }
    }
}

/// Shows the cameras' pictures in their places, behind the panels.
fn show_pictures(mut contexts: EguiContexts, pictures: Query<(&Place, &Picture)>) -> Result {
    for (Place(place), picture) in &pictures {
        let texture = contexts.add_image(EguiTextureHandle::Weak(picture.image.id()));
        let painter = contexts.ctx_mut()?.layer_painter(egui::LayerId::background());
        let [min, max] = [place.min, place.max].map(|corner| egui::pos2(corner.x, corner.y));
        let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
        painter.image(texture, egui::Rect::from_min_max(min, max), whole, egui::Color32::WHITE);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landscapes_have_what_the_panels_leave() {
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
    fn the_cursor_is_found_in_a_smaller_picture() {
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
