//! Divides the window: landscapes side by side in the space that the panels leave. A view with fewer pixels
//! than its part of the window is drawn into an image, which is shown enlarged behind the panels.

use bevy::camera::{CameraOutputMode, ClearColorConfig, RenderTarget, Viewport};
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, EguiTextureHandle, PrimaryEguiContext, egui};

use super::levels_panes::{Comparison, Pane};
use super::quality::QualitySetting;
use super::split_view::{Arrangement, ViewPart};
use crate::viewer::session::{Landscapes, Margins, PanelSystems, Place, ViewOf};

/// Divides the window and shows enlarged images.
pub(crate) struct LayoutPlugin;

impl Plugin for LayoutPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Margins>()
            .add_systems(Update, divide)
            // Before the panels, because shapes in egui's background layer are drawn in the order in which
            // they are added.
            .add_systems(EguiPrimaryContextPass, show_pictures.before(PanelSystems));
    }
}

/// The image that a camera draws into instead of the window.
#[derive(Component)]
pub(crate) struct Picture {
    image: Handle<Image>,
    size: UVec2,
}

/// What decides where a camera is seen: its landscape, or its pane of a comparison.
type ViewOrPane = (Option<&'static ViewOf>, Option<&'static Pane>);

/// A camera, and where it is seen.
type ViewCamera = (
    Entity,
    ViewOrPane,
    &'static mut Place,
    (&'static mut Camera, &'static mut RenderTarget),
    Option<&'static Picture>,
);

/// Gives each camera its part of the window, or an image of that size times the quality's scale. The parts
/// are landscapes side by side, or the panes of the one whose levels of detail are compared.
fn divide(
    mut commands: Commands,
    margins: Res<Margins>,
    (chosen, comparison, arrangement): (Res<QualitySetting>, Res<Comparison>, Res<Arrangement>),
    landscapes: Res<Landscapes>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut cameras: Query<ViewCamera>,
    mut panels: Query<&mut Camera, (With<PrimaryEguiContext>, Without<Place>)>,
    mut images: ResMut<Assets<Image>>,
) {
    let (density, scale) = (window.scale_factor(), chosen.quality().render_scale());
    let space = margins.space(window.physical_size(), density);
    let parts = match comparison.document {
        Some(_) => Arrangement::default().parts(space, 4),
        None => arrangement.parts(space, landscapes.len()),
    };
    for (entity, seat, mut place, (mut camera, mut target), picture) in &mut cameras {
        let index = match (comparison.document, seat) {
            (Some(_), (_, Some(pane))) => Some(pane.0),
            (Some(compared), (Some(view), _)) => (view.0 == compared).then_some(0),
            (None, (view, _)) => view.and_then(|view| landscapes.index_of(view.0)),
            (Some(_), (None, None)) => None,
        };
        let part = index.and_then(|index| parts.as_ref()?.get(index).copied());
        if camera.is_active != part.is_some() {
            camera.is_active = part.is_some();
        }
        let Some(part) = part else {
            // The cursor is never over a view that isn't shown.
            place.set_if_neq(Place::NOWHERE);
            continue;
        };
        let ViewPart { pixels: part, of } = part;
        place.set_if_neq(Place::new(part.min.as_vec2() / density, part.max.as_vec2() / density));
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
    // If no landscape draws into the window itself, the panels' camera has to clear it.
    let clears = scale < 1.0;
    for mut camera in &mut panels {
        let CameraOutputMode::Write { blend_state, clear_color } = camera.output_mode else { continue };
        if clears != matches!(clear_color, ClearColorConfig::Default) {
            let clear_color = if clears { ClearColorConfig::Default } else { ClearColorConfig::None };
            camera.output_mode = CameraOutputMode::Write { blend_state, clear_color };
        }
    }
}

/// Shows the cameras' images in their places, behind the panels.
fn show_pictures(mut contexts: EguiContexts, pictures: Query<(&Place, &Picture)>) -> Result {
    for (place, picture) in &pictures {
        let place = place.rect();
        let texture = contexts.add_image(EguiTextureHandle::Weak(picture.image.id()));
        let painter = contexts.ctx_mut()?.layer_painter(egui::LayerId::background());
        let [min, max] = [place.min, place.max].map(|corner| egui::pos2(corner.x, corner.y));
        let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
        painter.image(texture, egui::Rect::from_min_max(min, max), whole, egui::Color32::WHITE);
    }
    Ok(())
}
