//! `upland render`: draws a landscape, or a planet of it, into a picture.

use super::viewshed;
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome};
use crate::cli::{arguments, drawing, land};
use crate::picture;
use crate::plugin::DebugView;
use crate::recipe::Recipe;
use crate::recipe::preset::Preset;
use crate::render::{
    LevelsShot, PlanetShot, Shot, ViewMode, ViewshedTowers, render, render_levels, render_planet,
};

pub(in crate::cli) fn run(arguments: &arguments::RenderArguments) -> Outcome {
    picture::check(&arguments.output)?;
    let name = arguments.recipe.as_deref().unwrap_or(Preset::all()[0].name);
    let mut recipe = land::recipe(name, arguments.field_size, &arguments.changes)?;
    if let Some(season) = arguments.season {
        recipe.texture = recipe.texture.in_season(season);
    }
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(name, &recipe))?;
    if let Some(radius) = arguments.planet {
        return draw_planet(&recipe, radius, arguments);
    }
    let (from, look) = sight(&recipe, arguments)?;
    if arguments.compare_levels {
        return draw_levels(&recipe, arguments, (from, look));
    }
    let arguments::RenderArguments { size, quality, .. } = *arguments;
    let shown = match &arguments.view {
        Some(name) => ViewMode::find(name, &recipe).map_err(|error| Failure::Usage(error.to_string()))?,
        None => ViewMode::default(),
    };
    let watch =
        ViewshedTowers { towers: arguments.tower.clone(), options: viewshed::options(&arguments.sight) };
    let (scale, legend) = (arguments.scale, !arguments.no_legend);
    if matches!(shown, ViewMode::View(DebugView::Viewshed)) && watch.towers.is_empty() {
        let reason = "--view viewshed needs a tower: give --tower x,z,height in metres, such as 500,-1200,30";
        return Err(Failure::Usage(reason.to_owned()));
    }
    let time_limit = arguments.time_limit.duration();
    let shot = Shot { size, from, look, quality, shown, scale, watch, legend, time_limit };
    land::tell_notes(&recipe);
    land::announce(&recipe, None);
    drawing::write(&arguments.output, &drawing::draw(|work| render(&recipe, &shot, work))?)
}

/// The camera's position and the point that it looks at, if two places or a bookmark give them.
type Sight = (Option<[f32; 3]>, Option<[f32; 3]>);

fn sight(recipe: &Recipe, arguments: &arguments::RenderArguments) -> Result<Sight, Failure> {
    let Some(name) = &arguments.at else { return Ok((arguments.from, arguments.look)) };
    let found = recipe.bookmarks.iter().find(|place| place.name == *name);
    let place = found.ok_or_else(|| {
        let names: Vec<&str> = recipe.bookmarks.iter().map(|place| &*place.name).collect();
        let there =
            if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
        Failure::Usage(format!("--at: the recipe has no bookmark `{name}`; {there}"))
    })?;
    land::tell_namesakes("bookmark", name, recipe.bookmarks.iter().map(|place| &*place.name));
    Ok((Some(place.from.into()), Some(place.look.into())))
}

fn draw_levels(recipe: &Recipe, arguments: &arguments::RenderArguments, (from, look): Sight) -> Outcome {
    let arguments::RenderArguments { size, quality, pixel_error, tin_error, .. } = *arguments;
    let time_limit = arguments.time_limit.duration();
    let shot = LevelsShot { size, from, look, quality, pixel_error, tin_error, time_limit };
    land::announce(recipe, None);
    drawing::write(&arguments.output, &drawing::draw(|work| render_levels(recipe, &shot, work))?)
}

fn draw_planet(recipe: &Recipe, radius: f64, arguments: &arguments::RenderArguments) -> Outcome {
    let arguments::RenderArguments { size, from, look, quality, .. } = *arguments;
    let time_limit = arguments.time_limit.duration();
    let shot = PlanetShot { radius, size, from, look, quality, time_limit };
    drawing::write(&arguments.output, &drawing::draw(|work| render_planet(recipe, &shot, work))?)
}
