//! How a coast changes in one round: waves cut back its rock, and sand moves along it.

use super::along;
use super::beach::Samples;
use super::drift::{self, Beach};
use super::reaches::{Directions, Reaches};
use super::state::{State, measure, value};
use super::surf::ROUNDS;
use super::waves::{self, Waves};
use crate::compute::work::Work;
use crate::error::Result;

/// In how many parts the sand moves in each round.
const MOVES: usize = 6;

/// How far off the shore its bed is looked at, metres, and between which of its slopes sand stays on it or
/// sinks to the deep.
const OFFSHORE: f32 = 60.0;
const DEEP: [f32; 2] = [0.15, 0.5];

/// Share of the sand that sinks in a round where the bed is that steep.
const SINKS: f32 = 0.4;

/// How much more exposed a place is that juts out by the length over which waves are alike; and the least and
/// the most that any place's exposure is multiplied by.
const FOCUS: f64 = 6.0;
const FOCUSED: [f64; 2] = [0.25, 3.0];

/// The volumes of a coast, m³.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Volumes {
    /// Rock that has been cut.
    pub cut: f64,
    /// Sand that lies on the coast.
    pub sand: f64,
    /// Sand that has sunk to the deep.
    pub sunk: f64,
}

/// One of [`ROUNDS`] rounds. Returns whether there is a shore.
pub(super) fn round(state: &mut State, volumes: &mut Volumes, work: &Work) -> Result<bool> {
    let (lines, nodes) = measure(&mut state.shore, work)?;
    if lines.nodes.is_empty() {
        return Ok(false);
    }
    let reaches = Reaches::of(&lines, state.cell());
    let directions = reaches.directions(&lines);
    let winds = &state.surf.winds;
    let mut waves = waves::at(&state.shore, &reaches.middles, &directions, winds, work)?;
    let juts = juts(state, &reaches, &directions);
    bend(state, &reaches, &juts, &mut waves);
    let samples = Samples::of(state, &reaches, &nodes, work)?;
    let (mut beach, new) = beaches(state, &reaches, &directions, (&waves, &juts));
    let exposure: Vec<f32> = waves.iter().map(|waves| waves.exposure as f32).collect();
    state.cut(&nodes, &reaches.at_nodes(&exposure), work)?;
    // The reaches' sand is scaled to the volumes that are known: what lies there, and what has been cut.
    let cut = state.cut_volume(work)?;
    let made = f64::from(state.surf.sand) * (cut - volumes.cut);
    let scale = |volume: f64, sum: f64| if sum > 0.0 { volume / sum } else { 0.0 };
    // Looking at the rock's shore again may make the cut a little smaller.
    let old = (volumes.sand + made.min(0.0)).max(0.0);
    // Too little for beaches lies nowhere, and comes with the new sand again.
    let lies: f64 = samples.volume.iter().sum();
    let on_beaches = old.min(2.0 * lies);
    let of_old = scale(on_beaches, lies);
    let of_new = scale(made.max(0.0) + old - on_beaches, new.iter().sum());
    for (at, beach) in beach.iter_mut().enumerate() {
        beach.before = samples.volume[at] * of_old;
        beach.sand = beach.before + new[at] * of_new;
        beach.each_metre = samples.each_metre[at].max(3.0 * beach.metres);
    }
    for chain in &reaches.chains {
        for _ in 0..MOVES {
            work.check()?;
            drift::along_shore(*chain, &mut beach[chain.first..chain.end]);
        }
    }
    beach.iter_mut().for_each(|beach| beach.sand *= beach.kept);
    let kept = beach.iter().map(|beach| beach.sand).sum();
    *volumes = Volumes { cut, sand: kept, sunk: f64::from(state.surf.sand) * cut - kept };
    let mut gains = samples.gains(state, &beach, work)?;
    even_out(state, &reaches, &samples, &mut gains);
    state.advance(&nodes, &reaches.at_nodes(&gains), work)?;
    // Memory for the next distances.
    drop((lines, nodes, samples));
    measure(&mut state.rock, work)?;
    Ok(true)
}

/// Length over which waves are alike, at least a few samples.
fn alike(state: &State) -> f64 {
    state.surf.alike.max(3.0 * f64::from(state.cell()))
}

/// How far each reach juts out of the smoothed shore, metres.
fn juts(state: &State, reaches: &Reaches, directions: &[Directions]) -> Vec<f64> {
    let cell = f64::from(state.cell());
    let mut juts = Vec::with_capacity(reaches.count());
    for chain in &reaches.chains {
        let range = chain.first..chain.end;
        let (middles, metres) = (&reaches.middles[range.clone()], &reaches.metres[range.clone()]);
        let smooth = [0, 1].map(|axis| {
            let mut places: Vec<f64> = middles.iter().map(|middle| f64::from(middle[axis])).collect();
            along::smooth(*chain, metres, alike(state), &mut places);
            places
        });
        for (at, (middle, [_, out])) in middles.iter().zip(&directions[range]).enumerate() {
            let away = |axis: usize| (f64::from(middle[axis]) - smooth[axis][at]) * f64::from(out[axis]);
            juts.push((away(0) + away(1)) * cell);
        }
    }
    juts
}

/// Waves bend towards headlands and spread out in bays; at neighbouring places they are alike.
fn bend(state: &State, reaches: &Reaches, juts: &[f64], waves: &mut [Waves]) {
    let length = alike(state);
    for (waves, juts) in waves.iter_mut().zip(juts) {
        waves.exposure *= (1.0 + FOCUS * juts / length).clamp(FOCUSED[0], FOCUSED[1]);
    }
    for chain in &reaches.chains {
        let range = chain.first..chain.end;
        let (metres, waves) = (&reaches.metres[range.clone()], &mut waves[range]);
        let mut each = |get: fn(&mut Waves) -> &mut f64| {
            let mut values: Vec<f64> = waves.iter_mut().map(|waves| *get(waves)).collect();
            along::smooth(*chain, metres, length, &mut values);
            waves.iter_mut().zip(values).for_each(|(waves, value)| *get(waves) = value);
        };
        each(|waves| &mut waves.exposure);
        each(|waves| &mut waves.drift);
        each(|waves| &mut waves.turning);
    }
}

/// The beach of every reach, still without its sand, and the sand that this round's retreat adds there, m³.
fn beaches(
    state: &State,
    reaches: &Reaches,
    directions: &[Directions],
    (waves, juts): (&[Waves], &[f64]),
) -> (Vec<Beach>, Vec<f64>) {
    let (cell, level) = (state.cell(), state.surf.profile.sea_level);
    let carried = state.surf.carried / (ROUNDS * MOVES) as f64;
    let offshore = OFFSHORE.max(2.0 * cell);
    let [shallow, deep] = DEEP.map(|slope| slope * offshore);
    let (mut beaches, mut new) = (Vec::with_capacity(waves.len()), Vec::with_capacity(waves.len()));
    for chain in &reaches.chains {
        let is_islet = reaches.is_islet(*chain, alike(state));
        for reach in chain.first..chain.end {
            let (middle, [_, out], waves) = (reaches.middles[reach], directions[reach], waves[reach]);
            let metres = reaches.metres[reach];
            let inland = |away: f32| [middle[0] - out[0] * away / cell, middle[1] - out[1] * away / cell];
            let width = (-value(&state.rock, middle)).max(0.0);
            let retreat =
                state.surf.retreat(waves.exposure as f32, state.weakness_near(inland(width)), width);
            let cliff = value(state.before, inland(width + retreat + cell)) - level;
            let bed = level - value(state.before, inland(-offshore));
            let sinks = SINKS * ((bed - shallow) / (deep - shallow)).clamp(0.0, 1.0);
            new.push(f64::from(retreat) * f64::from(cliff.max(0.0)) * metres);
            beaches.push(Beach {
                juts: juts[reach],
                kept: if is_islet { 0.0 } else { f64::from(1.0 - sinks) },
                pushed: waves.drift * carried,
                turned: waves.turning * carried,
                metres,
                ..Beach::default()
            });
        }
    }
    (beaches, new)
}

/// Shores move out evenly: a narrow place between others would jut out far to hold its sand. Weighted by what
/// a metre holds, so that the volume stays nearly the same.
fn even_out(state: &State, reaches: &Reaches, samples: &Samples, gains: &mut [f32]) {
    let square = alike(state) * alike(state);
    for chain in &reaches.chains {
        let range = chain.first..chain.end;
        let metres = &reaches.metres[range.clone()];
        let each_metre = samples.each_metre[range.clone()].iter().zip(metres);
        let mass: Vec<f64> = each_metre.map(|(each_metre, metres)| each_metre + 0.02 * metres).collect();
        let next = |at: usize| (at + 1) % mass.len();
        let link: Vec<f64> = (0..mass.len())
            .map(|at| 0.5 * (mass[at] + mass[next(at)]) * square / (metres[at] * metres[next(at)]))
            .collect();
        let gains = &mut gains[range];
        let mut even: Vec<f64> = gains.iter().map(|gain| f64::from(*gain)).collect();
        along::diffuse(chain.is_closed, &mass, &link, &mut even);
        gains.iter_mut().zip(even).for_each(|(gain, even)| *gain = even as f32);
    }
}
