//! Costs of ways in the world.

use super::*;
use crate::agents::{AREA_COSTS, CostRules, NoPath, OffLimits, TypeCost};

fn hear(app: &mut App, mut asked: TerrainCosts) -> crate::Result<CostArea> {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < PATIENCE);
        if let Some(answer) = asked.take() {
            assert!(asked.take().is_none(), "it is answered once");
            return answer;
        }
        app.update();
    }
}

#[test]
fn types_without_a_picture_and_those_that_look_the_same_cost_at_once_what_they_cost_in_an_area() {
    let mut app = game();
    // All of the land is bog: in the first case bog has no picture, in the second another type looks the same
    // but lies nowhere. In the third it is the bog that lies nowhere.
    for (types, is_off_limits) in [
        (r##"(name: "bog", colour: "#305020")"##, true),
        (
            r##"(name: "dune", tile: (image: "sand"), elevation: (max: -900, release: 1)), (name: "bog", tile: (image: "sand"))"##,
            true,
        ),
        (
            r##"(name: "bog", tile: (image: "sand"), elevation: (max: -900, release: 1)), (name: "dune", tile: (image: "sand"))"##,
            false,
        ),
    ] {
        let text = format!(
            r##"(version: 1, name: "Plain", size: (33, 33), cell: 8, steps: [flat(height: 3)], texture: custom(types: [{types}]))"##
        );
        let land = settle(&mut app, Recipe::from_ron(&text, "plain.ron").unwrap(), Transform::default());
        let bog = TypeCost { name: "bog".to_owned(), factor: 1.0, off_limits: true };
        let rules = CostRules { types: vec![bog], ..CostRules::default() };
        let area = {
            let rules = rules.clone();
            let asked = ask(&mut app, move |terrains| terrains.costs(land, Vec3::ZERO, 90.0, 8.0, &rules));
            hear(&mut app, asked.unwrap()).unwrap()
        };
        ask(&mut app, move |terrains| {
            for at in [Vec3::ZERO, Vec3::new(33.0, 0.0, -20.0), Vec3::new(-71.0, 0.0, 54.0)] {
                let cost = terrains.cost(at, &rules).unwrap();
                assert_eq!(cost.err() == Some(OffLimits::TYPE), is_off_limits, "{types}: {cost:?}");
                assert_eq!(terrains.cost_in(&area, at).is_none(), is_off_limits, "{types}");
            }
        });
        app.world_mut().despawn(land);
    }
}

#[test]
fn an_agent_asks_for_the_costs_around_it_and_walks_the_cheapest_way() {
    let mut app = game();
    let text = r##"(
        version: 1, name: "Range", seed: 3, size: (129, 97), cell: 20, steps: [fbm(height: 700), erode()],
        water: (sea: true, sea_level: -120),
        texture: custom(types: [(name: "moss", tile: (image: "dry_grass")), (name: "rock", tile: (image: "sand"), slope: (min: 25, release: 8))]),
    )"##;
    let recipe = Recipe::from_ron(text, "range.ron").unwrap();
    // Moved, turned and half as large.
    let placement = Transform::from_xyz(40.0, 9.0, -70.0)
        .with_rotation(Quat::from_rotation_y(1.1))
        .with_scale(Vec3::splat(0.5));
    let land = settle(&mut app, recipe, placement);
    let rules = CostRules { max_slope: 38.0, ..CostRules::default() };
    let asked = {
        let rules = rules.clone();
        ask(&mut app, move |terrains| terrains.costs(land, Vec3::new(40.0, 0.0, -70.0), 900.0, 10.0, &rules))
            .unwrap()
    };
    assert_eq!(asked.terrain(), land);
    let area = hear(&mut app, asked).unwrap();
    assert_eq!((area.terrain, area.map.window().to_string()), (land, "0:0,0,129x97".to_owned()));
    ask(&mut app, move |terrains| {
        let mut open = Vec::new();
        for (column, row) in (0..129 * 97).map(|index| (index % 129, index / 129)) {
            let place = area.map.place_of([column, row]);
            let from_middle = Vec3::new(place.x as f32 - 1280.0, 0.0, place.y as f32 - 960.0);
            let position = placement.transform_point(from_middle);
            let cost = terrains.cost_in(&area, position);
            assert_eq!(cost, area.map.cost(column, row), "{column}, {row}");
            if cost.is_some() && column % 9 == 0 {
                open.push(position);
            }
            if (column * 31 + row) % 57 == 0 {
                // The ground in memory is that of all samples; its slope is that of a triangle.
                match (terrains.cost(position, &rules), area.map.off_limits(column, row)) {
                    (Some(Err(reasons)), there) if reasons.has(OffLimits::DEEP) => {
                        assert!(there.has(OffLimits::DEEP))
                    }
                    (Some(Ok(cost)), _) => assert!(cost >= 1.0),
                    (Some(Err(_)), _) => {}
                    (None, _) => {
                        assert!(column == 0 || row == 0 || column == 128 || row == 96, "{column}, {row}")
                    }
                }
            }
        }
        let ways = (0..30).filter_map(|number| {
            let (from, to) = (open[number * 7 % open.len()], open[(number * 53 + 40) % open.len()]);
            match terrains.path(&area, from, to) {
                Ok(way) => Some((from, to, way)),
                Err(NoPath::Apart) => None,
                Err(other) => panic!("{other}"),
            }
        });
        let mut count = 0;
        for (from, to, way) in ways {
            count += 1;
            let near = |a: Vec3, b: Vec3| (a - b).xz().length() < 1e-2;
            assert!(near(way[0], from) && near(way[way.len() - 1], to), "{from} to {to}: {way:?}");
            for point in &way {
                // On the border rounding may lead just outside the land.
                let Some(ground) = terrains.ground(*point) else { continue };
                assert!((ground.position - *point).length() < 1e-2, "{point}");
            }
        }
        assert!(count > 10, "{count}");
        let ground = terrains.walkable(&area, &AREA_COSTS).unwrap();
        let corner = placement.transform_point(Vec3::new(-1280.0, area.map.heights().at(0, 0), -960.0));
        assert!((ground.positions[0] - corner).length() < 1e-2);
    });
    app.world_mut().despawn(land);
}

#[test]
fn what_cannot_be_asked_is_none_and_what_is_not_there_an_error() {
    let mut app = game();
    let land = settle(&mut app, Terrain::ready(Arc::new(beach())), Transform::default());
    let waiting = app.world_mut().spawn(Terrain::from(Recipe::new("Later", (9, 9), 10.0))).id();
    ask(&mut app, move |terrains| {
        let ask = |terrain, position, radius, spacing| {
            terrains.costs(terrain, position, radius, spacing, &CostRules::default()).is_some()
        };
        assert!(ask(land, Vec3::ZERO, 50.0, 1.0));
        assert!(!ask(waiting, Vec3::ZERO, 50.0, 1.0));
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(!ask(land, Vec3::ZERO, bad, 1.0) && !ask(land, Vec3::ZERO, 50.0, bad), "{bad}");
        }
        for nowhere in [Vec3::NAN, Vec3::X * f32::INFINITY, Vec3::X * 1e6] {
            assert!(!ask(land, nowhere, 50.0, 1.0), "{nowhere}");
        }
        assert!(!ask(land, Vec3::ZERO, 1e9, 1.0), "too many samples");
        let rules = CostRules { wading: 1.0, ..CostRules::default() };
        assert_eq!(terrains.cost(Vec3::new(-90.0, 0.0, 0.0), &rules), Some(Err(OffLimits::DEEP)));
        let dry = terrains.cost(Vec3::new(50.0, 0.0, 0.0), &rules).unwrap().unwrap();
        // Tobler's hiker on a slope of one half, up and down.
        assert!((f64::from(dry) - rules.pace.cost_across(0.5)).abs() < 1e-4, "{dry}");
        assert_eq!(terrains.cost(Vec3::new(5000.0, 0.0, 0.0), &rules), None);
    });
    let rules = CostRules { max_slope: 200.0, ..CostRules::default() };
    let asked = ask(&mut app, move |terrains| terrains.costs(land, Vec3::ZERO, 50.0, 1.0, &rules)).unwrap();
    assert!(hear(&mut app, asked).unwrap_err().to_string().contains("max_slope"));
    let asked =
        ask(&mut app, move |terrains| terrains.costs(land, Vec3::ZERO, 50.0, 1.0, &CostRules::default()));
    let area = hear(&mut app, asked.unwrap()).unwrap();
    app.world_mut().despawn(land);
    let gone =
        ask(&mut app, move |terrains| terrains.path(&area, Vec3::ZERO, Vec3::X).unwrap_err().to_string());
    assert!(gone.contains("gone"), "{gone}");
}
