//! The view mode of the land, and the towers of viewsheds.

use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use super::controls::action_button::ActionButtons as _;
use super::controls::style::{self, Tip as _};
use super::controls::{parameters, section};
use super::edited::EditedItem;
use crate::analysis::viewshed::Curvature;
use crate::grid::LayerInfo;
use crate::params::Name;
use crate::plugin::DebugView;
use crate::render::texture_view::LayerView;
use crate::render::view_mode::{VIEWS, ViewMode};
use crate::viewer::actions::{Action, ActionQueue, Switch};
use crate::viewer::session::{ShownDebugView, Tab};
use crate::viewer::tools::towers::{TowerTool, Towers};
use crate::viewer::views::view_mode;

/// The present view mode.
pub(super) struct Now<'a> {
    pub view: DebugView,
    pub layer: Option<&'a str>,
    pub layers: &'a [String],
    /// Whether frame times are shown.
    pub has_times: bool,
}

/// Draws the choice.
pub(super) fn show(
    ui: &mut egui::Ui,
    now: &Now,
    towers: &mut Towers,
    tower_tool: &mut TowerTool,
    actions: &mut ActionQueue,
) {
    section::show(ui, "Show", false, |ui| {
        ui.columns(2, |columns| {
            for (index, view) in VIEWS.into_iter().enumerate() {
                let ui = &mut columns[usize::from(index >= VIEWS.len() / 2)];
                let is_shown = now.layer.is_none() && now.view == view;
                if ui.radio(is_shown, view.title()).tip(view.about()).clicked() {
                    actions.send(Action::Show(ViewMode::View(view)));
                }
            }
        });
        let tip = "A layer that the steps have written, on a colour scale; its ends are set under Texture.";
        parameters::named(ui, "layer", tip, |ui| {
            let title =
                |name: &str| LayerInfo::of(name).map_or(name.to_owned(), |layer| layer.title.to_owned());
            let selected = now.layer.map_or("none".to_owned(), title);
            let combo = egui::ComboBox::from_id_salt("shown layer").selected_text(selected);
            let combo = combo.show_ui(ui, |ui| {
                for name in now.layers {
                    let label = ui.selectable_label(now.layer == Some(name), title(name));
                    let about = LayerInfo::of(name).map_or("Painted by a step", |layer| layer.about);
                    if label.tip(about).clicked() {
                        actions.send(Action::Show(ViewMode::Layer(name.clone())));
                    }
                }
            });
            style::called(combo.response, "layer");
        });
        let tip = "How long the passes of a frame take on the processor and on the graphics device (F3)";
        let mut has_times = now.has_times;
        if ui.checkbox(&mut has_times, "Frame times by pass").tip(tip).changed() {
            actions.send(Action::Panel(Tab::Times, has_times.into()));
        }
        if now.layer.is_none() && now.view == DebugView::Viewshed {
            ui.separator();
            of_towers(ui, towers, tower_tool, actions);
        }
    });
}

/// The view mode this many places after the present one.
pub(super) fn after(of: &EditedItem, viewed: DebugView, step: isize) -> ViewMode {
    let layer = of.view.layer.as_ref().map(|layer| layer.name.as_str());
    view_mode::stepped(viewed, layer, &of.document.recipe.layers(), step)
}

/// Shows a view on all lands, or a layer on the edited one.
pub(super) fn show_on(
    documents: &mut [EditedItem],
    edited: Option<Entity>,
    chosen: ViewMode,
    viewed: &mut ShownDebugView,
) {
    let is_view = match chosen {
        ViewMode::View(view) => {
            viewed.0 = view;
            true
        }
        ViewMode::Layer(_) => false,
    };
    for EditedItem { entity, view, .. } in documents {
        match &chosen {
            ViewMode::Layer(name) if Some(*entity) == edited => {
                let is_new = view.layer.as_ref().is_none_or(|layer| layer.name.as_str() != name);
                if let Ok(name) = Name::new(name.clone())
                    && is_new
                {
                    view.layer = Some(LayerView::of(name));
                }
            }
            _ if is_view && view.layer.is_some() => view.layer = None,
            _ => {}
        }
    }
}

/// The list of towers, and the settings of their view.
fn of_towers(ui: &mut egui::Ui, towers: &mut Towers, tower_tool: &mut TowerTool, actions: &mut ActionQueue) {
    ui.horizontal(|ui| {
        let tip = "Then click on the land. A right click or Backspace removes the last tower, Esc finishes; the middle mouse button looks around";
        let button = egui::Button::new("Set towers").selected(tower_tool.is_on);
        actions.add(ui, button, tip, Action::PutTowers(Switch::Toggle));
        let has_any = !towers.watch.towers.is_empty();
        if ui.add_enabled(has_any, egui::Button::new("Remove all")).clicked() {
            towers.change(Vec::clear);
        }
        if let Some(progress) = towers.progress() {
            ui.add(style::progress(ui, progress, "computing").desired_width(80.0));
        }
    });
    parameters::named(ui, "height", "How high above the ground new towers are.", |ui| {
        let slider = egui::Slider::new(&mut tower_tool.height, 0.0..=300.0).suffix(" m").fixed_decimals(0);
        style::called(ui.add(slider), "height of towers");
    });
    let mut options = towers.watch.options;
    parameters::named(ui, "target", "The height above the ground of what the towers look for.", |ui| {
        let slider = egui::Slider::new(&mut options.target_height, 0.0..=100.0).suffix(" m");
        style::called(ui.add(slider.fixed_decimals(0)), "height of the target");
    });
    parameters::named(ui, "radius", "How far the towers see.", |ui| {
        let mut is_limited = options.radius.is_some();
        style::called(ui.checkbox(&mut is_limited, ""), "radius is limited");
        let mut km = options.radius.unwrap_or(5000.0) / 1000.0;
        let slider = egui::Slider::new(&mut km, 0.1..=100.0).logarithmic(true).suffix(" km");
        style::called(ui.add_enabled(is_limited, slider), "radius");
        options.radius = is_limited.then_some(km * 1000.0);
    });
    let mut is_round = options.curvature.is_some();
    let tip = "Includes the curvature of the Earth and the usual refraction of light by day";
    ui.checkbox(&mut is_round, "Curvature of the Earth").tip(tip);
    options.curvature = is_round.then(Curvature::default);
    // Writing equal options would start the computation again.
    if options != towers.watch.options {
        towers.watch.options = options;
    }

    let mut list = towers.watch.towers.clone();
    let shares = towers.seen.as_ref().map(|seen| seen.shares.clone()).unwrap_or_default();
    let mut gone = None;
    for (index, [x, z, height]) in list.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            let name = RichText::new(format!("{}", index + 1)).strong();
            let place = format!("{x:.0} m east and {z:.0} m south of the middle");
            ui.label(name).tip(place);
            let drag = egui::DragValue::new(height).range(0.0..=1000.0).suffix(" m").max_decimals(0);
            let drag = ui.add(drag).tip("Height above the ground");
            style::called(drag, &format!("Height of tower {}", index + 1));
            if let Some(share) = shares.get(index) {
                ui.label(format!("sees {:.1} %", 100.0 * share));
            }
            if style::sign(ui.small_button("✖"), "Remove this tower").clicked() {
                gone = Some(index);
            }
        });
    }
    if let Some(index) = gone {
        towers.change(|list| {
            list.remove(index);
        });
    } else if list != towers.watch.towers {
        towers.watch.towers = list;
    }
    let colour = style::quiet(ui);
    let quiet = |text: String| RichText::new(text).color(colour);
    match &towers.seen {
        None if towers.watch.towers.is_empty() => {
            ui.label(quiet(
                "Click on the land to set a tower; the ground that it sees is coloured.".to_owned(),
            ));
        }
        None => {}
        Some(seen) => {
            let [width, depth] = (seen.extent / 1000.0).to_array();
            let of = if seen.is_part {
                format!("the {width:.0} × {depth:.0} km around them; this land is endless")
            } else {
                "the land".to_owned()
            };
            ui.label(format!("Together they see {:.1} % of {of}.", 100.0 * seen.together));
            ui.label(quiet(format!("One sample every {} m, without water.", seen.cell)));
        }
    }
}
