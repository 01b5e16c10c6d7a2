//! `upland bench`: flies fixed paths over fixed landscapes and measures frame times and memory.

#[cfg(feature = "render")]
mod drawn;
mod flight;
mod path;
mod processor;
mod report;

use std::io::Write;
use std::path::Path;

use crate::cli::arguments::{BenchArguments, Changes};
use crate::cli::report::{Failure, Outcome, print};
use crate::cli::{land, outputs, progress};
use crate::error::Error;
use crate::files::{check_replaceable, replace_file};
use crate::recipe::preset::Preset;
use crate::stream::RecipeSource;
use crate::{Cache, Recipe};
#[cfg(feature = "render")]
use drawn::DrawnLand;
use flight::fly;
use path::{Altitude, Flight};
use report::{Run, json, table};

/// A landscape to fly over.
struct Scene {
    name: &'static str,
    preset: &'static str,
    /// Samples along the longer side; `None`: those of the preset, or endless.
    side: Option<u32>,
}

/// The landscapes, from small to endless.
const SCENES: [Scene; 3] = [
    Scene { name: "1025", preset: "high-range", side: Some(1025) },
    Scene { name: "4097", preset: "high-range", side: Some(4097) },
    Scene { name: "endless", preset: "endless-highlands", side: None },
];

/// The given land, which replaces them.
const OWN: [Scene; 1] = [Scene { name: "land", preset: "", side: None }];

impl Scene {
    fn recipe(&self) -> Result<Recipe, Error> {
        let preset = Preset::find(self.preset)
            .ok_or_else(|| Error::parameter("preset", format!("there is no {}", self.preset)))?;
        let recipe = preset.recipe()?;
        Ok(self.side.map_or(recipe.clone(), |side| recipe.with_longer_side(side)))
    }
}

/// Metres per second.
const SPEEDS: [f64; 2] = [10.0, 300.0];

/// Metres between samples of the finest tiles.
const FINEST: f32 = 0.25;

pub(in crate::cli) fn run(asked: &BenchArguments) -> Outcome {
    #[cfg(not(feature = "render"))]
    if !asked.no_draw {
        let reason = "this program cannot draw; add --no-draw to measure the terrain's own systems alone";
        return Err(Failure::Usage(reason.to_owned()));
    }
    let scenes = if asked.land.is_some() { &OWN[..] } else { &SCENES };
    let flights = flights(scenes);
    let is_asked = |flight: &Flight| asked.only.iter().all(|word| flight.name.contains(word.as_str()));
    if !flights.iter().any(is_asked) {
        let names: Vec<&str> = flights.iter().map(|flight| flight.name.as_str()).collect();
        let reason = format!(
            "no flight has all of these words in its name: {}; there are {}",
            asked.only.join(", "),
            names.join(", ")
        );
        return Err(Failure::Usage(reason));
    }
    asked.json.as_ref().map_or(Ok(()), check_replaceable)?;
    let mut runs: Vec<Run> = Vec::new();
    for scene in scenes {
        let flights: Vec<&Flight> =
            flights.iter().filter(|flight| flight.scene == scene.name && is_asked(flight)).collect();
        if flights.is_empty() {
            continue;
        }
        let cache = Cache::default();
        let recipe = match &asked.land {
            Some(name) => land::recipe(name, None, &Changes::default())?,
            None => scene.recipe()?,
        };
        #[cfg(feature = "render")]
        if !asked.no_draw {
            let wanted = drawn::Asked {
                size: asked.size,
                frames: asked.frames.map(|frames| frames as usize),
                seconds: asked.seconds,
                quality: asked.quality,
            };
            let mut land = progress::with_bar(|work| DrawnLand::new(&recipe, wanted, work))?;
            for flight in flights {
                runs.push(progress::with_bar(|work| land.fly(flight, work))?);
            }
            continue;
        }
        let source = progress::with_bar(|work| {
            RecipeSource::new(recipe, &cache, FINEST, vec![vec![0, 1, 2, 3]], work)
        })?;
        for flight in flights {
            runs.push(fly(flight, &source, asked.seconds)?);
        }
    }
    let ((), written) = outputs::together(|| {
        if let Some(path) = &asked.json {
            write(path, &json(&runs))?;
        }
        Ok(print(&table(&runs))?)
    })?;
    written.report("measurements");
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    replace_file(path, |file| {
        file.write_all(text.as_bytes()).map_err(|error| Error::io(path, "write", error))
    })
}

/// All flights, by scene, altitude and speed, and one with edits over each scene.
fn flights(scenes: &[Scene]) -> Vec<Flight> {
    let mut flights = Vec::new();
    for scene in scenes {
        for altitude in Altitude::ALL {
            for speed in SPEEDS {
                let name = format!("{}-{}-{speed}", scene.name, altitude.name());
                flights.push(Flight { name, scene: scene.name, altitude, speed, edits: false });
            }
        }
        let name = format!("{}-{}-edits", scene.name, Altitude::Mid.name());
        flights.push(Flight {
            name,
            scene: scene.name,
            altitude: Altitude::Mid,
            speed: SPEEDS[0],
            edits: true,
        });
    }
    flights
}
