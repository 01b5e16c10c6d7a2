//! `upland tour`: films a tour of a recipe's bookmarks, or a flight that was recorded, as numbered pictures or, through ffmpeg, as a video.

use super::{Outcome, arguments, land, progress, report};
use crate::viewer::{Film, Reel, render_tour};

pub(super) fn run(arguments: &arguments::TourArguments) -> Outcome {
    let recipe = land::recipe(&arguments.recipe, arguments.field_size, &arguments.changes)?;
    let tour = recipe.tour(arguments.flight.as_deref())?;
    if let Some(name) = &arguments.flight {
        land::tell_namesakes("flight", name, recipe.flights.iter().map(|flight| &*flight.name));
    }
    let film =
        Film { size: arguments.size, rate: arguments.rate, quality: arguments.quality, ..Film::default() };
    let told = progress::with_bar(|work| {
        Reel::record(&arguments.output, &film, |reel| {
            render_tour(&recipe, &tour, &film, work, |index, drawn| reel.take(index, &drawn))
        })
    });
    told.map(|told| report(&told)).map_err(Into::into)
}
