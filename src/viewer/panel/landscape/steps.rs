//! The stack of steps: each can be unfolded, switched off, shown alone, dragged, copied, duplicated and
//! removed, and groups with their steps.

use bevy::math::Vec2;
use bevy_egui::egui::{self, RichText, vec2};

use super::add_step;
use super::course::{self, Course};
use crate::grid::LayerInfo;
use crate::params::{Name, Params};
use crate::plugin::TerrainGround;
use crate::recipe::titles::{numbered, title_among};
use crate::recipe::{Mask, MaskKind, Recipe, Step};
use crate::steps::stack::Group;
use crate::texture::factors;
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::document::Document;
use crate::viewer::files::recent::FileToRead;
use crate::viewer::panel::controls::parameters::{self, Names, Usual};
use crate::viewer::panel::controls::reorder::{self, toggle};
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::tools::point_editor::has_points;

/// A change of the stack.
enum Change {
    Move(usize, usize),
    Double(usize),
    Remove(usize),
    /// Puts a step into a group of its own.
    Group(usize),
    /// Removes a group but not its steps.
    Ungroup(usize),
}

/// What rows are asked for by clicks, until all of them have been drawn.
#[derive(Default)]
struct Asked {
    change: Option<Change>,
    /// The step to copy to the clipboard, a group with its steps.
    copy: Option<usize>,
    /// The place of steps from the clipboard.
    paste: Option<usize>,
}

/// The list that a step is dragged in.
struct StepRows;

const DRAG_TIP: &str = "Drag to reorder. Each step works on the result of those above it.";
const SOLO_TIP: &str = "Solo: show only this step; filters and rivers together with the steps before them";
/// Size of a step's picture, logical pixels.
const PICTURE: egui::Vec2 = vec2(35.0, 22.0);
/// How much farther in the steps of a group stand, logical pixels, and up to how many groups in each other.
const INSIDE: f32 = 12.0;
const DEEPEST: usize = 6;

/// Draws the stack of a recipe whose land is `ground`; `drawn` is the step whose points are set by clicks on
/// the land.
pub(crate) fn show(
    ui: &mut egui::Ui,
    (document, ground): (&mut Document, Option<&TerrainGround>),
    view: &mut StackView,
    drawn: &mut Option<usize>,
    actions: &mut ActionQueue,
) {
    view.receive(ui.ctx());
    view.follow(document.origin_number(), &document.recipe.steps);
    let notes = notes(&document.recipe, ground);
    // The previous route on another land would be described with heights that it never had.
    let is_searching = !view.routes.is_current();
    let found: Vec<Option<Vec<Vec2>>> = (0..document.recipe.steps.len())
        .map(|index| view.routes.points(&document.recipe, index).filter(|_| !is_searching).map(<[_]>::to_vec))
        .collect();
    let course = |(index, found): (usize, &Option<Vec<Vec2>>)| {
        Course::of(&document.recipe, index, ground?, found.as_deref())
    };
    let courses: Vec<Option<Course>> = found.iter().enumerate().map(course).collect();
    let is_endless = document.recipe.unit.is_some();
    let mut asked = Asked::default();
    let mut rows = Vec::new();
    let has_room = |more: usize| document.recipe.check_room(more).is_ok();
    let can_group = has_room(2);
    let can_double: Vec<bool> =
        (0..document.recipe.steps.len()).map(|index| has_room(document.recipe.span(index).len())).collect();
    let layers = document.recipe.layers();
    let depths = document.recipe.depths();
    let steps = &mut document.recipe.steps;
    let count = steps.len();
    let names: Vec<String> = (0..count).map(|index| title_among(steps, index)).collect();
    let heights = ground.map(TerrainGround::height_range);
    for (index, (step, key)) in steps.iter_mut().zip(view.keys()).enumerate() {
        let course = courses[index].as_ref().zip(ground);
        let found = found[index].as_deref();
        let name = &names[index];
        let place = Place {
            index,
            count,
            can_double: can_double[index],
            can_group,
            name,
            layers: &layers,
            heights,
            course,
            is_endless,
            is_searching,
            found,
        };
        // Its key makes the fold state and the focus move with the step.
        let row = style::lasting(ui, &format!("step {key}"), |ui| {
            let frame = egui::Frame::group(ui.style()).inner_margin(6.0);
            // What a group holds stands farther in, as far as there is room.
            let inside = INSIDE * depths[index].min(DEEPEST) as f32;
            let frame = frame.outer_margin(egui::Margin { left: inside as i8, ..egui::Margin::ZERO });
            frame.show(ui, |ui| {
                ui.set_width(ui.available_width());
                one(ui, step, &place, view, &mut asked, drawn);
                for (_, note) in notes.iter().filter(|note| note.0 == index) {
                    let note = RichText::new(note).color(style::quiet(ui)).size(style::points(ui, 11.0));
                    ui.add(egui::Label::new(note).wrap());
                }
            })
        });
        if view.added == Some(index) {
            // A row only has its full height after it has been drawn unfolded.
            row.response.scroll_to_me(Some(egui::Align::TOP));
            view.added = None;
        }
        rows.push(row.response.rect);
    }
    if let Some((from, to)) = reorder::dropped::<StepRows>(ui, &rows) {
        asked.change = Some(Change::Move(from, to));
    }
    style::lasting(ui, "below the steps", |ui| {
        ui.horizontal_wrapped(|ui| {
            add_step::add(ui, actions);
            let count = document.recipe.steps.len();
            let tip = "Paste steps from the clipboard at the end (copied here, or from a recipe file)";
            if ui.button("Paste").tip(tip).clicked() {
                asked.paste = Some(count);
            }
            if view.solo.is_some_and(|solo| solo < count)
                && ui.button("Show all").tip("End solo: show the whole land again").clicked()
            {
                view.solo = None;
            }
        });
    });
    if asked.change.is_some() || asked.paste.is_some() {
        // Its index may now belong to another step.
        *drawn = None;
    }
    if let Some(index) = asked.copy {
        let recipe = &document.recipe;
        if let Ok(text) = Step::list_to_ron(&recipe.steps[recipe.span(index)]) {
            ui.ctx().copy_text(text);
        }
    }
    if let Some(change) = asked.change {
        carry_out(&change, document, view);
    }
    if let Some(place) = asked.paste {
        actions.send(Action::Paste(place));
    }
}

/// Changes the stack.
fn carry_out(change: &Change, document: &mut Document, view: &mut StackView) {
    // Earlier changes are a separate step of the history.
    document.settle();
    let recipe = &mut document.recipe;
    match *change {
        Change::Move(from, to) => {
            let label = format!("moved {}", title_among(&recipe.steps, from));
            let moves = recipe.moves(from, to);
            document.change_as(label, |recipe| {
                for (from, to) in &moves {
                    let step = recipe.steps.remove(*from);
                    recipe.steps.insert(*to, step);
                }
            });
            moves.into_iter().for_each(|(from, to)| view.moved(from, to));
        }
        Change::Double(index) => {
            let after = recipe.span(index).end;
            for (number, double) in recipe.double(index).into_iter().enumerate() {
                view.inserted(after + number, &double);
                recipe.steps.insert(after + number, double);
            }
        }
        Change::Remove(index) => {
            for index in recipe.span(index).rev() {
                recipe.steps.remove(index);
                view.removed(index);
            }
        }
        Change::Group(index) => {
            let span = recipe.span(index);
            let [begin, end] = Recipe::empty_group();
            for (place, step) in [(span.end, end), (span.start, begin)] {
                view.inserted(place, &step);
                recipe.steps.insert(place, step);
            }
        }
        Change::Ungroup(index) => {
            let span = recipe.span(index);
            let has_end = recipe.steps[span.end - 1].closes_group();
            for index in has_end.then_some(span.end - 1).into_iter().chain([span.start]) {
                recipe.steps.remove(index);
                view.removed(index);
            }
        }
    }
}

/// A step's place in the list, and what its row shows.
struct Place<'a> {
    index: usize,
    /// The number of steps.
    count: usize,
    /// Whether there is room for a copy of it, of a group with its steps.
    can_double: bool,
    /// Whether there is room for a group around it.
    can_group: bool,
    /// A name that distinguishes the step from all others.
    name: &'a str,
    /// The layers that steps of the recipe write.
    layers: &'a [String],
    /// The lowest and the highest height of the land, metres, if known.
    heights: Option<(f32, f32)>,
    /// The course of the step's river or road, and the land.
    course: Option<(&'a Course, &'a TerrainGround)>,
    /// Whether the land is endless.
    is_endless: bool,
    /// The points of the route that the road has found which the step makes.
    found: Option<&'a [Vec2]>,
    /// Whether the routes of roads are not known yet, because the land is built or they are looked up.
    is_searching: bool,
}

/// Warnings about the steps and about their effect on the land, with their indices.
fn notes(recipe: &Recipe, ground: Option<&TerrainGround>) -> Vec<(usize, String)> {
    let mut notes = recipe.notes();
    if let Some(land) = ground.map(|ground| &ground.landscape) {
        notes.extend(recipe.notes_on(&land.heightfield, &land.rivers));
    }
    notes
}

fn one(
    ui: &mut egui::Ui,
    step: &mut Step,
    place: &Place,
    view: &mut StackView,
    asked: &mut Asked,
    drawn: &mut Option<usize>,
) {
    let Place { index, name, layers, heights, course, is_endless, is_searching, found, .. } = *place;
    if step.closes_group() {
        end_of_group(ui, step, place, view, asked);
        return;
    }
    let id = ui.make_persistent_id("step");
    let mut header =
        egui::collapsing_header::CollapsingState::load_with_default_open(ui.ctx(), id, index == 0);
    if view.added == Some(index) {
        header.set_open(true);
    }
    let unfold = format!("Unfold {name}");
    let (toggle_button, ..) = header
        .show_header(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            reorder::handle::<StepRows>(ui, index, DRAG_TIP);
            let runs = format!("{name} enabled");
            let tick = ui.checkbox(&mut step.mixing.on, "").tip("Enables the step");
            style::called(tick, &runs);
            picture(ui, view, index);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                menu(ui, step, place, asked);
                let mut solo = view.solo == Some(index);
                if toggle(ui, &mut solo, "S", SOLO_TIP) {
                    view.solo = solo.then_some(index);
                }
                time(ui, view, index);
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let title = RichText::new(numbered(index, shown_title(step)));
                    let is_shown = step.mixing.on && view.solo.is_none_or(|solo| solo == index);
                    let title = if is_shown { title } else { title.color(style::quiet(ui)) };
                    let title = if step.mixing.on { title } else { title.strikethrough() };
                    let tip = format!("{}\n{}", step.title(), step.doc());
                    ui.add(egui::Label::new(title).truncate().selectable(false)).tip(tip);
                });
            });
        })
        .body_unindented(|ui| {
            draw_on_land(ui, step, index, drawn);
            if let Some((course, ground)) = course {
                course::show(ui, index, course, ground, view);
            }
            if course::show_found(ui, step, (is_endless, is_searching), found) {
                *drawn = Some(index);
            }
            let now = step.clone();
            let unit = unit_of_mask(&now.mask);
            let factors: Vec<String> = factors::names().into_iter().map(String::from).collect();
            parameters::show_usual(ui, step, |name| name != "on" && now.uses(name), &|param| {
                let is_limit = ["mask_min", "mask_max", "mask_release"].contains(&param.name);
                let has_strokes = now.name() == "strokes" && param.name == "file";
                let is_height = param.unlimited.is_some() && (param.unit == "m" || is_limit && unit == "m");
                let names = match param.name {
                    "mask_layer" => Some(Names { all: layers, none: "No step writes a layer", open: false }),
                    "mask_factor" => Some(Names { all: &factors, none: "There are no factors", open: false }),
                    _ => None,
                };
                Usual {
                    unit: is_limit.then_some(unit),
                    file: has_strokes.then_some(FileToRead::Strokes),
                    range: heights.filter(|_| is_height).map(|(low, high)| low..=high),
                    names,
                    ..Usual::default()
                }
            });
            let is_unset = step.mask.mask == MaskKind::Factor && step.mask.mask_factor.as_str().is_empty();
            if let Some(first) = factors.first().filter(|_| is_unset) {
                step.mask.mask_factor = Name::new(first.clone()).unwrap_or_default();
            }
            let is_nameless = step.mask.mask == MaskKind::Layer && step.mask.mask_layer.as_str().is_empty();
            if let Some(first) = layers.first().filter(|_| is_nameless) {
                step.mask.mask_layer = Name::new(first.clone()).unwrap_or_default();
            }
        });
    style::unfolds(toggle_button, &unfold);
}

/// The title of a step, or the name that a group has been given.
fn shown_title(step: &Step) -> &str {
    let name = step.operation_as::<Group>().map(|group| group.name.trim());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| step.title())
}

/// The row of a step that ends a group: it has nothing to set.
fn end_of_group(ui: &mut egui::Ui, step: &Step, place: &Place, view: &StackView, asked: &mut Asked) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        reorder::handle::<StepRows>(ui, place.index, "Drag to end the group earlier or later");
        picture(ui, view, place.index);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            menu(ui, step, place, asked);
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let title = RichText::new(numbered(place.index, step.title())).color(style::quiet(ui));
                ui.add(egui::Label::new(title).truncate().selectable(false)).tip(step.doc());
            });
        });
    });
}

fn menu(ui: &mut egui::Ui, step: &Step, place: &Place, asked: &mut Asked) {
    let Place { index, count, can_double, can_group, .. } = *place;
    let is_group = step.opens_group() || step.closes_group();
    let menu = ui.menu_button("☰", |ui| {
        let mut change = None;
        let mut item = |ui: &mut egui::Ui, enabled, text: &str, wanted| {
            if ui.add_enabled(enabled, egui::Button::new(text)).clicked() {
                change = Some(wanted);
            }
        };
        item(ui, index > 0, "⏶  Move up", Change::Move(index, index.saturating_sub(1)));
        item(ui, index + 1 < count, "⏷  Move down", Change::Move(index, index + 1));
        item(ui, can_double, "➕  Duplicate", Change::Double(index));
        let tip = match is_group {
            true => "Copy the group with its steps as text, as in a recipe file",
            false => "Copy the step as text, as in a recipe file",
        };
        if ui.button("🗐  Copy").tip(tip).clicked() {
            asked.copy = Some(index);
        }
        if ui.button("📋  Paste below").clicked() {
            asked.paste = Some(index + 1);
        }
        if is_group {
            item(ui, true, "🗁  Ungroup", Change::Ungroup(index));
            item(ui, true, "✖  Remove with its steps", Change::Remove(index));
        } else {
            item(ui, can_group, "🗀  Put into a group", Change::Group(index));
            item(ui, true, "✖  Remove", Change::Remove(index));
        }
        asked.change = change.or(asked.change.take());
    });
    let tip = match is_group {
        true => "Move, copy, duplicate or remove this group",
        false => "Move, copy, duplicate, group or remove this step",
    };
    style::sign(menu.response, tip);
}

/// A picture of the land after the step, from above.
fn picture(ui: &mut egui::Ui, view: &StackView, index: usize) {
    let (place, response) = ui.allocate_exact_size(PICTURE, egui::Sense::hover());
    ui.painter().rect_filled(place, 2.0, ui.visuals().extreme_bg_color);
    let Some(look) = view.look(index) else {
        if let Some(reason) = view.left_out() {
            response.on_hover_text(reason);
        }
        return;
    };
    egui::Image::new(&look.picture).corner_radius(2.0).paint_at(ui, place);
    response.on_hover_ui(|ui| {
        ui.label("The land after this step, from above, north at the top");
        ui.add(egui::Image::new(&look.picture).fit_to_exact_size(vec2(240.0, 150.0)));
    });
}

/// The time that the step took.
fn time(ui: &mut egui::Ui, view: &StackView, index: usize) {
    let Some(look) = view.look(index) else { return };
    let of_samples =
        format!("For {} samples; the time grows at least in proportion to their number", look.samples);
    let text = RichText::new(short_time(look.seconds)).color(style::quiet(ui)).size(style::points(ui, 11.0));
    ui.label(text).tip(of_samples);
}

fn short_time(seconds: f32) -> String {
    match seconds * 1e3 {
        ..0.95 => format!("{:.1} ms", seconds * 1e3),
        ..950.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}

/// The button for drawing the points of a step.
fn draw_on_land(ui: &mut egui::Ui, step: &Step, index: usize, drawn: &mut Option<usize>) {
    if !has_points(step) {
        return;
    }
    let mut on = *drawn == Some(index);
    let tip = "Set, move and remove its points by clicks on the land";
    if ui.toggle_value(&mut on, "✏  Draw on the land").tip(tip).changed() {
        *drawn = on.then_some(index);
    }
    if on {
        let hint = "Click on the land to add a point, or on the line to insert one. Drag a point to move it; a \
                    right click removes it, or elsewhere the last one. Enter or Esc finishes. The middle mouse \
                    button looks around.";
        ui.label(egui::RichText::new(hint).color(style::quiet(ui)));
    }
}

/// The unit of the values that a mask depends on.
fn unit_of_mask(mask: &Mask) -> &'static str {
    match mask.mask {
        MaskKind::Height => "m",
        MaskKind::Slope | MaskKind::Aspect => "°",
        MaskKind::Layer => LayerInfo::unit_of(mask.mask_layer.as_str()),
        MaskKind::None | MaskKind::Factor | MaskKind::Noise | MaskKind::Image => "",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bevy_egui::egui::accesskit::Role;

    use super::*;
    use crate::Landscape;
    use crate::compute::work::Work;

    fn document(steps: &str) -> Document {
        let text = format!("(version: 1, name: \"Hills\", size: (33, 33), cell: 30.0, steps: [{steps}])");
        Document::new(Recipe::from_ron(&text, "hills.ron").unwrap(), None)
    }

    /// Draws the stack; returns its controls, by role and name.
    fn controls(
        context: &egui::Context,
        document: &mut Document,
        view: &mut StackView,
    ) -> Vec<(Role, String)> {
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            show(ui, (document, None), view, &mut None, &mut ActionQueue::default());
        });
        // Nothing is drawn, so the font's texture is not needed.
        output.textures_delta.clear();
        let update = output.platform_output.accesskit_update.expect("it is on");
        let named = update.nodes.iter().filter_map(|(_, node)| Some((node.role(), node.label()?.to_owned())));
        named.collect()
    }

    #[test]
    fn equal_steps_have_different_names() {
        let (mut document, mut view) = (document("fbm(), gaussian(), fbm()"), StackView::default());
        let context = egui::Context::default();
        context.enable_accesskit();
        let controls = controls(&context, &mut document, &mut view);
        for name in [
            "Unfold Fractional Brownian motion (step 1)",
            "Unfold Gaussian",
            "Unfold Fractional Brownian motion (step 3)",
            "Fractional Brownian motion (step 3) enabled",
        ] {
            let count = controls.iter().filter(|(_, other)| other == name).count();
            assert_eq!(count, 1, "{name} in {controls:?}");
        }
    }

    #[test]
    fn steps_stay_open_or_closed_wherever_they_move() {
        let (mut document, mut view) = (document("fbm(), gaussian(), terrace()"), StackView::default());
        let context = egui::Context::default();
        context.enable_accesskit();
        let seen = |document: &mut Document, view: &mut StackView| {
            let controls = controls(&context, document, view);
            ["octaves", "sigma"].map(|name| {
                let sliders = controls.iter().filter(|(role, other)| *role == Role::Slider && other == name);
                sliders.count()
            })
        };
        // The first step is open from the start.
        let only_first = [1, 0];
        assert_eq!(seen(&mut document, &mut view), only_first);
        carry_out(&Change::Move(0, 2), &mut document, &mut view);
        assert_eq!(seen(&mut document, &mut view), only_first, "moved");
        document.undo();
        assert_eq!(seen(&mut document, &mut view), only_first, "undone");
        carry_out(&Change::Double(0), &mut document, &mut view);
        assert_eq!(seen(&mut document, &mut view), only_first, "duplicated");
        document.undo();
        assert_eq!(seen(&mut document, &mut view), only_first, "undone");
        carry_out(&Change::Remove(0), &mut document, &mut view);
        assert_eq!(seen(&mut document, &mut view), [0, 0], "the remaining ones were closed");
        document.undo();
        assert_eq!(seen(&mut document, &mut view), only_first, "it is back");
    }

    #[test]
    fn a_group_is_moved_copied_and_removed_with_its_steps() {
        let (mut document, mut view) =
            (document("fbm(), group(), terrace(), mean(), end(), invert()"), StackView::default());
        let context = egui::Context::default();
        context.enable_accesskit();
        let names =
            |document: &Document| document.recipe.steps.iter().map(Step::name).collect::<Vec<_>>().join(" ");
        let mut after = |change: Change| {
            controls(&context, &mut document, &mut view);
            let keys = view.keys();
            carry_out(&change, &mut document, &mut view);
            assert_eq!(view.keys().len(), document.recipe.steps.len());
            let found = names(&document);
            let again = view.keys();
            document.undo();
            controls(&context, &mut document, &mut view);
            // Two empty groups are alike, and either may be the one that was there.
            let rows = [0, 2, 3, 5];
            assert_eq!(
                rows.map(|row| view.keys()[row]),
                rows.map(|row| keys[row]),
                "{found}: they come back"
            );
            let kept = again.iter().filter(|key| keys.contains(key)).count();
            assert_eq!(kept, keys.len().min(again.len()), "{found}");
            found
        };
        assert_eq!(after(Change::Move(1, 2)), "fbm invert group terrace mean end");
        assert_eq!(after(Change::Move(1, 5)), "fbm invert group terrace mean end");
        assert_eq!(after(Change::Move(1, 0)), "group terrace mean end fbm invert");
        assert_eq!(after(Change::Move(4, 2)), "fbm group end terrace mean invert", "its end alone");
        assert_eq!(after(Change::Move(4, 0)), "fbm group end terrace mean invert", "not above its beginning");
        assert_eq!(after(Change::Move(5, 2)), "fbm group invert terrace mean end", "into the group");
        assert_eq!(after(Change::Double(1)), "fbm group terrace mean end group terrace mean end invert");
        assert_eq!(after(Change::Remove(1)), "fbm invert");
        assert_eq!(after(Change::Remove(4)), "fbm invert");
        assert_eq!(after(Change::Ungroup(1)), "fbm terrace mean invert");
        assert_eq!(after(Change::Group(0)), "group fbm end group terrace mean end invert");
        assert_eq!(after(Change::Group(2)), "fbm group group terrace end mean end invert");
    }

    #[test]
    fn the_history_names_the_step_that_was_moved() {
        let (mut document, mut view) = (document("fbm(), gaussian(), fbm()"), StackView::default());
        let last = |document: &Document| document.history().0.last().map(|label| (*label).to_owned());
        for (from, to, name) in [
            (1, 2, "Gaussian"),
            (2, 1, "Gaussian"),
            (0, 1, "Fractional Brownian motion (step 1)"),
            (1, 0, "Fractional Brownian motion (step 2)"),
        ] {
            carry_out(&Change::Move(from, to), &mut document, &mut view);
            assert_eq!(last(&document), Some(format!("moved {name}")));
        }
        // An earlier change in progress is a step of its own.
        document.recipe.seed = 9;
        carry_out(&Change::Move(0, 1), &mut document, &mut view);
        assert_eq!(document.history().0.len(), 7);
    }

    #[test]
    fn notes_mention_invisible_rivers() {
        let text = r#"(version: 1, name: "Island", size: (65, 65), cell: 30,
            steps: [flat(height: 300), island(), river()], water: (sea: true))"#;
        let recipe = Recipe::from_ron(text, "island.ron").unwrap();
        let (heightfield, rivers) = recipe.build_ground(&Work::new()).unwrap();
        let mut ground = TerrainGround::bare(heightfield.clone());
        let colour = ground.landscape.colour.clone();
        let land = Landscape::new(heightfield, colour);
        ground.landscape = Arc::new(Landscape { rivers, ..land });
        assert_eq!(notes(&recipe, None), []);
        let found = notes(&recipe, Some(&ground));
        assert!(found.len() == 1 && found[0].1.contains("below the sea"), "{found:?}");
    }

    #[test]
    fn the_limits_of_a_mask_have_the_unit_of_its_values() {
        let mut mask = Mask::default();
        let units = [MaskKind::Height, MaskKind::Slope, MaskKind::Layer].map(|kind| {
            mask.mask = kind;
            mask.mask_layer = crate::params::Name::new("flow").unwrap();
            unit_of_mask(&mask)
        });
        assert_eq!(units, ["m", "°", "km²"]);
    }

    #[test]
    fn times_are_short() {
        assert_eq!([0.0002, 0.0123, 0.4, 2.345].map(short_time), ["0.2 ms", "12 ms", "400 ms", "2.3 s"]);
    }
}
