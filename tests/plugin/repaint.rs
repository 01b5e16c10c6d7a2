//! A terrain that wears something else while its heights stay.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::scene::{TIME_LIMIT, camera, plain, stage, sun};
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{
    Headless, Shading, Terrain, TerrainGround, TerrainRepainted, TerrainSkin, TerrainStatus, TerrainView,
};
use upland::texture::{Limits, TerrainType, Texture, Tiling};
use upland::{Error, Grid, Heightfield, Skin};

const GREY: [u8; 4] = [128, 128, 128, 255];

/// Level land a kilometre wide, seen from straight above, north up.
fn scene() -> (Headless, Entity) {
    let mut headless = stage(64, 64);
    sun(&mut headless, Vec3::new(0.1, 1.0, 0.1));
    let target = headless.target();
    let view = TerrainView { shading: Shading::Simple, detail: 0.0, ..default() };
    let pose = Transform::from_xyz(0.0, 900.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
    camera(&mut headless, target, view, pose);
    let field = Heightfield::from_fn(Grid::new(65, 65, 16.0).unwrap(), |column, _| column as f32);
    let terrain = headless.app_mut().world_mut().spawn(Terrain::ready(plain(field, GREY))).id();
    headless.settle(TIME_LIMIT).unwrap();
    (headless, terrain)
}

fn skin(types: Vec<TerrainType>, resolution: u32) -> TerrainSkin {
    let texture = Texture { types, resolution, occlusion: 0.0, ..Texture::default() };
    TerrainSkin { skin: Skin::Custom(texture), seed: 0 }
}

/// Red in the west, blue in the east.
fn halves(resolution: u32) -> TerrainSkin {
    let west =
        TerrainType { elevation: Limits::new(-1.0, 32.0, 0.0), ..TerrainType::new("red", [0.9, 0.0, 0.0]) };
    let east =
        TerrainType { elevation: Limits::new(32.0, 99.0, 0.0), ..TerrainType::new("blue", [0.0, 0.0, 0.9]) };
    skin(vec![west, east], resolution)
}

fn wear(headless: &mut Headless, terrain: Entity, skin: TerrainSkin) -> RgbaImage {
    headless.app_mut().world_mut().entity_mut(terrain).insert(skin);
    headless.capture(TIME_LIMIT).unwrap()
}

/// Red less blue, on average over some columns of the middle rows.
fn redness(picture: &RgbaImage, columns: std::ops::Range<u32>) -> f32 {
    let count = (columns.len() * 40) as f32;
    let pixels = columns.flat_map(|column| (12..52).map(move |row| (column, row)));
    let difference = pixels.map(|(column, row)| {
        let pixel = picture.get_pixel(column, row);
        f32::from(pixel[0]) - f32::from(pixel[2])
    });
    difference.sum::<f32>() / count
}

#[test]
fn land_that_wears_something_else_keeps_its_heights() {
    let (mut headless, terrain) = scene();
    let landscape =
        |headless: &Headless| headless.app().world().get::<TerrainGround>(terrain).unwrap().landscape.clone();
    let before = landscape(&headless);
    assert!(redness(&headless.capture(TIME_LIMIT).unwrap(), 12..52).abs() < 2.0);

    for resolution in [1024, 700] {
        let picture = wear(&mut headless, terrain, halves(resolution));
        assert!(redness(&picture, 14..30) > 40.0, "{resolution}");
        assert!(redness(&picture, 34..50) < -40.0, "{resolution}");
        assert!(Arc::ptr_eq(&before, &landscape(&headless)));
        let plain = wear(&mut headless, terrain, skin(vec![TerrainType::new("blue", [0.0, 0.0, 0.9])], 512));
        assert!(redness(&plain, 14..50) < -40.0, "{resolution}");
    }
}

#[test]
fn painting_gives_the_picture_that_building_gives() {
    let (mut headless, terrain) = scene();
    let repainted = wear(&mut headless, terrain, halves(1024));
    let before = headless.app().world().get::<TerrainGround>(terrain).unwrap().landscape.clone();
    let field = before.heightfield.clone();
    let Skin::Custom(texture) = halves(1024).skin else { unreachable!() };
    let built = Terrain::build(move |work| {
        let colour = upland::texture::bake(&field, &texture, 0, work)?.colour;
        Ok(upland::Landscape { colour, ..(*plain(field.clone(), GREY)).clone() })
    });
    headless.app_mut().world_mut().entity_mut(terrain).remove::<TerrainSkin>().insert(built);
    assert!(repainted == headless.capture(TIME_LIMIT).unwrap());
}

#[test]
fn the_last_of_several_skins_wins() {
    let (mut headless, terrain) = scene();
    for _ in 0..3 {
        headless.app_mut().world_mut().entity_mut(terrain).insert(halves(2048));
        headless.update();
    }
    let blue = skin(vec![TerrainType::new("blue", [0.0, 0.0, 0.9])], 1024);
    assert!(redness(&wear(&mut headless, terrain, blue), 14..50) < -40.0);
}

#[test]
fn a_skin_that_cannot_be_worn_leaves_the_last_good_one_on() {
    let (mut headless, terrain) = scene();
    let good = wear(&mut headless, terrain, halves(1024));
    let missing = TerrainType {
        tile: Some(Tiling::new("no-such-picture.png")),
        ..TerrainType::new("red", [0.9, 0.0, 0.0])
    };
    let after = wear(&mut headless, terrain, skin(vec![missing], 1024));
    let status = headless.app().world().get::<TerrainStatus>(terrain).unwrap();
    assert!(
        matches!(status, TerrainStatus::Failed(reason) if reason.contains("no-such-picture.png")),
        "{status:?}"
    );
    assert!(good == after);
}

#[test]
fn land_that_gives_way_to_another_is_not_painted_any_more() {
    let (mut headless, terrain) = scene();
    let painted = Arc::new(AtomicUsize::new(0));
    let counted = painted.clone();
    headless
        .app_mut()
        .add_observer(move |_: On<TerrainRepainted>| _ = counted.fetch_add(1, Ordering::SeqCst));
    let old = headless.app().world().get::<TerrainGround>(terrain).unwrap().landscape.clone();

    // Land and skin change together; the land is there when the test says so.
    let is_open = Arc::new(AtomicBool::new(false));
    let opened = is_open.clone();
    let new = Terrain::build(move |work| {
        while !opened.load(Ordering::SeqCst) {
            work.check()?;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // It falls to the east.
        let field = Heightfield::from_fn(Grid::new(65, 65, 16.0).unwrap(), |column, _| 64.0 - column as f32);
        Ok((*plain(field, GREY)).clone())
    });
    headless.app_mut().world_mut().entity_mut(terrain).insert((new, halves(1024)));
    for _ in 0..3 {
        headless.update();
    }
    // One is the test's, one the ground's and one its tiles': no repaint has any.
    assert_eq!(Arc::strong_count(&old), 3, "the old land is painted");
    is_open.store(true, Ordering::SeqCst);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert!(redness(&picture, 14..30) < -40.0, "blue in the west");
    assert!(redness(&picture, 34..50) > 40.0, "red in the east");
    assert_eq!(painted.load(Ordering::SeqCst), 1);
}

#[test]
fn a_build_that_fails_leaves_the_old_land_painted_to_the_end() {
    let (mut headless, terrain) = scene();
    headless.app_mut().world_mut().entity_mut(terrain).insert(halves(2048));
    headless.update();
    let failing = Terrain::build(|_| Err(Error::parameter("gain", "5 is too much; at most 4")));
    headless.app_mut().world_mut().entity_mut(terrain).insert(failing);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert!(redness(&picture, 14..30) > 40.0 && redness(&picture, 34..50) < -40.0);
    let failed = TerrainStatus::Failed("gain: 5 is too much; at most 4".into());
    assert_eq!(headless.app().world().get(terrain), Some(&failed));
}
