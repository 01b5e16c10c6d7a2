//! Valleys: which are dug in which layer, and where their beds end.

use std::cmp::Reverse;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::steps::water::course::{Course, drain_along};
use crate::steps::water::reach::DistanceIndex;

/// The layer in which each river is dug, from 0; those with water in the last.
pub(super) fn layers(courses: &[Course], work: &Work) -> Result<Vec<usize>> {
    let is_dry = |number: &usize| courses[*number].channel.water() <= 0.0;
    let mut dry: Vec<usize> = (0..courses.len()).filter(is_dry).collect();
    dry.sort_by(|a, b| courses[*a].by_size(&courses[*b]));
    // A stable sort by width: of equally wide ones the larger stays first.
    dry.sort_by(|a, b| courses[*b].channel.width.total_cmp(&courses[*a].channel.width));
    let mut layers = vec![0; courses.len()];
    for (place, &number) in dry.iter().enumerate() {
        for &wider in &dry[..place] {
            work.check()?;
            if layers[wider] >= layers[number] && is_within(&courses[number], &courses[wider]) {
                layers[number] = layers[wider] + 1;
            }
        }
    }
    let wet = dry.iter().map(|number| layers[*number] + 1).max().unwrap_or(0);
    for number in (0..courses.len()).filter(|number| !is_dry(number)) {
        layers[number] = wet;
    }
    Ok(layers)
}

/// Whether a course lies entirely, on the land, within the edges of a wider one.
fn is_within(course: &Course, wider: &Course) -> bool {
    let half = wider.channel.width / 2.0;
    if course.channel.width >= wider.channel.width || wider.points.is_empty() {
        return false;
    }
    let reach = DistanceIndex::new(&wider.points);
    let mut on_land = course.points.iter().filter(|point| course.sample_at(**point).is_some());
    on_land.all(|point| reach.nearest(&wider.points, *point).1 * course.grid.cell <= half)
}

/// Ends the bed of every valley where something dug in a later layer cuts it: its water, if it had any,
/// would run off there. The rest remains as land.
pub(super) fn end_valleys(field: &mut Heightfield, courses: &mut [Course], layers: &[usize]) {
    let width = field.grid().width;
    let mut order: Vec<usize> = (0..courses.len()).collect();
    order.sort_by_key(|number| (layers[*number], Reverse(courses[*number].rank)));
    let mut gullies: Vec<Vec<usize>> = vec![Vec::new(); courses.len()];
    for &number in &order {
        let bed: Vec<usize> =
            (0..courses[number].passed.len()).filter(|place| courses[number].passed[*place].bed).collect();
        let height = |place: usize| field.heights()[courses[number].passed[place].index];
        let Some(end) = bed.windows(2).position(|pair| height(pair[1]) > height(pair[0])) else {
            continue;
        };
        let from = courses[number].passed[bed[end]].index;
        let (column, row) = (from % width, from / width);
        let away =
            |index: usize| (index % width).abs_diff(column).pow(2) + (index / width).abs_diff(row).pow(2);
        let later: Vec<usize> = (0..courses.len()).filter(|other| layers[*other] > layers[number]).collect();
        // What ends at the valley's head can't take its water.
        let mouth = |other: &usize| courses[*other].passed.iter().rfind(|passed| passed.bed);
        let mouths: Vec<usize> = later.iter().filter_map(mouth).map(|passed| passed.index).collect();
        let is_circle =
            bed[..=end].iter().any(|place| mouths.contains(&courses[number].passed[*place].index));
        let keeps = if is_circle { 0 } else { end + 1 };
        let beds = later.iter().flat_map(|other| courses[*other].passed.iter().map(|passed| passed.index));
        let to = beds.min_by_key(|index| (away(*index), *index)).filter(|_| !is_circle);
        gullies[number] = to.map_or(Vec::new(), |to| between(from, to, width));
        for place in &bed[keeps..] {
            courses[number].passed[*place].bed = false;
        }
    }
    // A gully may cross and lower the bed of another: repeat until nothing changes.
    let samples = || courses.iter().flat_map(|course| &course.passed).map(|passed| passed.index);
    let heights = |field: &Heightfield| samples().map(|sample| field.heights()[sample]).collect::<Vec<f32>>();
    let mut before = heights(field);
    loop {
        for &number in &order {
            let lowest = courses[number].drain(field);
            drain_along(field.heights_mut(), gullies[number].iter().copied(), lowest);
        }
        let after = heights(field);
        if std::mem::replace(&mut before, after) == before {
            break;
        }
    }
}

/// The samples from one to another, stepping between neighbours along rows and columns.
fn between(from: usize, to: usize, width: usize) -> Vec<usize> {
    let (mut column, mut row) = (from % width, from / width);
    let (to_column, to_row) = (to % width, to / width);
    let mut samples = vec![from];
    while (column, row) != (to_column, to_row) {
        if column.abs_diff(to_column) >= row.abs_diff(to_row) {
            column = if column < to_column { column + 1 } else { column - 1 };
        } else {
            row = if row < to_row { row + 1 } else { row - 1 };
        }
        samples.push(row * width + column);
    }
    samples
}
