//! The outline of a lake: where the ground, flat between three samples, rises through its water.

use std::collections::{BTreeSet, HashMap};

use glam::Vec2;

use crate::grid::Heightfield;

/// A point of an outline: between two neighbouring samples, the wet one first, or on a wet sample of the
/// land's border.
type Knot = [u32; 2];

/// The outlines of water of this level in some cells, each given by its north-west sample, in the order of
/// their first samples.
pub(super) fn outlines(
    cells: impl Iterator<Item = usize>,
    level: f32,
    field: &Heightfield,
) -> Vec<Vec<Vec2>> {
    let (grid, heights) = (field.grid(), field.heights());
    let (width, depth) = (grid.width as u32, grid.depth as u32);
    let is_wet = |sample: u32| heights[sample as usize] < level;
    // The next point after each, so that land lies to the left. A point ends one piece and begins one.
    let mut next: HashMap<Knot, Knot> = HashMap::new();
    let mut firsts: BTreeSet<Knot> = BTreeSet::new();
    let mut add = |from: Knot, to: Knot| {
        next.insert(from, to);
        firsts.insert(from);
    };
    for here in cells {
        let here = here as u32;
        let [nw, ne, sw, se] = [here, here + 1, here + width, here + width + 1];
        // Split from north-east to south-west, as the ground and the water's sheet are.
        for [a, b, c] in [[nw, sw, ne], [se, ne, sw]] {
            // Counterclockwise seen from above, so the water lies to the right of a piece from the side after
            // the wet corners to the side before them.
            for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                match [is_wet(a), is_wet(b), is_wet(c)] {
                    [true, false, false] => add([a, c], [a, b]),
                    [true, true, false] => add([a, c], [b, c]),
                    _ => {}
                }
            }
        }
        // Water that stands at the land's border ends there.
        let column = here % width;
        let sides = [
            (here < width, [nw, ne]),
            (here / width + 2 == depth, [se, sw]),
            (column == 0, [sw, nw]),
            (column + 2 == width, [ne, se]),
        ];
        for (_, [from, to]) in sides.into_iter().filter(|(is_border, _)| *is_border) {
            match [is_wet(from), is_wet(to)] {
                [true, true] => add([from, from], [to, to]),
                [true, false] => add([from, from], [from, to]),
                [false, true] => add([to, from], [to, to]),
                [false, false] => {}
            }
        }
    }
    let place = |[wet, dry]: Knot| {
        let at = |sample: u32| Vec2::new((sample % width) as f32, (sample / width) as f32);
        let (below, above) = (heights[wet as usize], heights[dry as usize]);
        let share = if wet == dry { 0.0 } else { (level - below) / (above - below) };
        (at(wet) + (at(dry) - at(wet)) * share) * grid.cell
    };
    let mut outlines = Vec::new();
    for first in firsts {
        let mut points = Vec::new();
        let mut knot = first;
        while let Some(then) = next.remove(&knot) {
            points.push(place(knot));
            knot = then;
        }
        if points.len() > 2 {
            outlines.push(points);
        }
    }
    outlines
}
