//! `upland tour`: films a tour of a recipe's bookmarks, or a recorded flight, as numbered pictures or,
//! through ffmpeg, as a video.

use crate::cli::report::{Outcome, say};
use crate::cli::{arguments, drawing, land, outputs};
use crate::render::{Film, FilmWriter, render_tour};

pub(in crate::cli) fn run(arguments: &arguments::TourArguments) -> Outcome {
    let recipe = land::recipe(&arguments.recipe, arguments.field_size, &arguments.changes)?;
    let tour = recipe.tour(arguments.flight.as_deref())?;
    if let Some(name) = &arguments.flight {
        land::tell_namesakes("flight", name, recipe.flights.iter().map(|flight| &*flight.name));
    }
    let &arguments::TourArguments { size, rate, quality, .. } = arguments;
    let film = Film { size, rate, quality, time_limit: arguments.time_limit.duration() };
    land::announce(&recipe, None);
    let made = drawing::draw(|work| {
        FilmWriter::record(&arguments.output, &film, |writer| {
            render_tour(&recipe, &tour, &film, work, |index, drawn| writer.take(index, &drawn))
        })
    })?;
    let (width, height) = size;
    let length = format!("{:.1} s at {rate} frames per second", tour.seconds());
    // A video is a file; a folder has no size of its own.
    let file = std::fs::metadata(&arguments.output).ok().filter(std::fs::Metadata::is_file);
    let bytes = file.map_or_else(String::new, |file| format!(", {}", outputs::in_bytes(file.len())));
    say(&format!("wrote {made}: {width} × {height} pixels, {length}{bytes}"));
    Ok(())
}
