//! Strokes of a brush without Bevy: the effect of each tool on the same hills, as pictures.
//!
//! `cargo run --release --no-default-features --example strokes -- FOLDER` writes them into a folder, with a
//! recipe and its strokes that `upland view` can open.

use std::error::Error;
use std::path::{Path, PathBuf};

use upland::sculpt::{Stroke, Strokes, Tool};
use upland::{Recipe, Work, thumbnail};

/// The middle of the land, metres from its north-west corner.
const MIDDLE: [f64; 2] = [256.0, 256.0];

const HILLS: &str = r#"(
    version: 1,
    name: "Hills",
    seed: 8,
    size: (257, 257),
    cell: 2,
    steps: [fbm(height: 60, frequency: 2.5, octaves: 9)],
    texture: woodland,
)"#;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let hills = Recipe::from_ron(HILLS, "hills.ron")?;
    draw(&hills, &folder.join("sculpt-before.png"))?;
    for (name, strokes) in tools() {
        draw(&with(&hills, strokes)?, &folder.join(format!("sculpt-{name}.png")))?;
    }
    // All of them on one land, saved as a recipe and the file of strokes that it names.
    let mut all = with(&hills, everything())?;
    draw(&all, &folder.join("sculpt-after.png"))?;
    let path = folder.join("sculpted.ron");
    // Files of an earlier run are replaced.
    let before = Recipe::read(&path).ok();
    all.write_strokes(&path, before.as_ref())?;
    std::fs::write(&path, all.to_ron()?)?;
    Ok(())
}

fn with(recipe: &Recipe, strokes: Vec<Stroke>) -> upland::Result<Recipe> {
    let mut recipe = recipe.clone();
    recipe.set_strokes(&Strokes::of(strokes)?, Path::new(""));
    Ok(recipe)
}

fn draw(recipe: &Recipe, path: &Path) -> Result<(), Box<dyn Error>> {
    Ok(thumbnail(recipe, (640, 400), &Work::new())?.save(path)?)
}

fn tools() -> [(&'static str, Vec<Stroke>); 6] {
    let [x, z] = MIDDLE;
    let across = vec![[x - 190.0, z + 60.0], [x + 20.0, z + 20.0]];
    let path = vec![[x - 200.0, z + 90.0], [x - 60.0, z - 20.0], [x + 80.0, z + 40.0], [x + 200.0, z - 60.0]];
    [
        ("crater", vec![Stroke::at(Tool::Crater { depth: 26.0, rim: 9.0 }, MIDDLE, 150.0)]),
        ("ramp", vec![Stroke::along(Tool::Ramp { from: -5.0, to: 45.0 }, across, 26.0).with_falloff(0.4)]),
        ("flatten", vec![Stroke::at(Tool::Flatten { to: 18.0 }, MIDDLE, 130.0).with_falloff(0.35)]),
        ("smooth", vec![Stroke::at(Tool::Smooth {}, MIDDLE, 170.0).with_falloff(0.3); 2]),
        ("erode", vec![Stroke::at(Tool::Erode { drops: 3.0 }, MIDDLE, 230.0).with_falloff(0.3)]),
        ("paint", vec![Stroke::along(Tool::Paint { kind: "rock".into() }, path, 26.0).with_falloff(0.5)]),
    ]
}

/// A crater, a level place with a ramp up to it, smoothed and painted.
fn everything() -> Vec<Stroke> {
    let [x, z] = MIDDLE;
    let (place, crater) = ([x + 110.0, z + 60.0], [x - 120.0, z - 40.0]);
    let ramp = vec![[x - 90.0, z + 170.0], [x + 70.0, z + 90.0]];
    vec![
        Stroke::at(Tool::Flatten { to: 30.0 }, place, 80.0).with_falloff(0.4),
        Stroke::along(Tool::Ramp { from: 0.0, to: 30.0 }, ramp.clone(), 20.0).with_falloff(0.4),
        Stroke::along(Tool::Paint { kind: "rock".into() }, ramp, 12.0).with_falloff(0.5),
        Stroke::at(Tool::Paint { kind: "rock".into() }, place, 50.0).with_falloff(0.3),
        Stroke::at(Tool::Smooth {}, crater, 130.0),
        Stroke::at(Tool::Crater { depth: 20.0, rim: 7.0 }, crater, 120.0),
        Stroke::at(Tool::Erode { drops: 1.0 }, [x + 120.0, z - 150.0], 120.0),
        Stroke::at(Tool::Raise { by: 35.0 }, [x - 20.0, z - 170.0], 90.0),
        Stroke::at(Tool::Lower { by: 12.0 }, [x - 190.0, z + 150.0], 70.0),
    ]
}
