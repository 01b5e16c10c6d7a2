//! How fast viewsheds are computed: the exact method compared with the fast one, and the fast one compared
//! with a copy of the land.
//!
//! `cargo bench -p upland_core --bench viewshed -- --ratios` takes turns between the two of each contest and
//! prints the medians and their ratio: for the two methods wall-clock time on all cores, for the copy
//! processor time on one. Without `--ratios` criterion measures each alone.

mod contest;

use contest::{Contest, Timed, on_processor, timed, wall};
use rayon::ThreadPoolBuilder;
use upland_core::generate::{Fbm, Generate};
use upland_core::viewshed::{Method, Tower, ViewshedOptions, viewshed};
use upland_core::{Grid, Heightfield, Work};

fn main() {
    let sizes = [1025, 4097].into_iter();
    contest::run(
        sizes.flat_map(|side| [("the middle", 0.5), ("a corner", 0.0)].map(|place| (side, place))).flat_map(
            |(side, (place, share))| {
                let methods = Contest {
                    name: format!("exact viewshed from {place} {side}², fast"),
                    aim: "aim: exact under 5 s, fast under 0.35 s at 4097² on two cores",
                    prepare: Box::new(move || {
                        [Method::Fast, Method::Exact].map(|method| seeing(side, share, method, 0))
                    }),
                    clock: wall,
                    samples: side * side,
                };
                let one_thread = Contest {
                    name: format!("fast viewshed from {place} {side}², copy"),
                    aim: "",
                    prepare: Box::new(move || [copying(side), seeing(side, share, Method::Fast, 1)]),
                    clock: on_processor,
                    samples: side * side,
                };
                [methods, one_thread]
            },
        ),
    );
}

fn land(side: usize) -> Heightfield {
    let grid = Grid::new(side, side, 10.0).expect("a size that is supported");
    let hills = Fbm { height: 1500.0, frequency: 4.0, octaves: 9.0, ..Fbm::default() };
    hills.generate(grid, 1, &Work::new()).expect("land")
}

/// A viewshed from a tower at a share of the land's sides, on this many threads; 0 for as many as there are
/// cores.
fn seeing(side: usize, share: f32, method: Method, threads: usize) -> Timed {
    let land = land(side);
    let tower = Tower { position: land.grid().extent() * share, height: 50.0 };
    let options = ViewshedOptions { method: Some(method), ..ViewshedOptions::default() };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    Box::new(move |clock| pool.install(|| timed(clock, || viewshed(&land, &[tower], &options, &Work::new()))))
}

/// A plain copy of the heights into memory that the system first has to provide.
fn copying(side: usize) -> Timed {
    let land = land(side);
    Box::new(move |clock| timed(clock, || land.heights().to_vec()))
}
