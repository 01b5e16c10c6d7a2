//! How fast land becomes a mesh, on one thread, each method beside a copy of the heights.
//!
//! `cargo bench -p upland_core --bench meshes -- --ratios` takes turns between the two and prints the
//! medians and their ratio. Without `--ratios` criterion measures each alone. A word after it chooses the
//! contests that contain it, such as `-- --ratios rtin`.

mod contest;

use contest::{Clock, Contest, Timed, on_processor, timed};
use glam::DVec3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::generate::{Fbm, Generate};
use upland_core::mesh::{Bound, Method, Roam, RoamEye, Triangulation};
use upland_core::{Grid, Heightfield, Work};

fn main() {
    contest::run(contests().into_iter());
}

fn contests() -> Vec<Contest> {
    let tin = |side, bound, name| triangulating(side, Method::Tin, bound, name, "aim: 5 s at 2049²");
    let rtin = |side, bound, name| triangulating(side, Method::Rtin, bound, name, "aim: 0.5 s at 2049²");
    vec![
        tin(513, Bound::Error(1.0), "within 1 m"),
        tin(2049, Bound::Error(1.0), "within 1 m"),
        tin(2049, Bound::Error(10.0), "within 10 m"),
        tin(2049, Bound::Triangles(100_000), "of 100,000 triangles"),
        rtin(513, Bound::Error(1.0), "within 1 m"),
        rtin(2049, Bound::Error(1.0), "within 1 m"),
        rtin(2049, Bound::Error(10.0), "within 10 m"),
        rtin(2000, Bound::Error(1.0), "within 1 m"),
        triangulating(2049, Method::Grid, Bound::Error(1.0), "of all samples", ""),
        for_an_eye(1537, 200.0),
        for_an_eye(1537, 5000.0),
    ]
}

/// ROAM's mesh from `above` metres above the middle of the land, for 720 rows of pixels and an angle of 50°
/// upwards.
fn for_an_eye(side: usize, above: f64) -> Contest {
    Contest {
        name: format!("ROAM within 1.5 px from {above} m up {side}², copy"),
        aim: "",
        prepare: Box::new(move || {
            let (field, pool) = (mountains(side), one_thread());
            let copied = field.clone();
            let copy: Timed = Box::new(move |clock: Clock| timed(clock, || copied.heights().to_vec()));
            let middle = f64::from(field.grid().extent().x) / 2.0;
            let height = f64::from(field.at(side / 2, side / 2));
            let position = DVec3::new(middle, height + above, middle);
            let eye = RoamEye { position, pixels: 772.0, pixel_error: 1.5, sides: Vec::new() };
            let roam = Roam::new(field, &Work::new()).expect("land");
            let mesh = move || roam.mesh(&eye);
            [copy, Box::new(move |clock: Clock| pool.install(|| timed(clock, &mesh)))]
        }),
        clock: on_processor,
        samples: side * side,
    }
}

fn triangulating(side: usize, method: Method, bound: Bound, name: &str, aim: &'static str) -> Contest {
    Contest {
        name: format!("{method} {name} {side}², copy"),
        aim,
        prepare: Box::new(move || {
            let (field, pool) = (mountains(side), one_thread());
            let copied = field.clone();
            let copy: Timed = Box::new(move |clock: Clock| timed(clock, || copied.heights().to_vec()));
            let work = Work::new();
            let triangulate = move || Triangulation::new(&field, method, bound, &work).expect("a mesh");
            [copy, Box::new(move |clock: Clock| pool.install(|| timed(clock, &triangulate)))]
        }),
        clock: on_processor,
        samples: side * side,
    }
}

/// Mountains 1500 m high on 20 km.
fn mountains(side: usize) -> Heightfield {
    let grid = Grid::new(side, side, 20_000.0 / (side - 1) as f32).expect("a size that is supported");
    Fbm { height: 1500.0, octaves: 11.0, ..Fbm::default() }.generate(grid, 3, &Work::new()).expect("land")
}

fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}
