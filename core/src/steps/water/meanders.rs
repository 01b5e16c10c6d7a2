//! Meanders: a river on flat ground moves sideways, and cuts its loops off.
//!
//! The law is that of Howard and Knutson, "Sufficient conditions for river meandering" (1984), which
//! approximates the flow that Ikeda, Parker and Sawai computed (1981), with the numbers of Paris et al.,
//! "Authoring and simulating meandering rivers" (2023). Water that comes out of a bend still presses against
//! the same bank for a while: a bank moves with the curvature upstream of it, and somewhat against its own.
//! So bends grow, move downstream, and end when the river breaks through between two of them.

use std::collections::HashMap;

use glam::DVec2;

use crate::compute::work::Work;
use crate::error::Result;
use crate::math::spline::on_catmull_rom;
use crate::noise::{hash_of_column, signed_unit};

/// Metres that a bank moves in a year for each unit of width · curvature.
const RATE: f64 = 60.0;
/// Share of the curvature upstream.
const UPSTREAM: f64 = 2.5;
/// Coefficient of friction of the bed.
const FRICTION: f64 = 0.011;
/// Years after which points are spread evenly again.
const STEP: f64 = 0.3;
/// Two places of a river cut off the loop between them only if they are so many points apart.
const LOOP: usize = 5;
/// Greatest move in one go, and greatest curvature that counts, in widths. Two banks that move towards each
/// other so fast can't pass through each other unseen.
const FARTHEST: f64 = 0.2;
const SHARPEST: f64 = 1.0;
/// Widths from the ends over which a river moves less and less.
const HELD: f64 = 8.0;
/// Depth of the water at most this share of the width: the curvature is felt over at least one width.
const SHALLOWEST: f64 = 2.0 * FRICTION;
/// How far the first course is bent at random, in widths: a straight river would stay straight.
const BENT: f64 = 0.2;
/// Ground that is higher than the river's, or lower, by so many depths of the water stops it.
const CLIMBS: f64 = 1.5;
/// Most moves of one river. Few rivers are so narrow that these end before the years do; they have been
/// winding everywhere for long then.
const MOST: f64 = 20_000.0;

/// A point of a river's middle line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// Metres east and south of the north-west corner.
    pub(super) at: DVec2,
    /// Width from edge to edge, metres, greater than 0.
    pub(super) width: f64,
    /// Depth of the water, metres, greater than 0.
    pub(super) depth: f64,
    /// The place along the course before it moved that the point comes from, metres.
    pub(super) from: f64,
}

/// A loop that was cut off.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OxBow {
    /// Its middle line, in the direction in which the river ran.
    pub(super) nodes: Vec<Node>,
    /// Years since it was cut off.
    pub(super) age: f64,
}

/// Where a river runs after it has moved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meandered {
    /// The river, about one width from point to point. Its ends are where they were.
    pub(super) nodes: Vec<Node>,
    /// The loops that were cut off, the oldest first.
    pub(super) ox_bows: Vec<OxBow>,
}

/// Moves the river along `start` for some years. `seed` bends it a little at first. `ground` is the height
/// of the ground in metres, infinite where the river may not go: it stays on ground about as high as its own.
///
/// A river of fewer than three points or less than ten widths stays as it is.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn meander(
    start: &[Node],
    years: f64,
    seed: u64,
    ground: &impl Fn(DVec2) -> f64,
    work: &Work,
) -> Result<Meandered> {
    let mut nodes = start.to_vec();
    nodes.dedup_by(|next, before| next.at == before.at);
    let mut ox_bows: Vec<OxBow> = Vec::new();
    let narrowest = nodes.iter().fold(f64::INFINITY, |narrowest, node| narrowest.min(node.width));
    let straight = length(&nodes);
    if nodes.len() < 3 || !straight.is_finite() || straight < 2.0 * HELD * narrowest || years <= 0.0 {
        return Ok(Meandered { nodes: start.to_vec(), ox_bows });
    }
    nodes = spread(&nodes);
    let most = FARTHEST * narrowest / (RATE * (UPSTREAM - 1.0) * SHARPEST);
    let moves = (STEP / most).ceil();
    let steps = (years / STEP).min(MOST / moves).ceil() as usize;
    let years = STEP / moves;
    bend(&mut nodes, seed, ground);
    for step in 0..steps {
        for _ in 0..moves as usize {
            work.check()?;
            shift(&mut nodes, years, straight, ground);
            for nodes in cut_off(&mut nodes) {
                ox_bows.push(OxBow { nodes, age: (steps - step - 1) as f64 * STEP });
            }
        }
        nodes = spread(&nodes);
    }
    // A curve between points can come nearer than they do.
    for nodes in cut_off(&mut nodes) {
        ox_bows.push(OxBow { nodes, age: 0.0 });
    }
    Ok(Meandered { nodes, ox_bows })
}

/// Length along a line, metres.
pub(super) fn length(nodes: &[Node]) -> f64 {
    nodes.windows(2).map(|pair| pair[0].at.distance(pair[1].at)).sum()
}

/// The same curve with points about one width apart. Its ends stay as they are.
fn spread(nodes: &[Node]) -> Vec<Node> {
    // Distances in widths.
    let mut far = Vec::with_capacity(nodes.len());
    let mut sum = 0.0;
    far.push(sum);
    for pair in nodes.windows(2) {
        sum += 2.0 * pair[0].at.distance(pair[1].at) / (pair[0].width + pair[1].width);
        far.push(sum);
    }
    let last = nodes.len() - 1;
    let count = (sum.round() as usize).max(2);
    let mut all = Vec::with_capacity(count + 1);
    all.push(nodes[0]);
    let mut here = 0;
    for number in 1..count {
        let place = sum * number as f64 / count as f64;
        while here + 2 < nodes.len() && far[here + 1] <= place {
            here += 1;
        }
        let share = ((place - far[here]) / (far[here + 1] - far[here])).clamp(0.0, 1.0);
        let [a, b] = [nodes[here], nodes[here + 1]];
        let before = if here > 0 { nodes[here - 1].at } else { 2.0 * a.at - b.at };
        let after = if here + 1 < last { nodes[here + 2].at } else { 2.0 * b.at - a.at };
        let between = |from: f64, to: f64| from + (to - from) * share;
        all.push(Node {
            at: on_catmull_rom([before, a.at, b.at, after], share),
            width: between(a.width, b.width),
            depth: between(a.depth, b.depth),
            from: between(a.from, b.from),
        });
    }
    all.push(nodes[last]);
    all
}

/// How freely each point moves, in [0, 1]: not at all at the ends.
fn freedom(nodes: &[Node]) -> impl Fn(usize) -> f64 + use<> {
    let last = nodes.len() - 1;
    move |here| {
        let share = (here.min(last - here) as f64 / HELD).min(1.0);
        share * share * (3.0 - 2.0 * share)
    }
}

/// Bends the first course a little.
fn bend(nodes: &mut [Node], seed: u64, ground: &impl Fn(DVec2) -> f64) {
    let free = freedom(nodes);
    let before = nodes.to_vec();
    for here in 1..nodes.len() - 1 {
        let ahead = (before[here + 1].at - before[here - 1].at).normalize_or_zero();
        let by_chance = f64::from(signed_unit(hash_of_column(seed, here as i64)));
        let to = before[here].at + ahead.perp() * (BENT * by_chance * free(here) * before[here].width);
        if ground(to).is_finite() {
            nodes[here].at = to;
        }
    }
}

/// Moves every point of a river of which `straight` metres were left without meanders.
fn shift(nodes: &mut [Node], years: f64, straight: f64, ground: &impl Fn(DVec2) -> f64) {
    let sinuosity = (length(nodes) / straight).max(1.0);
    let slowed = libm::pow(sinuosity, -2.0 / 3.0) * RATE * years;
    let free = freedom(nodes);
    // What flows in from upstream, with weights e^(−a·ξ) over the distance ξ; both sums run down the river.
    let (mut sum, mut weights) = (0.0, 0.0);
    let mut level = ground(nodes[0].at);
    let mut before = nodes[0].at;
    for here in 1..nodes.len() - 1 {
        let Node { at, width, depth, .. } = nodes[here];
        let (back, ahead) = (at - before, nodes[here + 1].at - at);
        let across = (back + ahead).normalize_or_zero().perp();
        let (near, far) = (back.length(), ahead.length());
        let around = near * far * (back + ahead).length();
        // Of the circle through three points. A turn to the left is positive, and `across` is on that side.
        let curvature = if around > 0.0 { 2.0 * back.perp_dot(ahead) / around } else { 0.0 };
        let bent = (width * curvature).clamp(-SHARPEST, SHARPEST);
        let kept = libm::exp(-2.0 * FRICTION / depth.max(SHALLOWEST * width) * near);
        let piece = 0.5 * (near + far);
        sum = sum * kept + bent * piece;
        weights = weights * kept + piece;
        let by = slowed * (UPSTREAM * sum / weights.max(f64::MIN_POSITIVE) - bent) * free(here);
        let by = by.clamp(-FARTHEST * width, FARTHEST * width);
        let own = ground(at);
        level = level.min(own);
        before = at;
        let outwards = -across * by.signum();
        let beyond = ground(at + outwards * (by.abs() + 0.5 * width));
        let room = room(level, own, beyond, CLIMBS * depth);
        nodes[here].at = at + outwards * (by.abs() * room);
    }
}

/// How freely a river at some level may move from its own ground to that beyond its bank, in [0, 1].
fn room(level: f64, own: f64, beyond: f64, climbs: f64) -> f64 {
    if !own.is_finite() || !beyond.is_finite() {
        return 0.0;
    }
    let above = (level + climbs).max(own) - beyond;
    let below = beyond - (level - climbs);
    (above.min(below) / (0.5 * climbs)).clamp(0.0, 1.0)
}

/// Takes out all loops whose ends are nearer to each other than the river is wide, and returns them, those
/// upstream first.
fn cut_off(nodes: &mut Vec<Node>) -> Vec<Vec<Node>> {
    let widest = nodes.iter().fold(0.0, |widest: f64, node| widest.max(node.width));
    let square = |at: DVec2| ((at.x / widest).floor() as i64, (at.y / widest).floor() as i64);
    // The last point in each square, and the one before it in the same square, as a chain.
    let mut last_in: HashMap<(i64, i64), usize> = HashMap::with_capacity(nodes.len());
    let mut earlier = vec![usize::MAX; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        if let Some(before) = last_in.insert(square(node.at), number) {
            earlier[number] = before;
        }
    }
    let mut loops = Vec::new();
    let mut kept = Vec::new();
    let mut here = 0;
    while here < nodes.len() {
        kept.push(here);
        let (column, row) = square(nodes[here].at);
        let mut closes = 0;
        for near in (-1..=1).flat_map(|x| (-1..=1).map(move |z| (column + x, row + z))) {
            let mut there = last_in.get(&near).copied().unwrap_or(usize::MAX);
            while there != usize::MAX && there >= here + LOOP {
                let width = 0.5 * (nodes[here].width + nodes[there].width);
                if nodes[here].at.distance(nodes[there].at) < width {
                    closes = closes.max(there);
                }
                there = earlier[there];
            }
        }
        if closes > 0 {
            loops.push(nodes[here..=closes].to_vec());
            here = closes;
        } else {
            here += 1;
        }
    }
    if !loops.is_empty() {
        *nodes = kept.into_iter().map(|here| nodes[here]).collect();
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: f64 = 40.0;
    const DEPTH: f64 = 2.4;

    /// A river that flows east for `length` metres, where `north` says how far north of a straight line.
    fn river(length: f64, north: impl Fn(f64) -> f64) -> Vec<Node> {
        let node = |x: f64| Node { at: DVec2::new(x, -north(x)), width: WIDTH, depth: DEPTH, from: x };
        (0..=(length / WIDTH) as usize).map(|number| node(number as f64 * WIDTH)).collect()
    }

    fn after(start: &[Node], years: f64) -> Meandered {
        meander(start, years, 7, &|_| 0.0, &Work::new()).unwrap()
    }

    fn slightly_bent() -> Vec<Node> {
        river(9000.0, |x| 20.0 * libm::sin(x / 150.0) + 10.0 * libm::sin(x / 97.0))
    }

    /// Whether any two pieces of a line cross.
    fn crosses_itself(nodes: &[Node]) -> bool {
        let side = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a) > 0.0;
        let pieces: Vec<[DVec2; 2]> = nodes.windows(2).map(|pair| [pair[0].at, pair[1].at]).collect();
        let cross = |[a, b]: [DVec2; 2], [c, d]: [DVec2; 2]| {
            side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
        };
        pieces
            .iter()
            .enumerate()
            .any(|(here, one)| pieces[(here + 2).min(pieces.len())..].iter().any(|other| cross(*one, *other)))
    }

    /// Of rivers that meander, 1.3 to 2.5.
    #[test]
    fn after_two_hundred_steps_a_river_is_about_twice_as_long() {
        let start = slightly_bent();
        let moved = after(&start, 200.0 * STEP);
        let sinuosity = length(&moved.nodes) / 9000.0;
        println!("sinuosity {sinuosity:.2}, {} ox-bows", moved.ox_bows.len());
        assert!((1.3..=2.5).contains(&sinuosity), "{sinuosity}");
    }

    #[test]
    fn the_ends_stay_and_points_are_a_width_apart() {
        let start = slightly_bent();
        for years in [0.1, 30.0, 150.0] {
            let moved = after(&start, years).nodes;
            assert_eq!((moved[0], moved[moved.len() - 1]), (start[0], start[start.len() - 1]));
            for pair in moved.windows(2) {
                let apart = pair[0].at.distance(pair[1].at);
                assert!((0.5 * WIDTH..1.5 * WIDTH).contains(&apart), "{years}: {apart}");
            }
        }
        assert_eq!(after(&start, 0.0).nodes, start);
    }

    #[test]
    fn a_bend_grows_and_moves_downstream() {
        let bend = |x: f64| 150.0 * libm::exp(-(x - 2000.0) * (x - 2000.0) / 40_000.0);
        let northernmost = |nodes: &[Node]| {
            nodes.iter().map(|node| node.at).min_by(|one, other| one.y.total_cmp(&other.y)).unwrap()
        };
        let start = river(4000.0, bend);
        let mut before = northernmost(&start);
        for years in [5.0, 10.0, 20.0] {
            let apex = northernmost(&after(&start, years).nodes);
            assert!(apex.y < before.y - 5.0 && apex.x > before.x + 10.0, "{years}: {before} to {apex}");
            before = apex;
        }
    }

    #[test]
    fn a_loop_whose_ends_come_close_becomes_an_ox_bow() {
        // East, around most of a circle, and on east.
        let mut start = river(1500.0, |_| 0.0);
        let radius = 300.0;
        let middle = start[start.len() - 1].at - DVec2::new(-30.0, radius);
        let around = (1..48).map(|number| {
            let angle = 1.47 - 0.125 * f64::from(number);
            middle + radius * DVec2::new(libm::cos(angle + 0.1), libm::sin(angle + 0.1))
        });
        let ends = start[start.len() - 1].at + DVec2::new(35.0, 0.0);
        let beyond = (1..=38).map(|number| ends + DVec2::new(f64::from(number) * WIDTH, 0.0));
        let points: Vec<DVec2> = around.chain(beyond).collect();
        start.extend(points.into_iter().map(|at| Node { at, width: WIDTH, depth: DEPTH, from: 0.0 }));
        let moved = after(&start, STEP);
        assert_eq!(moved.ox_bows.len(), 1);
        let bow = &moved.ox_bows[0].nodes;
        assert!(bow[0].at.distance(bow[bow.len() - 1].at) < WIDTH);
        let (before, left) = (length(&start), length(&moved.nodes));
        assert!(
            (before - left - length(bow)).abs() < 0.05 * length(bow),
            "{before}, {left}, {}",
            length(bow)
        );
        assert!(length(bow) > 5.0 * radius);
    }

    #[test]
    fn no_river_crosses_itself() {
        let start = slightly_bent();
        let mut cut_off = 0;
        for years in [40.0, 90.0, 150.0, 220.0] {
            let moved = after(&start, years);
            assert!(!crosses_itself(&moved.nodes), "{years}");
            cut_off = cut_off.max(moved.ox_bows.len());
        }
        assert!(cut_off > 5, "{cut_off}");
        // The check itself sees a crossing.
        let crossing = [[0.0, 0.0], [90.0, 0.0], [90.0, 90.0], [20.0, -50.0]];
        let node = |at| Node { at: DVec2::from_array(at), ..start[0] };
        assert!(crosses_itself(&crossing.map(node)));
    }

    #[test]
    fn a_river_stays_between_its_hills() {
        // A valley floor of 400 m, and hills of 30 m from there on.
        let ground = |at: DVec2| if at.y.abs() < 200.0 { 0.0 } else { 30.0 };
        let moved = meander(&slightly_bent(), 300.0, 7, &ground, &Work::new()).unwrap();
        let farthest = moved.nodes.iter().map(|node| node.at.y.abs()).fold(0.0, f64::max);
        assert!((100.0..200.0).contains(&farthest), "{farthest}");
        assert!(length(&moved.nodes) > 1.2 * 9000.0);
    }

    #[test]
    fn any_line_can_be_moved() {
        let node = |x: f64, y: f64| Node { at: DVec2::new(x, y), width: WIDTH, depth: DEPTH, from: x };
        for start in [
            vec![],
            vec![node(0.0, 0.0)],
            vec![node(0.0, 0.0); 30],
            vec![node(0.0, 0.0), node(3000.0, 0.0)],
            vec![node(0.0, 0.0), node(3000.0, 0.0), node(0.0, 0.0), node(3000.0, 1.0)],
            (0..50)
                .map(|number| Node { width: 0.2 * f64::from(10 + number), ..node(f64::from(number), 0.0) })
                .collect(),
        ] {
            for depth in [1e-3, 700.0] {
                let start: Vec<Node> = start.iter().map(|node| Node { depth, ..*node }).collect();
                let moved = after(&start, 20.0);
                assert!(moved.nodes.iter().all(|node| node.at.is_finite()));
                assert_eq!(moved.nodes.first(), start.first());
                assert_eq!(moved.nodes.last(), start.last());
            }
        }
    }
}
