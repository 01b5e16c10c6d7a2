//! Costs, areas that are off-limits and paths: their laws.

use glam::DVec2;
use upland_core::agents::{
    AREA_COSTS, CostMap, CostRules, LayerCost, MaskCost, NoPath, OffLimits, Pace, TypeCost,
};
use upland_core::params::Name;
use upland_core::stream::LandTile;
use upland_core::{Cache, FilePath, Grid, Heightfield, Landscape, Recipe, Window, Work};

fn recipe(text: &str) -> Recipe {
    Recipe::from_ron(&format!("(version: 1, name: \"Land\", seed: 5, {text})"), "land.ron").unwrap()
}

/// Mountains with a sea and a river, 1280 m wide.
fn mountains() -> Recipe {
    recipe(
        "size: (129, 97), cell: 10, steps: [fbm(height: 500, octaves: 5), erode(), river(width: 30)], \
         water: (sea: true, sea_level: -60), texture: custom(types: [\
         (name: \"meadow\", colour: \"#406030\"), (name: \"rock\", colour: \"#666666\", slope: (min: 25, release: 10))])",
    )
}

fn whole(recipe: &Recipe) -> Window {
    recipe.shown().unwrap().window()
}

fn costs(recipe: &Recipe, window: Window, rules: &CostRules) -> CostMap {
    CostMap::of_recipe(recipe, window, rules, &Cache::default(), &Work::new()).unwrap()
}

/// Rules that use everything.
fn all_rules() -> CostRules {
    CostRules {
        max_slope: 34.0,
        types: vec![TypeCost { name: "rock".into(), factor: 2.5, off_limits: false }],
        layers: vec![LayerCost {
            name: Name::new("flow").unwrap(),
            min: Some(0.05),
            max: None,
            release: 0.02,
            factor: 0.6,
            off_limits: false,
        }],
        ..CostRules::default()
    }
}

#[test]
fn every_metre_costs_the_least_at_least_or_is_off_limits_for_a_reason() {
    let land = mountains();
    let rules = all_rules();
    let map = costs(&land, whole(&land), &rules);
    let grid = map.grid();
    let ground = land.build_layers(&["water_depth"], &Cache::default(), &Work::new()).unwrap();
    let depth = ground.layer("water_depth").unwrap();
    let mut open = 0;
    for row in 0..grid.depth {
        for column in 0..grid.width {
            let reasons = map.off_limits(column, row);
            let slope = ground.heights.slope_at(column, row);
            assert_eq!(reasons.has(OffLimits::STEEP), slope > rules.max_slope, "{slope}°");
            assert_eq!(reasons.has(OffLimits::DEEP), depth.at(column, row) > rules.wading);
            assert_eq!(map.cost(column, row).is_some(), reasons.is_none());
            if let Some(cost) = map.cost(column, row) {
                open += 1;
                assert!(cost >= rules.least_factor(), "{cost}");
            }
        }
    }
    assert!(open > grid.count() / 4 && open < grid.count());
    assert_eq!((map.cost(grid.width, 0), map.cost(0, grid.depth)), (None, None));
    let grey = map.to_grey();
    assert!(grey.iter().zip(map.costs()).all(|(grey, cost)| (*grey == 0) == (*cost < 0.0)));
    assert!(grey.contains(&255));
}

#[test]
fn a_sample_costs_the_same_in_every_window_and_at_any_number_of_threads() {
    let land = mountains();
    let rules = all_rules();
    let all = costs(&land, whole(&land), &rules);
    for window in ["0:30,20,40x50", "0:0,0,7x97", "0:122,90,7x7"] {
        let window: Window = window.parse().unwrap();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let part = one.install(|| costs(&land, window, &rules));
        for row in 0..part.grid().depth {
            for column in 0..part.grid().width {
                let there = [column + window.first[0] as usize, row + window.first[1] as usize];
                assert_eq!(part.cost(column, row), all.cost(there[0], there[1]), "{window}: {column}, {row}");
                assert_eq!(part.off_limits(column, row), all.off_limits(there[0], there[1]));
            }
        }
    }
}

#[test]
fn tiles_of_endless_land_share_their_borders_also_far_away() {
    let land = recipe("size: endless, cell: 4, unit: 3000, steps: [fbm(height: 400)], water: (sea: true)");
    let (rules, cache, work) = (CostRules::default(), Cache::default(), Work::new());
    for (column, row) in [(0, 0), (-3, 2), (1950, -1950)] {
        let tile = LandTile { level: 0, column, row };
        let [here, east] = [tile, tile.beside(1, 0)]
            .map(|tile| CostMap::of_tile(&land, tile, &rules, &cache, &work).unwrap().unwrap());
        assert_eq!((here.grid().width, here.grid().depth), (129, 129));
        for row in 0..129 {
            assert_eq!(here.cost(128, row), east.cost(0, row));
            assert_eq!(here.off_limits(128, row), east.off_limits(0, row));
        }
        assert_eq!(here.origin(), DVec2::new(f64::from(column), f64::from(row)) * 512.0);
    }
    let bounded = recipe("size: (200, 200), cell: 4, steps: [fbm()]");
    let tile =
        |column| CostMap::of_tile(&bounded, LandTile { level: 0, column, row: 1 }, &rules, &cache, &work);
    assert_eq!(tile(1).unwrap().map(|map| map.window().size), Some([72, 72]));
    assert!(tile(2).unwrap().is_none() && tile(-1).unwrap().is_none());
}

/// Whether a way leads through no square that is off-limits.
fn keeps_off(map: &CostMap, points: &[glam::DVec3]) -> bool {
    points.windows(2).all(|pair| {
        let [from, to] = [pair[0], pair[1]].map(|p| DVec2::new(p.x, p.z));
        let steps = (from.distance(to) / 0.05).ceil().max(1.0);
        (0..=steps as usize).all(|step| {
            let p = from.lerp(to, step as f64 / steps);
            // On the line between two squares either is right.
            let around =
                [DVec2::splat(1e-6), DVec2::splat(-1e-6), DVec2::new(1e-6, -1e-6), DVec2::new(-1e-6, 1e-6)];
            let mut squares = around.into_iter().filter_map(|beside| map.sample_at(p + beside));
            squares.any(|[column, row]| map.cost(column, row).is_some())
        })
    })
}

/// The least cost by Dijkstra's algorithm with nothing clever in it: every edge again until nothing changes.
fn least_by_edges(map: &CostMap, from: [usize; 2], to: [usize; 2]) -> f64 {
    let grid = map.grid();
    let mut costs = vec![f64::INFINITY; grid.count()];
    costs[from[1] * grid.width + from[0]] = 0.0;
    loop {
        let mut has_changed = false;
        for index in 0..grid.count() {
            let here = [index % grid.width, index / grid.width];
            if !costs[index].is_finite() {
                continue;
            }
            for (columns, rows) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)] {
                let there = [here[0] as i64 + columns, here[1] as i64 + rows];
                if there[0] < 0
                    || there[1] < 0
                    || there[0] >= grid.width as i64
                    || there[1] >= grid.depth as i64
                {
                    continue;
                }
                let there = there.map(|place| place as usize);
                let Some(cost) = map.cost_between(map.place_of(here), map.place_of(there)) else { continue };
                let next = there[1] * grid.width + there[0];
                if costs[index] + cost < costs[next] - 1e-9 {
                    costs[next] = costs[index] + cost;
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return costs[to[1] * grid.width + to[0]];
        }
    }
}

#[test]
fn paths_keep_off_what_is_off_limits_and_no_straight_way_or_chain_of_steps_costs_less() {
    let land = mountains();
    let mut found = 0;
    for pace in [Pace::Tobler, Pace::Energy, Pace::Even] {
        let rules = CostRules { pace, ..all_rules() };
        let window: Window = "0:20,20,60x50".parse().unwrap();
        let map = costs(&land, window, &rules);
        let open: Vec<[usize; 2]> = (0..3000)
            .map(|index| [index % 60, index / 60])
            .filter(|[column, row]| map.cost(*column, *row).is_some())
            .collect();
        for number in 0..20 {
            let pick = |factor: usize| open[(number * factor + 13) % open.len()];
            let (from, to) = (pick(389), pick(997));
            let ends = [from, to].map(|sample| map.place_of(sample) + DVec2::new(1.7, -2.2));
            let least = least_by_edges(&map, from, to);
            match map.path(ends[0], ends[1], &Work::new()) {
                Ok(path) => {
                    found += 1;
                    assert!(keeps_off(&map, &path.points), "{from:?} to {to:?}");
                    let straight = map.cost_between(ends[0], ends[1]);
                    assert!(straight.is_none_or(|straight| path.cost <= straight * (1.0 + 1e-9)));
                    // The places within the first and the last square are not the samples themselves.
                    let exact = map.path(map.place_of(from), map.place_of(to), &Work::new()).unwrap();
                    assert!(exact.cost <= least * (1.0 + 1e-5), "{} and {least}", exact.cost);
                    assert!(exact.cost >= exact.length * f64::from(rules.least_factor()) * pace.least());
                    assert!((path.seconds - path.cost / 1.4).abs() < 1e-3);
                    let [first, last] = [path.points[0], path.points[path.points.len() - 1]];
                    assert!((DVec2::new(first.x, first.z) - ends[0]).length() < 1e-9);
                    assert!((DVec2::new(last.x, last.z) - ends[1]).length() < 1e-9);
                }
                Err(NoPath::Apart) => assert!(least.is_infinite(), "{from:?} to {to:?}: {least}"),
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(found > 20, "{found}");
}

/// Level ground, 41 × 31 samples 2 m apart, with a wall of 30 m across it that has a gap at row 25.
fn walled() -> Landscape {
    let grid = Grid::new(41, 31, 2.0).unwrap();
    let field = Heightfield::from_fn(grid, |column, row| {
        if (19..=21).contains(&column) && !(24..=26).contains(&row) { 30.0 } else { 0.0 }
    });
    let colour = upland_core::texture::ColourMap { width: 1, depth: 1, texels: vec![[128; 4]] };
    Landscape::new(field, colour)
}

#[test]
fn a_way_leads_through_the_gap_in_a_wall_and_says_why_if_there_is_none() {
    let land = walled();
    let window = Window { level: 0, first: [0, 0], size: [41, 31] };
    let rules = CostRules::default();
    let map = CostMap::of_landscape(&land, window, &rules, &Work::new()).unwrap();
    let [from, to] = [DVec2::new(4.0, 8.0), DVec2::new(76.0, 8.0)];
    let path = map.path(from, to, &Work::new()).unwrap();
    assert!(path.points.iter().any(|p| (p.z - 50.0).abs() < 3.0), "{:?}", path.points);
    let around = 2.0 * from.distance(DVec2::new(40.0, 50.0));
    assert!(path.length > 0.97 * around && path.length < 1.1 * around, "{} and {around}", path.length);
    // On level ground a metre costs a metre.
    assert!((path.cost - path.length).abs() < 1e-6 * path.length);
    assert!(map.cost_between(from, to).is_none(), "the wall is in the way");
    let said = |from, to| map.path(from, to, &Work::new()).unwrap_err().to_string();
    assert!(said(DVec2::new(38.0, 8.0), to).contains("from: the ground at (38, 8) m is too steep"));
    assert!(said(from, DVec2::new(99.0, 8.0)).contains("to: (99, 8) m is not on the map"));
    assert!(said(DVec2::NAN, to).contains("not on the map"));
    let narrow = Window { level: 0, first: [0, 0], size: [41, 20] };
    let map = CostMap::of_landscape(&land, narrow, &rules, &Work::new()).unwrap();
    assert!(matches!(map.path(from, to, &Work::new()), Err(NoPath::Apart)));
    // From a place to itself.
    let stay = map.path(from, from, &Work::new()).unwrap();
    assert_eq!((stay.cost, stay.length), (0.0, 0.0));
    let cancelled = Work::new();
    cancelled.cancel();
    let wide = CostMap::of_landscape(&land, window, &rules, &Work::new()).unwrap();
    assert!(wide.path(from, to, &cancelled).is_err());
}

#[test]
fn painted_masks_and_layers_forbid_or_ease_where_they_lie() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mask.png");
    // White in the north-western quarter.
    image::GrayImage::from_fn(129, 97, |x, y| image::Luma([if x < 64 && y < 48 { 255 } else { 0 }]))
        .save(&file)
        .unwrap();
    let land = mountains();
    let picture = upland_core::texture::Picture::new(FilePath::new(file.to_string_lossy()));
    let mask = MaskCost { picture, ..MaskCost::default() };
    let rules = CostRules { masks: vec![mask.clone()], ..CostRules::default() };
    let map = costs(&land, whole(&land), &rules);
    let is_painted = |column, row| map.off_limits(column, row).has(OffLimits::PAINTED);
    assert!(is_painted(0, 0) && is_painted(63, 47) && !is_painted(64, 47) && !is_painted(63, 48));
    let eased = CostRules {
        masks: vec![MaskCost { factor: 0.5, off_limits: false, ..mask }],
        ..CostRules::default()
    };
    let (eased, plain) =
        (costs(&land, whole(&land), &eased), costs(&land, whole(&land), &CostRules::default()));
    for [column, row] in [[3, 3], [40, 20], [90, 20], [3, 90]] {
        let factor = if column < 64 && row < 48 { 0.5 } else { 1.0 };
        let (Some(eased), Some(plain)) = (eased.cost(column, row), plain.cost(column, row)) else { continue };
        assert!((eased - factor * plain).abs() < 1e-5, "{column}, {row}: {eased} and {plain}");
    }
    let endless = recipe("size: endless, cell: 4, unit: 3000, steps: [fbm(height: 400)]");
    let refused =
        CostMap::of_recipe(&endless, "0:0,0,9x9".parse().unwrap(), &rules, &Cache::default(), &Work::new());
    assert!(refused.unwrap_err().to_string().contains("this one has no end"));
}

#[test]
fn holes_are_off_limits_on_recipes_and_on_finished_landscapes() {
    let land = recipe("size: (65, 65), cell: 10, steps: [flat(height: 20), hole(radius: 100)]");
    let rules = CostRules::default();
    let map = costs(&land, whole(&land), &rules);
    let of_landscape =
        CostMap::of_landscape(&land.build(&Work::new()).unwrap(), whole(&land), &rules, &Work::new())
            .unwrap();
    for map in [&map, &of_landscape] {
        for (column, row) in (0..65 * 65).map(|index| (index % 65, index / 65)) {
            let from_middle = map.place_of([column, row]).distance(DVec2::splat(320.0));
            if (from_middle - 100.0).abs() > 1.0 {
                assert_eq!(
                    map.off_limits(column, row).has(OffLimits::HOLE),
                    from_middle < 100.0,
                    "{from_middle}"
                );
            }
        }
    }
    let path = map.path(DVec2::new(100.0, 320.0), DVec2::new(540.0, 320.0), &Work::new()).unwrap();
    assert!(path.length > 460.0 && keeps_off(&map, &path.points), "{}", path.length);
}

#[test]
fn what_rules_name_and_the_land_has_not_is_refused() {
    let land = mountains();
    let refused = |rules: CostRules| {
        let made = CostMap::of_recipe(&land, whole(&land), &rules, &Cache::default(), &Work::new());
        made.unwrap_err().to_string()
    };
    let kind = TypeCost { name: "lava".into(), ..TypeCost::default() };
    let said = refused(CostRules { types: vec![kind], ..CostRules::default() });
    assert!(said.contains("costs.types.0.name") && said.contains("there are meadow, rock"), "{said}");
    let layer = LayerCost { name: Name::new("road").unwrap(), ..LayerCost::default() };
    let said = refused(CostRules { layers: vec![layer], ..CostRules::default() });
    assert!(said.contains("`road`") && said.contains("flow"), "{said}");
    let said = refused(CostRules { max_slope: 99.0, ..CostRules::default() });
    assert!(said.contains("costs.max_slope: 99 is outside 0 to 90"), "{said}");
    let said = refused(CostRules { speed: f32::NAN, ..CostRules::default() });
    assert!(said.contains("speed"), "{said}");
    let field = Window { level: -1, ..whole(&land) };
    let landscape = land.build(&Work::new()).unwrap();
    let said = CostMap::of_landscape(&landscape, field, &CostRules::default(), &Work::new())
        .unwrap_err()
        .to_string();
    assert!(said.contains("window"), "{said}");
}

#[test]
fn a_finished_landscape_costs_what_its_recipe_does() {
    let land = mountains();
    let rules = CostRules { layers: Vec::new(), types: Vec::new(), ..all_rules() };
    let window: Window = "0:20,30,50x60".parse().unwrap();
    let landscape = land.build(&Work::new()).unwrap();
    let finished = CostMap::of_landscape(&landscape, window, &rules, &Work::new()).unwrap();
    assert_eq!(finished, costs(&land, window, &rules));
}

#[test]
fn triangles_cover_the_map_face_up_and_their_areas_are_of_their_costs() {
    let land = mountains();
    let map = costs(&land, "0:20,30,50x40".parse().unwrap(), &all_rules());
    let ground = map.walkable(&AREA_COSTS).unwrap();
    let mut area = 0.0;
    for (corners, number) in ground.triangles.iter().zip(&ground.areas) {
        let [a, b, c] = corners.map(|corner| ground.positions[corner as usize]);
        let normal = (b - a).cross(c - a);
        assert!(normal.y > 0.0);
        area += f64::from(normal.y) / 2.0;
        let costs = corners.map(|corner| map.costs()[corner as usize]);
        let mean = costs.iter().sum::<f32>() / 3.0;
        match *number {
            0 => assert!(costs.iter().any(|cost| *cost < 0.0)),
            number => {
                let number = usize::from(number);
                assert!(number == 1 || mean >= AREA_COSTS[number - 2]);
                assert!(number > AREA_COSTS.len() || mean < AREA_COSTS[number - 1]);
            }
        }
    }
    assert!((area - 490.0 * 390.0).abs() < 1.0, "{area}");
    assert_eq!(ground.costs.len(), AREA_COSTS.len() + 2);
    let line = costs(&land, "0:20,30,1x40".parse().unwrap(), &CostRules::default());
    assert!(line.walkable(&AREA_COSTS).unwrap_err().to_string().contains("at least 2 a side"));
}
