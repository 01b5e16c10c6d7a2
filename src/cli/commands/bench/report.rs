//! The measurements of flights, as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

/// The measurements of a flight. Times are in milliseconds.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) name: String,
    pub(super) frames: usize,
    /// Places without ground, or with it twice, in any frame.
    pub(super) holes: usize,
    /// Visible triangles.
    pub(super) triangles_max: usize,
    pub(super) draws_max: usize,
    /// Time of the terrain's own systems on the main thread.
    pub(super) systems: Spread,
    /// The part of it on the processor: without the time that the main thread waited because the system had
    /// given its core to another thread. `None` where the system doesn't report it, and where frames are
    /// drawn: there, systems run on several threads.
    pub(super) systems_cpu: Option<Spread>,
    /// Time of all work in a frame.
    pub(super) frame: Spread,
    /// From when a tile is first needed until it is drawn.
    pub(super) latency: Spread,
    /// Reserved on the device.
    pub(super) gpu_bytes_max: usize,
    /// Bytes of resident tiles in memory.
    pub(super) cpu_bytes_max: usize,
    pub(super) tiles_max: usize,
    /// The largest factor by which texels were larger than they should look.
    pub(super) pressure_max: f64,
    pub(super) device: String,
    /// The measurements of drawing, if the flight was drawn.
    pub(super) drawing: Option<Drawing>,
}

/// Measurements of drawing.
#[derive(Debug)]
#[cfg_attr(not(feature = "render"), allow(dead_code, reason = "without `render` nothing is drawn"))]
pub(super) struct Drawing {
    pub(super) quality: &'static str,
    /// Pixels.
    pub(super) size: (u32, u32),
    /// Until everything is submitted to the device.
    pub(super) cpu: Spread,
    /// Time of each pass on the device, where the device reports it.
    pub(super) passes: BTreeMap<String, Spread>,
    /// The most draws into a shadow map.
    pub(super) shadow_draws_max: usize,
}

/// The median, the 95th and 99th percentile, and the greatest of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    pub(super) worst: f64,
}

impl Spread {
    /// The spread of these numbers; zeros if there are none.
    pub(super) fn of(numbers: &mut [f64]) -> Self {
        numbers.sort_by(f64::total_cmp);
        let Some(last) = numbers.len().checked_sub(1) else { return Self::default() };
        let at = |share: f64| numbers[((last as f64 * share).round() as usize).min(last)];
        Self { median: at(0.5), p95: at(0.95), p99: at(0.99), worst: numbers[last] }
    }
}

/// The runs as a list.
pub(super) fn json(runs: &[Run]) -> String {
    let times =
        |spread: &Spread| json!({ "median": spread.median, "p99": spread.p99, "worst": spread.worst });
    let run = |run: &Run| {
        let mut all = json!({
            "name": run.name,
            "device": run.device,
            "frames": run.frames,
            "holes": run.holes,
            "triangles_max": run.triangles_max,
            "draws_max": run.draws_max,
            "systems_ms": times(&run.systems),
            "systems_cpu_ms": run.systems_cpu.as_ref().map(times),
            "frame_ms": times(&run.frame),
            "tile_latency_ms": { "median": run.latency.median, "p95": run.latency.p95 },
            "tiles_max": run.tiles_max,
            "texel_factor_max": run.pressure_max,
            "gpu_bytes_max": run.gpu_bytes_max,
            "cpu_bytes_max": run.cpu_bytes_max,
        });
        if let Some(drawing) = &run.drawing {
            let passes = drawing.passes.iter().map(|(name, spread)| (name.clone(), times(spread)));
            all["quality"] = json!(drawing.quality);
            all["size"] = json!([drawing.size.0, drawing.size.1]);
            all["cpu_ms"] = times(&drawing.cpu);
            all["gpu_passes_ms"] = Value::Object(passes.collect());
            all["shadow_draws_max"] = json!(drawing.shadow_draws_max);
        }
        all
    };
    let list: Vec<Value> = runs.iter().map(run).collect();
    format!("{:#}\n", Value::Array(list))
}

/// The runs for people.
pub(super) fn table(runs: &[Run]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let knows_processor = runs.iter().any(|run| run.systems_cpu.is_some());
    let before =
        ["flight", "frames", "holes", "triangles", "draws", "frame ms: median", "99 %", "worst"].as_slice();
    let systems = ["systems ms: median", "99 %", "worst"].as_slice();
    let processor = ["of which on the processor: median", "99 %", "worst"].as_slice();
    let after = ["tile ms: median", "95 %", "texels", "tiles", "GPU MiB", "CPU MiB"].as_slice();
    table.set_header(
        [before, systems, if knows_processor { processor } else { &[] }, after].into_iter().flatten(),
    );
    let mebibytes = |bytes: usize| format!("{:.0}", bytes as f64 / f64::from(1 << 20));
    let hundredths =
        |spread: &Spread| [spread.median, spread.p99, spread.worst].map(|time| format!("{time:.2}"));
    for run in runs {
        let before = vec![
            run.name.clone(),
            run.frames.to_string(),
            run.holes.to_string(),
            run.triangles_max.to_string(),
            run.draws_max.to_string(),
            format!("{:.1}", run.frame.median),
            format!("{:.1}", run.frame.p99),
            format!("{:.1}", run.frame.worst),
        ];
        let processor = match &run.systems_cpu {
            Some(processor) => hundredths(processor).to_vec(),
            None if knows_processor => vec!["–".to_owned(); 3],
            None => Vec::new(),
        };
        let after = vec![
            format!("{:.0}", run.latency.median),
            format!("{:.0}", run.latency.p95),
            format!("×{:.1}", run.pressure_max),
            run.tiles_max.to_string(),
            mebibytes(run.gpu_bytes_max),
            mebibytes(run.cpu_bytes_max),
        ];
        table.add_row([before, hundredths(&run.systems).to_vec(), processor, after].into_iter().flatten());
    }
    format!("{table}\n{}", passes(runs))
}

/// The passes of runs that were drawn, for people.
fn passes(runs: &[Run]) -> String {
    let mut text = String::new();
    for run in runs {
        let Some(drawing) = &run.drawing else { continue };
        let (width, height) = drawing.size;
        let _ = write!(
            text,
            "{}: {}, {width}×{height}, {}, CPU {:.1} ms",
            run.name, run.device, drawing.quality, drawing.cpu.median
        );
        let mut passes: Vec<_> = drawing.passes.iter().collect();
        passes.sort_by(|a, b| b.1.median.total_cmp(&a.1.median));
        for (name, spread) in passes.into_iter().filter(|(_, spread)| spread.median >= 0.005) {
            let _ = write!(text, ", {name} {:.2} ms", spread.median);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_its_numbers() {
        let mut numbers: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(Spread::of(&mut numbers), Spread { median: 50.0, p95: 95.0, p99: 99.0, worst: 100.0 });
        assert_eq!(Spread::of(&mut []), Spread::default());
    }

    #[test]
    fn time_on_the_processor_is_reported_where_it_is_known() {
        let known = Spread { median: 0.25, p95: 0.5, p99: 0.75, worst: 1.5 };
        let run = |systems_cpu| Run { name: "moon".to_owned(), systems_cpu, ..Run::default() };
        let told = table(&[run(Some(known)), run(None)]);
        assert!(told.contains("of which on the processor: median"), "{told}");
        assert!(["0.25", "0.75", "1.50", "–"].iter().all(|cell| told.contains(cell)), "{told}");
        assert!(!table(&[run(None)]).contains("processor"));
        let told: Value = serde_json::from_str(&json(&[run(Some(known)), run(None)])).unwrap();
        assert_eq!(told[0]["systems_cpu_ms"], json!({ "median": 0.25, "p99": 0.75, "worst": 1.5 }));
        assert_eq!(told[1]["systems_cpu_ms"], Value::Null);
    }
}
