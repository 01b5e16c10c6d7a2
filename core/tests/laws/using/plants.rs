//! Plants: what holds for every kind, seed, season and level of detail.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use upland_core::params::{Params, Reading, Value, each, each_mut};
use upland_core::plants::{
    ALPHA_CUT, Atlas, Beech, Birch, Boulder, DeadWood, Detail, Flowers, Grass, Hazel, Impostor, Juniper,
    Kind, Material, Palm, PlantMesh, PlantVertex, Season, Species, Spruce, Stone, direction_of_view,
};

/// Calls `law` with every kind, two seeds and all seasons of it.
fn each_plant(mut law: impl FnMut(Kind, Season, &dyn Fn(Detail) -> PlantMesh)) {
    for kind in Kind::ALL {
        for seed in [1, 77] {
            for season in Season::ALL {
                let plant = kind.grow(seed, season);
                law(kind, season, &|detail| plant.mesh(detail));
            }
        }
    }
}

fn leaves(mesh: &PlantMesh) -> f32 {
    mesh.area(Material::Leaf) + mesh.area(Material::Petal)
}

/// A hash of every bit of a mesh.
fn bits(mesh: &PlantMesh) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut put = |bits: u32| hash = (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3);
    for vertex in &mesh.vertices {
        let floats = [vertex.position.to_array(), vertex.normal.to_array(), vertex.colour.to_array()];
        floats.as_flattened().iter().for_each(|float| put(float.to_bits()));
        [vertex.uv.x, vertex.uv.y, vertex.wind, vertex.phase].iter().for_each(|float| put(float.to_bits()));
    }
    mesh.triangles.as_flattened().iter().for_each(|&index| put(index));
    hash
}

#[test]
fn every_mesh_is_sound() {
    each_plant(|kind, season, mesh| {
        for detail in Detail::ALL {
            let mesh = mesh(detail);
            let name = format!("{} {season:?} {detail:?}", kind.name());
            let count = mesh.triangles.len();
            assert!(count > 8 && count <= detail.most_triangles() + 20, "{name}: {count}");
            assert!(
                mesh.triangles.as_flattened().iter().all(|&index| (index as usize) < mesh.vertices.len())
            );
            for vertex in &mesh.vertices {
                assert!(vertex.position.is_finite() && vertex.uv.is_finite(), "{name}");
                assert!((vertex.normal.length() - 1.0).abs() < 1e-3, "{name}: {}", vertex.normal);
                assert!(
                    vertex.colour.min_element() >= 0.0 && vertex.colour.max_element() <= 1.0,
                    "{name}: {}",
                    vertex.colour
                );
                assert!((0.0..=1.0).contains(&vertex.wind) && (0.0..1.0).contains(&vertex.phase), "{name}");
            }
        }
    });
}

#[test]
fn plants_stand_on_their_foot_which_wind_does_not_move() {
    each_plant(|kind, season, mesh| {
        let mesh = mesh(Detail::Fine);
        let (low, high) = mesh.bounds();
        let size = (high - low).max_element();
        assert!(low.y > -0.2 * size && low.y < 0.05 * size, "{} {season:?}: {low}", kind.name());
        assert!(low.x < 0.0 && high.x > 0.0 && low.z < 0.0 && high.z > 0.0, "{}", kind.name());
        // What stands in the ground, without branches that hang down to it.
        let stands = |vertex: &&PlantVertex| {
            let p = vertex.position;
            vertex.material == Material::Bark && p.y < 0.01 * size && p.x.hypot(p.z) < 0.05 * size
        };
        let is_tree = matches!(kind, Kind::Spruce | Kind::Beech | Kind::Birch | Kind::Palm);
        let most = mesh.vertices.iter().filter(stands).map(|vertex| vertex.wind).fold(0.0, f32::max);
        assert!(!is_tree || most < 0.1, "{} {season:?}: {most}", kind.name());
        let is_moved = mesh.vertices.iter().any(|vertex| vertex.wind == 1.0);
        let is_still = matches!(kind, Kind::Boulder | Kind::Stone | Kind::DeadWood);
        assert_eq!(is_moved, !is_still, "{}", kind.name());
    });
}

#[test]
fn fronts_are_anticlockwise_and_closed_bodies_face_outwards() {
    each_plant(|kind, season, mesh| {
        let mesh = mesh(Detail::Fine);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|index| mesh.vertices[index as usize]);
            let front = (b.position - a.position).cross(c.position - a.position);
            // Leaves' normals follow the crown; stems' and stones' are the surface's own.
            if matches!(a.material, Material::Rock) {
                let along = front.normalize_or_zero().dot((a.normal + b.normal + c.normal).normalize());
                assert!(along > 0.0, "{} {season:?}: {along}", kind.name());
            }
        }
    });
    // A trunk's mantle looks away from its axis.
    let mesh = Spruce::default().grow(1, Season::Summer).unwrap().mesh(Detail::Fine);
    let mut seen = 0;
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|index| mesh.vertices[index as usize]);
        if a.material == Material::Bark && a.position.y < 1.0 && a.wind < 0.02 {
            let front = (b.position - a.position).cross(c.position - a.position);
            seen += 1;
            assert!(front.dot(a.normal + b.normal + c.normal) > 0.0);
        }
    }
    assert!(seen > 10);
}

#[test]
fn the_same_seed_is_the_same_plant_and_another_is_another() {
    for kind in Kind::ALL {
        let grow = |seed| bits(&kind.grow(seed, Season::Autumn).mesh(Detail::Middle));
        assert_eq!(grow(5), grow(5), "{}", kind.name());
        assert_ne!(grow(5), grow(6), "{}", kind.name());
    }
}

#[test]
fn levels_keep_bounds_and_the_area_of_leaves() {
    each_plant(|kind, season, mesh| {
        let fine = mesh(Detail::Fine);
        let (low, high) = fine.bounds();
        let size = (high - low).max_element();
        let mut last = fine.triangles.len();
        for detail in [Detail::Middle, Detail::Coarse] {
            let coarse = mesh(detail);
            let name = format!("{} {season:?} {detail:?}", kind.name());
            assert!(coarse.triangles.len() < last, "{name}: {} {last}", coarse.triangles.len());
            last = coarse.triangles.len();
            let (lower, higher) = coarse.bounds();
            assert!((lower - low).abs().max_element() < 0.2 * size, "{name}: {low} {lower}");
            assert!((higher - high).abs().max_element() < 0.2 * size, "{name}: {high} {higher}");
            if leaves(&fine) > 0.0 {
                let ratio = leaves(&coarse) / leaves(&fine);
                assert!((0.8..1.25).contains(&ratio), "{name}: {ratio}");
            }
        }
    });
}

#[test]
fn seasons_change_what_they_should() {
    for kind in Kind::ALL {
        let of = |season| kind.grow(3, season).mesh(Detail::Fine);
        let [spring, summer, autumn, winter] = Season::ALL.map(of);
        assert_eq!(
            bits(&summer) != bits(&autumn) || bits(&spring) != bits(&summer),
            kind.has_seasons(),
            "{}",
            kind.name()
        );
        if matches!(kind, Kind::Beech | Kind::Birch | Kind::Hazel) {
            assert_eq!(leaves(&winter), 0.0, "{}", kind.name());
            assert!(leaves(&summer) > 10.0);
            // More red than green in autumn, the other way round in summer.
            let tint = |mesh: &PlantMesh| -> Vec3 {
                let leaves = mesh.vertices.iter().filter(|vertex| vertex.material == Material::Leaf);
                leaves.map(|vertex| vertex.colour).sum()
            };
            assert!(
                tint(&autumn).x > tint(&autumn).y && tint(&summer).x < tint(&summer).y,
                "{}",
                kind.name()
            );
        }
        let petals = [&spring, &summer, &autumn, &winter].map(|mesh| mesh.area(Material::Petal) > 0.0);
        assert_eq!(petals, [false, kind == Kind::Flowers, false, false], "{}", kind.name());
    }
}

#[test]
fn shapes_are_those_of_their_kind() {
    let grow = |kind: Kind| kind.grow(9, Season::Summer).mesh(Detail::Fine);
    // The reach of leaves from the axis within a band of shares of the height.
    let reach = |mesh: &PlantMesh, from: f32, to: f32| {
        let height = mesh.bounds().1.y;
        let in_band = |p: &Vec3| (from * height..to * height).contains(&p.y);
        let leaves = mesh.vertices.iter().filter(|vertex| vertex.material == Material::Leaf);
        leaves
            .map(|vertex| vertex.position)
            .filter(in_band)
            .map(|p| Vec2::new(p.x, p.z).length())
            .fold(0.0, f32::max)
    };
    let spruce = grow(Kind::Spruce);
    let [low, middle, top] =
        [(0.05, 0.25), (0.45, 0.55), (0.85, 1.0)].map(|(from, to)| reach(&spruce, from, to));
    assert!(low > 1.3 * middle && middle > 1.8 * top, "a cone: {low} {middle} {top}");
    let beech = grow(Kind::Beech);
    let (low, high) = beech.bounds();
    assert!(high.x - low.x > 0.6 * high.y, "a broad dome");
    let birch = grow(Kind::Birch);
    let (low, high) = birch.bounds();
    assert!(high.x - low.x < 0.75 * high.y, "slender");
    let palm = grow(Kind::Palm);
    assert!(reach(&palm, 0.0, 0.4) == 0.0 && reach(&palm, 0.5, 1.0) > 2.0, "leaves at the top alone");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for height in [f32::NAN, f32::INFINITY, 0.0, -3.0, 1e9] {
        assert!(Spruce { height, ..Spruce::default() }.grow(1, Season::Summer).is_err(), "{height}");
    }
    let said = Beech { boughs: 4_000_000_000, ..Beech::default() }
        .grow(1, Season::Summer)
        .err()
        .unwrap()
        .to_string();
    assert!(said.contains("beech.boughs"), "{said}");
    assert!(Boulder { faces: u32::MAX, ..Boulder::default() }.grow(1, Season::Summer).is_err());
    // The ends of the ranges are plants, too.
    for (height, count) in [(0.05, 1), (1.5, 80)] {
        let flowers = Flowers { height, count, ..Flowers::default() }.grow(1, Season::Summer).unwrap();
        assert!(!flowers.mesh(Detail::Coarse).triangles.is_empty());
    }
    assert!(Kind::of("oak").unwrap_err().to_string().contains("there are spruce, beech"));
}

#[test]
fn mips_of_the_atlas_keep_the_coverage_of_leaves() {
    let mips = Atlas::new().mips();
    assert_eq!(mips.len(), 11);
    // The card of beech leaves: texels 768 to 1024 along x, 0 to 256 along y.
    let covered = |level: usize| {
        let picture = &mips[level];
        let [left, side] = [768, 256].map(|texels| texels >> level);
        let texels = (0..side).flat_map(|y| (left..left + side).map(move |x| (x, y)));
        let opaque =
            texels.filter(|(x, y)| f32::from(picture.texels[y * picture.width + x][3]) / 255.0 >= ALPHA_CUT);
        opaque.count() as f32 / (side * side) as f32
    };
    let first = covered(0);
    assert!((0.15..0.9).contains(&first), "{first}");
    for level in 1..=5 {
        assert!((covered(level) - first).abs() < 0.06, "{level}: {} {first}", covered(level));
    }
    // Bark is opaque and repeats from top to bottom.
    let picture = &mips[0];
    for x in 0..512 {
        let [top, bottom] = [x, (picture.height - 1) * picture.width + x].map(|at| picture.texels[at]);
        assert_eq!((top[3], bottom[3]), (255, 255));
        assert!((0..3).all(|channel| top[channel].abs_diff(bottom[channel]) < 90), "{x}: {top:?} {bottom:?}");
    }
}

#[test]
fn views_of_an_impostor_look_from_all_of_the_upper_half_space() {
    for views in [1, 2, 8] {
        let mut seen = BTreeMap::new();
        for (row, column) in (0..views).flat_map(|row| (0..views).map(move |column| (row, column))) {
            let direction = direction_of_view(column, row, views);
            assert!((direction.length() - 1.0).abs() < 1e-5 && direction.y > 0.0);
            seen.insert(direction.to_array().map(|part| (part * 1e4) as i32), ());
        }
        assert_eq!(seen.len(), views * views);
    }
    // From the middle of the sides it is the horizon's quarters between the axes, from the corners the axes.
    let corner = direction_of_view(7, 7, 8);
    assert!(corner.x > 0.9 && corner.z.abs() < 1e-6, "{corner}");
}

#[test]
fn an_impostor_has_the_outline_of_the_plant_in_every_view() {
    let (atlas, mesh) = (Atlas::new(), Kind::Boulder.grow(4, Season::Summer).mesh(Detail::Fine));
    let (views, texels) = (4, 32);
    let impostor = Impostor::draw(&mesh, &atlas, views, texels).unwrap();
    for (row, column) in (0..views).flat_map(|row| (0..views).map(move |column| (row, column))) {
        // A renderer's projection, written down anew.
        let eye = direction_of_view(column, row, views);
        let right = Vec3::Y.cross(eye).normalize();
        let up = eye.cross(right);
        let place = |p: Vec3| {
            let from_middle = (p - impostor.middle) / impostor.radius;
            Vec2::new(0.5 + 0.5 * right.dot(from_middle), 0.5 - 0.5 * up.dot(from_middle)) * texels as f32
        };
        let side = impostor.albedo.width;
        let alpha =
            |x: usize, y: usize| impostor.albedo.texels[(row * texels + y) * side + column * texels + x][3];
        let (mut low, mut high) = (Vec2::MAX, Vec2::MIN);
        for vertex in &mesh.vertices {
            let p = place(vertex.position);
            (low, high) = (low.min(p), high.max(p));
        }
        let texel = |index: usize| (index % texels, index / texels);
        let drawn: Vec<(usize, usize)> =
            (0..texels * texels).map(texel).filter(|&(x, y)| alpha(x, y) > 127).collect();
        assert!(drawn.len() > texels, "view {column}, {row} is empty");
        let first = drawn.iter().fold(Vec2::MAX, |low, &(x, y)| low.min(Vec2::new(x as f32, y as f32)));
        let last =
            drawn.iter().fold(Vec2::MIN, |high, &(x, y)| high.max(Vec2::new(x as f32 + 1.0, y as f32 + 1.0)));
        assert!((first - low).abs().max_element() < 1.6, "view {column}, {row}: {first} {low}");
        assert!((last - high).abs().max_element() < 1.6, "view {column}, {row}: {last} {high}");
        // A stone has no holes: the middle of every triangle is covered.
        for triangle in &mesh.triangles {
            let middle =
                triangle.map(|index| mesh.vertices[index as usize].position).iter().sum::<Vec3>() / 3.0;
            let p = place(middle);
            // Or on its outline, less than a texel away.
            let near = (0..9).map(|near| (p.x as usize + near % 3 - 1, p.y as usize + near / 3 - 1));
            assert!(near.map(|(x, y)| alpha(x, y)).max() > Some(0), "view {column}, {row}: {p}");
        }
    }
}

#[test]
fn no_view_of_any_plant_is_empty_and_colours_go_on_beyond_the_outline() {
    let atlas = Atlas::new();
    for kind in Kind::ALL {
        let mesh = kind.grow(2, Season::Autumn).mesh(Detail::Coarse);
        let impostor = Impostor::draw(&mesh, &atlas, 3, 24).unwrap();
        let Impostor { albedo, normal, .. } = &impostor;
        assert_eq!((albedo.width, albedo.height), (72, 72));
        for view in 0..9 {
            let texels =
                (0..24 * 24).map(|index| (view / 3 * 24 + index / 24) * 72 + view % 3 * 24 + index % 24);
            let texels: Vec<usize> = texels.collect();
            assert!(texels.iter().any(|&at| albedo.texels[at][3] > 127), "{} {view}", kind.name());
            // Filtering at the outline brings in no black.
            assert!(texels.iter().all(|&at| albedo.texels[at][..3] != [0, 0, 0]), "{} {view}", kind.name());
            for at in texels {
                assert_eq!(albedo.texels[at][3], normal.texels[at][3]);
                let [x, y, z, _] = normal.texels[at].map(|byte| f32::from(byte) / 127.5 - 1.0);
                assert!((Vec3::new(x, y, z).length() - 1.0).abs() < 0.05, "{} {view}", kind.name());
            }
        }
    }
}

#[test]
fn impostors_that_cannot_be_are_refused() {
    let (atlas, mesh) = (Atlas::new(), Kind::Stone.grow(1, Season::Summer).mesh(Detail::Coarse));
    for (views, texels, said) in [(0, 64, "views"), (17, 64, "views"), (8, 7, "texels"), (8, 257, "texels")] {
        let error = Impostor::draw(&mesh, &atlas, views, texels).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(Impostor::draw(&PlantMesh::default(), &atlas, 8, 64).is_err());
}

#[test]
fn an_atlas_is_drawn_the_same_every_time() {
    assert_eq!(Atlas::new().picture(), Atlas::new().picture());
}

/// The bits of a plant of each kind. A change of them changes every land that plants are scattered on: write
/// the new numbers if it is meant, and say why in the commit.
const GOLDEN: [u64; 11] = [
    0x7bc4_2add_162f_4ec0,
    0x1063_537e_627d_bc09,
    0x5c24_579c_dac9_6ed1,
    0xb48a_b50e_f419_490d,
    0x3f0d_b360_b3e1_6092,
    0x1f76_9fbe_bdb2_8f2a,
    0xbd09_dd97_3609_e59d,
    0x1366_c248_dd38_aa35,
    0xec57_6926_b608_4091,
    0xcd12_4632_b553_f14d,
    0x9035_88af_d6e9_9eb5,
];

#[test]
fn plants_have_the_same_bits_on_every_machine() {
    let found = Kind::ALL.map(|kind| bits(&kind.grow(5, Season::Autumn).mesh(Detail::Middle)));
    assert!(found == GOLDEN, "{found:#x?}");
}

/// Grows plants of a species with each parameter at the ends of its range, and others that are just outside.
fn try_ends<T: Species + Params + Default>() {
    let mut ranges = Vec::new();
    each(&T::default(), &mut |path, param, reading| {
        assert!(matches!(reading, Reading::Float(_) | Reading::Int(_)), "{path}");
        ranges.push((path.to_owned(), param.range.clone()));
    });
    assert!(ranges.len() >= 3);
    for (path, range) in ranges {
        let with = |number: f64| {
            let mut species = T::default();
            each_mut(&mut species, &mut |known, _, value| match value {
                Value::Float(value) if known == path => *value = number as f32,
                Value::Int(value) if known == path => *value = number as u32,
                _ => {}
            });
            species.grow(3, Season::Summer)
        };
        for end in [*range.start(), *range.end()] {
            let plant = with(end).unwrap_or_else(|error| panic!("{path} {end}: {error}"));
            for detail in Detail::ALL {
                let mesh = plant.mesh(detail);
                assert!(!mesh.triangles.is_empty(), "{path} {end} {detail:?}");
                let is_sound = |vertex: &PlantVertex| {
                    vertex.position.is_finite() && (vertex.normal.length() - 1.0).abs() < 1e-3
                };
                assert!(mesh.vertices.iter().all(is_sound), "{path} {end} {detail:?}");
            }
        }
        let said = with(range.end() * 1.01 + 1.0).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(&path) && said.contains("outside"), "{path}: {said}");
    }
}

#[test]
fn the_ends_of_every_range_grow_and_what_is_outside_is_refused() {
    try_ends::<Spruce>();
    try_ends::<Beech>();
    try_ends::<Birch>();
    try_ends::<Palm>();
    try_ends::<Hazel>();
    try_ends::<Juniper>();
    try_ends::<Grass>();
    try_ends::<Flowers>();
    try_ends::<Boulder>();
    try_ends::<Stone>();
    try_ends::<DeadWood>();
}

/// Trees stop whoever comes by their trunks, rocks by all of them, and meadows nobody.
#[test]
fn what_is_solid_is_as_wide_as_its_trunk_or_its_rock() {
    for seed in [1, 5, 77] {
        let solid = |kind: Kind, height| kind.grow(seed, Season::Summer).solid_radius(height);
        for tree in [Kind::Spruce, Kind::Beech, Kind::Birch, Kind::Palm] {
            let (trunk, all) = (solid(tree, 1.3), tree.grow(seed, Season::Summer).mesh(Detail::Fine));
            let (low, high) = all.bounds();
            let crown = (high - low).x / 2.0;
            assert!(trunk > 0.05 && trunk < 0.25 * crown, "{}: {trunk} of {crown}", tree.name());
            assert!(solid(tree, 100.0) >= trunk);
        }
        let (rock, all) =
            (solid(Kind::Boulder, 100.0), Kind::Boulder.grow(seed, Season::Summer).mesh(Detail::Fine));
        let farthest =
            all.vertices.iter().map(|vertex| Vec2::new(vertex.position.x, vertex.position.z).length());
        assert!((farthest.fold(0.0, f32::max) - rock).abs() < 1e-4);
        for meadow in [Kind::Grass, Kind::Flowers] {
            assert_eq!(solid(meadow, 100.0), 0.0);
        }
    }
}
