//! Tiles have the bits of the land as a whole.

use upland_core::formats::{self, HeightChannel, ReadOptions};
use upland_core::texture::{MapWindow, PaintWindow};
use upland_core::{Cache, Heightfield, Recipe, Window, Work};
use upland_world::{NewPlan, Output, PassKind};

use super::{Planned, recipe};

/// The values of all tiles of an output of floats, side by side.
fn joined(planned: &Planned, output: &Output) -> Vec<f32> {
    let plan = planned.worker.plan();
    let [width, depth] = plan.land.size.map(|side| side as usize);
    let mut all = vec![f32::NAN; width * depth];
    for tile in (0..plan.tile_count()).filter_map(|number| plan.tile_at(number)) {
        let raster = planned.raster(&output.key(tile.column, tile.row));
        assert_eq!([raster.width(), raster.depth()], tile.samples.size.map(|side| side as usize));
        for row in 0..raster.depth() {
            let (line, column) =
                (tile.row as usize * plan.tile as usize + row, tile.column as usize * plan.tile as usize);
            let values = &raster.values()[row * raster.width()..][..raster.width()];
            all[line * width + column..][..raster.width()].copy_from_slice(values);
        }
    }
    all
}

fn same(tiles: &[f32], whole: &Heightfield) -> bool {
    tiles.iter().zip(whole.heights()).all(|(tile, whole)| tile.to_bits() == whole.to_bits())
        && tiles.len() == whole.heights().len()
}

#[test]
fn tiles_have_the_bits_of_the_whole_whatever_the_steps_must_know() {
    for (steps, layers) in [
        ("fbm(), gullies(), gaussian(sigma: 2)", &[][..]),
        ("fbm(), erode(), terrace(), gullies()", &["flow", "wear"]),
        ("fbm(), normalize(high: 500), fbm(height: 20, blend: add)", &[]),
        ("fbm(), erode(), river(), stones()", &[]),
        ("fbm(), river(), stones(), river(bearing: 90, width: 200)", &["water_depth"]),
    ] {
        let recipe = recipe("(150, 97)", steps);
        let layers: Vec<String> = layers.iter().map(|name| String::from(*name)).collect();
        let planned =
            Planned::new(&recipe, &NewPlan { tile: 64, layers: layers.clone(), ..NewPlan::default() });
        assert_eq!(planned.worker.plan().tiles(), [3, 2]);
        planned.work();
        assert!(planned.status().is_complete());
        let names: Vec<&str> = layers.iter().map(String::as_str).collect();
        let whole = recipe.build_layers(&names, &Cache::default(), &Work::new()).unwrap();
        assert!(same(&joined(&planned, &Output::Heights), &whole.heights), "{steps}");
        for name in layers {
            let tiles = joined(&planned, &Output::Layer(name.clone()));
            assert!(same(&tiles, whole.layer(&name).unwrap()), "{steps}: {name}");
        }
    }
}

#[test]
fn finer_tiles_and_windows_of_endless_land_have_the_bits_of_windows() {
    let endless = Recipe { unit: Some(3000.0), ..recipe("(65, 65)", "fbm(), warp(), gullies()") };
    let river = "fbm(), erode(), fbm(height: 3, frequency: 40, blend: add), river(), stones()";
    for (recipe, window, layer) in [
        (recipe("(65, 49)", "fbm(), erode(), gullies()"), "-2:0,0,257x193", None),
        (recipe("(65, 49)", river), "-1:11,7,101x70", Some("water_depth")),
        (recipe("(130, 98)", river), "1:11,7,40x30", Some("water_depth")),
        (endless, "0:-1000000,77,130x70", None),
    ] {
        let window: Window = window.parse().unwrap();
        let layers: Vec<String> = layer.into_iter().map(str::to_owned).collect();
        let new = NewPlan { tile: 96, window: Some(window), layers, ..NewPlan::default() };
        let planned = Planned::new(&recipe, &new);
        planned.work();
        let names: Vec<&str> = layer.into_iter().collect();
        let whole = recipe.build_window_layers(window, &names, &Cache::default(), &Work::new()).unwrap();
        assert!(same(&joined(&planned, &Output::Heights), &whole.heights), "{window}");
        if let Some(name) = layer {
            let depths = whole.layer(name).unwrap();
            assert!(same(&joined(&planned, &Output::Layer(name.into())), depths), "{window}");
            assert!(depths.range().1 > 0.0, "{window} has no water");
        }
    }
}

#[test]
fn colours_and_weights_lie_between_the_samples() {
    let recipe = recipe("(130, 65)", "fbm(height: 800), gullies()");
    let planned = Planned::new(&recipe, &NewPlan { tile: 64, weights: true, ..NewPlan::default() });
    planned.work();
    let plan = planned.worker.plan();
    // The third column of tiles has two samples and one cell; the second row has a sample and no cell.
    let there = |key: &str| planned.root().join(key).exists();
    assert!(there("heights/x0002_y0001.tif") && there("colours/x0002_y0000.tif"));
    assert!(!there("colours/x0000_y0001.tif") && there("weights-1/x0000_y0000.tif"));
    let status = planned.status();
    assert!(status.is_complete());
    let counts: Vec<_> = status.passes.iter().map(|found| (found.pass, found.tiles, found.done)).collect();
    assert_eq!(counts[..2], [(PassKind::Heights, 6, 6), (PassKind::Colours, 3, 3)]);
    let planned_counts: Vec<u64> = plan.passes.iter().map(|pass| plan.tiles_with_objects(pass)).collect();
    assert_eq!(planned_counts, [6, 3, 1]);

    let cache = Cache::default();
    let ready =
        recipe.prepare_window_in_blocks("0:0,0,130x65".parse().unwrap(), 1, &cache, &Work::new()).unwrap();
    let baker = ready.baker(true, &Work::new()).unwrap();
    let MapWindow { column, row, .. } = ready.texels();
    for (tile, width) in [(0, 64), (1, 64), (2, 1)] {
        let of_tile = MapWindow { column: column + 64 * tile, row, width, depth: 64 };
        let baked = baker.paint_window(of_tile, &Work::new()).unwrap();
        let weights = baked.weights.unwrap();
        let made = planned.worker.make(PassKind::Colours, tile as u32, &Work::new()).unwrap();
        let keys: Vec<&str> = made.iter().map(|made| made.key.as_str()).collect();
        let expected =
            plan.pass(PassKind::Colours).unwrap().outputs.iter().map(|output| output.key(tile as u32, 0));
        assert_eq!(keys, expected.collect::<Vec<_>>());
        for (number, channel) in
            [HeightChannel::Red, HeightChannel::Green, HeightChannel::Blue].into_iter().enumerate()
        {
            let options = ReadOptions { channel, ..ReadOptions::default() };
            let raster = formats::read_bytes("x.tif", &made[0].bytes, &options).unwrap();
            let texels = baked.colour.texels.iter().map(|texel| f32::from(texel[number]));
            assert!(raster.values().iter().copied().eq(texels), "tile {tile}, channel {number}");
        }
        let raster = formats::read_bytes("x.tif", &made[1].bytes, &ReadOptions::default()).unwrap();
        assert!(
            raster.values().iter().copied().eq(weights.splat_map(0).iter().map(|texel| f32::from(texel[0])))
        );
    }
}

#[test]
fn colours_follow_the_water_of_rivers() {
    // One block: what is measured around it is all of the land.
    let (size, moss) = ((130, 97), r##"(name: "moss", colour: "#4c6b2f", factors: (wetness: (min: 0.3)))"##);
    for steps in [
        "fbm(height: 300), river(width: 80), stones()",
        "fbm(height: 300), river(width: 80), erode()",
        // The water itself, and not what is painted under its name.
        r#"fbm(height: 300), river(width: 80), paint(layer: "water_depth", value: 9)"#,
    ] {
        let text = format!(
            r##"(version: 1, name: "Banks", seed: 5, size: {size:?}, cell: 20, steps: [{steps}],
                texture: custom(resolution: 129, types: [(name: "rock", colour: "#776655"), {moss}]))"##
        );
        let recipe = Recipe::from_ron(&text, "banks.ron").unwrap();
        let planned = Planned::new(&recipe, &NewPlan { tile: 64, weights: true, ..NewPlan::default() });
        planned.work();
        let baked = |recipe: &Recipe| {
            let whole = recipe.build(&Work::new()).unwrap();
            whole.colour.texels
        };
        let whole = baked(&recipe);
        let mut dry = recipe.clone();
        dry.steps[1].mixing.on = false;
        assert_ne!(whole, baked(&dry), "{steps}");
        for (column, row) in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)] {
            let key = Output::Colours.key(column, row);
            let read = |channel| {
                let options = ReadOptions { channel, ..ReadOptions::default() };
                formats::read(planned.root().join(&key), &options).unwrap()
            };
            for (channel, number) in
                [HeightChannel::Red, HeightChannel::Green, HeightChannel::Blue].into_iter().zip(0..)
            {
                let raster = read(channel);
                for line in 0..raster.depth() {
                    let first = (row as usize * 64 + line) * 129 + column as usize * 64;
                    let expected =
                        whole[first..][..raster.width()].iter().map(|texel| f32::from(texel[number]));
                    let values = &raster.values()[line * raster.width()..][..raster.width()];
                    assert!(values.iter().copied().eq(expected), "{steps}: {key}, row {line}");
                }
            }
        }
    }
}

#[test]
fn lists_of_tiles_name_every_one_of_them() {
    let planned = Planned::new(&recipe("(150, 97)", "fbm()"), &NewPlan { tile: 64, ..NewPlan::default() });
    planned.work();
    let list = std::fs::read_to_string(planned.root().join("heights.vrt")).unwrap();
    for key in ["heights/x0000_y0000.tif", "heights/x0002_y0001.tif"] {
        assert!(list.contains(key), "{list}");
    }
    assert!(list.contains(&planned.worker.plan().hash) && list.contains("rasterXSize=\"150\""), "{list}");
}
