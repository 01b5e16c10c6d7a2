//! Modal questions: Enter selects the first answer, Escape the last.

use bevy::prelude::Entity;
use bevy_egui::egui;

use super::controls::style::{self, Tip as _};
use crate::shown::shown_in_line;
use crate::viewer::document::Document;
use crate::viewer::files::confirm::{Confirm, ConfirmChoice};
use crate::viewer::session::DocumentRequest;

/// Maximum width of a question, logical pixels.
const WIDTH: f32 = 440.0;
/// Space to keep free on both sides in a small window, logical pixels.
const BESIDE: f32 = 24.0;
/// The maximum number of characters of a name.
const MOST_LETTERS: usize = 60;

/// A question as it is shown.
struct Card {
    title: String,
    text: &'static str,
    lines: Vec<String>,
    /// Label, tooltip and meaning of each answer's button.
    answers: [(String, &'static str, ConfirmChoice); 3],
}

/// Draws the question; returns the user's answer.
pub(super) fn show<'a>(
    context: &egui::Context,
    question: &Confirm,
    document_of: impl Fn(Entity) -> Option<&'a Document>,
) -> Option<ConfirmChoice> {
    let card = card(question, document_of);
    let width = WIDTH.min(context.content_rect().width() - 2.0 * BESIDE).max(120.0);
    let frame = egui::Frame::popup(&context.global_style()).inner_margin(18.0);
    let modal = egui::Modal::new("question".into()).frame(frame).show(context, |ui| {
        ui.set_width(width - 36.0);
        ui.add(
            egui::Label::new(egui::RichText::new(&card.title).strong().size(style::points(ui, 17.0))).wrap(),
        );
        ui.add_space(4.0);
        ui.add(egui::Label::new(card.text).wrap());
        for line in &card.lines {
            ui.add(egui::Label::new(egui::RichText::new(format!("•  {line}")).strong()).wrap());
        }
        ui.add_space(10.0);
        buttons(ui, &card.answers)
    });
    let closed = modal.should_close().then_some(card.answers[2].2);
    modal.inner.or(closed)
}

fn buttons(ui: &mut egui::Ui, answers: &[(String, &'static str, ConfirmChoice); 3]) -> Option<ConfirmChoice> {
    let mut answered = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding = egui::vec2(12.0, 5.0);
        let mut drawn = Vec::new();
        for (index, (text, tip, answer)) in answers.iter().enumerate() {
            let button = match index {
                0 => egui::Button::new(egui::RichText::new(text).color(egui::Color32::WHITE))
                    .fill(style::ACCENT),
                _ => egui::Button::new(text),
            };
            let button = ui.add(button);
            if button.clicked() {
                answered = Some(*answer);
            }
            drawn.push(if tip.is_empty() { button } else { button.tip(*tip) });
        }
        // So that Enter means the first answer, and no field behind the question receives what is typed.
        if !drawn.iter().any(egui::Response::has_focus) {
            drawn[0].request_focus();
        }
    });
    answered
}

fn card<'a>(question: &Confirm, document_of: impl Fn(Entity) -> Option<&'a Document>) -> Card {
    let cancel = |tip| ("Cancel".to_owned(), tip, ConfirmChoice::Cancel);
    match question {
        Confirm::Unsaved { request, documents } => {
            let lines = documents.iter().filter_map(|document| document_of(*document)).map(name).collect();
            let save = if documents.len() > 1 { "Save all" } else { "Save" }.to_owned();
            let text = match documents.len() {
                1 => "This landscape has unsaved changes:",
                _ => "These landscapes have unsaved changes:",
            };
            let (title, discard, tip) = match request {
                DocumentRequest::Show { recipe, .. } => (
                    format!("Save before opening “{}”?", shown_in_line(&recipe.name, MOST_LETTERS)),
                    "Open without saving",
                    "Undo brings the changes back",
                ),
                DocumentRequest::Learn { lesson, .. } => (
                    format!(
                        "Save before starting the lesson “{}”?",
                        shown_in_line(&lesson.title, MOST_LETTERS)
                    ),
                    "Start without saving",
                    "Undo brings the changes back",
                ),
                // It asks when its land is there.
                #[cfg(feature = "world")]
                DocumentRequest::OpenPlan { .. } => (
                    "Save before opening a plan?".to_owned(),
                    "Open without saving",
                    "Undo brings the changes back",
                ),
                DocumentRequest::Close
                | DocumentRequest::CloseOne(_)
                | DocumentRequest::Save(_)
                | DocumentRequest::SaveAs { .. }
                | DocumentRequest::Beside(_)
                | DocumentRequest::Copy { .. } => {
                    ("Save before closing?".to_owned(), "Close without saving", "The changes are lost")
                }
            };
            let answers = [
                (save, "", ConfirmChoice::Save),
                (discard.to_owned(), tip, ConfirmChoice::Discard),
                cancel("Stay here"),
            ];
            Card { title, text, lines, answers }
        }
        Confirm::ChangedElsewhere { path, beside, .. } => {
            let beside = shown_in_line(&file_name(beside), MOST_LETTERS);
            Card {
                title: format!("{} has changed on disk", shown_in_line(&file_name(path), MOST_LETTERS)),
                text: "Another program has written to it since it was read here. Replacing it loses the \
                       present content.",
                lines: Vec::new(),
                answers: [
                    (
                        format!("Save as {beside}"),
                        "Writes a new file in the same folder",
                        ConfirmChoice::SaveBeside,
                    ),
                    ("Replace".to_owned(), "Its present content is lost", ConfirmChoice::Overwrite),
                    cancel("Don't save"),
                ],
            }
        }
        Confirm::Drawing(path) => Card {
            title: "Close before the export is finished?".to_owned(),
            text: "This file is still being written:",
            lines: vec![shown_in_line(&file_name(path), MOST_LETTERS)],
            answers: [
                ("Close when finished".to_owned(), "The window stays open until then", ConfirmChoice::Wait),
                ("Stop and close".to_owned(), "The unfinished file is discarded", ConfirmChoice::Discard),
                cancel("Stay here"),
            ],
        },
        Confirm::Left(lines) => Card {
            title: "Restore unsaved changes?".to_owned(),
            text: "upland closed before these changes were saved:",
            lines: lines.iter().map(|line| shown_in_line(line, 2 * MOST_LETTERS)).collect(),
            answers: [
                ("Restore".to_owned(), "Open them as they were, still unsaved", ConfirmChoice::Restore),
                ("Discard".to_owned(), "The changes are lost", ConfirmChoice::Discard),
                ("Later".to_owned(), "Ask again at the next start", ConfirmChoice::Cancel),
            ],
        },
    }
}

/// A landscape's name, and the file that it would be saved to.
fn name(document: &Document) -> String {
    let name = shown_in_line(&document.recipe.name, MOST_LETTERS);
    match (document.path(), document.new_path()) {
        (Some(path), _) => format!("{name}, in {}", shown_in_line(&file_name(path), MOST_LETTERS)),
        (None, Ok(path)) => format!("{name}, to a new file {}", path.display()),
        (None, Err(_)) => name,
    }
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
