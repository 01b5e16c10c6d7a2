//! The values of arguments: each is parsed from its text, or the error says what is accepted.

#[cfg(feature = "render")]
use std::time::Duration;

use crate::analysis::plots::PlotFormat;
use crate::elevation::formats::{ByteOrder, HeightChannel, MapUnit, SampleType, UpChannel, metres_in_unit};
use crate::error::Error;
use crate::params::{Params, set_from_text};
#[cfg(feature = "render")]
use crate::planet::RADII;
#[cfg(feature = "render")]
use crate::recipe::check_place;
use crate::recipe::{Recipe, SIDES, Seasons};
use crate::sky::sun::SolarTime;
use crate::texture::Light;

pub(super) fn seed(text: &str) -> Result<u64, String> {
    let mut recipe = Recipe::default();
    recipe.set("seed", text).map_err(reason)?;
    Ok(recipe.seed)
}

pub(super) fn side(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count) if SIDES.contains(&count) => Ok(count),
        _ => {
            let (low, high) = (SIDES.start(), SIDES.end());
            Err(format!("`{text}` is not a number of samples from {low} to {high}; give N or WxD"))
        }
    }
}

pub(super) fn picture_size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
    let size = text.split_once(['x', '×']).and_then(|(width, height)| Some((side(width)?, side(height)?)));
    size.ok_or_else(|| "give width and height in pixels, each from 1 to 8192, such as 1280x720".into())
}

#[cfg(feature = "render")]
pub(super) fn time_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds <= 1e9);
    let seconds =
        seconds.ok_or_else(|| format!("`{text}` is not a number of seconds above 0, such as 600"))?;
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(feature = "render")]
pub(super) fn point(text: &str) -> Result<[f32; 3], String> {
    let place = numbers(text).ok_or("give three numbers of metres, such as 0,1500,-4000")?;
    check_place(place).map(|()| place)
}

pub(super) fn patches(text: &str) -> Result<(usize, usize), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=1024).contains(side));
    let both = match text.split_once(['x', '×']) {
        None => side(text).map(|side| (side, side)),
        Some((columns, rows)) => side(columns).zip(side(rows)),
    };
    both.ok_or_else(|| "give patches along each side, from 1 to 1024, such as 4 or 4x2".into())
}

pub(super) fn light(text: &str) -> Result<Light, String> {
    let mut light = Light::default();
    set_all(&mut light, ["bearing", "elevation"], text, "300,35")?;
    Ok(light)
}

pub(super) fn light_at(text: &str) -> Result<Light, String> {
    let mut time = SolarTime::default();
    set_all(&mut time, ["latitude", "day", "hour"], text, "47.5,172,9.5")?;
    Ok(Light { time: Some(time), ..Light::default() })
}

pub(super) fn deepest(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(metres) if metres > 0.0 && metres.is_finite() => Ok(metres),
        _ => Err("give a depth in metres above 0".into()),
    }
}

pub(super) fn season(text: &str) -> Result<f32, String> {
    let mut seasons = Seasons::default();
    set_from_text(&mut seasons, "season", text)
        .map_err(|error| format!("{error}: 0 is spring, 0.25 summer, 0.5 autumn, 0.75 winter"))?;
    Ok(seasons.season)
}

pub(super) fn range(text: &str) -> Result<(f32, f32), String> {
    match numbers(text) {
        Some([low, high]) if low < high => Ok((low, high)),
        _ => Err("give the lower and the higher height in metres, such as -20,830".into()),
    }
}

#[cfg(feature = "render")]
pub(super) fn ends(text: &str) -> Result<(f32, f32), String> {
    range(text).map_err(|_| "give the lower and the higher value in the layer's unit, such as 0,2.5".into())
}

/// Sets the parameters with these names from values with commas between them. The error says what each
/// accepts.
fn set_all<const COUNT: usize>(
    params: &mut dyn Params,
    names: [&str; COUNT],
    text: &str,
    example: &str,
) -> Result<(), String> {
    let values: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut is_set =
        names.iter().zip(&values).map(|(name, value)| set_from_text(params, name, value).is_ok());
    if values.len() == COUNT && is_set.all(|is_set| is_set) {
        return Ok(());
    }
    let mut accepted = Vec::new();
    params.read(&mut |param, value| {
        if names.contains(&param.name) {
            accepted.push(format!("{} ({})", param.name, param.accepted(value)));
        }
    });
    Err(format!("give {}, such as {example}", accepted.join(", ")))
}

/// What is wrong, without the parameter's name: clap names the argument.
fn reason(error: Error) -> String {
    match error {
        Error::Parameter { reason, .. } => reason,
        error => error.to_string(),
    }
}

fn numbers<const COUNT: usize>(text: &str) -> Option<[f32; COUNT]> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers: [f32; COUNT] = numbers?.try_into().ok()?;
    numbers.iter().all(|number| number.is_finite()).then_some(numbers)
}

pub(super) fn metres(text: &str) -> Result<f32, String> {
    let [metres] = numbers(text).ok_or_else(|| format!("`{text}` is not a number of metres"))?;
    Ok(metres)
}

/// A number of metres, 0 or more.
pub(super) fn length(text: &str) -> Result<f32, String> {
    let metres = metres(text)?;
    if metres >= 0.0 { Ok(metres) } else { Err(format!("{text} is below 0; give metres, 0 or more")) }
}

pub(super) fn tower(text: &str) -> Result<[f32; 3], String> {
    let tower = numbers(text).ok_or("give x, z and height in metres, such as 500,-1200,30")?;
    let [_, _, height] = tower;
    if height >= 0.0 {
        Ok(tower)
    } else {
        Err(format!("the height {height} is below the ground; give 0 m or more"))
    }
}

pub(super) fn place(text: &str) -> Result<[f32; 2], String> {
    numbers(text).ok_or_else(|| "give x and z in metres, such as 500,-1200".into())
}

pub(super) fn bearings(text: &str) -> Result<usize, String> {
    let bearings = text.parse().ok().filter(|bearings| (4..=360).contains(bearings));
    bearings.ok_or_else(|| format!("`{text}` is not a number of bearings from 4 to 360, such as 16 or 36"))
}

pub(super) fn concavity(text: &str) -> Result<f64, String> {
    let concavity = text.parse().ok().filter(|concavity| (0.0..=1.0).contains(concavity));
    concavity.ok_or_else(|| format!("`{text}` is not a concavity from 0 to 1, such as 0.45"))
}

pub(super) fn plot_format(text: &str) -> Result<PlotFormat, String> {
    let format = PlotFormat::ALL.into_iter().find(|format| format.extension() == text);
    format.ok_or_else(|| format!("a plot is not written as `{text}`; there are csv and svg"))
}

pub(super) fn planet(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius: &f64| radius.is_finite() && *radius > 0.0);
    radius.ok_or_else(|| "give the planet's radius in metres, above 0, such as 6371000".into())
}

/// The radius of a planet to draw.
#[cfg(feature = "render")]
pub(super) fn planet_to_draw(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius| RADII.contains(radius));
    radius.ok_or_else(|| {
        let (low, high) = (RADII.start(), RADII.end());
        format!("give the planet's radius in metres, from {low} to {high}, such as 200000")
    })
}

pub(super) fn refraction(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| "give a share from 0 to below 1, such as 0.14286".into())
}

pub(super) fn mesh_error(text: &str) -> Result<f32, String> {
    let error = metres(text)?;
    if error > 0.0 {
        return Ok(error);
    }
    Err(format!("{error} is not a possible error of a mesh; give metres above 0, or --grid for every sample"))
}

pub(super) fn triangles(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count >= 2 => Ok(count),
        _ => Err(format!("`{text}` is not a number of triangles; give 2 or more")),
    }
}

pub(super) fn skirt(text: &str) -> Result<f32, String> {
    let depth = metres(text)?;
    if depth > 0.0 {
        Ok(depth)
    } else {
        Err(format!("{depth} is not a depth for a floor; give metres above 0"))
    }
}

pub(super) fn channel(text: &str) -> Result<HeightChannel, String> {
    HeightChannel::of(text).ok_or_else(|| {
        "there are auto, luma, red, green, blue, alpha, mapbox and terrarium, planes by their names and bands by their numbers"
            .into()
    })
}

pub(super) fn map_unit(text: &str) -> Result<MapUnit, String> {
    MapUnit::of_name(text)
        .ok_or_else(|| "there are degrees, m, ft, us-ft, km, cm and other units of length".into())
}

pub(super) fn height_unit(text: &str) -> Result<f64, String> {
    metres_in_unit(text).ok_or_else(|| "there are m, ft, us-ft, cm, dm and other units of length".into())
}

pub(super) fn cell(text: &str) -> Result<f64, String> {
    let cell = text.parse().ok().filter(|cell: &f64| cell.is_finite() && *cell > 0.0);
    cell.ok_or_else(|| "give a number of metres above 0".into())
}

pub(super) fn sample(text: &str) -> Result<SampleType, String> {
    SampleType::of_name(text).ok_or_else(|| "there are u8, u16, i16, u32, i32, f32 and f64".into())
}

pub(super) fn byte_order(text: &str) -> Result<ByteOrder, String> {
    match text {
        "little" => Ok(ByteOrder::Little),
        "big" => Ok(ByteOrder::Big),
        _ => Err("the byte order is little (the lowest byte first) or big".into()),
    }
}

pub(super) fn up_channel(text: &str) -> Result<UpChannel, String> {
    match text {
        "green" => Ok(UpChannel::Green),
        "blue" => Ok(UpChannel::Blue),
        _ => Err("the channel that moves up is green or blue".into()),
    }
}

pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("give NAME=VALUE, such as steps.0.octaves=6")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
