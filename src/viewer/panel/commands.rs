//! What commands of the palette do.

use bevy::prelude::*;
use bevy_egui::egui;

use super::controls::section;
use super::edited::EditedItem;
use super::landscape::{recipe, steps, sun, tours};
use super::learning::mistake;
use super::palette::Command;
use super::tools::{Tools, Windows};
use super::{gallery, show};
use crate::lessons::Mistake;
use crate::plugin::DebugView;
use crate::recipe::Recipe;
use crate::render::scene;
use crate::render::view_mode::ViewMode;
use crate::sculpt::STROKE_RADII;
use crate::viewer::document::display_names::COPY;
use crate::viewer::document::lesson::HELD_BY_LESSON;
use crate::viewer::document::new_document;
use crate::viewer::files::recent::request_to_open;
use crate::viewer::session::{DocumentRequest, Tab};
use crate::viewer::tools::point_editor::Target;

/// What a command wants of bookmarks and flights, if it is one of them.
fn on_the_way(command: &Command) -> Option<tours::Asked> {
    let none = tours::Asked::default();
    Some(match *command {
        Command::Bookmark => tours::Asked { bookmark: true, ..none },
        Command::Tour => tours::Asked { tour: true, ..none },
        Command::Record => tours::Asked { record: true, ..none },
        Command::Fly(index) => tours::Asked { fly: Some(index), ..none },
        Command::Visit(index) => tours::Asked { go_to: Some(index), ..none },
        _ => return None,
    })
}

/// Whether a command changes the recipe; undo and redo aside, which go between states that there were.
fn edits(command: &Command) -> bool {
    use Command::{AddStep, Bookmark, DrawOnLand, Hour, NewSeed, Paste, Record, Season};
    matches!(command, NewSeed | AddStep(_) | Paste | DrawOnLand | Bookmark | Record | Hour(_) | Season(_))
}

/// The wish for a copy of a document beside it.
pub(super) fn copy_of(document: Entity, recipe: &Recipe) -> DocumentRequest {
    let mut copy = recipe.clone();
    copy.name += COPY;
    DocumentRequest::Copy { document, recipe: Box::new(copy) }
}

/// The wish for the same land with the next seed beside a document. It keeps the name, which is shown with
/// the seed.
pub(super) fn with_other_seed(document: Entity, recipe: &Recipe) -> DocumentRequest {
    let mut copy = recipe.clone();
    copy.seed = copy.seed.wrapping_add(1);
    DocumentRequest::Copy { document, recipe: Box::new(copy) }
}

impl Tools<'_, '_> {
    /// Does what a command says.
    pub fn carry_out(&mut self, context: &egui::Context, command: Command, documents: &mut [EditedItem]) {
        let edited = self.selection.edited;
        if let Command::Show(shown) = command {
            show::show_on(documents, edited, shown, &mut self.scene.viewed);
            return;
        }
        if let Command::ShowNext(step) = command {
            if let Some(of) = documents.get(edited) {
                let next = show::after(of, self.scene.viewed.0, step);
                show::show_on(documents, edited, next, &mut self.scene.viewed);
            }
            return;
        }
        if let Command::PutTowers = command {
            let viewshed = ViewMode::View(DebugView::Viewshed);
            show::show_on(documents, edited, viewshed, &mut self.scene.viewed);
            self.scene.putting.is_on = true;
            return;
        }
        let Some(EditedItem { entity, document, ground, stack, .. }) = documents.get_mut(edited) else {
            return;
        };
        let entity = *entity;
        if document.is_in_lesson() && edits(&command) {
            self.message.error(HELD_BY_LESSON);
            return;
        }
        if let Some(asked) = on_the_way(&command) {
            if asked.tour && document.recipe.bookmarks.len() < 2 && !self.pilot.is_on_tour() {
                self.message
                    .error("A tour needs two bookmarks; keep another place with “Bookmark this place”");
            }
            tours::carry_out(&asked, document, &mut self.pilot, &mut self.message);
            return;
        }
        match command {
            Command::Gallery => self.scene.gallery.open = true,
            Command::LookInside => self.set_open(Tab::Inside, true),
            Command::Plot(kind) => {
                self.scene.inside.kind = kind;
                self.set_open(Tab::Inside, true);
            }
            Command::Watch => self.set_open(Tab::Watch, true),
            Command::Play => {
                self.set_open(Tab::Watch, true);
                self.windows.player.bypass_change_detection().toggle();
            }
            Command::Frame(frames) => {
                self.set_open(Tab::Watch, true);
                self.windows.player.bypass_change_detection().step(frames);
            }
            Command::Probe => self.set_open(Tab::Probe, true),
            Command::Sculpt => self.set_open(Tab::Sculpt, true),
            Command::Levels => self.scene.comparison.document = Some(edited),
            Command::Export => {
                let drawn = self.scene.chosen.quality();
                self.windows.export.open(entity, document, drawn);
            }
            Command::Output => self.windows.output.open(entity, document),
            Command::Mistake(mistake) => self.explain(entity, mistake),
            Command::Copy => drop(self.requests.write(copy_of(entity, &document.recipe))),
            Command::OtherSeed => drop(self.requests.write(with_other_seed(entity, &document.recipe))),
            Command::Arrange(sharing) => self.scene.arrangement.sharing = sharing,
            Command::Difference => self.set_open(Tab::Difference, true),
            Command::CloseOne => drop(self.requests.write(DocumentRequest::CloseOne(entity))),
            Command::Times => self.toggle(Tab::Times),
            Command::Keys => self.state.help = true,
            Command::GuidedTour => self.state.welcome.begin(),
            Command::Panels => self.selection.shows_panels = !self.selection.shows_panels,
            Command::Section(title) => {
                self.selection.shows_panels = true;
                section::want(context, title);
            }
            Command::CloseAll => self.close_all(),
            Command::Tidy => self.state.is_to_be_tidied = true,
            Command::Theme(theme) => self.choose_theme(theme),
            Command::Quality(quality) => self.choose_quality(quality),
            Command::Shelf(shelf) => self.scene.gallery.open_at(shelf),
            Command::New => self.open(entity, new_document::landscape()),
            Command::Open => self.windows.files.open(entity),
            Command::Save => drop(self.requests.write(DocumentRequest::Save(entity))),
            Command::SaveAs => self.windows.files.save_as(entity, document),
            Command::OpenRecent(path) => match request_to_open(entity, &path) {
                Ok(request) => drop(self.requests.write(request)),
                Err(error) => self.message.error(error.to_string()),
            },
            Command::Screenshot => self.windows.screenshots.is_wanted = true,
            Command::Close => drop(self.requests.write(DocumentRequest::Close)),
            Command::Undo => drop(document.undo()),
            Command::Redo => drop(document.redo()),
            Command::NewSeed => document.recipe.seed = recipe::new_seed(),
            Command::Hour(hour) => sun::go_to(context, edited, hour, &mut document.recipe.sun),
            Command::Season(season) => {
                document.settle();
                document.recipe.texture = document.recipe.texture.in_season(season);
            }
            Command::Tell(text) => self.message.tell(text),
            Command::AddStep(step) => {
                document.settle();
                let stack = stack.bypass_change_detection();
                if let Err(error) = steps::append(&mut document.recipe, *step, *ground, stack) {
                    self.message.error(error.to_string());
                }
            }
            Command::Paste => {
                let (place, text) = (document.recipe.steps.len(), self.windows.clipboard.get_text());
                let stack = stack.bypass_change_detection();
                if let Err(error) = recipe::paste(document, stack, place, text) {
                    self.message.error(error.to_string());
                }
            }
            Command::DrawOnLand if self.drawing.is_on() => self.drawing.target = None,
            Command::DrawOnLand => match document.recipe.steps.iter().position(steps::has_places) {
                Some(step) => self.drawing.target = Some(Target { document: edited, step }),
                None => self.message.error("No step has points to draw; add a river, a road or a hole first"),
            },
            Command::Widen(times) => {
                let radius = self.windows.sculpting.radius * times;
                self.windows.sculpting.radius = radius.clamp(*STROKE_RADII.start(), *STROKE_RADII.end());
                self.set_open(Tab::Sculpt, true);
            }
            Command::Move(mode) => self.pilot.mode = mode,
            Command::LookAgain => {
                let range = ground.map(|ground| ground.height_range());
                let (from, look) = scene::first_view(&document.recipe, range);
                self.pilot.put(from, look);
            }
            Command::Preset(_) | Command::Lesson(_) => self.open_other(entity, &command),
            // They have been done above.
            Command::Show(_) | Command::ShowNext(_) | Command::PutTowers => {}
            Command::Bookmark | Command::Visit(_) | Command::Tour | Command::Record | Command::Fly(_) => {}
        }
    }

    /// Opens a preset or a lesson in place of a document.
    fn open_other(&mut self, document: Entity, command: &Command) {
        let recipe = command.recipe().map(|recipe| {
            recipe.map(|recipe| DocumentRequest::Show { document, recipe: Box::new(recipe), path: None })
        });
        let lesson = command.lesson().map(|lesson| {
            lesson.map(|lesson| DocumentRequest::Learn { document, lesson: Box::new(lesson), path: None })
        });
        match recipe.or(lesson) {
            Some(Ok(request)) => drop(self.requests.write(request)),
            Some(Err(error)) => self.message.error(error.to_string()),
            None => {}
        }
    }

    /// Closes whatever is open beside the editor, and shows the land as it is.
    fn close_all(&mut self) {
        for tab in Tab::PANELS {
            self.set_open(tab, false);
        }
        let Windows { export, output, mistake, files, .. } = &mut self.windows;
        **export = Default::default();
        **output = Default::default();
        **mistake = Default::default();
        **files = Default::default();
        (self.scene.gallery.open, self.state.help) = (false, false);
        self.state.welcome.end();
        self.scene.comparison.document = None;
        self.scene.putting.is_on = false;
    }

    /// Draws the gallery, and does what was chosen there.
    pub fn choose_from_gallery(&mut self, context: &egui::Context, of: &mut EditedItem, has_place: bool) {
        let document = of.entity;
        self.scene.gallery.follow((document, of.document.origin_number()), &of.document.recipe.steps);
        let chosen = gallery::show(context, &mut self.scene.gallery, &of.document.recipe, has_place);
        match chosen {
            Some(gallery::Chosen::Open(recipe)) => self.open(document, recipe),
            Some(gallery::Chosen::Beside(recipe)) => {
                self.requests.write(DocumentRequest::Beside(Box::new(recipe)));
            }
            Some(gallery::Chosen::Become(_)) if of.document.is_in_lesson() => {
                self.message.error(HELD_BY_LESSON);
            }
            Some(gallery::Chosen::Become(recipe)) => {
                of.document.settle();
                of.document.recipe = recipe;
            }
            Some(gallery::Chosen::Explain(mistake)) => self.explain(document, mistake),
            Some(gallery::Chosen::Learn(lesson)) => {
                self.requests.write(DocumentRequest::Learn {
                    document,
                    lesson: Box::new(lesson),
                    path: None,
                });
            }
            None => {}
        }
    }

    /// Draws the mistake that is explained, and shows its lands when they are asked for.
    pub fn explain_mistake(&mut self, context: &egui::Context, of: &EditedItem, has_place: bool) {
        match mistake::show(context, &mut self.windows.mistake, &of.document.recipe, has_place) {
            Some(mistake::Asked::Show(recipe)) => self.open(of.entity, recipe),
            Some(mistake::Asked::Beside(recipe)) => {
                self.requests.write(DocumentRequest::Beside(Box::new(recipe)));
            }
            None => {}
        }
    }

    /// Opens the window about a mistake, with the land that has it.
    fn explain(&mut self, document: Entity, mistake: &'static Mistake) {
        match self.windows.mistake.open(mistake) {
            Ok(wrong) => self.open(document, wrong),
            Err(error) => self.message.error(error.to_string()),
        }
    }

    /// Opens a landscape in place of a document.
    pub fn open(&mut self, document: Entity, recipe: Recipe) {
        self.requests.write(DocumentRequest::Show { document, recipe: Box::new(recipe), path: None });
    }
}
