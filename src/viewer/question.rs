//! Questions that prevent loss: unsaved changes, a file that has changed elsewhere, changes left behind
//! when the program ended.
//!
//! The user's intention arrives as a [`Wish`]. It is granted at once, or a [`Question`] is asked first; the
//! panel shows it and sends the [`Answer`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::WindowCloseRequested;

use super::autosave::{Autosave, Left, ago, find_left};
use super::document::{Document, Saved, Unsaved};
use super::export::Exporting;
use super::message::Message as Told;
use super::panel::PanelState;
use super::quality::Chosen;
use super::recent::opened_with;
use super::teaching::{GivenLesson, Teaching};
use super::window::{MAX_LANDSCAPES, NotYetSeen, Number, close_landscape, spawn_landscape};
use crate::error::Result;
use crate::lessons::Lesson;
use crate::plugin::{Quality, TerrainCache};
use crate::recipe::Recipe;

/// Asks before something is lost.
pub(super) struct QuestionPlugin {
    /// The folder in which windows leave unsaved changes behind, if there is one.
    pub left_in: Option<PathBuf>,
}

impl Plugin for QuestionPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Questions>()
            .add_message::<WindowCloseRequested>()
            .add_message::<Wish>()
            .add_message::<Answer>()
            .add_systems(Update, (answer, hear, proceed).chain());
        if let Some(root) = self.left_in.clone() {
            let look =
                move |questions: ResMut<Questions>, told: ResMut<Told>| look_for_left(&root, questions, told);
            app.add_systems(Startup, look);
        }
    }
}

/// An action that may lose something.
#[derive(Message, Clone, Debug)]
pub(super) enum Wish {
    /// To close the window.
    Close,
    /// To save this document.
    Save(Entity),
    /// To open another recipe in place of this document.
    Show {
        /// The document that it takes the place of.
        document: Entity,
        /// The other recipe.
        recipe: Box<Recipe>,
        /// The file that it was read from; none for a preset.
        path: Option<PathBuf>,
    },
    /// To open a recipe beside the documents.
    Beside(Box<Recipe>),
    /// To open a copy of what this document shows beside the documents.
    Copy {
        /// The document that it is a copy of.
        document: Entity,
        /// The copy, which may have another name.
        recipe: Box<Recipe>,
    },
    /// To close this document; the others stay.
    CloseOne(Entity),
    /// To begin a lesson with its land in place of this document.
    Learn {
        /// The document that it takes the place of.
        document: Entity,
        /// The lesson.
        lesson: Box<Lesson>,
        /// The file that it was read from; none for one that is built in.
        path: Option<PathBuf>,
    },
    /// To save this document to another file, in place of what is there.
    SaveAs {
        /// The document.
        document: Entity,
        /// The file.
        path: PathBuf,
    },
}

/// A question.
#[derive(Debug)]
pub(super) enum Question {
    /// What is to become of the changes of `documents` before the wish is granted?
    Unsaved {
        /// What is wanted.
        wish: Wish,
        /// The documents with changes.
        documents: Vec<Entity>,
    },
    /// The file of `document` has been changed elsewhere: is it to be replaced?
    ChangedElsewhere {
        /// The document that is to be saved.
        document: Entity,
        /// Its file.
        path: PathBuf,
        /// A file that isn't there, to save it to instead.
        beside: PathBuf,
        /// What is wanted when it is saved.
        then: Option<Wish>,
    },
    /// A picture or a film is being drawn to this path, which closing the window gives up: is it to be closed?
    Drawing(PathBuf),
    /// There are changes that a window left behind: are they still wanted?
    Left(Vec<String>),
}

/// An answer.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Save the changes, then proceed.
    Save,
    /// Discard the changes and proceed.
    Discard,
    /// Save to another file.
    SaveBeside,
    /// Replace the file.
    Overwrite,
    /// Close the window when what is being drawn is there.
    Wait,
    /// Restore what was left behind.
    Restore,
    /// Do nothing; changes left behind are offered again another time.
    Cancel,
}

/// The current question, and what waits for it.
#[derive(Resource, Default)]
pub(super) struct Questions {
    /// The question that is shown.
    pub open: Option<Question>,
    waiting: VecDeque<Wish>,
    left: Vec<Left>,
}

/// What an action may change.
#[derive(SystemParam)]
pub(super) struct World<'w, 's> {
    commands: Commands<'w, 's>,
    documents: Query<'w, 's, (Entity, &'static Number, &'static mut Document)>,
    questions: ResMut<'w, Questions>,
    told: ResMut<'w, Told>,
    autosave: Res<'w, Autosave>,
    exit: MessageWriter<'w, AppExit>,
    chosen: Option<Res<'w, Chosen>>,
    cache: Option<Res<'w, TerrainCache>>,
    panel: Option<ResMut<'w, PanelState>>,
    exporting: Option<ResMut<'w, Exporting>>,
}

fn look_for_left(root: &Path, mut questions: ResMut<Questions>, mut told: ResMut<Told>) {
    let (left, notes) = find_left(root);
    if !notes.is_empty() {
        told.error(notes.join("\n"));
    }
    let changes = left.iter().flat_map(|left| &left.changes);
    let lines: Vec<String> =
        changes.map(|change| format!("{}, {}", name_of(&change.unsaved), ago(change.age))).collect();
    questions.left = left;
    if !lines.is_empty() {
        questions.open = Some(Question::Left(lines));
    }
}

/// A landscape's name with that of its file.
fn name_of(unsaved: &Unsaved) -> String {
    let file = unsaved.path.as_ref().and_then(|path| path.file_name());
    let file = file.map(|file| format!(" ({})", file.to_string_lossy()));
    format!("{}{}", unsaved.recipe.name, file.unwrap_or_default())
}

/// Receives wishes.
fn hear(
    mut closed: MessageReader<WindowCloseRequested>,
    mut wishes: MessageReader<Wish>,
    mut questions: ResMut<Questions>,
) {
    let closed = closed.read().map(|_| Wish::Close).last();
    for wish in wishes.read().cloned().chain(closed) {
        match (&wish, &questions.open) {
            // A second request to close the window changes nothing while the first is pending.
            (Wish::Close, Some(Question::Unsaved { wish: Wish::Close, .. } | Question::Drawing(_))) => {}
            // Changes left behind can wait.
            (Wish::Close, Some(Question::Left(_))) => {
                questions.open = None;
                questions.left.clear();
                questions.waiting.push_back(wish);
            }
            _ => questions.waiting.push_back(wish),
        }
    }
}

/// Grants wishes up to the next question.
fn proceed(mut world: World) {
    while world.questions.open.is_none()
        && let Some(wish) = world.questions.waiting.pop_front()
    {
        world.consider(wish);
    }
}

/// Carries out the answer.
fn answer(mut answers: MessageReader<Answer>, mut world: World) {
    for answer in answers.read() {
        if let Some(question) = world.questions.open.take() {
            world.answered(question, *answer);
        }
    }
}

impl World<'_, '_> {
    /// Grants a wish if nothing is lost by it, and asks otherwise.
    fn consider(&mut self, wish: Wish) {
        if let Wish::Save(document) = wish {
            self.save(document, None);
            return;
        }
        if let Wish::SaveAs { document, path } = wish {
            self.write(document, None, |document| {
                document.recipe.check()?;
                document.write(path)
            });
            return;
        }
        match self.drawn().filter(|_| matches!(wish, Wish::Close)) {
            Some(path) => self.questions.open = Some(Question::Drawing(path)),
            None => self.ask_of_changes(wish),
        }
    }

    /// What is being drawn and would not be finished.
    fn drawn(&self) -> Option<PathBuf> {
        self.exporting.as_ref()?.unfinished().map(Path::to_owned)
    }

    /// Grants a wish unless it loses changes, and asks then.
    fn ask_of_changes(&mut self, wish: Wish) {
        let documents = self.changed(&wish);
        if documents.is_empty() {
            self.grant(wish);
        } else {
            self.questions.open = Some(Question::Unsaved { wish, documents });
        }
    }

    /// Closes the window when what is being drawn is there; at once, if it is there by now.
    fn wait_for_drawing(&mut self) {
        match &mut self.exporting {
            Some(exporting) if exporting.unfinished().is_some() => {
                exporting.closes = true;
                self.told.tell("The window closes when all is drawn");
            }
            _ => self.ask_of_changes(Wish::Close),
        }
    }

    /// The documents that would lose changes, from the left.
    fn changed(&self, wish: &Wish) -> Vec<Entity> {
        let loses = |entity| match wish {
            Wish::Close => true,
            Wish::Show { document, .. } | Wish::Learn { document, .. } | Wish::CloseOne(document) => {
                *document == entity
            }
            Wish::Save(_) | Wish::SaveAs { .. } | Wish::Beside(_) | Wish::Copy { .. } => false,
        };
        let all =
            self.documents.iter().filter(|(entity, _, document)| loses(*entity) && document.is_unsaved());
        let mut all: Vec<(Number, Entity)> = all.map(|(entity, number, _)| (*number, entity)).collect();
        all.sort();
        all.into_iter().map(|(_, entity)| entity).collect()
    }

    fn answered(&mut self, question: Question, answer: Answer) {
        match (question, answer) {
            (Question::Unsaved { wish, .. }, Answer::Save) => self.save_all(wish),
            (Question::Unsaved { wish, .. }, Answer::Discard) => self.grant(wish),
            (Question::ChangedElsewhere { document, then, .. }, Answer::Overwrite) => {
                self.write(document, then, Document::save_over);
            }
            (Question::ChangedElsewhere { document, beside, then, .. }, Answer::SaveBeside) => {
                self.write(document, then, |document| document.write(beside));
            }
            (Question::Drawing(_), Answer::Wait) => self.wait_for_drawing(),
            (Question::Drawing(_), Answer::Discard) => self.ask_of_changes(Wish::Close),
            (Question::Left(_), Answer::Restore) => self.restore(),
            (Question::Left(_), Answer::Discard) => {
                let left = std::mem::take(&mut self.questions.left);
                left.into_iter().for_each(|left| self.autosave.remove(left));
            }
            // Releases their locks, so that they are offered again.
            (Question::Left(_), _) => self.questions.left.clear(),
            (Question::Unsaved { .. } | Question::ChangedElsewhere { .. } | Question::Drawing(_), _) => {}
        }
    }

    /// Saves what a wish would lose, then grants it.
    fn save_all(&mut self, wish: Wish) {
        match self.changed(&wish).first() {
            Some(&document) => self.save(document, Some(wish)),
            None => self.grant(wish),
        }
    }

    /// Saves a document, or asks how. A wish that came with it is granted when all is saved, and dropped if
    /// something cannot be.
    fn save(&mut self, document: Entity, then: Option<Wish>) {
        let Ok((_, _, mut opened)) = self.documents.get_mut(document) else { return };
        match opened.save().and_then(|saved| Ok((saved, opened.new_path()?))) {
            Ok((Saved::To(path), _)) => self.saved(&path, then),
            Ok((Saved::ChangedElsewhere(path), beside)) => {
                self.questions.open = Some(Question::ChangedElsewhere { document, path, beside, then });
            }
            Err(error) => self.told.error(error.to_string()),
        }
    }

    fn write(
        &mut self,
        document: Entity,
        then: Option<Wish>,
        write: impl FnOnce(&mut Document) -> Result<PathBuf>,
    ) {
        let Ok((_, _, mut opened)) = self.documents.get_mut(document) else { return };
        match write(&mut opened) {
            Ok(path) => self.saved(&path, then),
            Err(error) => self.told.error(error.to_string()),
        }
    }

    fn saved(&mut self, path: &Path, then: Option<Wish>) {
        self.told.tell(format!("Saved {}", path.display()));
        if let Some(wish) = then {
            self.save_all(wish);
        }
    }

    /// Carries out a wish.
    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Close => {
                self.autosave.forget_all();
                self.exit.write(AppExit::Success);
            }
            Wish::CloseOne(document) => {
                self.commands.queue(move |world: &mut bevy::prelude::World| close_landscape(world, document));
            }
            Wish::Show { document, recipe, path } => {
                let Ok((entity, _, mut opened)) = self.documents.get_mut(document) else { return };
                if let Some(path) = &path {
                    self.told.tell(opened_with(path, &recipe));
                }
                if is_seen_elsewhere(&recipe, &opened.recipe) {
                    self.commands.entity(entity).try_insert(NotYetSeen);
                }
                opened.show(*recipe, path);
            }
            Wish::Learn { document, lesson, path } => {
                // There is one lesson at a time.
                self.documents.iter_mut().for_each(|(_, _, mut other)| other.end_lesson());
                let Ok((entity, number, mut opened)) = self.documents.get_mut(document) else { return };
                if let Some(path) = &path {
                    self.told.tell(format!("Opened {}", path.display()));
                }
                self.commands.entity(entity).try_insert(NotYetSeen);
                opened.show_lesson(lesson.recipe.clone());
                self.commands.insert_resource(Teaching(Some(GivenLesson::new(*lesson, path))));
                // It may have been dropped on a landscape that is not the edited one.
                if let Some(panel) = &mut self.panel {
                    panel.turn_to(number.0);
                }
            }
            Wish::Beside(recipe) => self.open_beside(Document::new(*recipe, None)),
            Wish::Copy { document, recipe } => {
                let Ok((_, _, of)) = self.documents.get(document) else { return };
                let copy = Document::copy_of(of, *recipe);
                self.open_beside(copy);
            }
            Wish::Save(_) | Wish::SaveAs { .. } => {}
        }
    }

    /// Opens a document beside the others, if there is a place for it.
    fn open_beside(&mut self, document: Document) {
        let numbers: Vec<usize> = self.documents.iter().map(|(_, number, _)| number.0).collect();
        if numbers.len() >= MAX_LANDSCAPES {
            let reason =
                format!("{MAX_LANDSCAPES} landscapes are shown already; there is no place for another");
            return self.told.error(reason);
        }
        let quality = self.chosen.as_ref().map_or(Quality::High, |chosen| chosen.quality());
        let cache = self.cache.as_deref().cloned().unwrap_or_default().0;
        let number = numbers.iter().max().map_or(0, |last| last + 1);
        spawn_landscape(&mut self.commands, &cache, number, document, quality);
    }

    /// Opens what was left behind: in the document of the same file, in one without changes, or beside the
    /// others.
    fn restore(&mut self) {
        let quality = self.chosen.as_ref().map_or(Quality::High, |chosen| chosen.quality());
        let cache = self.cache.as_deref().cloned().unwrap_or_default().0;
        let mut numbers: Vec<usize> = self.documents.iter().map(|(_, number, _)| number.0).collect();
        let mut taken: Vec<Entity> = Vec::new();
        let mut without_place = 0;
        for mut left in std::mem::take(&mut self.questions.left) {
            let mut restored = Vec::new();
            left.changes.retain(|change| {
                let unsaved = change.unsaved.clone();
                if let Some((entity, number, mut document)) = place_for(&unsaved, &mut self.documents, &taken)
                {
                    taken.push(entity);
                    restored.push((number.0, unsaved.clone()));
                    document.restore(unsaved);
                } else if numbers.len() < MAX_LANDSCAPES {
                    let number = numbers.iter().max().map_or(0, |last| last + 1);
                    numbers.push(number);
                    restored.push((number, unsaved.clone()));
                    let document = Document::restored(unsaved);
                    spawn_landscape(&mut self.commands, &cache, number, document, quality);
                } else {
                    without_place += 1;
                    return false;
                }
                true
            });
            self.autosave.take_over(restored, left);
        }
        if without_place > 0 {
            self.told.error(format!(
                "There is no place for {without_place} more; they are offered again when upland starts next"
            ));
        }
    }
}

/// Whether one looks at a land from another place than at the one before. Where it is the same, one stays where one is: it
/// may be the same land, made in another way.
fn is_seen_elsewhere(recipe: &Recipe, before: &Recipe) -> bool {
    let place = |recipe: &Recipe| (recipe.view, recipe.size, recipe.cell, recipe.unit);
    place(recipe) != place(before)
}

/// The document into which changes are restored: that of the same file, or else the first without a file
/// and without changes.
fn place_for<'a>(
    unsaved: &Unsaved,
    documents: &'a mut Query<(Entity, &Number, &mut Document)>,
    taken: &[Entity],
) -> Option<(Entity, Number, Mut<'a, Document>)> {
    let free = documents.iter_mut().filter(|(entity, _, document)| {
        let is_same = unsaved.path.is_some() && document.absolute_path() == unsaved.path;
        !taken.contains(entity) && !document.is_unsaved() && (is_same || document.path().is_none())
    });
    let first = free.min_by_key(|(_, number, document)| (document.path().is_none(), **number));
    first.map(|(entity, number, document)| (entity, *number, document))
}

#[cfg(test)]
mod tests {
    use super::super::autosave::AutosavePlugin;
    use super::*;
    use bevy::ecs::message::Messages;
    use std::time::Duration;

    /// A window without a window: documents, questions and what keeps changes below `root`.
    fn app(root: &Path) -> App {
        let mut app = App::new();
        app.init_resource::<Told>().init_resource::<Time>().add_plugins((
            AutosavePlugin { root: Some(root.to_owned()) },
            QuestionPlugin { left_in: Some(root.to_owned()) },
        ));
        app
    }

    fn land(seed: u64) -> Recipe {
        let mut recipe = Recipe::new("Land", (3, 3), 1.0);
        recipe.seed = seed;
        recipe
    }

    /// Opens a file with a land, whose seed was 1 and is now `seed`.
    fn open(app: &mut App, number: usize, path: &Path, seed: u64) -> Entity {
        write(path, 1);
        let mut document = Document::new(Recipe::read(path).unwrap(), Some(path.to_owned()));
        document.recipe.seed = seed;
        app.world_mut().spawn((Number(number), document)).id()
    }

    fn write(path: &Path, seed: u64) {
        std::fs::write(path, land(seed).to_ron().unwrap()).unwrap();
    }

    fn seed_in(path: &Path) -> u64 {
        Recipe::read(path).unwrap().seed
    }

    fn document(app: &App, entity: Entity) -> &Document {
        app.world().get::<Document>(entity).unwrap()
    }

    fn pass(app: &mut App, seconds: f32) {
        app.world_mut().resource_mut::<Time>().advance_by(Duration::from_secs_f32(seconds));
        app.update();
    }

    fn close(app: &mut App) {
        let window = Entity::PLACEHOLDER;
        app.world_mut().write_message(WindowCloseRequested { window });
        app.update();
    }

    fn wish(app: &mut App, wish: Wish) {
        app.world_mut().write_message(wish);
        app.update();
    }

    fn say(app: &mut App, answer: Answer) {
        app.world_mut().write_message(answer);
        app.update();
    }

    fn question(app: &App) -> Option<&Question> {
        app.world().resource::<Questions>().open.as_ref()
    }

    fn ends(app: &App) -> bool {
        !app.world().resource::<Messages<AppExit>>().is_empty()
    }

    fn told(app: &App) -> &Told {
        app.world().resource::<Told>()
    }

    /// The changes that are kept below `root`, as they would be found if the program were killed now.
    fn kept(app: &App, root: &Path) -> (tempfile::TempDir, Vec<Unsaved>) {
        app.world().resource::<Autosave>().finish();
        let killed = tempfile::tempdir().unwrap();
        for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
            let copy = killed.path().join(folder.file_name().unwrap());
            std::fs::create_dir(&copy).unwrap();
            for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                std::fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
            }
        }
        let (left, notes) = find_left(killed.path());
        assert_eq!(notes, [""; 0]);
        let changes = left.into_iter().flat_map(|left| left.changes).map(|change| change.unsaved);
        (killed, changes.collect())
    }

    #[test]
    fn a_window_without_changes_closes_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = app(&folder.path().join("kept"));
        open(&mut app, 0, &folder.path().join("a.ron"), 1);
        close(&mut app);
        assert!(ends(&app));
    }

    #[test]
    fn closing_asks_what_becomes_of_changes_and_names_those_who_have_some() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut app = app(&path("kept"));
        let last = open(&mut app, 3, &path("d.ron"), 4);
        open(&mut app, 1, &path("b.ron"), 1);
        let first = open(&mut app, 0, &path("a.ron"), 2);
        close(&mut app);
        assert!(!ends(&app));
        match question(&app) {
            Some(Question::Unsaved { wish: Wish::Close, documents }) => assert_eq!(*documents, [first, last]),
            other => panic!("{other:?}"),
        }
        say(&mut app, Answer::Cancel);
        assert!(!ends(&app) && question(&app).is_none() && document(&app, first).is_unsaved());

        close(&mut app);
        // Impatience changes nothing.
        close(&mut app);
        say(&mut app, Answer::Save);
        assert!(ends(&app) && question(&app).is_none());
        assert_eq!(["a.ron", "b.ron", "d.ron"].map(|name| seed_in(&path(name))), [2, 1, 4]);
    }

    #[test]
    fn closing_asks_before_it_gives_up_what_is_drawn_and_then_of_changes() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = app(&folder.path().join("kept"));
        open(&mut app, 0, &folder.path().join("a.ron"), 2);
        app.insert_resource(Exporting::drawing(folder.path().join("a.png")));
        close(&mut app);
        assert!(matches!(question(&app), Some(Question::Drawing(path)) if path.ends_with("a.png")));
        // Impatience changes nothing.
        close(&mut app);
        say(&mut app, Answer::Cancel);
        assert!(!ends(&app) && question(&app).is_none());
        assert!(app.world().resource::<Exporting>().unfinished().is_some(), "it goes on");

        close(&mut app);
        say(&mut app, Answer::Wait);
        assert!(!ends(&app) && question(&app).is_none());
        assert!(app.world().resource::<Exporting>().closes);
        close(&mut app);
        say(&mut app, Answer::Discard);
        assert!(matches!(question(&app), Some(Question::Unsaved { wish: Wish::Close, .. })));
        say(&mut app, Answer::Discard);
        assert!(ends(&app));
    }

    #[test]
    fn what_has_been_given_up_already_is_not_asked_about() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = app(&folder.path().join("kept"));
        let mut exporting = Exporting::drawing(folder.path().join("a.png"));
        exporting.cancel();
        app.insert_resource(exporting);
        close(&mut app);
        assert!(ends(&app));
    }

    #[test]
    fn closing_without_saving_leaves_the_file_and_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
        let mut app = app(&root);
        open(&mut app, 0, &path, 2);
        pass(&mut app, 2.0);
        pass(&mut app, 2.0);
        assert_eq!(kept(&app, &root).1.len(), 1);
        close(&mut app);
        say(&mut app, Answer::Discard);
        assert!(ends(&app) && seed_in(&path) == 1);
        assert!(kept(&app, &root).1.is_empty());
        assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0);
    }

    #[test]
    fn another_landscape_asks_first_and_can_be_undone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        let mut app = app(&folder.path().join("kept"));
        let opened = open(&mut app, 0, &path, 2);
        let preset = || Wish::Show {
            document: opened,
            recipe: Box::new(Recipe::new("Preset", (5, 5), 1.0)),
            path: None,
        };
        wish(&mut app, preset());
        assert!(matches!(question(&app), Some(Question::Unsaved { wish: Wish::Show { .. }, .. })));
        say(&mut app, Answer::Cancel);
        assert_eq!(document(&app, opened).recipe.seed, 2);

        wish(&mut app, preset());
        say(&mut app, Answer::Discard);
        assert!(document(&app, opened).recipe.name == "Preset" && seed_in(&path) == 1);
        assert!(app.world_mut().get_mut::<Document>(opened).unwrap().undo());
        assert_eq!(document(&app, opened).path(), Some(path.as_path()));
        assert!(document(&app, opened).is_unsaved());

        wish(&mut app, preset());
        say(&mut app, Answer::Save);
        assert!(document(&app, opened).recipe.name == "Preset" && seed_in(&path) == 2);
        // Nothing to lose: nothing to ask.
        wish(&mut app, preset());
        assert!(question(&app).is_none());
    }

    #[test]
    fn a_file_changed_elsewhere_is_replaced_only_by_who_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let (path, beside) = (folder.path().join("a.ron"), folder.path().join("a-2.ron"));
        let mut app = app(&folder.path().join("kept"));
        let opened = open(&mut app, 0, &path, 2);
        write(&path, 77);
        wish(&mut app, Wish::Save(opened));
        assert!(matches!(question(&app), Some(Question::ChangedElsewhere { then: None, .. })));
        say(&mut app, Answer::Cancel);
        assert!(seed_in(&path) == 77 && document(&app, opened).is_unsaved());

        // Closing comes upon it too, and goes on when that is answered.
        close(&mut app);
        say(&mut app, Answer::Save);
        assert!(matches!(question(&app), Some(Question::ChangedElsewhere { then: Some(Wish::Close), .. })));
        assert!(!ends(&app));
        say(&mut app, Answer::SaveBeside);
        assert!(ends(&app));
        assert_eq!((seed_in(&path), seed_in(&beside)), (77, 2));

        write(&beside, 78);
        app.world_mut().get_mut::<Document>(opened).unwrap().recipe.seed = 3;
        wish(&mut app, Wish::Save(opened));
        say(&mut app, Answer::Overwrite);
        assert_eq!(seed_in(&beside), 3);
    }

    #[test]
    fn what_cannot_be_saved_keeps_the_window_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/a.ron");
        std::fs::create_dir(folder.path().join("below")).unwrap();
        let mut app = app(&folder.path().join("kept"));
        open(&mut app, 0, &path, 2);
        std::fs::remove_dir_all(folder.path().join("below")).unwrap();
        close(&mut app);
        say(&mut app, Answer::Save);
        assert!(!ends(&app) && question(&app).is_none());
        assert!(told(&app).is_error && told(&app).text.contains("does not exist"), "{}", told(&app).text);
    }

    #[test]
    fn changes_are_kept_when_the_hand_rests_and_no_more_when_they_are_saved() {
        let folder = tempfile::tempdir().unwrap();
        let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
        std::fs::create_dir(&root).unwrap();
        let mut app = app(&root);
        let opened = open(&mut app, 0, &path, 2);
        let change = |app: &mut App, seed| {
            app.world_mut().get_mut::<Document>(opened).unwrap().recipe.seed = seed;
            pass(app, 0.5);
        };
        change(&mut app, 3);
        change(&mut app, 4);
        assert!(kept(&app, &root).1.is_empty(), "the hand moves");
        pass(&mut app, 2.0);
        let (_, changes) = kept(&app, &root);
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].recipe.seed, changes[0].path.as_deref()), (4, Some(path.as_path())));
        // A hand that never rests.
        (10..40).for_each(|seed| change(&mut app, seed));
        assert!(kept(&app, &root).1[0].recipe.seed >= 10);
        wish(&mut app, Wish::Save(opened));
        pass(&mut app, 2.0);
        assert!(kept(&app, &root).1.is_empty());
    }

    #[test]
    fn what_a_killed_window_left_behind_is_offered_and_restored() {
        let folder = tempfile::tempdir().unwrap();
        let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
        let mut before = app(&root);
        open(&mut before, 0, &path, 2);
        let other = before.world_mut().spawn((Number(1), Document::new(land(5), None))).id();
        before.world_mut().get_mut::<Document>(other).unwrap().recipe.seed = 6;
        pass(&mut before, 2.0);
        pass(&mut before, 2.0);
        let (killed, changes) = kept(&before, &root);
        assert_eq!(changes.len(), 2);
        // While that window is open, nobody else is offered its changes.
        let (left, _) = find_left(&root);
        assert!(left.is_empty());

        let mut after = app(killed.path());
        let preset = after.world_mut().spawn((Number(0), Document::new(land(9), None))).id();
        let same = open(&mut after, 1, &path, 1);
        pass(&mut after, 0.1);
        match question(&after) {
            Some(Question::Left(lines)) => {
                assert_eq!(lines.len(), 2);
                assert!(
                    lines[0].starts_with("Land (a.ron), ") && lines[1].starts_with("Land, "),
                    "{lines:?}"
                );
            }
            other => panic!("{other:?}"),
        }
        // The panel has them in hand in every frame.
        for entity in [preset, same] {
            after.world_mut().get_mut::<Document>(entity).unwrap().set_changed();
        }
        say(&mut after, Answer::Restore);
        assert_eq!(document(&after, same).recipe.seed, 2);
        assert_eq!(document(&after, preset).recipe.seed, 6);
        assert!(document(&after, same).is_unsaved() && document(&after, preset).is_unsaved());
        // They are this window's now, and not offered twice.
        let (_, changes) = kept(&after, killed.path());
        let mut seeds: Vec<u64> = changes.iter().map(|unsaved| unsaved.recipe.seed).collect();
        seeds.sort();
        assert_eq!(seeds, [2, 6]);
        // What was restored can be undone, and is saved where it belongs.
        wish(&mut after, Wish::Save(same));
        assert_eq!(seed_in(&path), 2);
        assert!(after.world_mut().get_mut::<Document>(preset).unwrap().undo());
        assert_eq!(document(&after, preset).recipe.seed, 9);
    }

    #[test]
    fn what_was_left_behind_gets_a_place_beside_the_others_or_waits() {
        let folder = tempfile::tempdir().unwrap();
        let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
        let mut before = app(&root);
        for number in 0..4 {
            open(&mut before, number, &folder.path().join(format!("{number}.ron")), 2);
        }
        pass(&mut before, 2.0);
        pass(&mut before, 2.0);
        let (killed, _) = kept(&before, &root);
        let mut after = app(killed.path());
        open(&mut after, 0, &path, 3);
        pass(&mut after, 0.1);
        say(&mut after, Answer::Restore);
        let mut documents = after.world_mut().query::<(&Number, &Document)>();
        assert_eq!(documents.iter(after.world()).count(), MAX_LANDSCAPES);
        assert!(documents.iter(after.world()).all(|(_, document)| document.is_unsaved()));
        assert!(told(&after).text.contains("no place for 1 more"), "{}", told(&after).text);
        let (_, changes) = kept(&after, killed.path());
        assert_eq!(changes.len(), 4, "three that are here, one that waits");
    }

    #[test]
    fn later_leaves_what_was_left_behind_and_discard_removes_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("kept");
        let mut before = app(&root);
        open(&mut before, 0, &folder.path().join("a.ron"), 2);
        pass(&mut before, 2.0);
        pass(&mut before, 2.0);
        let (killed, _) = kept(&before, &root);
        for (answer, remains) in [(Answer::Cancel, 1), (Answer::Discard, 0), (Answer::Cancel, 0)] {
            let mut after = app(killed.path());
            pass(&mut after, 0.1);
            assert_eq!(question(&after).is_some(), remains == 1 || answer == Answer::Discard);
            say(&mut after, answer);
            assert_eq!(kept(&after, killed.path()).1.len(), remains);
        }
    }

    #[test]
    fn what_is_damaged_is_told_once_and_stops_nobody() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("window-dead");
        std::fs::create_dir_all(folder.join("4.ron")).unwrap();
        let whole = format!("// file: \"/nowhere/a.ron\"\n{}", land(7).to_ron().unwrap());
        let texts: [&[u8]; 4] =
            [b"", b"\xff\xfe", &whole.as_bytes()[..whole.len() / 2], b"(version: 1, name: 7)"];
        for (number, text) in texts.into_iter().enumerate() {
            std::fs::write(folder.join(format!("{number}.ron")), text).unwrap();
        }
        std::fs::write(folder.join("5.ron"), &whole).unwrap();
        let mut first = app(root.path());
        pass(&mut first, 0.1);
        let Some(Question::Left(lines)) = question(&first) else { panic!("the whole one is not offered") };
        assert!(lines.len() == 1 && lines[0].starts_with("Land (a.ron), "), "{lines:?}");
        let text = &told(&first).text;
        assert!(told(&first).is_error && text.lines().count() >= 5 && text.contains("0.damaged"), "{text}");
        say(&mut first, Answer::Discard);
        first.world().resource::<Autosave>().finish();

        let mut second = app(root.path());
        pass(&mut second, 0.1);
        assert!(question(&second).is_none() && told(&second).text.is_empty(), "{}", told(&second).text);
        assert!(folder.join("2.damaged").exists());
    }

    #[test]
    fn a_disk_that_takes_nothing_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("kept");
        std::fs::write(&root, "a file where the folder should be").unwrap();
        let mut app = app(&root);
        let opened = open(&mut app, 0, &folder.path().join("a.ron"), 2);
        let mut times = 0;
        for seed in 0..200 {
            app.world_mut().get_mut::<Document>(opened).unwrap().recipe.seed = 2 + seed;
            pass(&mut app, 1.5);
            pass(&mut app, 1.5);
            app.world().resource::<Autosave>().finish();
            times += usize::from(told(&app).text.contains("cannot be kept"));
            app.world_mut().resource_mut::<Told>().dismiss();
        }
        assert_eq!(times, 1);
        // Once it takes something again, all is well.
        std::fs::remove_file(&root).unwrap();
        (0..60).for_each(|_| pass(&mut app, 1.0));
        assert_eq!(kept(&app, &root).1.len(), 1);
    }
}
