//! Factors of a game's own: what is registered is a factor like any other.

use std::sync::Once;

use upland_core::params::{self, Reading};
use upland_core::scatter::Scatter;
use upland_core::texture::{
    BakeOptions, Factor, FactorReach, FactorScale, Factors, Land, Limits, ShareMap, TerrainType, Texture,
    WeightMap, bake, bake_with, factors,
};
use upland_core::{Cache, Error, Grid, Heightfield, Recipe, Work};

/// How many metres the ground rises to a neighbour.
static RUGGEDNESS: Factor = Factor {
    scale: Some(FactorScale { at_0: 0.0, at_1: 50.0, unit: "m" }),
    reach: FactorReach::samples(1),
    bytes_a_sample: 3,
    depends_on_water: false,
    ..Factor::new("ruggedness", "Rise to a neighbour: 0 level, 1 at 50 m.", |land, _day, work| {
        let cell = land.field.grid().cell;
        ShareMap::from_rows(land.field.grid(), work, |row, values| {
            for (column, value) in values.iter_mut().enumerate() {
                *value = land.field.gradient_at(column, row).length() * cell / 50.0;
            }
            Ok(())
        })
    })
};

/// The height of the highest ground within 400 samples along a row, over 1000 m: it looks far.
static OVERLOOKED: Factor = Factor {
    reach: FactorReach::samples(400),
    depends_on_water: false,
    ..Factor::new("overlooked", "Highest ground to the west or east: 1 at 1000 m.", |land, _day, work| {
        ShareMap::from_rows(land.field.grid(), work, |row, values| {
            let heights = land.field.row(row);
            for (column, value) in values.iter_mut().enumerate() {
                let near = &heights[column.saturating_sub(400)..(column + 401).min(heights.len())];
                *value = near.iter().fold(0.0f32, |highest, height| highest.max(*height)) / 1000.0;
            }
            Ok(())
        })
    })
};

/// Breaks what a factor promises.
static BROKEN: Factor = Factor::new("broken_factor", "Panics.", |_, _, _| panic!("a stone in the gears"));
static ELSEWHERE: Factor = Factor::new("elsewhere", "Measures other samples.", |_, _, work| {
    ShareMap::from_rows(Grid::new(2, 2, 1.0)?, work, |_, _| Ok(()))
});

fn registered() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for factor in [&RUGGEDNESS, &OVERLOOKED, &BROKEN, &ELSEWHERE] {
            factors::register(factor).unwrap();
        }
    });
}

/// A recipe with two terrain types, the second of which has these factors, and a rule that has the same.
fn recipe(size: u32, own: &str) -> upland_core::Result<Recipe> {
    let text = format!(
        "(version: 1, name: \"Own\", seed: 5, size: ({size}, {size}), cell: 10, steps: [fbm(height: 300)],
         texture: custom(resolution: 64, types: [
            (name: \"grass\", colour: \"#4c6b2f\"), (name: \"crag\", colour: \"#777777\", factors: ({own}))]),
         scatter: [(name: \"stones\", object: \"boulder\", density: 400, factors: ({own}))])"
    );
    Recipe::from_ron(&text, "own.ron")
}

#[test]
fn a_factor_of_ones_own_is_read_written_and_set_like_any_other() {
    registered();
    assert_eq!(factors::find("ruggedness"), Some(&RUGGEDNESS));
    let mut land = recipe(33, "ruggedness: (min: 0.2, release: 0.1)").unwrap();
    assert_eq!(Recipe::from_ron(&land.to_ron().unwrap(), "own.ron").unwrap(), land);
    land.set("texture.types.crag.factors.ruggedness.min", "0.5").unwrap();
    land.set("scatter.stones.factors.overlooked.max", "0.25").unwrap();
    let limits = |factors: &Factors, factor| factors.get(factor).map(|limits| (limits.min, limits.max));
    assert_eq!(limits(&land.texture.texture().types[1].factors, &RUGGEDNESS), Some((0.5, 1.0)));
    assert_eq!(limits(&land.scatter[0].factors, &OVERLOOKED), Some((0.0, 0.25)));
    // What the panel shows: its line of explanation, and its limits in metres.
    let mut shown = Vec::new();
    let types = &land.texture.texture().types;
    params::each(&types[1].factors, &mut |path, param, value| {
        if let Reading::Float(value) = value {
            shown.push((path.to_owned(), param.range.clone(), value));
        }
    });
    assert_eq!(shown[0], ("ruggedness.min".to_owned(), 0.0..=1.0, 0.5));
    let docs = |name: &str| {
        let mut doc = None;
        params::Params::read(&Factors::default(), &mut |param, _| {
            doc = doc.or((param.name == name).then_some(param.doc));
        });
        doc
    };
    assert_eq!(docs("ruggedness"), Some(RUGGEDNESS.doc));
    assert_eq!(RUGGEDNESS.scale.unwrap().describe(0.5, 1.0), "25 to 50 m");
}

/// The share of the second of two types, the first of which lies everywhere, at every texel.
fn shares(weights: &WeightMap) -> impl Fn(usize, usize) -> f32 {
    assert_eq!(weights.types, 2);
    move |column, row| f32::from(weights.shares[2 * (row * weights.width + column) + 1]) / 255.0
}

/// What a factor is in the middle of a cell.
fn in_cell(map: &ShareMap, column: usize, row: usize) -> f32 {
    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(c, r)| map.at(column + c, row + r)).iter().sum::<f32>() / 4.0
}

#[test]
fn types_and_objects_stand_only_where_limits_of_ones_own_factor_allow() {
    registered();
    let mut land = recipe(65, "ruggedness: (min: 0)").unwrap();
    let field = land.build_heightfield(&Work::new()).unwrap();
    let rugged = RUGGEDNESS.measure(Land::dry(&field), &Work::new()).unwrap();
    let mut values: Vec<f32> = (0..65 * 65).map(|index| rugged.at(index % 65, index / 65)).collect();
    values.sort_by(f32::total_cmp);
    let median = values[values.len() / 2];
    for path in ["texture.types.crag", "scatter.stones"] {
        land.set(&format!("{path}.factors.ruggedness.min"), &median.to_string()).unwrap();
    }
    let options = BakeOptions { weights: true, ..BakeOptions::default() };
    let baked = bake_with(&field, &land.texture.texture(), options, 1, &Work::new()).unwrap();
    let weights = baked.weights.unwrap();
    let share = shares(&weights);
    let mut counts = [0; 2];
    for (column, row) in (0..64 * 64).map(|index| (index % 64, index / 64)) {
        let value = in_cell(&rugged, column, row);
        if (value - median).abs() > 1e-3 {
            assert_eq!(share(column, row) > 0.4, value > median, "{value}");
            counts[usize::from(value > median)] += 1;
        }
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");

    let scatter = Scatter::new(&land, 0, &Cache::default(), &Work::new()).unwrap();
    let all = scatter.rectangle_of(land.shown().unwrap().window());
    let stones = scatter.within(all, &Work::new()).unwrap();
    assert!(stones.len() > 100, "{}", stones.len());
    for stone in stones {
        let [column, row] = [0, 1].map(|axis| {
            let metres = [stone.position.x, stone.position.z][axis] - all.low[axis];
            ((metres / 10.0) as usize).min(63)
        });
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(c, r)| rugged.at(column + c, row + r));
        assert!(corners.iter().any(|value| *value >= median), "{corners:?} at {column}, {row}");
    }
}

#[test]
fn blocks_of_endless_land_know_as_much_around_them_as_a_factor_looks_at() {
    registered();
    let text = "(version: 1, name: \"Endless\", seed: 5, size: endless, cell: 10, unit: 4000, steps: [fbm(height: 900)],
        texture: custom(occlusion: 0, types: [(name: \"a\", colour: \"#808080\"),
            (name: \"b\", colour: \"#ff0000\", factors: (overlooked: (min: 0.9, release: 0.9)))]))";
    let land = Recipe::from_ron(text, "endless.ron").unwrap();
    let (cache, work) = (Cache::default(), Work::new());
    let wide = land.build_window("0:-400,100,865x65".parse().unwrap(), &cache, &work).unwrap();
    let known = OVERLOOKED.measure(Land::dry(&wide.heights), &work).unwrap();
    let ready = land.prepare_window("0:0,100,65x65".parse().unwrap(), 1, false, &cache, &work).unwrap();
    let weights = ready.baker(true, &work).unwrap().paint(ready.texels(), &work).unwrap().weights.unwrap();
    let share = shares(&weights);
    let mut least = 1.0f32;
    for (column, row) in (0..64 * 64).map(|index| (index % 64, index / 64)) {
        let value = in_cell(&known, 400 + column, row);
        let influence = (value / 0.9).min(1.0);
        let expected = influence / (1.0 + influence);
        let found = share(column, row);
        assert!((found - expected).abs() < 0.01, "{column}, {row}: {found} for {expected}");
        least = least.min(influence);
    }
    assert!(least < 0.9, "{least}");
}

#[test]
fn an_unknown_factor_is_an_error_that_lists_those_there_are() {
    registered();
    let said = recipe(9, "dampness: (min: 0.5)").unwrap_err().to_string();
    let all = factors::names().join(", ");
    assert!(said.contains(&format!("unknown field `dampness`; there are {all}, mask, layer")), "{said}");
    assert!(all.contains("wetness") && all.contains("ruggedness"));
    let mut land = recipe(9, "").unwrap();
    let said = land.set("texture.types.crag.factors.dampness.min", "0").unwrap_err().to_string();
    assert!(said.contains(&format!("`texture.types.crag.factors` has {all}, mask, layer")), "{said}");
}

#[test]
fn what_a_factor_breaks_costs_its_bake_and_is_reported_with_its_name() {
    registered();
    let field = Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), 3.0);
    let of = |factor: &'static Factor| {
        let own = Factors::default().with(factor, Limits::new(0.5, 1.0, 0.0));
        let types = vec![TerrainType { factors: own, ..TerrainType::new("a", [0.5; 3]) }];
        bake(&field, &Texture { types, ..Texture::default() }, 1, &Work::new()).unwrap_err()
    };
    let error = of(&BROKEN);
    assert!(matches!(error, Error::Panic { .. }));
    assert!(
        error.to_string().starts_with("broken_factor") && error.to_string().contains("a stone"),
        "{error}"
    );
    assert!(of(&ELSEWHERE).to_string().contains("elsewhere: measures other samples"));
}

#[test]
fn names_and_numbers_that_mean_nothing_are_refused() {
    registered();
    static FIRST: Factor = Factor::new("wetness", "Taken.", |_, _, work| {
        ShareMap::from_rows(Grid::new(1, 1, 1.0)?, work, |_, _| Ok(()))
    });
    let refused = |change: fn(&mut Factor)| {
        let mut factor = FIRST;
        change(&mut factor);
        factors::register(Box::leak(Box::new(factor))).unwrap_err().to_string()
    };
    assert_eq!(refused(|_| ()), "factor `wetness`: the name `wetness` is taken; choose another");
    for (change, expected) in [
        ((|factor| factor.name = "ruggedness") as fn(&mut Factor), "`ruggedness` is taken"),
        (|factor| factor.name = "water_distance", "`water_distance` is taken"),
        (|factor| factor.name = "mask", "`mask` is taken"),
        (|factor| (factor.name, factor.was) = ("own", Some("shade")), "`shade` is taken"),
        (|factor| factor.name = "Own", "a name has lower-case letters"),
        (|factor| (factor.name, factor.reach.metres) = ("own", f32::NAN), "reach of NaN m and 1 samples"),
        (|factor| (factor.name, factor.reach.samples) = ("own", 5000), "at most 1024 samples"),
    ] {
        let said = refused(change);
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(factors::find("own"), None);
}
