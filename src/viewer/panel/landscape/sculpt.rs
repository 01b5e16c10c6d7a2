//! The brush: what it does, its width and its strength.

use bevy_egui::egui::{self, RichText};

use crate::recipe::Recipe;
use crate::sculpt::STROKE_RADII;
use crate::shown::shown_in_line;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::tools::sculpt::{BrushKind, Sculpting};

/// The maximum number of letters of a terrain type's name.
const MOST_LETTERS: usize = 30;

/// Draws the panel.
pub(crate) fn show(ui: &mut egui::Ui, sculpting: &mut Sculpting, recipe: &Recipe) {
    ui.horizontal_wrapped(|ui| {
        for (kind, name, tip) in BrushKind::ALL {
            ui.selectable_value(&mut sculpting.kind, kind, name).tip(tip);
        }
    });
    ui.add_space(4.0);
    egui::Grid::new("brush").num_columns(2).spacing([14.0, 4.0]).show(ui, |ui| {
        let Sculpting { kind, radius, strength, falloff, .. } = sculpting;
        let metres = egui::Slider::new(radius, STROKE_RADII).logarithmic(true).suffix(" m").max_decimals(1);
        let tip = "Metres from the middle of the brush to its edge; also changed by the keys [ and ]";
        slider(ui, true, ("radius", tip), metres);
        let tip = "The share of the full effect";
        slider(ui, kind.has_strength(), ("strength", tip), egui::Slider::new(strength, 0.0..=1.0));
        let tip = "The share of the radius over which the effect fades to zero";
        slider(ui, kind.has_falloff(), ("falloff", tip), egui::Slider::new(falloff, 0.0..=1.0));
        if sculpting.kind == BrushKind::Paint {
            types(ui, &mut sculpting.paints, recipe);
        }
    });
    ui.add_space(4.0);
    let say = "Drag on the land with the left button; the others turn the view. Strokes are a step of the recipe: they can be \
               undone like any change, and are saved in a file next to it. Esc finishes.";
    ui.label(RichText::new(say).color(style::quiet(ui)));
}

/// A row with a slider that has its label's name for screen readers.
fn slider(ui: &mut egui::Ui, enabled: bool, (name, tip): (&str, &str), slider: egui::Slider) {
    let label = ui.add_enabled_ui(enabled, |ui| ui.label(name).tip(tip).id).inner;
    ui.add_enabled(enabled, slider).tip(tip).labelled_by(label);
    ui.end_row();
}

/// The terrain type to paint.
fn types(ui: &mut egui::Ui, paints: &mut String, recipe: &Recipe) {
    let texture = recipe.texture.texture();
    let names: Vec<&str> = texture.types.iter().map(|kind| kind.name.as_str()).collect();
    if !names.contains(&paints.as_str()) {
        *paints = names.first().map(|name| (*name).to_owned()).unwrap_or_default();
    }
    ui.label("terrain type");
    egui::ComboBox::from_id_salt("painted").selected_text(shown_in_line(paints, MOST_LETTERS)).show_ui(
        ui,
        |ui| {
            for name in names {
                ui.selectable_value(paints, name.to_owned(), shown_in_line(name, MOST_LETTERS));
            }
        },
    );
    ui.end_row();
}
