//! How fast plants grow, become triangles and are drawn as impostors, on one thread, each beside a copy of
//! the mesh.
//!
//! `cargo bench -p upland_core --bench plants -- --ratios` takes turns between the two and prints the
//! medians and their ratio. Without `--ratios` criterion measures each alone. A word after it chooses the
//! contests that contain it, such as `-- --ratios beech`.

mod contest;

use contest::{Clock, Contest, Timed, on_processor, timed};
use upland_core::plants::{Atlas, Detail, Impostor, Kind, PlantMesh, Season};

fn main() {
    let kinds = [Kind::Spruce, Kind::Beech, Kind::Birch, Kind::Palm, Kind::Hazel, Kind::Grass, Kind::Boulder];
    let growing = kinds.into_iter().map(growing);
    let coarse = [Kind::Spruce, Kind::Beech].into_iter().map(meshing);
    contest::run(growing.chain(coarse).chain([impostor(Kind::Beech), atlas()]));
}

fn fine(kind: Kind) -> PlantMesh {
    kind.grow(1, Season::Summer).mesh(Detail::Fine)
}

/// A contest of `work` with a copy of a plant's mesh.
fn beside_copy<T: 'static>(
    name: String,
    aim: &'static str,
    kind: Kind,
    work: impl FnMut() -> T + 'static,
) -> Contest {
    let samples = fine(kind).triangles.len();
    let prepare = Box::new(move || {
        let (mesh, mut work) = (fine(kind), work);
        let copy: Timed = Box::new(move |clock: Clock| timed(clock, || mesh.clone()));
        [copy, Box::new(move |clock: Clock| timed(clock, &mut work))]
    });
    Contest { name, aim, prepare, clock: on_processor, samples }
}

/// A plant from its seed to its finest triangles.
fn growing(kind: Kind) -> Contest {
    let name = format!("growing {}, copy", kind.name());
    beside_copy(name, "aim: 5 ms for a tree", kind, move || fine(kind))
}

/// The coarsest triangles of a plant that has grown.
fn meshing(kind: Kind) -> Contest {
    let plant = kind.grow(1, Season::Summer);
    beside_copy(format!("coarse {}, copy", kind.name()), "", kind, move || plant.mesh(Detail::Coarse))
}

/// 64 views of 64² texels.
fn impostor(kind: Kind) -> Contest {
    let (mesh, atlas) = (fine(kind), Atlas::new());
    beside_copy(format!("impostor of {}, copy", kind.name()), "", kind, move || {
        Impostor::draw(&mesh, &atlas, 8, 64).expect("a plant")
    })
}

fn atlas() -> Contest {
    beside_copy("drawing the atlas, copy".into(), "", Kind::Beech, Atlas::new)
}
