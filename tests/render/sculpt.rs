//! Strokes in pictures: drawn in the very frame in which they are made, and taken back without a trace. These
//! tests need a Vulkan device, a software one will do.
use crate::scene::*;
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{Headless, Terrain, TerrainStrokes, TerrainView};
use upland::sculpt::{Stroke, Tool};
use upland::{Cache, Recipe};

/// Level land in one colour, seen from above at a slant.
fn scene() -> (Headless, Entity) {
    let mut headless = stage(160, 90);
    sun(&mut headless, Vec3::new(1.0, 0.6, 0.4));
    let text = r##"(version: 1, name: "Level", size: (129, 129), cell: 4, steps: [flat(height: 20)],
        texture: custom(occlusion: 0, types: [(name: "all", colour: "#b0a080"), (name: "red", colour: "#ff0000", slope: (min: 89))]))"##;
    let recipe = Recipe::from_ron(text, "level.ron").unwrap();
    let terrain = (Terrain::from_recipe(recipe, &Cache::default()), TerrainStrokes::default());
    let terrain = headless.app_mut().world_mut().spawn(terrain).id();
    let target = headless.target();
    let pose = Transform::from_xyz(0.0, 120.0, 130.0).looking_at(Vec3::new(0.0, 20.0, 0.0), Vec3::Y);
    camera(&mut headless, target, TerrainView::default(), pose);
    (headless, terrain)
}

fn strokes(headless: &mut Headless, terrain: Entity) -> Mut<'_, TerrainStrokes> {
    headless.app_mut().world_mut().get_mut(terrain).unwrap()
}

/// How many pixels differ visibly.
fn different(a: &RgbaImage, b: &RgbaImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| (brightness(a) - brightness(b)).abs() > 8.0).count()
}

#[test]
fn a_stroke_of_50_m_is_in_the_next_frame_and_undone_it_is_gone() {
    let (mut headless, terrain) = scene();
    let before = headless.capture(TIME_LIMIT).unwrap();
    // The middle of the land is at (256, 256) m.
    let hill = Stroke::at(Tool::Raise { by: 25.0 }, [256.0, 256.0], 50.0);
    strokes(&mut headless, terrain).make(hill).unwrap();
    headless.update();
    let after = headless.last_frame().unwrap();
    assert!(different(&before, &after) > 800, "{}", different(&before, &after));
    assert_eq!(holes(&after), 0);
    // Its shape is all there: what is made anew in the background changes little.
    let settled = headless.capture(TIME_LIMIT).unwrap();
    assert!(different(&after, &settled) < 200, "{}", different(&after, &settled));
    strokes(&mut headless, terrain).undo();
    headless.update();
    assert_eq!(headless.capture(TIME_LIMIT).unwrap(), before);
}

#[test]
fn a_hole_is_in_the_next_frame_though_the_land_had_none_and_undone_it_is_gone() {
    let (mut headless, terrain) = scene();
    let before = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(holes(&before), 0);
    let shaft = Stroke::at(Tool::Hole {}, [256.0, 256.0], 30.0);
    strokes(&mut headless, terrain).make(shaft).unwrap();
    headless.update();
    let after = headless.last_frame().unwrap();
    let open = holes(&after);
    // A disc of 30 m: as many pixels as paint of 24 m covers, half as many again.
    assert!((600..1000).contains(&open), "{open}");
    let settled = headless.capture(TIME_LIMIT).unwrap();
    assert!(holes(&settled).abs_diff(open) < 20, "{open} {}", holes(&settled));
    // Around it the land is as it was.
    assert!(different(&before, &settled) < open + 60, "{}", different(&before, &settled));
    strokes(&mut headless, terrain).make(Stroke::at(Tool::Close {}, [256.0, 256.0], 15.0)).unwrap();
    headless.update();
    let bridged = holes(&headless.last_frame().unwrap());
    assert!(bridged > 0 && bridged < open * 9 / 10, "{bridged} of {open}");
    strokes(&mut headless, terrain).undo();
    strokes(&mut headless, terrain).undo();
    headless.update();
    let undone = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!((holes(&undone), different(&undone, &before)), (0, 0));
}

#[test]
fn a_painted_type_is_seen() {
    let (mut headless, terrain) = scene();
    let red = |picture: &RgbaImage| {
        picture
            .pixels()
            .filter(|pixel| {
                let [red, green, blue, _] = pixel.0.map(u32::from);
                red > 60 && red > 3 * green.max(blue)
            })
            .count()
    };
    assert_eq!(red(&headless.capture(TIME_LIMIT).unwrap()), 0);
    let paint = Stroke::at(Tool::Paint { kind: "red".into() }, [256.0, 256.0], 30.0).with_falloff(0.2);
    strokes(&mut headless, terrain).make(paint).unwrap();
    headless.update();
    let painted = red(&headless.capture(TIME_LIMIT).unwrap());
    // Within 24 m, where paint covers all, there are about 470 pixels.
    assert!(painted > 400, "{painted}");
}
