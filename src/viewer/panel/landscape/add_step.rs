//! The list of all steps, from which new ones are added: by kind, or found by their names and descriptions.

use bevy_egui::egui::{self, RichText, vec2};

use crate::error::Result;
use crate::params::Params as _;
use crate::plugin::TerrainGround;
use crate::recipe::{Recipe, Step};
use crate::steps::{self, Kind};
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// The list of all steps, with a field to search it.
pub(super) fn add(ui: &mut egui::Ui, actions: &mut ActionQueue) {
    let id = ui.make_persistent_id("search steps");
    let no_room = actions.state.no_room.as_deref();
    let button = ui.add_enabled(no_room.is_none(), egui::Button::new("Add step …"));
    let button = button
        .tip("Land, filters and rivers, by name or description")
        .on_disabled_hover_text(no_room.unwrap_or_default());
    let popup = egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    popup.width(300.0).show(|ui| {
        let mut wanted: String = ui.memory(|memory| memory.data.get_temp(id)).unwrap_or_default();
        // Start with an empty search.
        if button.clicked() {
            wanted.clear();
        }
        let field = egui::TextEdit::singleline(&mut wanted).hint_text("search");
        let field = style::called(ui.add(field.desired_width(f32::INFINITY)), "Search steps");
        if button.clicked() {
            field.request_focus();
        }
        let take_first = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let mut chosen = None;
        let kinds = [
            (Kind::Generator, "Land"),
            (Kind::Filter, "Filters"),
            (Kind::Waterway, "Water"),
            (Kind::Group, "Groups of steps"),
        ];
        let mut all =
            kinds.map(|(kind, title)| (title, steps::of_kind(kind).map(Step::new).collect::<Vec<_>>()));
        if !wanted.trim().is_empty() {
            // The best first, of all kinds: Enter takes it.
            let all_kinds = all.into_iter().flat_map(|(_, steps)| steps);
            let best = best_first(all_kinds, &wanted);
            all = kinds.map(|_| ("", Vec::new()));
            all[0].1 = best;
        }
        egui::ScrollArea::vertical().max_height(420.0).auto_shrink([false, true]).show(ui, |ui| {
            let mut is_first = !wanted.trim().is_empty();
            if all.iter().all(|(_, steps)| steps.is_empty()) {
                ui.label(RichText::new("Nothing found").color(style::quiet(ui)));
            }
            for (title, steps) in all {
                if !title.is_empty() {
                    ui.label(RichText::new(title).color(style::quiet(ui)).size(style::points(ui, 11.0)));
                }
                for step in steps {
                    let button = egui::Button::selectable(is_first, step.title());
                    let clicked = ui.add(button.min_size(vec2(280.0, 0.0))).tip(step.doc()).clicked();
                    if clicked || (take_first && is_first) {
                        chosen = Some(step);
                    }
                    is_first = false;
                }
            }
        });
        if let Some(step) = chosen {
            actions.send(Action::AddStep(Box::new(step)));
            wanted.clear();
            ui.close();
        }
        ui.memory_mut(|memory| memory.data.insert_temp(id, wanted));
    });
}

/// Adds a step at the end, with numbers that suit the land.
///
/// # Errors
/// When the recipe has no room for it.
pub(crate) fn append(
    recipe: &mut Recipe,
    step: Step,
    ground: Option<&TerrainGround>,
    view: &mut StackView,
) -> Result<()> {
    let range = ground.map(TerrainGround::height_range);
    let mut with = recipe.clone();
    with.add_step(step, range);
    // More than one may have been added: groups that are still open are ended before a river.
    with.check_room(0)?;
    let (before, last) = (recipe.steps.len(), with.steps.len() - 1);
    *recipe = with;
    (before..=last).for_each(|index| view.inserted(index, &recipe.steps[index]));
    view.added = Some(last);
    Ok(())
}

/// The steps with all words of the search in their name, title or description, the best match first: those
/// whose title begins with the search, then those with the words in their title or name, then all others.
/// Shorter titles come first, such as "River" before "River erosion".
fn best_first(all: impl Iterator<Item = Step>, wanted: &str) -> Vec<Step> {
    let wanted = wanted.trim().to_lowercase();
    let fit = |step: &Step| {
        let title = step.title().to_lowercase();
        let names = format!("{title} {}", step.name());
        let about = format!("{names} {}", step.doc().to_lowercase());
        let is_in = |text: &str| wanted.split_whitespace().all(|word| text.contains(word));
        let rank = match () {
            () if title.starts_with(&wanted) => 0,
            () if is_in(&names) => 1,
            () if is_in(&about) => 2,
            () => return None,
        };
        Some((rank, title.chars().count()))
    };
    let mut found: Vec<_> = all.filter_map(|step| Some((fit(&step)?, step))).collect();
    found.sort_by_key(|(fit, _)| *fit);
    found.into_iter().map(|(_, step)| step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Heightfield;
    use crate::steps::generate::Fault;

    #[test]
    fn steps_are_found_by_name_title_and_description() {
        let found = |wanted: &str| {
            let all = steps::names().into_iter().filter_map(Step::from_name);
            best_first(all, wanted).iter().map(Step::name).collect::<Vec<_>>()
        };
        assert!(found("fbm").contains(&"fbm"));
        assert!(found("BROWN").contains(&"fbm"));
        assert!(found("diamond sq").contains(&"diamond_square"));
        assert!(found("no step is called so").is_empty());
        assert_eq!(
            ["river", "riv", "Island", " gauss", "erosion"].map(|wanted| found(wanted)[0]),
            ["river", "river", "island", "gaussian", "erode"]
        );
        // Descriptions that mention the word come after the names with it.
        let of_river = found("river");
        assert_eq!(of_river[1], "erode", "{of_river:?}");
        assert!(of_river.len() > 3, "{of_river:?}");
    }

    #[test]
    fn an_added_step_suits_the_land() {
        let mut view = StackView::default();
        let mut recipe = Recipe::new("Island", (9, 9), 30.0);
        let grid = recipe.grid().unwrap();
        let up_to = |highest: f32| {
            TerrainGround::bare(Heightfield::from_fn(grid, |column, _| column as f32 / 8.0 * highest))
        };
        let (low, high) = (up_to(50.0), up_to(3000.0));
        let mut start = |ground: Option<&TerrainGround>| {
            append(&mut recipe, Step::from_name("fault").unwrap(), ground, &mut view).unwrap();
            recipe.steps.last().and_then(|step| step.operation_as::<Fault>()).unwrap().start
        };
        let starts = [None, Some(&low), Some(&high), None].map(&mut start);
        assert!(starts[1] < starts[2] && starts[2] < starts[3] && starts[3] == starts[0], "{starts:?}");
        assert_eq!((view.added, recipe.steps.len()), (Some(3), 4));
    }
}
