//! The samples that an overview of a land reads: every one, or every second, fourth, eighth … where that
//! would be too many.

use bevy::math::DVec2;

use crate::error::Result;
use crate::grid::Window as LandWindow;
use crate::recipe::Recipe;

/// Samples a side, at most.
const SIDE: u32 = 1537;

/// How far around a place endless land is examined, if nothing else limits it, metres.
pub(crate) const FAR: f32 = 15_000.0;

/// Which samples of a land such a window has, if not all, as text; `is_part` if it is a part of endless land.
pub(crate) fn part_in_words(window: LandWindow, is_part: bool) -> Option<String> {
    match window.level {
        _ if is_part => Some(format!("the {:.0} km around the middle of the endless land", FAR / 1e3)),
        ..=0 => None,
        1 => Some("every second sample of every second row".to_owned()),
        level => {
            let nth = 1u32 << level;
            Some(format!("every {nth}th sample of every {nth}th row"))
        }
    }
}

/// The window of all of a land; for endless land, of the part within a radius of some places, metres from its
/// sample (0, 0). Also returns whether that is only a part of the land.
pub(crate) fn window(recipe: &Recipe, places: &[DVec2], radius: f32) -> Result<(LandWindow, bool)> {
    if let Some(size) = recipe.domain()?.size() {
        let side_at = |level: i32| size.map(|side| ((side - 1) >> level) + 1);
        let level = (0..20).find(|&level| side_at(level).iter().all(|&side| side <= SIDE)).unwrap_or(20);
        return Ok((LandWindow { level, first: [0; 2], size: side_at(level) }, false));
    }
    let reach = DVec2::splat(radius.into());
    let low = places.iter().copied().reduce(DVec2::min).unwrap_or_default() - reach;
    let high = places.iter().copied().reduce(DVec2::max).unwrap_or_default() + reach;
    let cells = (high - low).max_element() / f64::from(recipe.cell);
    let level = (0..20).find(|&level| cells / f64::from(1 << level) < f64::from(SIDE - 2)).unwrap_or(20);
    let cell = f64::from(recipe.cell) * f64::from(1 << level);
    // Rounded outwards, so that all of the radius is inside.
    let first = (low / cell).floor();
    let size = (high / cell).ceil() - first + 1.0;
    let first = [first.x, first.y].map(|first| first as i64);
    Ok((LandWindow { level, first, size: [size.x, size.y].map(|side| (side as u32).clamp(2, SIDE)) }, true))
}
