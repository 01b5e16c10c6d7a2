//! Longshore drift: sand that waves carry along a shore, as in one-line models (Pelnard-Considère 1956).
//!
//! The shore advances where more sand arrives than leaves. What passes is E · sin 2α / 2 of the waves' energy
//! and angle: sand moves on where waves push it, and comes to rest in bays, whose shores turn to face the
//! waves.

use super::along;
use super::shoreline::Chain;

/// A node of a shore that carries sand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beach {
    /// Sand there, m³.
    pub sand: f64,
    /// Sand there when the waves were looked at, m³.
    pub before: f64,
    /// How far it then jutted out of the shore on both sides, metres.
    pub juts: f64,
    /// Share of the sand that doesn't sink to the deep.
    pub kept: f64,
    /// Volume of sand that moves its shore out by one metre, m².
    pub each_metre: f64,
    /// Sand that waves could push to the next node, m³ in the time looked at; negative to the one before.
    pub pushed: f64,
    /// Sand that passes to the next node for each radian by which the shore between them is turned, m³.
    pub turned: f64,
    /// Distance to the next node, metres.
    pub metres: f64,
}

/// Moves the sand of one chain for a time; its volume stays the same to the last bits.
pub(super) fn along_shore(chain: Chain, beach: &mut [Beach]) {
    if beach.len() < 3 {
        return;
    }
    carry(chain.is_closed, beach);
    spread(chain, beach);
}

/// Carries sand on in the direction of the waves, as far as they can carry it.
fn carry(is_closed: bool, beach: &mut [Beach]) {
    let count = beach.len();
    let links = if is_closed { count } else { count - 1 };
    // A closed chain is begun where nothing is carried on, if there is such a place.
    let start = |forwards: bool| {
        let stops = |at: &usize| (beach[*at].pushed > 0.0) != forwards;
        if is_closed { (0..count).find(stops).unwrap_or(0) } else { 0 }
    };
    let (first, last) = (start(true), start(false));
    let mut moving = 0.0;
    for step in 0..links {
        let at = (first + step) % count;
        moving = pass(&mut beach[at], moving, |beach| beach.pushed.max(0.0));
    }
    beach[(first + links) % count].sand += moving;
    let mut moving = 0.0;
    for step in 0..links {
        let next = (last + count - step) % count;
        let next = if is_closed { next } else { count - 1 - step };
        let link = (next + count - 1) % count;
        let capacity = (-beach[link].pushed).max(0.0);
        moving = pass(&mut beach[next], moving, |_| capacity);
    }
    let end = if is_closed { (last + count - links % count) % count } else { 0 };
    beach[end].sand += moving;
}

/// What a node passes on of its own sand and of what arrives.
fn pass(beach: &mut Beach, moving: f64, capacity: impl Fn(&Beach) -> f64) -> f64 {
    let there = beach.sand + moving;
    let on = there.min(capacity(beach));
    beach.sand = there - on;
    on
}

/// Spreads sand from where the shore has moved out to both sides, as far as there is any.
fn spread(chain: Chain, beach: &mut [Beach]) {
    let count = beach.len();
    let links = if chain.is_closed { count } else { count - 1 };
    let mass: Vec<f64> = beach.iter().map(|beach| beach.each_metre).collect();
    let link: Vec<f64> = beach.iter().map(|beach| beach.turned / beach.metres).collect();
    let mut moved: Vec<f64> =
        beach.iter().map(|beach| beach.juts + (beach.sand - beach.before) / beach.each_metre).collect();
    along::diffuse(chain.is_closed, &mass, &link, &mut moved);
    let flow: Vec<f64> = (0..links).map(|at| link[at] * (moved[at] - moved[(at + 1) % count])).collect();
    // No place gives more than it has.
    let leaves = |at: usize| {
        let to_next = flow.get(at).map_or(0.0, |flow| flow.max(0.0));
        let before = if at > 0 { Some(at - 1) } else { chain.is_closed.then_some(count - 1) };
        to_next + before.map_or(0.0, |before| (-flow[before]).max(0.0))
    };
    let share: Vec<f64> = (0..count)
        .map(|at| {
            let leaves = leaves(at);
            if leaves > beach[at].sand { beach[at].sand / leaves } else { 1.0 }
        })
        .collect();
    for (at, flow) in flow.iter().enumerate() {
        let next = (at + 1) % count;
        let flow = flow * share[if *flow > 0.0 { at } else { next }];
        beach[at].sand = (beach[at].sand - flow).max(0.0);
        beach[next].sand += flow;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beach(sand: f64, pushed: f64) -> Beach {
        Beach {
            sand,
            before: sand,
            each_metre: 200.0,
            pushed,
            turned: 3000.0,
            metres: 40.0,
            ..Beach::default()
        }
    }

    fn total(beach: &[Beach]) -> f64 {
        beach.iter().map(|beach| beach.sand).sum()
    }

    #[test]
    fn no_sand_is_lost_on_its_way() {
        for is_closed in [false, true] {
            let mut beaches: Vec<Beach> = (0..101)
                .map(|at| beach(((at * 7919) % 97) as f64, (at * 31 % 61) as f64 * 400.0 - 12_000.0))
                .collect();
            let before = total(&beaches);
            for _ in 0..20 {
                along_shore(Chain { first: 0, end: 101, is_closed }, &mut beaches);
            }
            assert!((total(&beaches) / before - 1.0).abs() < 1e-12);
            assert!(beaches.iter().all(|beach| beach.sand >= 0.0));
        }
    }

    #[test]
    fn sand_comes_to_rest_where_waves_push_it_together() {
        // From both ends towards the middle.
        let push = |at: usize| if at < 50 { 500.0 } else { -500.0 };
        let mut beaches: Vec<Beach> = (0..101).map(|at| beach(100.0, push(at))).collect();
        for _ in 0..50 {
            along_shore(Chain { first: 0, end: 101, is_closed: false }, &mut beaches);
        }
        let share = total(&beaches[25..75]) / total(&beaches);
        assert!(share > 0.9, "{share}");
    }
}
