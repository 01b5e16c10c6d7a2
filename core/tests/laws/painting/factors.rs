//! What the further factors promise: each measures what it is called, at scales in metres, the same on
//! any number of threads, and a type lies only where its limits of them say.

use proptest::prelude::*;
use upland_core::texture::{
    FREEZING, Factor, FactorReach, Factors, Land, Limits, MaskLimits, TerrainType, Texture,
    WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS, bake, factors,
};
use upland_core::water::{Channel, Course};
use upland_core::{Error, FilePath, Grid, Heightfield, Recipe, Work};

fn measured(land: Land, factor: &Factor) -> Vec<f32> {
    let layer = factor.measure(land, &Work::new()).unwrap();
    let grid = land.field.grid();
    assert_eq!(layer.grid(), grid);
    (0..grid.count()).map(|index| layer.at(index % grid.width, index / grid.width)).collect()
}

/// Ridges from west to east and from north to south, and gorges between.
fn hills(cell: f32) -> Heightfield {
    let side = (4000.0 / cell) as usize + 1;
    Heightfield::from_fn(Grid::new(side, side, cell).unwrap(), |column, row| {
        let (x, z) = (column as f32 * cell, row as f32 * cell);
        400.0 + 300.0 * libm::sinf(x / 300.0) * libm::cosf(z / 400.0) + 0.05 * x
    })
}

/// A ridge from west to east, 45° steep, 1000 m high in the middle.
fn ridge() -> Heightfield {
    Heightfield::from_fn(Grid::new(201, 201, 10.0).unwrap(), |_, row| {
        1000.0 - 10.0 * (row as f32 - 100.0).abs()
    })
}

#[test]
fn every_factor_is_between_0_and_1_and_the_same_on_any_number_of_threads() {
    let field = hills(25.0);
    let land = Land { sea_level: Some(200.0), ..Land::dry(&field) };
    for factor in factors::all() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| factor.measure(land, &Work::new()).unwrap())
        };
        let alone = on(1);
        assert!(on(2) == alone && on(7) == alone, "{factor:?}");
        let values = measured(land, factor);
        let (low, high) =
            values.iter().fold((1.0f32, 0.0f32), |(low, high), &value| (low.min(value), high.max(value)));
        assert!(low >= 0.0 && high <= 1.0 && high - low > 0.2, "{factor:?} from {low} to {high}");
    }
}

#[test]
fn every_factor_hardly_depends_on_how_far_samples_are_apart() {
    let (fine, coarse) = (hills(12.5), hills(25.0));
    let land = |field| Land { sea_level: Some(200.0), ..Land::dry(field) };
    for factor in factors::all() {
        let (of_fine, of_coarse) = (
            factor.measure(land(&fine), &Work::new()).unwrap(),
            factor.measure(land(&coarse), &Work::new()).unwrap(),
        );
        let grid = coarse.grid();
        let mut sum = 0.0;
        for row in 0..grid.depth {
            for column in 0..grid.width {
                sum += (of_fine.at(2 * column, 2 * row) - of_coarse.at(column, row)).abs();
            }
        }
        let mean = sum / grid.count() as f32;
        assert!(mean < 0.02, "{factor:?} differs by {mean}");
    }
}

#[test]
fn every_factor_can_be_measured_on_any_size_and_cancelled() {
    for (width, depth) in [(1, 1), (2, 1), (1, 9), (3, 100), (100, 2)] {
        let field = Heightfield::from_fn(Grid::new(width, depth, 10.0).unwrap(), |c, r| (c * r % 7) as f32);
        for factor in factors::all() {
            let values = measured(Land::dry(&field), factor);
            assert!(values.iter().all(|value| (0.0..=1.0).contains(value)), "{factor:?}, {width}×{depth}");
        }
    }
    let (field, work) = (hills(50.0), Work::new());
    work.cancel();
    for factor in factors::all() {
        assert!(matches!(factor.measure(Land::dry(&field), &work), Err(Error::Cancelled)), "{factor:?}");
    }
}

/// A factor's reach is true: what lies farther away than it says changes nothing.
#[test]
fn nothing_beyond_its_reach_changes_a_factor() {
    for factor in factors::all() {
        let FactorReach { metres, samples } = factor.reach;
        let usual = if metres > 0.0 { metres } else { 100.0 };
        // Samples that are close, and so far apart that only those next to each other count.
        for cell in [usual / 30.0, usual / 7.0, usual * 3.0] {
            let reach = ((metres / cell).ceil() as usize).max(samples as usize);
            let side = 2 * reach + 41;
            let grid = Grid::new(side, side, cell).unwrap();
            let land = Heightfield::from_fn(grid, |c, r| ((c * 7919 + r * 104_729) % 97) as f32 - 3.0);
            let on =
                |field: &Heightfield| measured(Land { sea_level: Some(0.0), ..Land::dry(field) }, factor);
            let before = on(&land);
            // Far enough up and down to make any sample dry or wet.
            let mut changed = 0;
            for by in [100.0, -100.0] {
                let mut other = land.clone();
                other.heights_mut()[(side / 2) * side + side / 2] += by;
                for (index, (before, after)) in before.iter().zip(on(&other)).enumerate() {
                    let away = (index % side).abs_diff(side / 2).max((index / side).abs_diff(side / 2));
                    let same = *before == after;
                    assert!(same || away <= reach, "{factor:?} {away} samples of {cell} m away, not {reach}");
                    changed += usize::from(!same);
                }
            }
            assert!(changed > 0, "{factor:?} at {cell} m");
        }
    }
}

/// All of them, and the shadows and the view of the sky, over ground as rough as it gets.
#[test]
fn whatever_the_distance_of_samples_factors_are_measured_and_baked_in_bounded_time_and_memory() {
    for cell in [1e-45, 1e-38, 1e-20, 1e-3, 1e5, 1e30, 3e38] {
        let grid = Grid::new(130, 65, cell).unwrap();
        let field = Heightfield::from_fn(grid, |c, r| ((c * 7919 + r * 104_729) % 9001) as f32 - 300.0);
        let land = Land { sea_level: Some(0.0), ..Land::dry(&field) };
        for factor in factors::all() {
            assert!(measured(land, factor).iter().all(|value| (0.0..=1.0).contains(value)), "{factor:?}");
        }
        let any = Limits::new(0.0, 0.5, 0.1);
        let measured = [&factors::WETNESS, &factors::SHADE, &factors::MOISTURE].map(|factor| (factor, any));
        let factors = Factors { measured: measured.into(), ..Factors::default() };
        let light = Some(upland_core::texture::Light::default());
        let texture = Texture { light, occlusion: 1.0, ..one_type(factors) };
        let baked = bake(&field, &texture, 1, &Work::new()).unwrap();
        assert_eq!(baked.colour.texels.len(), 100 * 50);
    }
}

#[test]
fn planes_are_neither_hollow_nor_bulging_and_a_ridge_is_the_reverse_of_a_valley() {
    let plane =
        Heightfield::from_fn(Grid::new(90, 70, 20.0).unwrap(), |c, r| 7.0 * c as f32 - 11.0 * r as f32);
    for factor in [&factors::CONCAVITY, &factors::CONVEXITY] {
        assert!(measured(Land::dry(&plane), factor).iter().all(|&value| value < 1e-3));
    }
    let ridge = ridge();
    let valley = Heightfield::from_fn(ridge.grid(), |column, row| -ridge.at(column, row));
    let crest = measured(Land::dry(&ridge), &factors::CONVEXITY);
    // A fold of 45° lies 0.8 of the scale above its surroundings: 60 m, of which 7.5 m are one half.
    let middle = crest[100 * 201 + 100];
    assert!((middle - 60.0 / 67.5).abs() < 0.02, "{middle}");
    assert_eq!(crest, measured(Land::dry(&valley), &factors::CONCAVITY));
    assert!(measured(Land::dry(&ridge), &factors::CONCAVITY).iter().all(|&value| value < 1e-2));
}

#[test]
fn slopes_to_the_north_lie_in_the_shade_and_behind_a_wall_it_is_darker() {
    let level = Heightfield::flat(Grid::new(40, 40, 10.0).unwrap(), 5.0);
    assert!(measured(Land::dry(&level), &factors::SHADE).iter().all(|&shade| shade < 1e-3));
    let shade = measured(Land::dry(&ridge()), &factors::SHADE);
    let (north, south) = (shade[50 * 201 + 100], shade[150 * 201 + 100]);
    assert!(north > 0.9 && south < 0.01, "{north} {south}");
    // A wall from west to east on a plain: ground to its north misses sun, ground to its south doesn't.
    let wall = Heightfield::from_fn(Grid::new(201, 201, 10.0).unwrap(), |_, row| {
        if (95..105).contains(&row) { 300.0 } else { 0.0 }
    });
    let shade = measured(Land::dry(&wall), &factors::SHADE);
    let at = |row: usize| shade[row * 201 + 100];
    assert!(at(85) > 0.8 && at(20) < 0.1 && at(115) < 0.15, "{} {} {}", at(85), at(20), at(115));
}

#[test]
fn it_is_colder_higher_up_and_on_northern_slopes() {
    let levels = [0.0, 1000.0, 15_000.0 / 6.5, 9000.0].map(|height| {
        let field = Heightfield::flat(Grid::new(3, 3, 10.0).unwrap(), height);
        measured(Land::dry(&field), &factors::TEMPERATURE)[4]
    });
    let expected = [FREEZING * (1.0 + 15.0 / 20.0), FREEZING * (1.0 + 8.5 / 20.0), FREEZING, 0.0];
    for (found, expected) in levels.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} instead of {expected}");
    }
    let ridge = ridge();
    let warmth = measured(Land::dry(&ridge), &factors::TEMPERATURE);
    // Slopes of 45° to both sides at the same height: twice 6 K times the sine.
    let apart = warmth[150 * 201 + 100] - warmth[50 * 201 + 100];
    assert!((apart - 12.0 * 0.5f32.sqrt() / 40.0).abs() < 1e-3, "{apart}");
    // The sea is where heights count from.
    let raised = measured(Land { sea_level: Some(300.0), ..Land::dry(&ridge) }, &factors::TEMPERATURE);
    assert!(raised[100 * 201 + 100] > warmth[100 * 201 + 100]);
}

/// A plain at height 10 with the sea in its westernmost tenth.
fn shore() -> Heightfield {
    Heightfield::from_fn(
        Grid::new(401, 21, 10.0).unwrap(),
        |column, _| if column <= 40 { -5.0 } else { 10.0 },
    )
}

#[test]
fn water_is_near_or_far() {
    let field = shore();
    let land = Land { sea_level: Some(0.0), ..Land::dry(&field) };
    let near = measured(land, &factors::WATER_NEARNESS);
    for column in 0..401usize {
        let metres = 10.0 * column.saturating_sub(40) as f32;
        let expected = (1.0 - metres / WATER_NEARNESS_REACH).max(0.0);
        assert!((near[10 * 401 + column] - expected).abs() < 1e-4, "{column}");
    }
    assert!(measured(Land::dry(&field), &factors::WATER_NEARNESS).iter().all(|&near| near == 0.0));
    let moisture = measured(land, &factors::MOISTURE);
    assert!(moisture[10 * 401 + 10] > moisture[10 * 401 + 390]);
}

#[test]
fn the_wind_leaves_its_moisture_on_western_slopes() {
    let grid = Grid::new(401, 5, 50.0).unwrap();
    let range = Heightfield::from_fn(grid, |column, _| 2000.0 - 10.0 * (column as f32 - 200.0).abs());
    let moisture = measured(Land::dry(&range), &factors::MOISTURE);
    let at = |column: usize| moisture[2 * 401 + column];
    assert!(at(100) > 0.45 && at(300) < 0.05, "{} {}", at(100), at(300));
}

#[test]
fn wet_ground_lies_at_rivers_and_in_hollows() {
    let grid = Grid::new(101, 101, 10.0).unwrap();
    let mut field = Heightfield::flat(grid, 100.0);
    let channel = Channel { width: 40.0, depth: 6.0, bank: 10.0, fill: 0.5 };
    let nodes = [glam::vec2(0.0, 500.0), glam::vec2(1000.0, 500.0)];
    let river = Course::through(&nodes, channel, grid, &Work::new()).unwrap();
    river.carve(&mut field, &Work::new()).unwrap();
    let rivers = [river];
    let wetness = measured(Land { rivers: &rivers, ..Land::dry(&field) }, &factors::WETNESS);
    let at = |row: usize| wetness[row * 101 + 50];
    assert_eq!(at(50), 1.0);
    assert!(at(60) > at(70) && at(70) > 0.2 && at(95) < 0.05, "{} {} {}", at(60), at(70), at(95));
    let valley = Heightfield::from_fn(grid, |_, row| 8.0 * (row as f32 - 50.0).abs());
    let dry = measured(Land::dry(&valley), &factors::WETNESS);
    assert!(dry[50 * 101 + 50] > 0.4 && dry.iter().all(|&wet| wet <= WETNESS_OF_HOLLOWS));
}

fn one_type(factors: Factors) -> Texture {
    let kind = |name, colour, factors| TerrainType { factors, ..TerrainType::new(name, colour) };
    let types = vec![
        kind("limited", [1.0, 0.0, 0.0], factors),
        TerrainType {
            elevation: Limits::new(-1000.0, 10_000.0, 0.0),
            ..kind("rest", [0.0, 0.0, 1.0], Factors::default())
        },
    ];
    Texture { types, occlusion: 0.0, resolution: 100, ..Texture::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_limit_takes_away_what_lies_outside_it(index in 0..factors::all().len(), min in 0.0..0.9f32, release in 0.01..0.3f32) {
        let factor = factors::all()[index];
        let wanted = Limits::new(min, 1.0, release);
        let factors = Factors::default().with(factor, wanted);
        prop_assert_eq!(factors.used().collect::<Vec<_>>(), vec![(factor, wanted)]);
        // One texel in the middle of every four samples of a plane of constant value would be exact;
        // here texels lie at the middle between samples, so their value is a mean of four.
        let field = hills(40.0);
        let baked = bake(&field, &one_type(factors), 1, &Work::new()).unwrap();
        let layer = factor.measure(Land::dry(&field), &Work::new()).unwrap();
        for row in 0..100usize {
            for column in 0..100usize {
                let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(c, r)| layer.at(column + c, row + r));
                let value = corners.iter().sum::<f32>() / 4.0;
                let influence = (1.0 - (min - value).max(0.0) / release).max(0.0);
                let texel = baked.colour.texels[row * 100 + column];
                let red = f32::from(texel[0]) / 255.0;
                // Red's share of the light is its weight in the sum of both.
                let linear = if red <= 0.04045 { red / 12.92 } else { ((red + 0.055) / 1.055).powf(2.4) };
                prop_assert!((linear - influence / (1.0 + influence)).abs() < 0.01, "{} {}", linear, influence);
            }
        }
    }
}

#[test]
fn ground_that_nothing_claims_wears_what_its_factors_are_nearest_to() {
    let field = ridge();
    let kind = |name, colour, temperature| TerrainType {
        factors: Factors::default().with(&factors::TEMPERATURE, temperature),
        ..TerrainType::new(name, colour)
    };
    // Neither qualifies; the cold one is nearer on the crest, the warm one at the foot.
    let types = vec![
        kind("cold", [0.0, 0.0, 1.0], Limits::new(0.0, 0.1, 0.0)),
        kind("warm", [1.0, 0.0, 0.0], Limits::new(0.99, 1.0, 0.0)),
    ];
    let texture = Texture { types, resolution: 201, ..Texture::default() };
    let high = Heightfield::from_fn(field.grid(), |column, row| 5.0 * field.at(column, row));
    let baked = bake(&high, &texture, 1, &Work::new()).unwrap();
    assert!(baked.unclaimed_share > 0.5);
    assert_eq!(baked.colour.texels[100 * 201 + 100][..3], [0, 0, 255]);
    assert_eq!(baked.colour.texels[200 * 201 + 100][..3], [255, 0, 0]);
}

fn grey(folder: &std::path::Path, name: &str, width: u32, levels: &[u8]) -> String {
    let path = folder.join(name);
    image::GrayImage::from_raw(width, levels.len() as u32 / width, levels.to_vec())
        .unwrap()
        .save(&path)
        .unwrap();
    path.display().to_string()
}

#[test]
fn a_mask_is_laid_over_the_whole_land_and_another_size_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let field = Heightfield::flat(Grid::new(101, 51, 10.0).unwrap(), 0.0);
    let half = |path: String| {
        let mask = MaskLimits::new(FilePath::new(path), Limits::new(0.5, 1.0, 0.0));
        bake(&field, &one_type(Factors { mask: Some(mask), ..Factors::default() }), 1, &Work::new()).unwrap()
    };
    let baked = half(grey(folder.path(), "small.png", 2, &[0, 255, 0, 255]));
    assert_eq!(baked.notes.len(), 1);
    assert!(
        baked.notes[0].contains("2×2 pixels, the land 101×51 samples; it was resampled"),
        "{:?}",
        baked.notes
    );
    let reds = |row: usize| (0..100).filter(|column| baked.colour.texels[row * 100 + column][0] > 0).count();
    assert_eq!((reds(0), reds(49)), (50, 50));
    assert_eq!(baked.colour.texels[0][0], 0);
    let exact = half(grey(folder.path(), "exact.png", 101, &[200; 101 * 51]));
    assert!(exact.notes.is_empty());
    assert!(exact.colour.texels.iter().all(|texel| texel[0] > 0));
}

#[test]
fn brightness_is_the_same_in_8_and_in_16_bits() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::new(3, 1, 10.0).unwrap();
    let eight = grey(folder.path(), "8.png", 3, &[0, 51, 255]);
    let sixteen = folder.path().join("16.png");
    let levels = vec![0u16, 13107, 65535];
    image::ImageBuffer::<image::Luma<u16>, _>::from_raw(3, 1, levels).unwrap().save(&sixteen).unwrap();
    let float = folder.path().join("float.tif");
    let raster = upland_core::Raster::new(3, 1, vec![0.0, 0.2, 1.0], upland_core::CellSize::Unknown).unwrap();
    upland_core::formats::write(&float, &raster, &Default::default()).unwrap();
    for path in [eight, sixteen.display().to_string(), float.display().to_string()] {
        let picture = upland_core::texture::Picture::new(FilePath::new(&path));
        let (layer, _) = picture.over(grid, &Work::new()).unwrap();
        for (column, expected) in [0.0, 0.2, 1.0].into_iter().enumerate() {
            assert!((layer.at(column, 0) - expected).abs() < 1e-4, "{path}: {}", layer.at(column, 0));
        }
    }
}

#[test]
fn brightness_is_absolute_however_dim_a_picture_is() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::new(3, 1, 10.0).unwrap();
    let float = |name: &str, values: [f32; 3]| {
        let path = folder.path().join(name);
        let raster = upland_core::Raster::new(3, 1, values.to_vec(), upland_core::CellSize::Unknown).unwrap();
        upland_core::formats::write(&path, &raster, &Default::default()).unwrap();
        path.display().to_string()
    };
    let tiff = |name: &str, write: &dyn Fn(&mut tiff::encoder::TiffEncoder<std::fs::File>)| {
        let path = folder.path().join(name);
        write(&mut tiff::encoder::TiffEncoder::new(std::fs::File::create(&path).unwrap()).unwrap());
        path.display().to_string()
    };
    use tiff::encoder::colortype::{Gray8, Gray16};
    for (path, expected) in [
        (grey(folder.path(), "dim.png", 3, &[0, 1, 51]), [0.0, 1.0 / 255.0, 0.2]),
        (
            tiff("8.tif", &|file| file.write_image::<Gray8>(3, 1, &[0, 1, 51]).unwrap()),
            [0.0, 1.0 / 255.0, 0.2],
        ),
        (
            tiff("16.tif", &|file| file.write_image::<Gray16>(3, 1, &[0, 255, 13107]).unwrap()),
            [0.0, 255.0 / 65535.0, 0.2],
        ),
        (float("float.tif", [-1.0, 0.25, 2.0]), [0.0, 0.25, 1.0]),
        (float("heights.asc", [0.0, 0.5, 900.0]), [0.0, 0.5, 1.0]),
    ] {
        let picture = upland_core::texture::Picture::new(FilePath::new(&path));
        let (layer, _) = picture.over(grid, &Work::new()).unwrap();
        let found = [0, 1, 2].map(|column| layer.at(column, 0));
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{path}: {found:?}");
    }
}

#[test]
fn a_missing_mask_is_named() {
    let mask = MaskLimits::new(FilePath::new("nowhere.png"), Limits::new(0.5, 1.0, 0.0));
    let texture = one_type(Factors { mask: Some(mask), ..Factors::default() });
    let error = bake(&hills(100.0), &texture, 1, &Work::new()).unwrap_err().to_string();
    assert!(error.contains("nowhere.png") && error.contains("no such file"), "{error}");
}

#[test]
fn wrong_limits_are_refused_with_their_place() {
    let refusal = |factors: &str| {
        let text = format!(
            "(version: 1, name: \"x\", size: (9, 9), cell: 10, steps: [], texture: custom(types: [\n\
             (name: \"a\", colour: \"#808080\", factors: ({factors}))]))"
        );
        match Recipe::from_ron(&text, "x") {
            Err(Error::Recipe { line, column, reason, .. }) => {
                assert!(line == 2 && column > 30, "{factors}: {line}:{column}");
                reason
            }
            other => panic!("{factors} gave {other:?}"),
        }
    };
    for (factors, expected) in [
        ("wetness: (min: 1.5)", "`types.0.factors.wetness.min`: 1.5 is outside 0 to 1"),
        ("shade: (max: -0.5)", "`types.0.factors.shade.max`: -0.5 is outside"),
        ("moisture: (release: -0.1)", "`types.0.factors.moisture.release`: -0.1 is outside 0 to 1"),
        (
            "convexity: (min: 0.9, max: 0.2)",
            "`types.0.factors.convexity`: the limits are the wrong way round: min 0.9 is above max 0.2; swap them",
        ),
        ("temperature: (min: NaN)", "`types.0.factors.temperature.min`: NaN is outside"),
        ("water_nearness: (from: 1)", "unknown field `from`; there are min, max, release"),
        ("dampness: (min: 0.5)", "unknown field `dampness`; there are wetness"),
        ("mask: (min: 0.5)", "`file` is missing"),
        ("mask: (file: \"\")", "names no file"),
        ("mask: (file: \"a.png\", max: 7)", "`types.0.factors.mask.max`: 7 is outside 0 to 1"),
    ] {
        let reason = refusal(factors);
        assert!(reason.contains(expected), "{factors}: {reason}");
    }
    let mut texture = one_type(Factors::default().with(&factors::WETNESS, Limits::new(0.9, 0.1, 0.0)));
    let say = |texture: &Texture| texture.check().unwrap_err().to_string();
    assert!(say(&texture).contains("types.0.factors.wetness (limited): the limits are the wrong way round"));
    texture = one_type(Factors::default().with(&factors::SHADE, Limits::new(0.0, 0.5, f32::NAN)));
    assert!(say(&texture).contains("types.0.factors.shade.release (limited): NaN is outside 0 to 1"));
}

#[test]
fn the_nearness_of_water_is_read_by_the_name_it_had_and_written_by_its_own() {
    let of = |name: &str| ron::from_str::<Factors>(&format!("({name}: (min: 0.25, release: 0.5))")).unwrap();
    let (old, new) = (of("water_distance"), of("water_nearness"));
    assert_eq!(old, new);
    assert_eq!(old.get(&factors::WATER_NEARNESS), Some(Limits::new(0.25, 1.0, 0.5)));
    let text = ron::to_string(&old).unwrap();
    assert!(text.contains("water_nearness") && !text.contains("water_distance"), "{text}");
    assert_eq!(factors::WATER_NEARNESS.name, "water_nearness");
    let error = ron::from_str::<Factors>("(water_distance: (min: 2))").unwrap_err().to_string();
    assert!(error.contains("`water_nearness.min`: 2 is outside 0 to 1"), "{error}");
    let both = ron::from_str::<Factors>("(water_distance: (), water_nearness: ())").unwrap_err().to_string();
    assert!(both.contains("water_nearness"), "{both}");
}

#[test]
fn factors_are_written_in_the_order_of_the_table_whatever_the_order_they_were_given_in() {
    let text = "(wetness:(min:0.25,max:1.0,release:0.0),shade:(min:0.0,max:0.5,release:0.0),\
                water_nearness:(min:0.0,max:1.0,release:0.0),mask:(file:\"m.png\",min:0.0,max:1.0,release:0.0))";
    let backwards = "(mask: (file: \"m.png\"), water_nearness: (), shade: (max: 0.5), wetness: (min: 0.25))";
    assert_eq!(ron::to_string(&ron::from_str::<Factors>(backwards).unwrap()).unwrap(), text);
    assert_eq!(ron::to_string(&ron::from_str::<Factors>(text).unwrap()).unwrap(), text);
    let names = ["wetness", "concavity", "convexity", "shade", "temperature", "moisture", "water_nearness"];
    assert_eq!(factors::names()[..names.len()], names, "older recipes were written in this order");
}

#[test]
fn factors_survive_being_written_and_read() {
    let recipe = Recipe::from_ron(
        "(version: 1, name: \"x\", size: (9, 9), cell: 10, steps: [], texture: custom(types: [
         (name: \"a\", colour: \"#808080\", factors: (wetness: (min: 0.5, release: 0.25), shade: (max: 0.5),
          mask: (file: \"m.png\", min: 0.25)))]))",
        "x",
    )
    .unwrap();
    let again = Recipe::from_ron(&recipe.to_ron().unwrap(), "x").unwrap();
    assert_eq!(again, recipe);
    let factors = &recipe.texture.texture().types[0].factors;
    assert_eq!(factors.get(&factors::WETNESS), Some(Limits::new(0.5, 1.0, 0.25)));
    assert_eq!(factors.mask.as_ref().unwrap().limits, Limits::new(0.25, 1.0, 0.0));
}
