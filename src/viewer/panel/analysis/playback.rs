//! The player of a recorded build: a timeline over all steps, play, pause, step and scrub.

use bevy::prelude::Vec2;
use bevy_egui::egui::{self, Color32, RichText, pos2, vec2};

use super::plots;
use crate::analysis::plots::{Plot, PlotFormat, line_profile};
use crate::recipe::Recipe;
use crate::recipe::titles::numbered;
use crate::steps::generate::Midpoint;
use crate::viewer::build::playback::{Player, SPEEDS};
use crate::viewer::panel::controls::keyboard;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// Height of the timeline, and minimum height of the line's plot with its title and buttons, logical pixels.
const TIMELINE: f32 = 26.0;
const PLOT: f32 = 150.0;

/// A panel at least this wide has the line's plot next to the controls, over a share of its width; a narrower
/// one has it below them. Logical pixels.
const WIDE: f32 = 640.0;
const PLOT_SHARE: f32 = 0.42;

/// Length of the map's longer side. A panel at least this wide has the map next to the controls. Logical
/// pixels.
const MAP: f32 = 96.0;
const WIDE_FOR_MAP: f32 = 540.0;

/// Space on both sides of a step's title on the timeline, logical pixels.
const MARGIN: f32 = 4.0;

/// Colours of neighbouring steps on the timeline.
const SEGMENTS: [Color32; 2] = [Color32::from_rgb(0x24, 0x41, 0x5a), Color32::from_rgb(0x4d, 0x5f, 0x4a)];

/// Draws the player. `eye` is metres east and south of the land's middle. Returns the plot to write to a
/// file, and its format.
pub(crate) fn show(ui: &mut egui::Ui, player: &mut Player, eye: Vec2) -> Option<(Plot, PlotFormat)> {
    if let Some(reason) = player.failed() {
        ui.label(RichText::new(reason).color(style::error(ui)));
        return None;
    }
    if player.frame().is_none() {
        ui.horizontal(|ui| {
            ui.spinner();
            ui.label(
                RichText::new("building the land with few samples, and recording every step")
                    .color(style::quiet(ui)),
            );
        });
        return None;
    }
    let Some(line) = line_of(player) else {
        build(ui, player, eye);
        return None;
    };
    // As high as the visible part of the panel, because inside a scroll area the available height is
    // unlimited.
    let space = vec2(ui.available_width(), (ui.clip_rect().height() - 2.0 * MARGIN).max(PLOT));
    if space.x < WIDE {
        build(ui, player, eye);
        return draw_line(ui, line, PLOT);
    }
    // Below the controls, the user would have to scroll to it, because the panel is initially only as high as
    // these.
    ui.horizontal_top(|ui| {
        let plot_width = PLOT_SHARE * space.x;
        let build_width = space.x - plot_width - 2.0 * ui.spacing().item_spacing.x;
        ui.allocate_ui(vec2(build_width, space.y), |ui| {
            ui.vertical(|ui| {
                ui.set_width(build_width);
                build(ui, player, eye);
            });
        });
        ui.add_space(ui.spacing().item_spacing.x);
        ui.vertical(|ui| draw_line(ui, line, space.y)).inner
    })
    .inner
}

/// The caption, the timeline, the controls, and what the frame changes.
fn build(ui: &mut egui::Ui, player: &mut Player, eye: Vec2) {
    style::lasting(ui, "caption", |ui| caption(ui, player));
    timeline(ui, player);
    let width = ui.available_width();
    let is_beside = player.shows_changes && width >= WIDE_FOR_MAP;
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            ui.set_width(if is_beside { width - MAP - ui.spacing().item_spacing.x } else { width });
            controls(ui, player);
            style::lasting(ui, "legend", |ui| legend(ui, player));
            about(ui, player);
        });
        if is_beside {
            map(ui, player, eye);
        }
    });
    if player.shows_changes && !is_beside {
        map(ui, player, eye);
    }
}

/// How much of the land the frame has raised and lowered.
fn legend(ui: &mut egui::Ui, player: &mut Player) {
    if !player.shows_changes {
        return;
    }
    let Some((change, _)) = player.change(ui.ctx()) else { return };
    let parts = change.describe();
    if parts.is_empty() {
        ui.label(RichText::new("changes nothing").color(style::quiet(ui)).size(style::points(ui, 12.0)));
    }
    // In one row where there is room, so that the formula below stays visible.
    ui.horizontal_wrapped(|ui| {
        for ([r, g, b], text) in parts {
            let (place, _) = ui.allocate_exact_size(vec2(12.0, 12.0), egui::Sense::hover());
            ui.painter().rect_filled(place, 2.0, Color32::from_rgb(r, g, b));
            ui.label(RichText::new(text).size(style::points(ui, 12.0)));
            ui.add_space(8.0);
        }
    });
}

/// A map of what the frame changes on the whole land, including what the camera doesn't see.
fn map(ui: &mut egui::Ui, player: &mut Player, eye: Vec2) {
    let is_endless = player.recipe().is_some_and(|recipe| recipe.unit.is_some());
    let Some((change, picture)) = player.change(ui.ctx()) else { return };
    let extent = change.extent().max(Vec2::splat(f32::MIN_POSITIVE));
    let size = (extent * (MAP / extent.max_element())).max(Vec2::ONE);
    let (place, response) = ui.allocate_exact_size(vec2(size.x, size.y), egui::Sense::hover());
    egui::Image::new(picture).paint_at(ui, place);
    let name = "Map of what the frame changes";
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, name));
    // One unit of endless land is recorded, wherever the camera is.
    let at = eye / extent + 0.5;
    if !is_endless && at.min_element() >= 0.0 && at.max_element() <= 1.0 {
        let at = place.min + vec2(at.x, at.y) * place.size();
        ui.painter().circle(at, 3.0, Color32::WHITE, egui::Stroke::new(1.5, Color32::BLACK));
    }
    let here = response.hover_pos().map(|pointer| {
        let share = (pointer - place.min) / place.size();
        format!("{:+.1} m here\n", change.at(Vec2::new(share.x, share.y))).replace('-', "−")
    });
    let tip = format!(
        "{}The whole land from above, north at the top: red where the frame raises it, blue where it lowers it, a dark line where the change jumps, as at a fault. The dot is your position.",
        here.unwrap_or_default()
    );
    response.on_hover_text_at_pointer(tip);
}

/// Which step, after which round.
fn caption(ui: &mut egui::Ui, player: &Player) {
    let (Some(frame), Some(step)) = (player.frame(), player.recording().step_of(player.at())) else { return };
    ui.horizontal(|ui| {
        ui.label(RichText::new(numbered(step.index, step.title)).strong());
        let moment = match frame.moment.what {
            crate::Moment::RESULT => "its result, blended into the land".to_owned(),
            _ => frame.moment.to_string(),
        };
        ui.label(RichText::new(moment).color(style::good(ui)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let text = format!("frame {} of {}", player.at() + 1, player.recording().frames().len());
            ui.label(RichText::new(text).color(style::quiet(ui)));
            if player.is_recording() {
                ui.spinner();
            }
        });
    });
}

/// A bar for the whole recipe, with a part for each step; a click or a drag goes to that frame.
fn timeline(ui: &mut egui::Ui, player: &mut Player) {
    let size = vec2(ui.available_width(), TIMELINE);
    let (place, response) = ui.allocate_exact_size(size, egui::Sense::click_and_drag());
    let count = player.recording().frames().len().max(1);
    let x_of = |frame: usize| place.left() + place.width() * frame as f32 / count as f32;
    let painter = ui.painter_at(place);
    painter.rect_filled(place, 3.0, ui.visuals().extreme_bg_color);
    for (number, step) in player.recording().steps().iter().enumerate() {
        let part =
            egui::Rect::from_x_y_ranges(x_of(step.frames.start)..=x_of(step.frames.end), place.y_range());
        painter.rect_filled(part.shrink2(vec2(0.5, 0.0)), 2.0, SEGMENTS[number % 2]);
        let colour = Color32::from_rgb(0xcf, 0xd5, 0xd9);
        let painter = painter.with_clip_rect(part);
        // If the title has no space, its number in the list is shown, or nothing.
        let number = (step.index + 1).to_string();
        let font = style::font(ui, 11.0);
        let texts = [numbered(step.index, step.title), number]
            .map(|text| painter.layout_no_wrap(text, font.clone(), colour));
        let Some(text) = texts.into_iter().find(|text| text.size().x + 2.0 * MARGIN < part.width()) else {
            continue;
        };
        painter.galley(pos2(part.left() + MARGIN, part.center().y - text.size().y / 2.0), text, colour);
    }
    let x = (x_of(player.at()) + x_of(player.at() + 1)) / 2.0;
    let bar = egui::Rect::from_center_size(pos2(x, place.center().y), vec2(3.0, place.height()));
    painter.rect_filled(bar, 1.0, Color32::WHITE);
    if let Some(pointer) = response.interact_pointer_pos() {
        let share = ((pointer.x - place.left()) / place.width().max(1.0)).clamp(0.0, 1.0);
        player.is_playing = false;
        player.go_to((share * count as f32) as usize);
    }
    let steps = keyboard::steps(ui, &response).x;
    if steps != 0.0 {
        player.step(steps as isize);
    }
    keyboard::ring(ui, place, &response);
    let at = player.at() as f64 + 1.0;
    response.widget_info(|| egui::WidgetInfo::slider(true, at, "Frame of the build"));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_min_numeric_value(1.0);
        node.set_max_numeric_value(count as f64);
    });
    let under = response.hover_pos().and_then(|pointer| {
        let share = ((pointer.x - place.left()) / place.width().max(1.0)).clamp(0.0, 1.0);
        let frame = ((share * count as f32) as usize).min(count - 1);
        player.recording().step_of(frame).map(|step| format!("{}\n", numbered(step.index, step.title)))
    });
    let tip = format!("{}Drag to any moment of the build", under.unwrap_or_default());
    response.on_hover_text_at_pointer(tip);
}

fn controls(ui: &mut egui::Ui, player: &mut Player) {
    ui.horizontal(|ui| {
        let button = |ui: &mut egui::Ui, text, tip| {
            style::sign(ui.add(egui::Button::new(text).min_size(vec2(26.0, 22.0))), tip).clicked()
        };
        if button(ui, "⏮", "Previous step") {
            player.skip(false);
        }
        if button(ui, "◀", "Previous frame (←)") {
            player.step(-1);
        }
        let (text, tip) = if player.is_playing { ("⏸", "Pause (Space)") } else { ("▶", "Play (Space)") };
        if button(ui, text, tip) {
            player.toggle();
        }
        if button(ui, "▶|", "Next frame (→)") {
            player.step(1);
        }
        if button(ui, "⏭", "Next step") {
            player.skip(true);
        }
        ui.add_space(8.0);
        let slider = egui::Slider::new(&mut player.speed, SPEEDS).logarithmic(true).suffix(" /s").max_decimals(1);
        style::called(ui.add(slider).tip("Frames per second"), "Frames per second");
        ui.checkbox(&mut player.shows_changes, "show changes").tip(
            "Red was raised since the previous frame, blue was lowered, white is unchanged, and a dark line is where \
             the change jumps, as at a fault. The result of a step shows the change by the whole step. When off, \
             the ground has its own colours.",
        );
    });
}

/// What the step does.
fn about(ui: &mut egui::Ui, player: &Player) {
    let index = player.recording().step_of(player.at()).map(|step| step.index);
    let found = index.and_then(|index| {
        let recipe = player.recipe()?;
        Some((recipe.steps.get(index)?, recipe.formula_of(index)))
    });
    if let Some((step, formula)) = found {
        if let Some(formula) = formula {
            ui.label(RichText::new(formula).monospace().size(style::points(ui, 12.0)));
        }
        let about = crate::params::Params::doc(step).split_whitespace().collect::<Vec<_>>().join(" ");
        ui.label(RichText::new(about).color(style::quiet(ui)).size(style::points(ui, 12.0)));
    }
}

/// Draws the line of a midpoint displacement, below a row with its title and the buttons that write it;
/// `height` is that of both. Returns the line and a format if the user wants to write it to a file.
fn draw_line(ui: &mut egui::Ui, line: Plot, height: f32) -> Option<(Plot, PlotFormat)> {
    let top = ui.cursor().top();
    let kept = plots::keep(ui, &line);
    let height = height - (ui.cursor().top() - top);
    let points = line.series.first().map(|series| series.points.clone()).unwrap_or_default();
    let plot =
        egui_plot::Plot::new("line").height(height).allow_scroll(false).allow_drag(false).allow_zoom(false);
    let plot = plot.x_axis_label("metres across the ridges").y_axis_label("height, metres");
    let plot = plot.x_grid_spacer(plots::even_steps_across).y_grid_spacer(plots::even_steps);
    let plot = plot.label_formatter(|hovered| Some(plots::read(&line, hovered)));
    let (line_colour, point_colour) = (style::accent_line(ui.visuals()), style::good(ui));
    plot.show(ui, |into| {
        let line = egui_plot::Line::new("line", points.clone()).color(line_colour).width(1.6);
        into.line(line);
        if points.len() <= 65 {
            into.points(egui_plot::Points::new("ends", points).color(point_colour).radius(2.5));
        }
    });
    kept.map(|format| (line, format))
}

/// The line of a midpoint displacement that the land begins with: after the level that is shown, or complete
/// while later steps are shown.
fn line_of(player: &Player) -> Option<Plot> {
    let frame = player.frame()?;
    let mut recipe: Recipe = player.recipe()?.clone();
    let (index, step) = recipe.done().next()?;
    let midpoint = step.operation_as::<Midpoint>()?;
    let is_later = frame.moment.step?.0 != index;
    let levels =
        if !is_later && frame.moment.what == "level" { frame.moment.number as u32 } else { midpoint.levels };
    recipe.set(&format!("steps.{index}.levels"), &levels.to_string()).ok()?;
    let (heights, length) = recipe.line()?;
    let mut line = line_profile(&heights, length).ok()?;
    let title = if is_later {
        "The line across the ridges, before later steps"
    } else {
        "The line across the ridges"
    };
    line.title = title.to_owned();
    Some(line)
}

#[test]
fn colours_of_neighbouring_steps_can_be_told_apart() {
    use crate::math::vision::{CATEGORIES, all_apart, linear};
    let colours = SEGMENTS.map(|colour| linear([colour.r(), colour.g(), colour.b()]));
    assert_eq!(all_apart(&colours, CATEGORIES), Ok(()));
}
