//! How snow is shown: ready-made textures have it where it lies.

use upland_core::grid::layer::SNOW;
use upland_core::{Recipe, Sets, Skin, Work};

/// A recipe of these steps, with this texture.
fn recipe(steps: &str, texture: Skin) -> Recipe {
    let text = format!("(version: 1, name: \"Snow\", size: (65, 65), cell: 100, steps: [{steps}])");
    let mut recipe = Recipe::from_ron(&text, "snow.ron").unwrap();
    recipe.texture = texture;
    recipe
}

/// The names of the types that are drawn.
fn drawn(recipe: &Recipe) -> Vec<String> {
    recipe.drawn_texture().texture().all_types().into_iter().map(|kind| kind.name).collect()
}

#[test]
fn ready_made_textures_show_snow_where_it_lies_and_nowhere_else() {
    for texture in [Skin::Temperate, Skin::Woodland, Skin::Arid, Skin::Temperate.in_season(0.75)] {
        let recipe = recipe(&format!("{}, snow(drift: 0, avalanches: 0)", hills()), texture);
        let built = recipe.build(&Work::new()).unwrap();
        let snow = built.layers.get(SNOW).unwrap();
        let (mut bare, mut white) = (0, 0);
        for (number, [red, green, blue, _]) in built.colour.texels.iter().enumerate() {
            let place = |texel: usize, texels: usize| (texel as f32 + 0.5) / texels as f32 * 64.0;
            let column = place(number % built.colour.width, built.colour.width) as usize;
            let row = place(number / built.colour.width, built.colour.depth) as usize;
            // The samples around a texel.
            let around = [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)];
            let lies = around.map(|(column, row)| snow.at(column, row));
            let [least, most] =
                [lies.iter().copied().fold(9.0, f32::min), lies.iter().copied().fold(0.0, f32::max)];
            let slopes = around.map(|(column, row)| built.heightfield.slope_at(column, row));
            let is_steep = slopes.iter().any(|slope| *slope > 40.0);
            let is_white = *red.min(green).min(blue) > 170;
            assert!(most > 0.0 || !is_white, "{column}, {row}: white without snow");
            assert!(least < 0.4 || is_steep || is_white, "{column}, {row}: {lies:?} {red} {green} {blue}");
            bare += usize::from(most == 0.0);
            white += usize::from(is_white);
        }
        assert!(bare > 300 && white > 300, "{bare} {white}");
    }
}

/// Mountains from about 0 to 3000 m.
fn hills() -> &'static str {
    "fbm(height: 1500, frequency: 0.7, octaves: 2), scale(bias: 1300)"
}

#[test]
fn textures_stay_as_they_are_without_snow_and_where_they_are_custom() {
    let without = recipe(hills(), Skin::Temperate);
    assert_eq!(*without.drawn_texture(), Skin::Temperate);
    assert!(drawn(&without).contains(&"snow".to_owned()));
    let steps = format!("{}, snow(), road()", hills());
    let with = recipe(&steps, Skin::Temperate);
    let names = drawn(&with);
    assert!(!names.contains(&"snow".to_owned()), "{names:?}");
    assert_eq!(names[names.len() - 2..], ["lying snow", "road"]);
    let custom = Skin::Custom(Skin::Arid.texture());
    assert_eq!(*recipe(&steps, custom.clone()).drawn_texture(), custom);
    let sets = Skin::Sets(Sets { sets: vec![Skin::Arid, custom.clone()], ..Sets::default() });
    let Skin::Sets(sets) = recipe(&steps, sets).drawn_texture().into_owned() else { panic!("no sets") };
    assert!(sets.sets[0] != Skin::Arid && sets.sets[1] == custom);
}
