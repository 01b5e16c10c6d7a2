//! Help for newcomers: how to fly, until a key is pressed, and a five-minute tour of the window.

use bevy::math::{DVec3, Rect};
use bevy_egui::egui::{self, RichText};

use super::progress::Before;
use crate::recipe::{Recipe, Step};
use crate::viewer::actions::Action;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::panel::edited::{EditedItem, item};
use crate::viewer::panel::tools::Tools;
use crate::viewer::session::Tab;

/// Maximum width of the tour's window for text of the usual size, logical pixels.
const WIDTH: f32 = 370.0;
/// Distance that the user must fly to complete the task, metres.
const FLOWN: f64 = 5.0;

/// How to fly, one line per device.
const HOW_TO_FLY: [(&str, &str); 3] = [
    ("W A S D", "fly   (E up, Q down, Shift: four times as fast)"),
    ("Mouse", "hold a button over the land to look around, turn the wheel to set the speed"),
    ("F1", "all keys;   Ctrl P finds all commands by name"),
];

/// A page of the tour.
struct Page {
    title: &'static str,
    text: &'static str,
    /// Whether the page's task has been done.
    is_done: fn(&Now) -> bool,
}

/// The state of the window that the tour checks.
struct Now<'a> {
    /// The state when the page was opened.
    before: &'a Before,
    place: DVec3,
    recipe: &'a Recipe,
    can_redo: bool,
    gallery: bool,
    watch: bool,
    palette: bool,
    export: bool,
}

static PAGES: [Page; 9] = [
    Page {
        title: "Fly",
        text: "Hold a mouse button over the land and move the mouse to look around. The keys W A S D fly where you \
               look, E rises, Q sinks, and Shift is four times as fast. A double click on the land takes you there.",
        is_done: |now| now.place.distance(now.before.place) > FLOWN,
    },
    Page {
        title: "Move the sun",
        text: "In the panel, under Sun, drag “hour”. In the morning and the evening, long shadows show the shape of \
               the land.",
        is_done: |now| now.recipe.sun != now.before.recipe.sun,
    },
    Page {
        title: "Change the land",
        text: "Under Steps, unfold the first step by its triangle and drag one of its numbers, such as “height”. The land \
               follows immediately, and is built in full when you release it. Point at a name to read what it means.",
        is_done: |now| now.recipe.steps != now.before.recipe.steps,
    },
    Page {
        title: "Undo",
        text: "Ctrl Z undoes your changes one at a time, and Ctrl Y redoes them, so you can try anything.",
        is_done: |now| now.can_redo,
    },
    Page {
        title: "Add a step",
        text: "Below the steps, press “Add step …” and choose, for example, “{erosion}” or “{river}”; type a few letters \
               to find it. Steps run one after the other; drag them by their six dots to reorder them.",
        is_done: |now| now.recipe.steps.len() > now.before.recipe.steps.len(),
    },
    Page {
        title: "Watch it work",
        text: "Press F5 to see how the steps build the land, frame by frame. The space bar plays and pauses, the \
               arrow keys go from frame to frame. F5 closes the player again.",
        is_done: |now| now.watch,
    },
    Page {
        title: "Open other landscapes",
        text: "F2 opens the gallery: landscapes to start from, all generators, lessons, and mistakes to learn from. \
               Click on one to open it.",
        is_done: |now| now.gallery,
    },
    Page {
        title: "Find anything by its name",
        text: "Ctrl P opens the command palette. Type a word such as “winter”, “night”, “river” or “export”, and press \
               Enter.",
        is_done: |now| now.palette,
    },
    Page {
        title: "Keep what you made",
        text: "In the menu File: “Save” writes the landscape to a file, “Picture or film …” draws the view at any \
               size, and “Export …” writes heights, meshes, colours and objects for other programs. \n\nThat was the tour. \
               F1 lists all keys, and the lessons in the gallery explain how the steps work.",
        is_done: |now| now.export,
    },
];

/// A text of the tour, with the titles of the steps that it names.
fn with_titles(text: &str) -> String {
    let named = [("{erosion}", "erode"), ("{river}", "river")];
    named.into_iter().fold(text.to_owned(), |text, (mark, name)| {
        let title = Step::from_name(name).map_or(name, |step| step.title());
        text.replace(mark, title)
    })
}

/// Draws the hint about flying until it is no longer needed, the offer of the tour, and the tour.
pub(crate) fn show(context: &egui::Context, tools: &mut Tools, documents: &[EditedItem], land: Rect) {
    let is_key = |event: &egui::Event| matches!(event, egui::Event::Key { pressed: true, .. });
    let is_pressed = context.input(|input| input.events.iter().any(is_key));
    if is_pressed && !tools.settings.kept().knows_keys {
        keep(tools, |kept| kept.knows_keys = true);
    }
    if tools.state.welcome.is_on_tour() {
        tour(context, tools, documents, land);
        return;
    }
    let is_alone = documents.len() == 1 && !tools.windows.screenshots.is_of_land;
    if !is_alone || tools.selection.are_panels_hidden() || land.height() < 200.0 {
        return;
    }
    if !tools.settings.kept().knows_keys {
        hint(context, land);
    }
    let in_lesson = documents[0].document.is_in_lesson();
    if !tools.settings.kept().knows_tour && !in_lesson {
        offer(context, tools, land);
    }
}

/// Saves what the user has already seen for the next start. If saving fails, the hints are shown again and
/// nothing is lost.
fn keep(tools: &mut Tools, change: impl FnOnce(&mut crate::viewer::session::settings::SavedSettings)) {
    let _ = tools.settings.change(change);
}

/// The hint about flying, over the land. It doesn't catch clicks.
fn hint(context: &egui::Context, land: Rect) {
    let place = egui::pos2(land.center().x, land.max.y - 22.0);
    let area = egui::Area::new("how to fly".into()).pivot(egui::Align2::CENTER_BOTTOM).fixed_pos(place);
    area.interactable(false).show(context, |ui| {
        egui::Frame::popup(ui.style()).fill(style::over_land(ui)).show(ui, |ui| {
            egui::Grid::new("how to fly").num_columns(2).spacing([16.0, 3.0]).show(ui, |ui| {
                for (keys, what) in HOW_TO_FLY {
                    ui.label(RichText::new(keys).strong());
                    ui.label(what);
                    ui.end_row();
                }
            });
        });
    });
}

/// Offers the tour.
fn offer(context: &egui::Context, tools: &mut Tools, land: Rect) {
    let place = egui::pos2(land.max.x - 16.0, land.min.y + 16.0);
    let area = egui::Area::new("offer of the tour".into()).pivot(egui::Align2::RIGHT_TOP).fixed_pos(place);
    let mut answer = None;
    area.show(context, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label("New here?");
                let tip =
                    "Nine small tasks that show what the window can do; you can end the tour at any time";
                if ui.button("Take the five-minute tour").tip(tip).clicked() {
                    answer = Some(true);
                }
                if ui
                    .button("Not now")
                    .tip("“Guided tour” in the command palette (Ctrl P) starts it later")
                    .clicked()
                {
                    answer = Some(false);
                }
            });
        });
    });
    if let Some(is_wanted) = answer {
        keep(tools, |kept| kept.knows_tour = true);
        if is_wanted {
            tools.actions.send(Action::GuidedTour);
        }
    }
}

/// The tour's window, in a corner of the land.
fn tour(context: &egui::Context, tools: &mut Tools, documents: &[EditedItem], land: Rect) {
    let Some(number) = tools.state.welcome.page else { return };
    let Some(of) = item(documents, tools.selection.edited()) else { return };
    let (page, place) = (&PAGES[number.min(PAGES.len() - 1)], tools.pilot.place);
    let recipe = &of.document.recipe;
    let before =
        tools.state.welcome.before.get_or_insert_with(|| Before { place, recipe: recipe.clone() }).clone();
    let now = Now {
        before: &before,
        place,
        recipe,
        can_redo: of.document.can_redo(),
        gallery: tools.scene.gallery.open,
        watch: tools.is_open(Tab::Watch, documents.len()),
        palette: tools.windows.palette.is_open(),
        export: tools.windows.export.is_open() || tools.windows.output.is_open(),
    };
    tools.state.welcome.is_done |= (page.is_done)(&now);
    let is_done = tools.state.welcome.is_done;
    let (mut open, mut turned) = (true, None);
    let width = (WIDTH * style::scale(&context.global_style())).min((land.width() - 60.0).max(160.0));
    let corner = egui::pos2(land.max.x - 20.0, land.max.y - 20.0);
    let window = egui::Window::new(format!("Guided tour: {}", page.title)).id(egui::Id::new("guided tour"));
    let window = window.open(&mut open).collapsible(false).resizable(false);
    let window = window.pivot(egui::Align2::RIGHT_BOTTOM).default_pos(corner).default_width(width);
    window.show(context, |ui| {
        ui.set_max_width(width);
        for paragraph in with_titles(page.text).split("\n\n") {
            ui.label(paragraph);
        }
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let is_last = number + 1 == PAGES.len();
            if ui.add_enabled(number > 0, egui::Button::new("Back")).clicked() {
                turned = Some(Some(number - 1));
            }
            let text = if is_last { "Finish" } else { "Next" };
            // A task may be skipped and done another time.
            let next =
                egui::Button::new(if is_done { RichText::new(text).strong() } else { RichText::new(text) });
            if ui.add(next.selected(is_done)).clicked() {
                turned = Some((!is_last).then_some(number + 1));
            }
            if !is_last
                && ui
                    .button("End the tour")
                    .tip("You can start it again from the command palette (Ctrl P)")
                    .clicked()
            {
                turned = Some(None);
            }
            ui.label(RichText::new(format!("{} of {}", number + 1, PAGES.len())).color(style::quiet(ui)));
            if is_done {
                ui.label(RichText::new("✔ done").color(style::good(ui)));
            }
        });
    });
    if !open {
        turned = Some(None);
    }
    if let Some(page) = turned {
        tools.state.welcome.turn_to(page);
        keep(tools, |kept| kept.knows_tour = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tour_uses_the_titles_of_steps() {
        let text: String = PAGES.iter().map(|page| with_titles(page.text)).collect();
        for name in ["erode", "river"] {
            let title = Step::from_name(name).unwrap().title();
            assert!(text.contains(&format!("“{title}”")), "{title}");
        }
        assert!(!text.contains(['{', '}']), "{text}");
    }

    #[test]
    fn every_page_recognises_its_task_and_nothing_else() {
        let recipe = Recipe::new("Land", (9, 9), 10.0);
        let before = Before { place: DVec3::ZERO, recipe: recipe.clone() };
        let nothing = || Now {
            before: &before,
            place: DVec3::ZERO,
            recipe: &recipe,
            can_redo: false,
            gallery: false,
            watch: false,
            palette: false,
            export: false,
        };
        for page in &PAGES {
            assert!(!(page.is_done)(&nothing()), "{}", page.title);
            // A page should take about half a minute.
            assert!(page.text.split_whitespace().count() < 75, "{}", page.title);
        }
        let mut changed = recipe.clone();
        changed.sun.elevation += 9.0;
        changed.steps.push(crate::recipe::Step::from_name("fbm").unwrap());
        let all = Now {
            place: DVec3::X * 50.0,
            recipe: &changed,
            can_redo: true,
            gallery: true,
            watch: true,
            palette: true,
            export: true,
            ..nothing()
        };
        assert!(PAGES.iter().all(|page| (page.is_done)(&all)));
    }
}
