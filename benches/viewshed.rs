//! How fast viewsheds are found: the exact one beside the fast one, and the fast one beside a copy of the land.
//!
//! `cargo bench --no-default-features --bench viewshed -- --ratios` takes turns between the two of each contest and
//! prints the medians and their ratio; without `--ratios` criterion measures each alone. All of it on all cores.

mod contest;

use contest::{Contest, Timed, timed, wall};
use upland::generate::{Fbm, Generate};
use upland::viewshed::{Method, Tower, ViewshedOptions, viewshed};
use upland::{Grid, Heightfield, Work};

fn main() {
    contest::run([1025, 4097].into_iter().flat_map(|side| {
        ["the middle", "a corner"].into_iter().flat_map(move |place| {
            let contest = |name: &str, aim, sides: fn(usize, f32) -> [Timed; 2]| Contest {
                name: format!("{name} from {place}, {side}²"),
                aim,
                prepare: Box::new(move || sides(side, if place == "a corner" { 0.0 } else { 0.5 })),
                clock: wall,
                samples: side * side,
            };
            [
                contest("exact viewshed, fast viewshed", "aim: 5 s at 4097² on two cores", |side, share| {
                    [Method::Fast, Method::Exact].map(|method| seeing(side, share, method))
                }),
                contest("fast viewshed, copy", "aim: 0.35 s at 4097² on two cores", |side, share| {
                    [copying(side), seeing(side, share, Method::Fast)]
                }),
            ]
        })
    }));
}

fn land(side: usize) -> Heightfield {
    let grid = Grid::new(side, side, 10.0).expect("a size that is supported");
    let hills = Fbm { height: 1500.0, frequency: 4.0, octaves: 9.0, ..Fbm::default() };
    hills.generate(grid, 1, &Work::new()).expect("land")
}

/// A viewshed from a tower at a share of the land's sides.
fn seeing(side: usize, share: f32, method: Method) -> Timed {
    let land = land(side);
    let tower = Tower { position: land.grid().extent() * share, height: 50.0 };
    let options = ViewshedOptions { method: Some(method), ..ViewshedOptions::default() };
    Box::new(move |clock| timed(clock, || viewshed(&land, &[tower], &options, &Work::new())))
}

/// A plain copy of the heights on one thread, into memory that the system has to hand out first.
fn copying(side: usize) -> Timed {
    let land = land(side);
    Box::new(move |clock| timed(clock, || land.heights().to_vec()))
}
