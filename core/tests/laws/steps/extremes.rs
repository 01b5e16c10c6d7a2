//! Places near the ends of numbers, and heights near the end of f32: what is asked for there has an answer or
//! is refused, and only finite numbers leave the core.

use std::path::Path;

use glam::{DVec2, DVec3, Vec2, Vec3, vec2};
use upland_core::agents::{CostMap, CostRules};
use upland_core::analysis::{Land, factors, sky_view};
use upland_core::grid::{FARTHEST, Window};
use upland_core::mesh::{Bound, Mesh, Method, Seams, Triangulation, tile_borders};
use upland_core::params::Choice;
use upland_core::planet::{CubePoint, Node, PlanetLand};
use upland_core::plants::direction_of_view;
use upland_core::plots::{PlotKind, PlotOptions, Series, svg};
use upland_core::resize::Resize;
use upland_core::viewshed::{self, Tower, ViewshedOptions};
use upland_core::{Cache, Difference, Grid, Heightfield, Recipe, Values, Work, normal_from_gradient, relief};

const PLACES: [f64; 9] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, f64::MAX, f64::MIN, 1e19, -1e19];

fn recipe(size: &str, steps: &str) -> Recipe {
    let text = format!(r#"(version: 1, name: "x", seed: 4, size: {size}, cell: 10, steps: [{steps}])"#);
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// Steps of endless land that count lattice cells, patches or squares: of a unit of a metre there are more of
/// these than an i64 counts.
#[test]
fn every_step_of_endless_land_is_made_at_its_farthest_ends() {
    for steps in [
        "fbm(octaves: 12, frequency: 256)",
        "fbm(basis: value, octaves: 12, frequency: 256)",
        "fbm(basis: simplex, octaves: 4, frequency: 256)",
        "fbm(basis: cellular, octaves: 12, frequency: 256)",
        "spectral()",
        "fbm(), gullies(size: 30, depth: 10)",
        "fbm(), ledges(thickness: 20, slope_min: 0)",
        "fbm(), stones(size: 25)",
        "fbm(), ripples(length: 30)",
        "fbm(), warp(reach: 0.05), gaussian(), convolve(), mean(size: 3)",
        "fbm(), terrace(mask: noise)",
    ] {
        let mut land = recipe("endless, unit: 1", steps);
        land.cell = 343.0;
        for level in [-20, 0, 12, 20] {
            for first in [FARTHEST - (1 << 14), -FARTHEST + (1 << 14)] {
                let window = Window { level, first: [first, -first], size: [3, 3] };
                let ground = land.build_window(window, &Cache::default(), &Work::new()).unwrap();
                assert!(
                    ground.heights.heights().iter().all(|height| height.is_finite()),
                    "{steps}, {window}"
                );
            }
        }
    }
}

#[test]
fn windows_near_the_largest_numbers_are_refused_and_not_computed() {
    for size in ["(33, 33)", "endless, unit: 1000"] {
        let land = recipe(size, "fbm(), gaussian(), warp()");
        let (cache, work) = (Cache::default(), Work::new());
        for end in [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX, FARTHEST + 1] {
            for level in [i32::MIN, -20, 0, 20, i32::MAX] {
                let window = Window { level, first: [end; 2], size: [3, 3] };
                _ = window.grown(7);
                assert!(land.build_window(window, &cache, &work).is_err(), "{window}");
                assert!(land.prepare_window(window, 1, false, &cache, &work).is_err(), "{window}");
                assert!(CostMap::of_recipe(&land, window, &CostRules::default(), &cache, &work).is_err());
            }
            assert!(land.probe([end, 0], &cache, &work).is_err());
        }
    }
}

#[test]
fn places_that_are_no_places_are_on_no_map() {
    let land = recipe("(33, 33)", "fbm()");
    let window = land.shown().unwrap().window();
    let map =
        CostMap::of_recipe(&land, window, &CostRules::default(), &Cache::default(), &Work::new()).unwrap();
    for place in PLACES {
        assert_eq!(map.sample_at(DVec2::splat(place)), None);
        assert_eq!(map.cost_between(DVec2::splat(place), DVec2::splat(30.0)), None);
        assert_eq!(map.cost_between(DVec2::splat(30.0), DVec2::splat(place)), None);
        assert!(map.path(DVec2::splat(30.0), DVec2::splat(place), &Work::new()).is_err());
    }
    let field = land.build_heightfield(&Work::new()).unwrap();
    for place in PLACES.map(|place| place as f32) {
        let p = Vec2::splat(place);
        _ = (field.sample(p), field.sample_smooth(p), field.sample_surface(p), field.normal(p));
        _ = (field.surface_gradient(p), field.surface_normal(p), field.surface_slope(p));
    }
}

#[test]
fn normals_are_unit_vectors_however_high_the_land_is() {
    for cell in [1e-30, 1e-3, 10.0, 1e30, 3e38] {
        for high in [1e10f32, 1e20, 1e30, f32::MAX] {
            let grid = Grid::new(9, 9, cell).unwrap();
            let field = Heightfield::from_fn(grid, |column, row| match (column * 7 + row * 5) % 3 {
                0 => high,
                1 => -high,
                _ => 0.0,
            });
            for (column, row) in (0..81).map(|index| (index % 9, index / 9)) {
                let (gradient, normal) = (field.gradient_at(column, row), field.normal_at(column, row));
                assert!(
                    gradient.is_finite() && (normal.length() - 1.0).abs() < 1e-3,
                    "{cell} {high}: {normal}"
                );
                assert!((0.0..=90.001).contains(&field.slope_at(column, row)));
            }
            let statistics = field.statistics(5);
            assert!(statistics.mean.is_finite() && statistics.mean_slope.is_finite(), "{statistics:?}");
            assert!(statistics.deviation.is_finite(), "{statistics:?}");
            assert_eq!(statistics.histogram.iter().sum::<usize>(), 81);
            assert!(statistics.histogram[0] > 0 && statistics.histogram[4] > 0, "{statistics:?}");
        }
    }
    for rise in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
        for gradient in [vec2(rise, 0.0), vec2(rise, rise), vec2(3.0, rise)] {
            let normal = normal_from_gradient(gradient);
            assert!((normal.length() - 1.0).abs() < 1e-3, "{gradient}: {normal}");
        }
    }
}

#[test]
fn land_near_the_end_of_f32_is_refused_with_the_step_that_makes_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases/huge_normals_nan.ron");
    let error = Recipe::read(&path).unwrap().build(&Work::new()).unwrap_err().to_string();
    assert!(
        error.contains("sculpt_vector") && (error.contains("±1e30 m") || error.contains("finite")),
        "{error}"
    );
    // The sum is 0 but for rounding, so that nothing is divided.
    let steep = r#"fbm(), convolve(coefficients: "0 0 0, 1e30 1 0, 0 -1e30 0")"#;
    let error = recipe("(33, 33)", steep).build(&Work::new()).unwrap_err().to_string();
    assert!(error.contains("convolve"), "{error}");
}

/// Fields with heights near the limit of f32: adjacent, far apart, and on a slope.
fn huge_fields() -> Vec<Heightfield> {
    const HUGE: f32 = 3e38;
    let mut fields = Vec::new();
    for cell in [1e-3, 10.0] {
        let grid = Grid::new(33, 29, cell).unwrap();
        let height = |of: fn(usize, usize) -> f32| Heightfield::from_fn(grid, of);
        fields.extend([
            height(|column, row| if (column + row) % 2 == 0 { HUGE } else { -HUGE }),
            height(|column, _| if column < 16 { HUGE } else { -HUGE }),
            height(|column, _| HUGE * (column as f32 / 16.0 - 1.0)),
            height(|column, row| if (column, row) == (16, 14) { -HUGE } else { 100.0 }),
            height(|_, _| HUGE),
        ]);
    }
    fields
}

fn all_finite(field: &Heightfield) -> bool {
    field.heights().iter().all(|height| height.is_finite())
}

#[test]
fn what_is_found_on_land_near_the_end_of_f32_is_finite_or_refused() {
    let (work, mut wrong) = (Work::new(), Vec::new());
    let mut check = |is_right: bool, what: String| {
        if !is_right {
            wrong.push(what);
        }
    };
    for (number, field) in huge_fields().into_iter().enumerate() {
        let grid = field.grid();
        for kind in PlotKind::ALL {
            let Ok(plot) = kind.plot(&field, &PlotOptions::default(), &work) else { continue };
            let is_finite = |series: &Series| series.points.iter().flatten().all(|value| value.is_finite());
            check(plot.series.iter().all(is_finite), format!("{number}: {kind}, points"));
            let are_finite = plot.notes.iter().all(|note| note.value.is_finite());
            check(are_finite, format!("{number}: {kind}, {:?}", plot.notes));
            let drawn = svg(&plot);
            check(!drawn.contains("NaN") && !drawn.contains("inf"), format!("{number}: {kind}, drawn"));
        }
        for factor in factors::all() {
            let layer = factor.measure(Land::dry(&field), &work).unwrap();
            let mut values = (0..grid.count()).map(|index| layer.at(index % grid.width, index / grid.width));
            check(values.all(|value| value.is_finite()), format!("{number}: {factor:?}"));
        }
        let sky = sky_view(&field, &work).unwrap();
        check(sky.iter().all(|share| (0.0..=1.0).contains(share)), format!("{number}: the sky"));
        let found = field.statistics(7);
        let numbers = [found.mean, found.deviation, found.mean_slope];
        check(numbers.iter().all(|number| number.is_finite()), format!("{number}: {found:?}"));
        if let Ok(found) = Difference::new(&field, &Heightfield::flat(grid, -3e38), &work) {
            let numbers = [found.mean, found.rms, found.largest().into()];
            check(numbers.iter().all(|number| number.is_finite()), format!("{number}: a difference"));
        }
        let extent = grid.extent();
        let is_unit = |normal: &Vec3| (normal.length() - 1.0).abs() < 1e-3;
        for share in [vec2(0.0, 0.0), vec2(0.31, 0.77), vec2(0.5, 0.5), vec2(1.0, 0.2)] {
            let p = share * extent;
            let heights = [field.sample(p), field.sample_smooth(p), field.sample_surface(p)];
            check(heights.iter().all(|height| height.is_finite()), format!("{number} {share}: {heights:?}"));
            let mut same = [0.0];
            field.sample_surfaces(&[p], &mut same).unwrap();
            check(same == [heights[2]], format!("{number} {share}: one by one and many at once"));
            let normals = [field.normal(p), field.surface_normal(p)];
            check(normals.iter().all(is_unit), format!("{number} {share}: {normals:?}"));
            let (slope, gradient) = (field.surface_slope(p), field.surface_gradient(p));
            let is_possible = (0.0..=90.001).contains(&slope) && gradient.is_finite();
            check(is_possible, format!("{number} {share}: {slope} {gradient}"));
        }
        for method in [Method::Tin, Method::Rtin, Method::Grid] {
            let Ok(triangles) = Triangulation::new(&field, method, Bound::Error(1.0), &work) else {
                continue;
            };
            let mesh = Mesh::new(&field, &triangles);
            let are_finite = mesh.positions.iter().all(|position| position.is_finite());
            check(are_finite && mesh.normals.iter().all(is_unit), format!("{number}: {method:?}"));
        }
        let tower = Tower { position: extent / 2.0, height: 10.0 };
        for method in [viewshed::Method::Exact, viewshed::Method::Fast] {
            let options = ViewshedOptions { method: Some(method), ..ViewshedOptions::default() };
            let seen = viewshed::viewshed(&field, &[tower], &options, &work).unwrap();
            check(seen.seen_together() <= grid.count(), format!("{number}: a viewshed"));
        }
        let mut resize = Resize::default();
        for (index, side) in (0..resize.names().len()).flat_map(|index| [(index, 17), (index, 60)]) {
            resize.set_index(index);
            let Ok(resized) = resize.apply(&field, Grid::new(side, side, 1.0).unwrap(), &work) else {
                continue;
            };
            check(all_finite(&resized), format!("{number}: {resize:?} to {side}"));
        }
        relief(&field, (16, 16));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn counts_and_places_at_the_ends_of_numbers_overflow_nothing() {
    let land = recipe("(33, 17)", "fbm()");
    for samples in [0, 1, 2, u32::MAX - 1, u32::MAX] {
        _ = (land.with_longer_side(samples), land.preview(samples));
        _ = land.resized(samples);
    }
    for count in [0, 1, 2] {
        let values = Values::Between { first: 1.0, last: 9.0, count };
        assert_eq!(land.varied("seed", &values).unwrap().len(), count);
    }
    for end in [0, 1, usize::MAX - 1, usize::MAX] {
        for count in [0, 1, usize::MAX] {
            _ = Seams::of_tile([end, count], [count, end]);
            _ = direction_of_view(end, count, count);
        }
        assert!(tile_borders(end, usize::MAX - 2).is_err());
    }
    for place in [i64::MIN, -1, 0, 1, i64::MAX] {
        for (face, depth, column) in [(0, 0, 0), (5, 25, 7), (u8::MAX, u8::MAX, u32::MAX)] {
            let node = Node { face, depth, column, row: column };
            _ = (node.parent(), node.children());
            assert!(node.point(place, -place.max(-i64::MAX)).direction().is_finite());
            for steps in [0, 1, 64, i64::MAX] {
                _ = CubePoint::on_face(face, steps, place, place).direction();
                _ = CubePoint::towards(DVec3::new(1.0, -2.0, 0.5), steps).direction();
            }
        }
    }
    let planet = PlanetLand::new(&recipe("endless, unit: 1000", "fbm()"), 10_000.0, &Work::new()).unwrap();
    let [root, ..] = Node::roots();
    let wrong = [Node { face: 6, ..root }, Node { column: 1, ..root }, Node { depth: u8::MAX, ..root }];
    for node in wrong {
        assert!(planet.heights(node, 0, &Work::new()).is_err(), "{node:?}");
    }
    assert!(planet.heights(root, u32::MAX, &Work::new()).is_err());
}
