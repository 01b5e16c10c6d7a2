//! A hole is where its layer says, in tiles, queries, rays, meshes and scattered objects alike.

use std::collections::{HashMap, HashSet};

use glam::{DVec2, DVec3, Vec2, Vec3};
use upland_core::filter::{Hole, HoleShape};
use upland_core::generate::Fbm;
use upland_core::grid::is_hole;
use upland_core::mesh::{Bound, Mesh, Method, Seams, Triangulation};
use upland_core::scatter::{Rule, Scatter};
use upland_core::stream::{
    Arrival, Budget, Channels, Drawn, KnownGround, LandTile, LandscapeSource, RecipeSource, Residency,
    TileSource,
};
use upland_core::{Cache, Heightfield, Recipe, Step, Work};

/// Hills of 2560 m, with a shaft of 100 m radius in their middle, and a trench.
fn mine() -> Recipe {
    let mut recipe = Recipe::new("Mine", (257, 257), 10.0);
    let hills = Fbm { height: 150.0, ..Fbm::default() };
    let shaft = Hole { radius: 100.0, ..Hole::default() };
    let points = vec![Vec2::new(0.1, 0.2), Vec2::new(0.3, 0.25), Vec2::new(0.35, 0.1)];
    let trench = Hole { shape: HoleShape::Line, radius: 25.0, points, ..Hole::default() };
    recipe.steps = vec![Step::new(hills), Step::new(shaft), Step::new(trench)];
    recipe
}

/// How far a place lies inside the shaft or the trench, metres.
fn inside(place: DVec2) -> f64 {
    let shaft = 100.0 - place.distance(DVec2::splat(1280.0));
    let corners = [(0.1, 0.2), (0.3, 0.25), (0.35, 0.1)].map(|(x, z)| DVec2::new(x, z) * 2560.0);
    let trench = corners.windows(2).map(|pair| {
        let along = pair[1] - pair[0];
        let share = ((place - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        25.0 - place.distance(pair[0] + along * share)
    });
    trench.fold(shaft, f64::max)
}

/// Places all over the land, most of them near the holes.
fn places() -> impl Iterator<Item = DVec2> {
    (0..4000).map(|index| {
        let share = |factor: usize| ((index * factor) % 3989) as f64 / 3989.0;
        let place = DVec2::new(share(1237), share(2711));
        match index % 3 {
            0 => place * 2560.0,
            1 => DVec2::splat(1130.0) + place * 300.0,
            _ => DVec2::new(200.0, 200.0) + place * DVec2::new(750.0, 500.0),
        }
    })
}

/// A residency with tiles of a source.
fn resident(source: &dyn TileSource, tiles: &[LandTile]) -> Residency {
    let mut residency = Residency::new(source.shape(), Budget { slots: 400, jobs: 1, fade: 0.0 });
    for tile in tiles {
        residency.order(*tile);
        let arrival = residency.arrive(source.make(*tile, &Work::new()).unwrap(), 0, 0.0);
        assert!(matches!(arrival, Arrival::Shown { .. }));
    }
    residency
}

/// The tiles of all levels down to the land's own.
fn all_tiles(source: &dyn TileSource) -> Vec<LandTile> {
    let shape = source.shape();
    let levels = (0..=shape.coarsest).rev();
    let tiles = levels.flat_map(|level| {
        (0..1 << (shape.coarsest - level)).flat_map(move |row| {
            (0..1 << (shape.coarsest - level)).map(move |column| LandTile { level, column, row })
        })
    });
    tiles.filter(|tile| shape.has(*tile)).collect()
}

#[test]
fn tiles_have_the_hole_where_its_shape_is() {
    let source = RecipeSource::new(mine(), &Cache::default(), 5.0, Vec::new(), &Work::new()).unwrap();
    assert!(source.has_holes());
    let shape = source.shape();
    for level in [-1, 0] {
        let made: HashMap<_, _> = places()
            .map(|place| shape.tile_at(level, place.x, place.y))
            .collect::<HashSet<_>>()
            .into_iter()
            .map(|tile| (tile, source.make(tile, &Work::new()).unwrap()))
            .collect();
        let mut found = 0;
        for place in places() {
            let tile = shape.tile_at(level, place.x, place.y);
            let is_hole = made[&tile].has_hole_at(place, &shape);
            found += usize::from(is_hole);
            // A line from sample to sample cuts corners, in the trench's bend most.
            if inside(place).abs() > 0.4 * f64::from(shape.cell_at(level)) {
                assert_eq!(is_hole, inside(place) > 0.0, "{place} at level {level}: {}", inside(place));
            }
            // Cells know what their middles are.
            let cell = f64::from(shape.cell_at(level));
            let [column, row] = [place.x, place.y].map(|place| (place / cell).floor() as i64);
            let first = tile.first_sample();
            let (column, row) = (column - first[0], row - first[1]);
            let corner = DVec2::new((first[0] + column) as f64, (first[1] + row) as f64);
            let middle = (corner + 0.5) * cell;
            assert_eq!(made[&tile].is_hole(column, row), made[&tile].has_hole_at(middle, &shape));
            let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
            let holes = corners.map(|at| made[&tile].has_hole_at((corner + DVec2::from(at)) * cell, &shape));
            let is_edge = holes.contains(&true) && holes.contains(&false);
            assert_eq!(made[&tile].is_hole_edge(column, row), is_edge, "{place}");
        }
        assert!(found > 500, "{found}");
    }
}

#[test]
fn queries_and_rays_find_no_ground_in_a_hole_and_all_of_it_beside() {
    let work = Work::new();
    let source = RecipeSource::new(mine(), &Cache::default(), 10.0, Vec::new(), &work).unwrap();
    let residency = resident(&source, &all_tiles(&source));
    let land = mine().build_with(&Cache::default(), &work).unwrap();
    let holes = land.layers.get("hole").expect("drawing needs it");
    let nothing = Residency::new(source.shape(), Budget { slots: 64, jobs: 1, fade: 0.0 });
    let tiles = KnownGround::new(&residency);
    let field = KnownGround::new(&nothing)
        .with_field(&land.heightfield, land.heightfield.range())
        .with_holes(Some(holes));
    let mut found = 0;
    for (index, place) in places().enumerate() {
        let is_hole = tiles.is_hole(place.x, place.y);
        found += usize::from(is_hole);
        let [high, low] = [900.0, -900.0].map(|height| DVec3::new(place.x, height, place.y));
        for known in [tiles, field] {
            assert_eq!(known.is_hole(place.x, place.y), is_hole, "{place}");
            assert_eq!(known.at(place.x, place.y).is_none(), is_hole, "{place}");
            assert_eq!(known.all_at(place.x, place.y).is_empty(), is_hole, "{place}");
            assert_eq!(known.meeting(high, low, Drawn::TRUE).is_none(), is_hole, "{place}");
            assert_eq!(known.entered(high, low, Drawn::TRUE).is_none(), is_hole, "{place}");
        }
        // Each of these makes a tile.
        if index % 20 > 0 {
            continue;
        }
        match source.ground(place, &work) {
            // It knows of finer tiles, on the same triangles.
            Ok(exact) => {
                let (exact, known) = (exact.ground, tiles.at(place.x, place.y).unwrap());
                assert!((exact.height - known.height).abs() < 1e-3, "{place}: {exact:?}, {known:?}");
                assert!(exact.normal.distance(known.normal) < 1e-4, "{place}: {exact:?}, {known:?}");
            }
            Err(error) => assert!(is_hole && error.to_string().contains("in a hole"), "{place}: {error}"),
        }
    }
    assert!(found > 500, "{found}");
    assert!(!tiles.is_hole(-5.0, 0.0) && !tiles.is_hole(f64::NAN, 0.0), "there is no land");

    // A ray that goes in at the edge of the shaft, and out through its far wall's ground from below, meets
    // nothing; one that is level with the ground meets the ground behind the shaft.
    let ground = |x: f64| f64::from(field.at(x, 1280.0).unwrap().height);
    let over = DVec3::new(1270.0, ground(1100.0).max(ground(1500.0)) + 300.0, 1280.0);
    for known in [tiles, field] {
        let down = DVec3::new(1290.0, -5000.0, 1280.0);
        assert_eq!(known.meeting(over, down, Drawn::TRUE), None);
        let beyond = DVec3::new(1600.0, ground(1600.0) - 200.0, 1280.0);
        let met = known.meeting(over, beyond, Drawn::TRUE).unwrap();
        assert!(met.x > 1379.9 && (met.y - ground(met.x)).abs() < 1e-3, "{met}");
        // In at the middle of the shaft, then through the ground from below: nothing, and no ground on the
        // way back down.
        let under = DVec3::new(1500.0, ground(1500.0) - 50.0, 1280.0);
        let steep = DVec3::new(1275.0, 900.0, 1280.0);
        let enters_in_hole =
            known.meeting(steep, under, Drawn::TRUE).is_none_or(|met| !known.is_hole(met.x, met.z));
        assert!(enters_in_hole);
    }
}

#[test]
fn land_without_holes_pays_nothing_and_says_so() {
    let work = Work::new();
    let mut recipe = mine();
    recipe.steps.truncate(1);
    let source = RecipeSource::new(recipe, &Cache::default(), 10.0, Vec::new(), &work).unwrap();
    let tile = LandTile { level: 0, column: 0, row: 0 };
    let made = source.make(tile, &work).unwrap();
    assert!(!source.has_holes() && made.texels.holes.is_empty());
    assert!(!made.is_hole(5, 5) && !made.is_hole_edge(5, 5));
    assert!(!made.has_hole_at(DVec2::new(55.0, 55.0), &source.shape()));
}

#[test]
fn tiles_of_a_finished_landscape_have_the_holes_of_its_layer() {
    let work = Work::new();
    let land = mine().build(&work).unwrap();
    let of_land = LandscapeSource::new(land.into(), &Channels::default()).unwrap();
    let of_recipe = RecipeSource::new(mine(), &Cache::default(), 10.0, Vec::new(), &work).unwrap();
    // Windows alone, while the whole is being made.
    let ahead = RecipeSource::of(mine(), &Cache::default(), 10.0, Vec::new(), None).unwrap();
    for tile in all_tiles(&of_land) {
        let made = of_land.make(tile, &work).unwrap();
        assert_eq!(made.texels.holes.len(), 136 * 136);
        assert_eq!(made.texels.holes, of_recipe.make(tile, &work).unwrap().texels.holes);
        assert_eq!(made.texels.holes, ahead.make(tile, &work).unwrap().texels.holes, "{tile:?}");
    }
}

#[test]
fn nothing_is_scattered_into_a_hole() {
    let mut recipe = mine();
    recipe.scatter = vec![Rule::new("spruce", 200.0, 4.0)];
    let scattered = |recipe: &Recipe| {
        let scatter = Scatter::new(recipe, 0, &Cache::default(), &Work::new()).unwrap();
        let all = scatter.rectangle_of(recipe.shown().unwrap().window());
        scatter.all_within(all, 10_000_000, &Work::new()).unwrap()
    };
    let with = scattered(&recipe);
    recipe.steps.truncate(1);
    let without = scattered(&recipe);
    let is_in = |margin: f64| move |place: Vec3| inside(DVec2::new(place.x.into(), place.z.into())) > margin;
    let place = |object: &upland_core::scatter::Object| object.position.as_vec3();
    assert!(with.iter().all(|object| !is_in(2.0)(place(object))));
    let ids: HashSet<_> = with.iter().map(|object| object.id).collect();
    let gone: Vec<_> = without.iter().filter(|object| !ids.contains(&object.id)).collect();
    assert!(gone.len() > 300 && gone.iter().all(|object| is_in(-2.0)(place(object))), "{}", gone.len());
}

/// The area of a mesh as seen from above.
fn area(mesh: &Mesh) -> f64 {
    let of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize].as_dvec3());
        let normal = (b - a).cross(c - a);
        assert!(normal.y > 0.0, "a triangle of the ground is upside down or has no area");
        0.5 * normal.y
    };
    mesh.triangles.iter().map(of).sum()
}

/// The sides of triangles that no other triangle shares, by the places of their ends.
fn open_sides(mesh: &Mesh) -> Vec<[Vec3; 2]> {
    let bits = |corner: u32| (mesh.positions[corner as usize] + 0.0).to_array().map(f32::to_bits);
    let mut sides: HashMap<_, i32> = HashMap::new();
    for &[a, b, c] in &mesh.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]].map(|side| side.map(bits)) {
            if from < to {
                *sides.entry([from, to]).or_default() += 1;
            } else {
                *sides.entry([to, from]).or_default() -= 1;
            }
        }
    }
    let open = sides.into_iter().filter(|(_, count)| *count != 0);
    open.map(|(side, _)| side.map(|end| Vec3::from_array(end.map(f32::from_bits)))).collect()
}

#[test]
fn a_mesh_has_the_hole_with_its_edge_and_no_other_crack() {
    let work = Work::new();
    let ground = mine().build_layers(&["hole"], &Cache::default(), &work).unwrap();
    let (field, holes) = (&ground.heights, ground.layer("hole").unwrap());
    let mut areas = Vec::new();
    for (method, bound) in [
        (Method::Grid, Bound::Triangles(usize::MAX)),
        (Method::Tin, Bound::Error(3.0)),
        (Method::Rtin, Bound::Error(3.0)),
        (Method::Tin, Bound::Triangles(6000)),
        (Method::Rtin, Bound::Triangles(20_000)),
    ] {
        let made =
            Triangulation::with_holes(field, Some(holes), method, bound, Seams::default(), &work).unwrap();
        if let Bound::Triangles(most) = bound {
            assert!(made.triangles.len() <= most);
        }
        let mesh = Mesh::new(field, &made).without_holes(&made, holes).unwrap();
        let used: HashSet<u32> = mesh.triangles.as_flattened().iter().copied().collect();
        assert_eq!(used.len(), mesh.positions.len(), "no vertex is left over");
        assert_eq!((mesh.normals.len(), mesh.uvs.len()), (used.len(), used.len()));
        areas.push(area(&mesh));
        // The open edges are the land's border and the edge of the holes, on which the layer is 0.5.
        let half = 1280.0;
        for side in open_sides(&mesh) {
            let on_border = |p: Vec3| p.x.abs() == half || p.z.abs() == half;
            let on_edge = |p: Vec3| inside(DVec2::new((p.x + half).into(), (p.z + half).into())).abs() < 4.0;
            let is_border = side.map(on_border) == [true; 2];
            assert!(is_border || side.map(on_edge) == [true; 2], "{method} is open at {side:?}");
        }
        let solid = mesh.with_skirt_and_shafts(100.0).unwrap();
        assert_eq!(open_sides(&solid).len(), 0, "{method}");
    }
    let round = std::f64::consts::PI * 100.0 * 100.0;
    assert!(areas[0] < 2560.0 * 2560.0 - round && areas[0] > 2560.0 * 2560.0 - 1.1 * (round + 1100.0 * 50.0));
    // The edge is the same, to the last line.
    assert!(areas.iter().all(|area| (area - areas[0]).abs() < 1.0), "{areas:?}");
}

#[test]
fn meshes_refuse_holes_that_do_not_fit() {
    let work = Work::new();
    let ground = mine().build_layers(&["hole"], &Cache::default(), &work).unwrap();
    let field = &ground.heights;
    let small = Heightfield::flat(upland_core::Grid::new(9, 9, 10.0).unwrap(), 0.0);
    let made = |holes: &Heightfield, bound| {
        Triangulation::with_holes(field, Some(holes), Method::Tin, bound, Seams::default(), &work)
    };
    let said = made(&small, Bound::Error(1.0)).unwrap_err().to_string();
    assert_eq!(said, "hole: has 9×9 samples, the heights 257×257");
    let said = made(ground.layer("hole").unwrap(), Bound::Triangles(10)).unwrap_err().to_string();
    assert!(
        said.starts_with("triangles: the edges of holes need") && said.ends_with("an error in metres"),
        "{said}"
    );
}

#[test]
fn a_mask_makes_holes_as_well() {
    let mut recipe = mine();
    recipe.steps.truncate(1);
    let mut everywhere = Step::new(Hole { shape: HoleShape::Everywhere, ..Hole::default() });
    everywhere.mask.mask = upland_core::MaskKind::Height;
    everywhere.mask.mask_min = 20.0;
    recipe.steps.push(everywhere);
    let ground = recipe.build_layers(&["hole"], &Cache::default(), &Work::new()).unwrap();
    let holes = ground.layer("hole").unwrap();
    let mut count = 0;
    for (height, share) in ground.heights.heights().iter().zip(holes.heights()) {
        assert_eq!(is_hole(*share), *height >= 20.0);
        count += usize::from(is_hole(*share));
    }
    assert!(count > 1000);
}
