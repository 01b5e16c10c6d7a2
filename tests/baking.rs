//! What the baker promises: patches that join without a seam, the same texels on any number of threads
//! and in any window.

use proptest::prelude::*;
use upland::texture::{
    BakeOptions, Baked, Baker, Layer, Patches, Surroundings, Texture, Window, bake_patches, bake_with,
};
use upland::{Error, Grid, Heightfield, Result, Work};

/// Hills of three sizes, without any noise of the crate's own.
fn hills(width: usize, depth: usize) -> Heightfield {
    Heightfield::from_fn(Grid::new(width, depth, 25.0).unwrap(), |column, row| {
        let (x, z) = (column as f32, row as f32);
        let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length);
        600.0 * wave(20.0) + 150.0 * wave(6.0) + 30.0 * wave(1.7)
    })
}

const OPTIONS: BakeOptions = BakeOptions { sea_level: Some(-100.0), weights: true };

fn whole(field: &Heightfield, texture: &Texture) -> Baked {
    bake_with(field, texture, OPTIONS, 3, &Work::new()).unwrap()
}

/// Bakes in patches of at most `side` texels and joins them.
fn joined(field: &Heightfield, texture: &Texture, side: usize) -> Result<Baked> {
    let work = Work::new();
    let mut surroundings = Surroundings::new(field);
    surroundings.prepare(field, texture, &work)?;
    let baker = Baker::new(field, &surroundings, texture, OPTIONS, 3, &work)?;
    let (width, depth) = baker.size();
    let patches = Patches::at_most((width, depth), side)?;
    let mut texels = vec![[0; 4]; width * depth];
    let mut weights = upland::texture::WeightMap { width, depth, ..Default::default() };
    let mut unclaimed = 0.0;
    let order = patches.nearest_first(width as f32, 0.0);
    bake_patches(
        &baker,
        &patches,
        &order,
        |patch| {
            let Window { column, row, width: w, depth: d } = patch.window;
            let shares = patch.baked.weights.unwrap();
            let types = shares.types;
            weights.types = types;
            weights.shares.resize(width * depth * types, 0);
            for line in 0..d {
                let from = (row + line) * width + column;
                texels[from..from + w].copy_from_slice(&patch.baked.colour.texels[line * w..][..w]);
                let part = &shares.shares[line * w * types..][..w * types];
                weights.shares[from * types..][..w * types].copy_from_slice(part);
            }
            unclaimed += f64::from(patch.baked.unclaimed_share) * (w * d) as f64;
            Ok(())
        },
        &work,
    )?;
    let colour = upland::texture::ColourMap { width, depth, texels };
    let unclaimed_share = (unclaimed / (width * depth) as f64) as f32;
    Ok(Baked { colour, weights: Some(weights), unclaimed_share, notes: Vec::new() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn patches_joined_are_the_whole_bit_for_bit(
        (width, depth) in (2usize..60, 2usize..60),
        resolution in 30u32..700,
        side in 9usize..400,
    ) {
        let field = hills(width, depth);
        let texture = Texture { resolution, patch: 300.0, ..Texture::temperate() };
        let (whole, joined) = (whole(&field, &texture), joined(&field, &texture, side).unwrap());
        prop_assert!(whole.colour == joined.colour);
        prop_assert!(whole.weights == joined.weights);
        prop_assert!((whole.unclaimed_share - joined.unclaimed_share).abs() < 1e-5);
    }
}

#[test]
fn windows_that_leave_the_map_and_pictures_too_large_are_refused() {
    let (field, work) = (hills(9, 5), Work::new());
    let texture = Texture { resolution: 40_000, occlusion: 0.0, ..Texture::temperate() };
    let surroundings = Surroundings::new(&field);
    let baker = Baker::new(&field, &surroundings, &texture, OPTIONS, 3, &work).unwrap();
    assert_eq!(baker.size(), (40_000, 20_000));
    let say = |window: Window| baker.paint(window, &work).unwrap_err().to_string();
    let message = say(baker.whole());
    assert!(message.contains("40000×20000 texels is too large; bake it in patches"), "{message}");
    let window = Window { column: 39_990, row: 0, width: 11, depth: 1 };
    let message = say(window);
    assert!(message.contains("11×1 texels from column 39990, row 0 are not a part"), "{message}");
    assert!(baker.paint(Window { width: 10, ..window }, &work).is_ok());
    say(Window { width: 0, ..window });
    say(Window { column: usize::MAX, ..window });
    assert!(Patches::new((10, 10), 0, 1).is_err());
    assert!(Patches::new((10, 10), 11, 1).is_err());
    assert!(Patches::at_most((10, 10), 0).is_err());
}

#[test]
fn what_a_sink_says_ends_the_work() {
    let (field, work) = (hills(9, 5), Work::new());
    let texture = Texture { resolution: 64, occlusion: 0.0, ..Texture::temperate() };
    let surroundings = Surroundings::new(&field);
    let baker = Baker::new(&field, &surroundings, &texture, OPTIONS, 3, &work).unwrap();
    let patches = Patches::new(baker.size(), 4, 2).unwrap();
    let mut seen = 0;
    let sink = |_| {
        seen += 1;
        if seen == 3 { Err(Error::Cancelled) } else { Ok(()) }
    };
    let ended = bake_patches(&baker, &patches, &patches.row_by_row(), sink, &work);
    assert!(matches!(ended, Err(Error::Cancelled)));
    assert_eq!(seen, 3);
    assert!(bake_patches(&baker, &patches, &[(4, 0)], |_| Ok(()), &work).is_err());
}

#[test]
fn surroundings_must_be_those_of_the_field_and_hold_what_is_needed() {
    let (field, work) = (hills(9, 5), Work::new());
    let (mut surroundings, texture) = (Surroundings::new(&field), Texture::temperate());
    let say = |surroundings: &Surroundings, field: &Heightfield| {
        Baker::new(field, surroundings, &texture, OPTIONS, 3, &work).err().unwrap().to_string()
    };
    assert!(say(&surroundings, &field).contains("they lack the view of the sky"));
    surroundings.prepare(&field, &texture, &work).unwrap();
    assert!(say(&surroundings, &hills(8, 5)).contains("those of 9×5 samples, the field has 8×5"));
    assert!(surroundings.prepare(&hills(8, 5), &texture, &work).is_err());
    assert!(Layer::new(field.grid(), vec![0; 44]).is_err());
    let small = Layer::new(Grid::new(5, 9, 25.0).unwrap(), vec![0; 45]).unwrap();
    assert!(surroundings.insert("wetness", small).is_err());
}
