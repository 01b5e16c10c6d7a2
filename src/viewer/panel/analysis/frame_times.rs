//! F3: how long the passes of a frame take on the processor and on the graphics device.

use std::collections::BTreeMap;
use std::time::Duration;

use bevy::diagnostic::{Diagnostic, DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy_egui::egui::{self, Color32, RichText, Stroke, pos2, vec2};

use crate::viewer::panel::controls::style;

/// Size of the graph, logical pixels.
const GRAPH: egui::Vec2 = vec2(360.0, 110.0);
/// The maximum number of passes that have a colour of their own.
const MOST: usize = 8;
/// Any two of these can be told apart by people with any kind of colour vision.
const COLOURS: [Color32; MOST] = [
    Color32::from_rgb(0x04, 0xbc, 0xff),
    Color32::from_rgb(0xa1, 0x48, 0x4b),
    Color32::from_rgb(0xbb, 0xd7, 0x67),
    Color32::from_rgb(0xa6, 0x6a, 0x9c),
    Color32::from_rgb(0xff, 0xbf, 0xdd),
    Color32::from_rgb(0x3e, 0x60, 0xbe),
    Color32::from_rgb(0xee, 0x93, 0x8a),
    Color32::from_rgb(0x67, 0x72, 0x00),
];

/// Bevy's measurements of a pass, milliseconds.
#[derive(Debug, Default, PartialEq)]
struct Pass {
    /// For the latest frames, the oldest first.
    on_processor: Vec<f32>,
    on_device: Vec<f32>,
}

/// Draws the times. `systems_ms` is the time of the terrain's own systems.
pub(crate) fn show(ui: &mut egui::Ui, diagnostics: &DiagnosticsStore, systems_ms: f32) {
    let passes = passes(diagnostics.iter());
    let has_device = passes.values().any(|pass| !pass.on_device.is_empty());
    let mut list: Vec<(&String, &Pass)> = passes.iter().collect();
    let cost = |pass: &Pass| mean(if has_device { &pass.on_device } else { &pass.on_processor });
    list.sort_by(|a, b| cost(b.1).total_cmp(&cost(a.1)));
    let frames = diagnostics.get(&FrameTimeDiagnosticsPlugin::FRAME_TIME).map(values).unwrap_or_default();
    let shown = |pass: &Pass| if has_device { pass.on_device.clone() } else { pass.on_processor.clone() };
    let series: Vec<Vec<f32>> = list.iter().take(MOST).map(|(_, pass)| shown(pass)).collect();
    graph(ui, &frames, &series, if has_device { "graphics device" } else { "processor" });
    egui::Grid::new("passes").num_columns(4).min_col_width(12.0).spacing([14.0, 3.0]).show(ui, |ui| {
        ui.label("");
        ui.label(RichText::new("pass").color(style::quiet(ui)));
        ui.label(RichText::new("device, ms").color(style::quiet(ui)));
        ui.label(RichText::new("processor, ms").color(style::quiet(ui)));
        ui.end_row();
        for (index, (name, pass)) in list.iter().enumerate() {
            swatch(ui, COLOURS.get(index).copied());
            ui.label(name.replace('_', " "));
            ui.label(if pass.on_device.is_empty() { "–".to_owned() } else { ms(mean(&pass.on_device)) });
            ui.label(ms(mean(&pass.on_processor)));
            ui.end_row();
        }
        swatch(ui, None);
        ui.label("terrain's own systems");
        ui.label("–");
        ui.label(ms(systems_ms));
        ui.end_row();
        swatch(ui, Some(style::strong(ui)));
        ui.label(RichText::new("whole frame").strong());
        ui.label("");
        ui.label(ms(mean(&frames)));
        ui.end_row();
    });
    if !has_device {
        let text = "This device doesn't report times of passes, so only times on the processor are shown.";
        ui.label(RichText::new(text).color(style::quiet(ui)));
    }
    let text = "Averages of the latest frames. The time of a pass on the processor is the time to record it.";
    ui.label(RichText::new(text).color(style::quiet(ui)).small());
}

fn swatch(ui: &mut egui::Ui, colour: Option<Color32>) {
    let (place, _) = ui.allocate_exact_size(vec2(12.0, 12.0), egui::Sense::hover());
    if let Some(colour) = colour {
        ui.painter().rect_filled(place, 2.0, colour);
    }
}

/// The passes stacked, frame by frame, and a line for whole frames above.
fn graph(ui: &mut egui::Ui, frames: &[f32], passes: &[Vec<f32>], of: &str) {
    let (place, _) = ui.allocate_exact_size(GRAPH, egui::Sense::hover());
    let painter = ui.painter_at(place);
    painter.rect_filled(place, 3.0, ui.visuals().extreme_bg_color);
    let length = frames.len().max(passes.iter().map(Vec::len).max().unwrap_or(0)).max(2);
    let stacked: Vec<f32> =
        (0..length).map(|age| passes.iter().map(|pass| latest(pass, age)).sum()).collect();
    let most = frames.iter().chain(&stacked).fold(1.0f32, |most, ms| most.max(*ms));
    let top = round_up(most);
    let x = |age: usize| place.right() - place.width() * age as f32 / (length - 1) as f32;
    let y = |ms: f32| place.bottom() - place.height() * ms / top;
    let width = place.width() / (length - 1) as f32 + 0.5;
    for age in 0..length {
        let mut below = 0.0;
        for (pass, colour) in passes.iter().zip(COLOURS) {
            let ms = latest(pass, age);
            let bar = egui::Rect::from_two_pos(pos2(x(age) - width, y(below + ms)), pos2(x(age), y(below)));
            painter.rect_filled(bar, 0.0, colour);
            below += ms;
        }
    }
    let line = (0..frames.len()).map(|age| pos2(x(age), y(latest(frames, age)))).collect();
    painter.line(line, Stroke::new(1.5, style::strong(ui)));
    let font = style::font(ui, 11.0);
    let text = format!("{} ms", top);
    painter.text(
        place.left_top() + vec2(5.0, 3.0),
        egui::Align2::LEFT_TOP,
        text,
        font.clone(),
        style::quiet(ui),
    );
    let text = format!("passes on the {of}; line: whole frames");
    painter.text(place.right_top() + vec2(-5.0, 3.0), egui::Align2::RIGHT_TOP, text, font, style::quiet(ui));
}

/// The value this number of frames ago; 0 if unknown.
fn latest(values: &[f32], age: usize) -> f32 {
    values.len().checked_sub(age + 1).map_or(0.0, |index| values[index])
}

/// A pass that last ran this long before the latest one is no longer shown.
const GONE: Duration = Duration::from_secs(1);

/// The passes among all measurements: under `render/`, with the kind of time at the end.
fn passes<'a>(diagnostics: impl Iterator<Item = &'a Diagnostic>) -> BTreeMap<String, Pass> {
    let of_passes = diagnostics.filter_map(|diagnostic| {
        let path = diagnostic.path().as_str().strip_prefix("render/")?;
        Some((diagnostic, path, diagnostic.measurement()?.time))
    });
    let of_passes: Vec<_> = of_passes.collect();
    let latest = of_passes.iter().map(|(.., time)| *time).max();
    let mut passes: BTreeMap<String, Pass> = BTreeMap::new();
    for (diagnostic, path, time) in of_passes {
        if latest.is_some_and(|latest| latest.duration_since(time) > GONE) {
            continue;
        }
        let Some((name, kind)) = path.rsplit_once('/') else { continue };
        let times = match kind {
            "elapsed_cpu" => |pass: &mut Pass, values| pass.on_processor = values,
            "elapsed_gpu" => |pass: &mut Pass, values| pass.on_device = values,
            _ => continue,
        };
        times(passes.entry(name.to_owned()).or_default(), values(diagnostic));
    }
    passes
}

fn values(diagnostic: &Diagnostic) -> Vec<f32> {
    diagnostic.values().map(|ms| *ms as f32).collect()
}

fn mean(values: &[f32]) -> f32 {
    // Averages about half a second, which is steady enough to read.
    let latest = &values[values.len().saturating_sub(30)..];
    latest.iter().sum::<f32>() / latest.len().max(1) as f32
}

fn ms(ms: f32) -> String {
    if ms < 10.0 { format!("{ms:.2}") } else { format!("{ms:.0}") }
}

/// The next larger 1, 2 or 5 times a power of ten.
fn round_up(number: f32) -> f32 {
    let power = 10f32.powf(number.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|times| times * power)
        .into_iter()
        .find(|round| *round >= number)
        .unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use bevy::diagnostic::{DiagnosticMeasurement, DiagnosticPath};
    use bevy::platform::time::Instant;

    use super::*;

    #[test]
    fn colours_of_passes_can_be_told_apart() {
        use crate::math::vision::{CATEGORIES, all_apart, linear};
        let colours = COLOURS.map(|colour| linear([colour.r(), colour.g(), colour.b()]));
        assert_eq!(all_apart(&colours, CATEGORIES), Ok(()));
    }

    #[test]
    fn passes_are_found_among_all_diagnostics() {
        let begun = Instant::now();
        let at = |seconds, path: &str, values: &[f64]| {
            let mut diagnostic = Diagnostic::new(DiagnosticPath::new(path.to_owned()));
            let time = begun + Duration::from_secs_f32(seconds);
            for &value in values {
                diagnostic.add_measurement(DiagnosticMeasurement { time, value });
            }
            diagnostic
        };
        let diagnostic = |path: &str, values: &[f64]| at(10.0, path, values);
        let all = [
            diagnostic("fps", &[60.0]),
            diagnostic("render/main_opaque_pass_3d/elapsed_cpu", &[0.5, 0.25]),
            diagnostic("render/main_opaque_pass_3d/elapsed_gpu", &[3.0]),
            diagnostic("render/main_opaque_pass_3d/fragment_shader_invocations", &[9.0]),
            at(9.5, "render/upscaling/elapsed_cpu", &[1.0]),
            at(8.5, "render/bloom/elapsed_cpu", &[1.0]),
            at(0.0, "render/bloom/elapsed_gpu", &[1.0]),
            diagnostic("render/smaa/elapsed_cpu", &[]),
        ];
        let passes = passes(all.iter());
        assert_eq!(passes.keys().collect::<Vec<_>>(), ["main_opaque_pass_3d", "upscaling"]);
        let opaque = Pass { on_processor: vec![0.5, 0.25], on_device: vec![3.0] };
        assert_eq!(passes["main_opaque_pass_3d"], opaque);
        assert_eq!((mean(&opaque.on_processor), mean(&[])), (0.375, 0.0));
        assert_eq!([0.9, 1.0, 3.0, 60.0].map(round_up), [1.0, 1.0, 5.0, 100.0]);
    }
}
