//! The rules that place plants, rocks and objects on the land.

use bevy_egui::egui::{self, RichText};

use crate::params::Param;
use crate::plants::Kind;
use crate::plugin::{Quality, TerrainScatterStatistics, drawn_up_to};
use crate::recipe::Recipe;
use crate::scatter::{MOST_RULES, Rule};
use crate::shown::shown_in_line;
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::parameters::{self, Names, Usual};
use crate::viewer::panel::controls::quality::say_hidden;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::panel::edited::MOST_LETTERS;

/// What stands on the land now.
#[derive(Clone, Copy)]
pub(crate) struct Scattered<'a> {
    pub statistics: &'a TerrainScatterStatistics,
    /// Milliseconds of a frame that it takes, on all lands.
    pub systems_ms: f32,
    /// The share of the search for the nearest object that is done, if one runs.
    pub search: Option<f32>,
}

/// Facts about the land and how it is drawn.
pub(crate) struct ScatterContext<'a> {
    /// Numbers of the objects that are placed now.
    pub scattered: Scattered<'a>,
    /// The quality that the window draws with.
    pub quality: Quality,
    /// The lowest and the highest height, metres, if known.
    pub heights: Option<(f32, f32)>,
}

/// Choices for the lists of a rule.
struct RuleChoices {
    /// The objects that upland can draw.
    objects: Vec<String>,
    /// The terrain types of the texture.
    types: Vec<String>,
    /// The layers that the steps write.
    layers: Vec<String>,
    heights: Option<(f32, f32)>,
}

/// Draws the switch for all rules, and each rule with its parameters.
pub(crate) fn show(
    ui: &mut egui::Ui,
    recipe: &mut Recipe,
    known: &ScatterContext,
    actions: &mut ActionQueue,
) {
    let mut is_drawn = !recipe.bare;
    let tip = "Show or hide the objects that the rules place";
    if ui.checkbox(&mut is_drawn, "Draw plants and rocks").tip(tip).changed() {
        recipe.bare = !is_drawn;
    }
    if recipe.scatter.is_empty() {
        ui.label(
            RichText::new("There are no rules yet. Each rule places plants or rocks of one kind.")
                .color(style::quiet(ui)),
        );
    }
    let mut gone = None;
    let offered = RuleChoices {
        objects: Kind::ALL.map(|kind| kind.name().to_owned()).into(),
        types: recipe.texture.texture().all_types().into_iter().map(|kind| kind.name).collect(),
        layers: recipe.layers(),
        heights: known.heights,
    };
    for (number, rule) in recipe.scatter.iter_mut().enumerate() {
        ui.push_id(number, |ui| {
            if one(ui, rule, &offered) {
                gone = Some(number);
            }
        });
    }
    if let Some(number) = gone {
        recipe.scatter.remove(number);
    }
    let tip = "Adds a rule at the end of the list; objects of earlier rules are placed first";
    let add = ui.add_enabled(recipe.scatter.len() < MOST_RULES, egui::Button::new("Add a rule"));
    let full = format!("A recipe can have at most {MOST_RULES} rules; remove one first");
    if add.tip(tip).on_disabled_hover_text(full).clicked() {
        // Unfolded, so that the user sees it.
        recipe.bare = false;
        let rule = recipe.new_rule(known.heights);
        recipe.scatter.push(rule);
    }
    what_is_drawn(ui, recipe, known, actions);
}

/// Draws how many objects are near the camera, and the button that flies to the nearest. It comes after the
/// rules, whose buttons would otherwise move under the pointer whenever these lines change.
fn what_is_drawn(ui: &mut egui::Ui, recipe: &Recipe, known: &ScatterContext, actions: &mut ActionQueue) {
    let Scattered { statistics, systems_ms, search } = known.scattered;
    let quiet = style::quiet(ui);
    if !recipe.bare && !recipe.scatter.is_empty() {
        let draws_them = |quality: Quality| quality.scatter().on;
        if let Some(quality) = say_hidden(ui, known.quality, "plants and rocks", draws_them) {
            actions.send(Action::Quality(quality));
        }
        // Only offered if the land is known, and a rule is enabled.
        let could_be_seen = known.heights.is_some() && recipe.followed_rules().next().is_some();
        if let Some(search) = search {
            ui.horizontal_wrapped(|ui| {
                let width = style::points(ui, 190.0);
                ui.add(style::progress(ui, search, "looking for the nearest").desired_width(width));
                let tip = "End the search, and stay here";
                actions.button(ui, "Cancel", tip, Action::CancelNearest);
            });
        } else if could_be_seen
            && draws_them(known.quality)
            && statistics.drawn == 0
            && statistics.missing == 0
        {
            ui.add(egui::Label::new(RichText::new(none_in_sight(recipe, known.quality)).color(quiet)).wrap());
            let tip = "Fly to the nearest plant, rock or other object of any rule";
            actions.button(ui, "Go to the nearest", tip, Action::Nearest);
        } else if could_be_seen && statistics.missing > 0 && statistics.objects == 0 {
            ui.label(RichText::new("Plants and rocks are being placed …").color(quiet));
        }
    }
    if statistics.objects > 0 {
        let text = format!(
            "{} objects nearby, {} of them drawn",
            crate::render::short_numbers::count(statistics.objects),
            // One that fades from one level of detail to the next is drawn twice.
            crate::render::short_numbers::count(statistics.drawn.min(statistics.objects))
        );
        let tip = format!(
            "{} cells, {} batches, {:.0} MB on the device; {:.2} ms of a frame, {:.1} ms a cell{}",
            statistics.cells,
            statistics.batches,
            statistics.device_bytes as f64 / 1e6,
            systems_ms,
            statistics.cell_ms,
            if statistics.missing > 0 {
                format!("; {} cells to be placed", statistics.missing)
            } else {
                String::new()
            },
        );
        ui.label(RichText::new(text).color(quiet)).tip(tip);
    }
}

/// Why no placed objects are visible: they are only drawn near the camera.
fn none_in_sight(recipe: &Recipe, quality: Quality) -> String {
    let rules = recipe.scatter.iter().filter(|rule| rule.on);
    let kinds = rules.filter_map(|rule| Kind::ALL.into_iter().find(|kind| kind.name() == rule.object));
    let farthest = kinds.map(drawn_up_to).fold(0.0, f32::max) * quality.scatter().distance;
    match farthest {
        0.0 => "There are none near the camera; they are not drawn farther away.".to_owned(),
        _ => format!(
            "Plants and rocks are drawn up to {farthest:.0} m from the camera at this quality; \
             none are that near."
        ),
    }
}

/// Draws a rule. Returns whether to remove it.
fn one(ui: &mut egui::Ui, rule: &mut Rule, offered: &RuleChoices) -> bool {
    let mut is_gone = false;
    let id = ui.make_persistent_id("rule");
    let header = egui::collapsing_header::CollapsingState::load_with_default_open(ui.ctx(), id, false);
    let unfold = format!("Unfold {}", shown_in_line(&rule.name, MOST_LETTERS));
    let (toggle_button, ..) = header
        .show_header(ui, |ui| {
            let tick = ui.checkbox(&mut rule.on, "").tip("Enables the rule");
            style::called(tick, &format!("{} enabled", shown_in_line(&rule.name, MOST_LETTERS)));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                is_gone = style::sign(ui.small_button("✖"), "Remove this rule").clicked();
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let title = RichText::new(shown_in_line(&rule.name, MOST_LETTERS));
                    let title = if rule.on { title } else { title.strikethrough().color(style::quiet(ui)) };
                    let label = egui::Label::new(title).truncate().selectable(false);
                    ui.add(label).tip(format!("Objects: {}", rule.object));
                });
            });
        })
        .body(|ui| rows(ui, rule, offered));
    style::unfolds(toggle_button, &unfold);
    is_gone
}

/// The parameters of a rule.
fn rows(ui: &mut egui::Ui, rule: &mut Rule, offered: &RuleChoices) {
    parameters::show(ui, rule, |name| name == "name");
    let objects = Names { all: &offered.objects, none: "", open: true };
    let types = Names { all: &offered.types, none: "The texture has no terrain types", open: false };
    let layers = Names { all: &offered.layers, none: "No step writes a layer", open: false };
    let usually = |param: &Param| {
        let names = match param.name {
            "object" => Some(objects),
            "types" => Some(types),
            "layers" | "name" => Some(layers),
            _ => None,
        };
        let is_wide = param.unlimited.is_some() && *param.range.end() > 10_000.0;
        let range = offered.heights.filter(|_| is_wide).map(|(low, high)| low..=high);
        // The unit 1/ha is shown as "per ha".
        let unit = (param.name == "density").then_some("per ha");
        Usual { names, range, unit, ..Usual::default() }
    };
    parameters::show_usual(ui, rule, |name| !["on", "name"].contains(&name), &usually);
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::accesskit::Role;

    use super::*;

    /// Draws the section; returns its controls by role, name and value.
    fn controls(recipe: &mut Recipe, quality: Quality) -> Vec<(Role, String, String)> {
        controls_during(recipe, quality, None)
    }

    /// The same while the nearest object is looked for.
    fn controls_during(
        recipe: &mut Recipe,
        quality: Quality,
        search: Option<f32>,
    ) -> Vec<(Role, String, String)> {
        let context = egui::Context::default();
        context.enable_accesskit();
        context.memory_mut(|memory| memory.set_everything_is_visible(true));
        let statistics = TerrainScatterStatistics::default();
        let mut output = egui::FullOutput::default();
        for _ in 0..2 {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 4000.0));
            let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
            let scattered = Scattered { statistics: &statistics, systems_ms: 0.0, search };
            let known = ScatterContext { scattered, quality, heights: Some((0.0, 900.0)) };
            output = context.run_ui(input, |ui| {
                show(ui, recipe, &known, &mut ActionQueue::default());
            });
            output.textures_delta.clear();
        }
        let nodes = output.platform_output.accesskit_update.expect("it is on").nodes;
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        nodes.iter().map(|(_, node)| (node.role(), text(node.label()), text(node.value()))).collect()
    }

    #[test]
    fn a_quality_without_plants_is_mentioned_where_they_are_added() {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        let says = |recipe: &mut Recipe, quality| {
            controls(recipe, quality).iter().any(|(_, name, value)| {
                name.contains("doesn't draw plants") || value.contains("doesn't draw plants")
            })
        };
        assert!(!says(&mut recipe, Quality::Low), "it has no rules");
        let rule = recipe.new_rule(None);
        recipe.scatter.push(rule);
        assert!(says(&mut recipe, Quality::Low));
        assert!(!says(&mut recipe, Quality::Medium));
        recipe.bare = true;
        assert!(!says(&mut recipe, Quality::Low));
    }

    #[test]
    fn the_user_can_go_to_plants_that_are_too_far_to_be_drawn() {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        let offers = |recipe: &mut Recipe, quality| {
            controls(recipe, quality).iter().any(|(_, name, _)| name == "Go to the nearest")
        };
        assert!(!offers(&mut recipe, Quality::Medium), "it has no rules");
        recipe.scatter.push(Rule::new("spruce", 100.0, 3.0));
        assert!(offers(&mut recipe, Quality::Medium));
        assert!(!offers(&mut recipe, Quality::Low), "they are not drawn at all");
        let during = controls_during(&mut recipe, Quality::Medium, Some(0.4));
        let has = |name: &str| during.iter().any(|(_, of, value)| of == name || value == name);
        assert!(has("Cancel") && !has("Go to the nearest"), "{during:?}");
        let said = none_in_sight(&recipe, Quality::Medium);
        assert!(said.starts_with("Plants and rocks are drawn up to 2400 m from the camera"), "{said}");
    }

    #[test]
    fn objects_are_in_a_list_and_others_can_be_typed() {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        let rule = recipe.new_rule(None);
        recipe.scatter.push(rule);
        let object = |recipe: &mut Recipe| {
            let controls = controls(recipe, Quality::High);
            let is_list = controls.iter().any(|(role, name, _)| *role == Role::ComboBox && name == "object");
            let is_typed = controls.iter().any(|(_, name, _)| name == "another name");
            (is_list, is_typed)
        };
        assert_eq!(object(&mut recipe), (true, false));
        recipe.scatter[0].object = "menhir".into();
        assert_eq!(object(&mut recipe), (true, true));
        assert_eq!(recipe.scatter[0].object, "menhir", "it was not touched");
    }
}
