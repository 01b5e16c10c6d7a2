//! The panels, docked around the land or over it, windows that come and go, and the status line at the
//! bottom.

mod analysis;
mod confirm;
mod content;
mod controls;
mod display;
mod dock;
mod edited;
mod files;
mod gallery;
mod landscape;
mod learning;
mod legend;
mod levels;
mod over_land;
mod palette;
mod perform;
mod shortcuts;
mod show;
mod split_view;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod texture;
mod tools;

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};

use super::actions::{Action, ActionQueue, Switch};
use super::document::display_names::names_of;
use super::files::confirm::{ConfirmChoice, Confirmation};
use super::files::export::Order;
use super::files::screenshot::Screenshots;
use super::session::{Landscapes, Margins, PanelSystems, Selection, Tab, directories};
use super::views::gallery::Gallery;

use controls::{browse, names, parameters, style};
use dock::Dock;
pub(super) use edited::Edited;
use edited::{EditedItem, MOST_LETTERS, item};
#[cfg(test)]
pub(super) use files::export::recipe_as_seen;
use files::{ExportedLand, export, output, path_dialog};
use learning::{help, mistake, welcome};
pub(super) use palette::action_named;
#[cfg(test)]
pub(super) use palette::command_named;
use state::PanelState;
use tools::{Tools, Windows};

/// Adds the resources and systems of the panels.
pub(super) fn add(app: &mut App) {
    app.init_resource::<PanelState>().init_resource::<Selection>();
    app.init_resource::<ActionQueue>().init_resource::<Screenshots>();
    app.add_systems(EguiPrimaryContextPass, show.in_set(PanelSystems));
    app.insert_resource(Gallery::new(directories::cache().map(|folder| folder.join("gallery"))));
    texture::add(app);
}

/// Draws all panels.
fn show(
    mut contexts: EguiContexts,
    mut terrains: Query<Edited>,
    landscapes: Res<Landscapes>,
    mut tools: Tools,
    mut margins: ResMut<Margins>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
    questions: Res<Confirmation>,
    mut answers: MessageWriter<ConfirmChoice>,
    mut styled: Local<Option<f32>>,
    mut dock: Local<Option<Dock>>,
) -> Result {
    let context = contexts.ctx_mut()?;
    let scale = style::scale_for(context.viewport_rect().size());
    if styled.is_none() {
        style::apply(context);
        context.add_plugin(names::Names);
    }
    if *styled != Some(scale) {
        style::enlarge(context, scale);
        *styled = Some(scale);
    }
    style::allow_slow_clicks(context);
    tools.dress(context, window.and_then(|window| window.window_theme));
    let mut documents: Vec<_> = terrains.iter_mut().collect();
    documents.sort_by_key(|of| landscapes.index_of(of.entity));
    if questions.open.is_none() {
        shortcuts::end_by_key(context, &mut tools);
        shortcuts::keys(context, &mut tools);
    }
    tools.perform_all(context, &mut documents);

    let builder =
        egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(context.viewport_rect());
    let mut root = egui::Ui::new(context.clone(), "root".into(), builder);
    if tools.selection.shows_panels {
        status_line(&mut root, &mut tools, &documents);
    }
    let dock = dock.get_or_insert_with(|| Dock::new(tools.settings.kept().panels.clone()));
    dock.enlarge(scale);
    let land = docked(&mut root, dock, &mut tools, &mut documents);
    let taken = Margins::around(land, context.viewport_rect());
    margins.set_if_neq(taken);
    shortcuts::release_keys(context, land);

    tools.perform_all(context, &mut documents);
    over_land::captions(context, &tools.scene, &documents);
    let is_of_land = tools.windows.screenshots.is_of_land;
    if !is_of_land {
        over_land::failures(context, &tools.scene, &mut documents);
        over_land::progress(context, &tools.scene, &documents);
    }
    if documents.len() > 1 && tools.scene.comparison.document.is_none() {
        over_land::views(context, &mut tools, &mut documents, land, questions.open.is_none());
        tools.perform_all(context, &mut documents);
    }
    windows(context, &mut tools, &documents, land);
    let bar = if documents.len() > 1 { 40.0 } else { 0.0 };
    if !is_of_land {
        over_land::show_message(context, &mut tools.message, land, bar);
    }
    if questions.open.is_none() {
        welcome::show(context, &mut tools, &documents, land);
    }
    help::show(context, &mut tools.state.help, land, &mut tools.actions);
    if let Some(question) = &questions.open {
        let document_of = |wanted: Entity| item(&documents, wanted).map(|of| &*of.document);
        if let Some(answer) = confirm::show(context, question, document_of) {
            answers.write(answer);
        }
    }
    tools.perform_all(context, &mut documents);
    if let Some(refused) = parameters::refused(context) {
        tools.message.error(refused);
    }
    tools.state.had_focus = context.egui_wants_keyboard_input();
    Ok(())
}

fn status_line(root: &mut egui::Ui, tools: &mut Tools, documents: &[EditedItem]) {
    let scene = &tools.scene;
    let seen = scene.chunks.iter().filter(|(_, visibility)| visibility.get());
    let triangles: usize = seen.map(|(chunk, _)| chunk.part.triangles()).sum();
    egui::Panel::bottom("status").show(root, |ui| {
        let shown =
            documents.iter().map(|edited| (&*edited.document, edited.status, &edited.since.0, edited.ground));
        let under = scene.under_cursor.0.as_ref();
        let (pilot, actions) = (&*tools.pilot, &mut *tools.actions);
        status::show(ui, shown, &scene.diagnostics, (pilot, actions), under, triangles);
    });
}

/// Draws the panels that can be docked. Returns what they leave of the window.
fn docked(root: &mut egui::Ui, dock: &mut Dock, tools: &mut Tools, documents: &mut [EditedItem]) -> Rect {
    if std::mem::take(&mut tools.state.is_to_be_tidied) {
        *dock = Dock::new(Default::default());
    }
    let open: Vec<Tab> = Tab::PANELS.into_iter().filter(|tab| tools.is_open(*tab, documents.len())).collect();
    let is_shown = tools.selection.shows_panels;
    let shown = dock.show(
        root,
        |tab| is_shown && open.contains(&tab),
        |ui, tab| style::with_tips_beside(ui, |ui| tools.draw(ui, tab, documents)),
    );
    for tab in shown.closed {
        tools.actions.send(Action::Panel(tab, Switch::Off));
    }
    // Places are only kept once a border is no longer dragged.
    if !root.input(|input| input.pointer.any_down())
        && let Err(error) = tools.settings.keep_panels(&dock.homes())
    {
        tools.message.error(format!("The panel layout cannot be saved for the next start: {error}"));
    }
    let egui::Rect { min, max } = shown.land;
    // Not `from_corners`, which would put the corners in order, so that an empty space would no longer be
    // empty.
    Rect { min: Vec2::new(min.x, min.y), max: Vec2::new(max.x, max.y) }
}

/// Draws the windows that come and go: gallery, mistakes, pictures, files, palette.
fn windows(context: &egui::Context, tools: &mut Tools, documents: &[EditedItem], land: Rect) {
    let edited = tools.selection.edited();
    let open = documents.iter().map(|of| (of.entity, of.document.origin_number(), &of.document.recipe));
    tools.windows.mistake.follow(open, edited);
    if let Some(of) = item(documents, edited) {
        let (land, recipe) = ((of.entity, of.document.origin_number()), &of.document.recipe);
        tools.scene.gallery.follow(land, &recipe.steps);
        gallery::show(context, &mut tools.scene.gallery, (of.entity, recipe), &mut tools.actions);
        mistake::show(context, &mut tools.windows.mistake, (of.entity, recipe), &mut tools.actions);
    }
    let land_of = |wanted| {
        let index = documents.iter().position(|of| of.entity == wanted)?;
        let name = || names_of(documents.iter().map(|of| &*of.document), MOST_LETTERS).swap_remove(index);
        let name = (documents.len() > 1).then(name);
        Some(ExportedLand { document: &documents[index].document, name })
    };
    let (exporting, browsing) = (&mut *tools.windows.exporting, &mut *tools.windows.browsing);
    let shown = export::show(context, &mut tools.windows.export, exporting, (&mut *browsing, land), land_of);
    if let Some((order, entity, path)) = shown
        && let Some(of) = item(documents, entity)
    {
        let recipe = match &order {
            Order::Output(_) => of.document.recipe.clone(),
            Order::Picture(_) => export::recipe_as_seen(of, &tools.scene.light),
            // A film shows the whole land, without a step shown alone.
            Order::Film(..) => tools.scene.light.seen_by(&of.document.recipe, entity, &of.links),
        };
        let order = match order {
            Order::Picture(shot) => {
                let seen = export::as_seen(*shot, of, &tools.pilot, tools.scene.viewed.0);
                Order::Picture(Box::new(seen))
            }
            other @ (Order::Film(..) | Order::Output(_)) => other,
        };
        exporting.begin(order, recipe, tools.scene.cache.0.clone(), path);
    }
    let shown = output::show(context, &mut tools.windows.output, exporting, (&mut *browsing, land), land_of);
    if let Some((output, entity, path)) = shown
        && let Some(of) = item(documents, entity)
    {
        let (recipe, cache) = (of.document.recipe.clone(), tools.scene.cache.0.clone());
        exporting.begin(Order::Output(output), recipe, cache, path);
    }
    let Windows { files, recent, browsing, .. } = &mut tools.windows;
    let (files, browsing) = (&mut **files, &mut **browsing);
    if let Some(of) = item(documents, edited) {
        browse::serve(context, browsing, (of.entity, &*of.document));
    }
    path_dialog::show(context, files, recent, (browsing, land), &mut tools.actions, &mut tools.message);
    palette::show(context, &mut tools.windows.palette, land, &mut tools.actions);
}
