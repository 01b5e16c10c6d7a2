//! Textures that a painted map of terrain types drives.

use upland_core::texture::{BakeOptions, Baked, PaintedMap, TerrainType, Texture, bake_with};
use upland_core::{FilePath, Grid, Heightfield, Preset, Recipe, Skin, Work};

const WORLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/world_types_64.png");

fn types() -> Vec<TerrainType> {
    let shades = 0..5u8;
    let kind = |id| TerrainType {
        id: Some(u16::from(id)),
        ..TerrainType::new(format!("type {id}"), [0.1 + 0.2 * f32::from(id); 3])
    };
    shades.map(kind).collect()
}

fn painted(map: PaintedMap) -> Texture {
    Texture { map: Some(map), types: types(), resolution: 64, occlusion: 0.0, ..Texture::default() }
}

fn baked(texture: &Texture) -> upland_core::Result<Baked> {
    let field = Heightfield::flat(Grid::new(64, 64, 10.0)?, 0.0);
    bake_with(&field, texture, BakeOptions { weights: true, ..BakeOptions::default() }, 3, &Work::new())
}

#[test]
fn every_texel_wears_the_type_that_is_painted_there() {
    let map = PaintedMap::new(FilePath::new(WORLD));
    let painted_types = map.read().unwrap();
    let weights = baked(&painted(map)).unwrap().weights.unwrap();
    let mut wrong = 0;
    for (index, shares) in weights.shares.chunks(5).enumerate() {
        let total: u32 = shares.iter().map(|&share| u32::from(share)).sum();
        assert!((253..=257).contains(&total), "{shares:?}");
        let most = (0..5u8).max_by_key(|&id| shares[usize::from(id)]).unwrap();
        // Texels lie between the pixels: only along borders can there be another.
        wrong += usize::from(u16::from(most) != painted_types.ids()[index]);
    }
    assert!(wrong < 64 * 64 / 25, "{wrong}");
}

#[test]
fn noise_frays_the_borders_and_majority_rounds_them() {
    let plain = PaintedMap::new(FilePath::new(WORLD));
    let frayed = PaintedMap { roughen: 15.0, ..plain.clone() };
    let rounded = PaintedMap { majority: 31, ..plain.clone() };
    let texels = |map: PaintedMap| baked(&Texture { resolution: 512, patch: 100.0, ..painted(map) }).unwrap();
    let [plain, frayed, rounded] = [plain, frayed, rounded].map(texels);
    let differ = |a: &Baked, b: &Baked| {
        let pairs = a.colour.texels.iter().zip(&b.colour.texels);
        pairs.filter(|(a, b)| a != b).count() as f32 / a.colour.texels.len() as f32
    };
    for other in [&frayed, &rounded] {
        let share = differ(&plain, other);
        assert!(share > 0.005 && share < 0.2, "{share}");
    }
}

#[test]
fn types_without_an_id_lie_wherever_their_limits_say() {
    let mut texture = painted(PaintedMap::new(FilePath::new(WORLD)));
    texture.types.push(TerrainType::new("dust", [1.0; 3]));
    let weights = baked(&texture).unwrap().weights.unwrap();
    assert!(weights.shares.chunks(6).all(|shares| (126..=129).contains(&shares[5])));
}

#[test]
fn ids_without_a_type_and_types_without_a_map_are_refused() {
    let mut texture = painted(PaintedMap::new(FilePath::new(WORLD)));
    texture.types.pop();
    let error = baked(&texture).unwrap_err().to_string();
    assert_eq!(error, "texture.types: 113 pixels of the map have the id 4; give a type with `id: 4`");
    texture.map = None;
    assert!(baked(&texture).unwrap_err().to_string().contains("the texture has none"));
    let map = PaintedMap { majority: 4, ..PaintedMap::new(FilePath::new(WORLD)) };
    assert!(baked(&painted(map)).unwrap_err().to_string().contains("majority: 4 is even; use 3 or 5"));
}

#[test]
fn a_colour_that_is_not_in_the_table_is_named() {
    let colours = vec![[0, 0, 0], [255, 255, 255]];
    let map = PaintedMap { colours, ..PaintedMap::new(FilePath::new(WORLD)) };
    let error = baked(&painted(map)).unwrap_err().to_string();
    assert!(error.contains("world_types_64.png: 5 colours are not in the table"), "{error}");
    assert!(error.contains("(2477 pixels), "), "{error}");
}

#[test]
fn a_map_is_found_beside_its_recipe() {
    let text = r##"(version: 1, name: "x", size: (9, 9), cell: 10, steps: [], texture: custom(
        map: (file: "world_types_64.png", colours: ["#1e50a0", "#dcc88c", "#46823c", "#786e64", "#f5f5fa"]),
        types: [(id: 0, name: "a", colour: "#000010"), (id: 1, name: "b", colour: "#000020"),
            (id: 2, name: "c", colour: "#000030"), (id: 3, name: "d", colour: "#000040"),
            (id: 4, name: "e", colour: "#000050")]))"##;
    let mut recipe = Recipe::from_ron(text, "x").unwrap();
    assert_eq!(Recipe::from_ron(&recipe.to_ron().unwrap(), "x").unwrap(), recipe);
    let field = recipe.build_heightfield(&Work::new()).unwrap();
    let error = recipe.bake(&field, &Work::new()).unwrap_err().to_string();
    assert!(error.contains("world_types_64.png: cannot read: no such file"), "{error}");
    recipe.set_folder(std::path::Path::new(WORLD).parent().unwrap());
    recipe.preview(9).build(&Work::new()).unwrap();
    recipe.bake(&field, &Work::new()).unwrap();
}

#[test]
fn the_painted_world_is_land_where_it_is_painted_as_land() {
    let recipe = Preset::find("painted-world").unwrap().recipe().unwrap();
    let Skin::Custom(Texture { map: Some(map), .. }) = &recipe.texture else { panic!("it has no map") };
    let map = map.read().unwrap();
    let field = recipe.with_longer_side(257).build_heightfield(&Work::new()).unwrap();
    let mut right = 0;
    for (index, &id) in map.ids().iter().enumerate() {
        let place = glam::vec2((index % 64) as f32, (index / 64) as f32) / 63.0 * field.grid().extent();
        right += usize::from((field.sample(place) > 0.0) == (id != 0));
    }
    assert!(right > 64 * 64 * 9 / 10, "{right}");
}
