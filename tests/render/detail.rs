//! What the tiles of terrain types add to pictures near the eye. These tests need a Vulkan device, a
//! software one will do.
use std::path::PathBuf;
use std::sync::Arc;

use crate::scene::*;
use bevy::prelude::*;
use image::{Rgb, RgbImage, RgbaImage};
use upland::plugin::{Headless, Shading, Terrain, TerrainStatus, TerrainView};
use upland::texture::{ColourMap, CoverType, GroundCover, Tiling, WeightMap};
use upland::{Grid, Heightfield, Landscape};

const GREY: [u8; 4] = [128, 128, 128, 255];
const OFF: TerrainView = TerrainView {
    quad_pixels: 6.0,
    shading: Shading::Simple,
    detail: 0.0,
    detail_range: 600.0,
    ..TerrainView::DEFAULT
};
const ON: TerrainView = TerrainView { detail: 1.0, ..OFF };

/// Writes a tile of 64² texels and, if there are any, its normals; hands back its path.
fn tile(name: &str, colour: impl Fn(u32, u32) -> [u8; 3], normal: Option<[u8; 3]>) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("detail_{name}.png"));
    RgbImage::from_fn(64, 64, |x, y| Rgb(colour(x, y))).save(&path).unwrap();
    if let Some(normal) = normal {
        let path = folder.join(format!("detail_{name}_normal.png"));
        RgbImage::from_pixel(64, 64, Rgb(normal)).save(path).unwrap();
    }
    path.to_string_lossy().into_owned()
}

/// Light and dark without any order, four texels to a speck.
fn speckles(name: &str) -> String {
    let value = |x: u32, y: u32| {
        let hash = (x / 2).wrapping_mul(0x9E37_79B1) ^ (y / 2).wrapping_mul(0x85EB_CA77);
        let hash = (hash ^ (hash >> 15)).wrapping_mul(0x2C1B_3C6D);
        60 + ((hash ^ (hash >> 12)) % 150) as u8
    };
    tile(name, |x, y| [value(x, y); 3], None)
}

fn type_of(image: &str, size: f32, colour: Option<[f32; 3]>) -> CoverType {
    let tiling = Tiling { size, ..Tiling::new(image) };
    CoverType { name: "ground".into(), colour, tiling: Some(tiling) }
}

/// A land in one baked colour, all over which the types have the same shares.
fn covered(heightfield: Heightfield, baked: [u8; 4], types: Vec<CoverType>, shares: &[u8]) -> Arc<Landscape> {
    let weights = WeightMap { width: 1, depth: 1, types: types.len(), shares: shares.to_vec(), ..default() };
    Arc::new(Landscape {
        cover: Some(GroundCover { types, weights }),
        ..Landscape::new(heightfield, ColourMap { width: 1, depth: 1, texels: vec![baked] })
    })
}

fn level() -> Heightfield {
    Heightfield::flat(Grid::new(129, 129, 20.0).unwrap(), 0.0)
}

/// Rises steeply, at 75°, the way `way` points (east, south): its wall faces the other way.
fn wall(way: Vec2) -> Heightfield {
    let grid = Grid::new(65, 65, 4.0).unwrap();
    Heightfield::from_fn(grid, |column, row| {
        let p = Vec2::new(column as f32, row as f32) * grid.cell - grid.extent() / 2.0;
        p.dot(way) * 75f32.to_radians().tan()
    })
}

fn looking(from: Vec3, at: Vec3) -> Transform {
    let up = if (at - from).normalize().y.abs() > 0.99 { Vec3::NEG_Z } else { Vec3::Y };
    Transform::from_translation(from).looking_at(at, up)
}

/// Draws one landscape from several places in several ways.
struct Studio {
    headless: Headless,
    camera: Entity,
}

impl Studio {
    fn new(size: u32, landscape: &Arc<Landscape>, sun_from: Vec3) -> Self {
        let mut headless = stage(size, size);
        spawn(&mut headless, landscape);
        sun(&mut headless, sun_from);
        let target = headless.target();
        let camera = camera(&mut headless, target, OFF, Transform::default());
        Self { headless, camera }
    }

    fn draw(&mut self, view: TerrainView, pose: Transform) -> RgbaImage {
        self.headless.app_mut().world_mut().entity_mut(self.camera).insert((view, pose));
        self.headless.capture(TIME_LIMIT).unwrap()
    }
}

/// How much neighbouring pixels differ on average, along x and along y.
fn roughness(picture: &RgbaImage) -> Vec2 {
    let (width, height) = picture.dimensions();
    let at = |x, y| brightness(picture.get_pixel(x, y));
    let mut sum = Vec2::ZERO;
    for (x, y) in (0..height - 1).flat_map(|y| (0..width - 1).map(move |x| (x, y))) {
        sum += Vec2::new((at(x + 1, y) - at(x, y)).abs(), (at(x, y + 1) - at(x, y)).abs());
    }
    sum / ((width - 1) * (height - 1)) as f32
}

/// The mean of each channel, in sRGB's own values.
fn mean(picture: &RgbaImage) -> Vec3 {
    let channels =
        |pixel: &image::Rgba<u8>| Vec3::new(pixel.0[0].into(), pixel.0[1].into(), pixel.0[2].into());
    picture.pixels().map(channels).sum::<Vec3>() / picture.pixels().len() as f32
}

fn differing_pixels(a: &RgbaImage, b: &RgbaImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

#[test]
fn tiles_roughen_near_ground_and_keep_its_mean_colour() {
    let brown = [140, 110, 80, 255];
    let land = covered(level(), brown, vec![type_of(&speckles("near"), 4.0, None)], &[255]);
    let mut studio = Studio::new(128, &land, Vec3::new(-0.5, 1.0, 0.3));
    let near = looking(Vec3::new(3.0, 12.0, 5.0), Vec3::new(20.0, 0.0, 30.0));
    // Where tiles of true size have faded.
    let enlarged = looking(Vec3::new(3.0, 300.0, 5.0), Vec3::new(80.0, 0.0, 120.0));
    for (shading, pose) in [Shading::Simple, Shading::Full]
        .into_iter()
        .flat_map(|shading| [(shading, near), (shading, enlarged)])
    {
        let off = studio.draw(TerrainView { shading, ..OFF }, pose);
        let on = studio.draw(TerrainView { shading, ..ON }, pose);
        let (smooth, rough) = (roughness(&off).length(), roughness(&on).length());
        assert!(rough > 5.0 * smooth + 3.0, "{shading:?}, {}: from {smooth} to {rough}", pose.translation);
        // sRGB's values are not light: an uneven patch of the same light has slightly lower ones.
        let moved = (mean(&on) - mean(&off)).abs().max_element();
        assert!(moved < 7.0, "{shading:?}: {} was {}", mean(&on), mean(&off));
    }
}

#[test]
fn ground_at_a_hands_breadth_is_no_blur() {
    let brown = [140, 110, 80, 255];
    let land = covered(level(), brown, vec![type_of(&speckles("close"), 4.0, None)], &[255]);
    let mut studio = Studio::new(128, &land, Vec3::new(-0.5, 1.0, 0.3));
    // A texel of the tile is about ten pixels wide, and a speck twice that.
    let pose = looking(Vec3::new(3.0, 1.0, 5.0), Vec3::new(3.0, 0.0, 5.1));
    let full = TerrainView { shading: Shading::Full, ..ON };
    let (close, off) = (studio.draw(full, pose), studio.draw(TerrainView { detail: 0.0, ..full }, pose));
    let rough = roughness(&close).length();
    assert!(rough > 10.0, "{rough}: 3.7 without smaller tiles on top");
    let moved = (mean(&close) - mean(&off)).abs().max_element();
    assert!(moved < 10.0, "{} was {}", mean(&close), mean(&off));
}

#[test]
fn far_ground_is_as_it_was_baked_and_no_ring_shows_where_tiles_end() {
    let land = covered(level(), GREY, vec![type_of(&speckles("far"), 4.0, None)], &[255]);
    let mut studio = Studio::new(128, &land, Vec3::new(-0.5, 1.0, 0.3));
    let above = |height: f32| looking(Vec3::new(0.0, height, 0.0), Vec3::ZERO);
    let no_tiles = TerrainView { detail_range: 0.0, ..ON };
    let far = above(8000.0);
    assert_eq!(differing_pixels(&studio.draw(no_tiles, far), &studio.draw(ON, far)), 0, "beyond the range");
    let short = TerrainView { detail_range: 50.0, ..ON };
    // The enlarged ones reach 12.7 times as far.
    assert_eq!(differing_pixels(&studio.draw(no_tiles, above(640.0)), &studio.draw(short, above(640.0))), 0);
    for height in [30.0, 60.0, 500.0] {
        let pose = above(height);
        assert_ne!(
            differing_pixels(&studio.draw(no_tiles, pose), &studio.draw(short, pose)),
            0,
            "{height} m"
        );
    }

    // Rows of ground from 12 m to some 900 m away. A row of enlarged tiles has few specks, so several are
    // taken together.
    let places = [-600.0, -300.0, 0.0, 300.0, 600.0].map(|east| Vec3::new(east, 12.0, 0.0));
    let poses = places.map(|eye| looking(eye, eye + Vec3::new(0.0, -6.0, -20.0)));
    let off = poses.map(|pose| studio.draw(OFF, pose));
    let on = poses.map(|pose| studio.draw(ON, pose));
    let rows = |pictures: &[RgbaImage], y: u32| {
        let pixels =
            pictures.iter().flat_map(|picture| (0..256).map(|at| picture.get_pixel(at % 128, y + at / 128)));
        pixels.map(brightness).sum::<f32>() / (256 * pictures.len()) as f32
    };
    for y in (30..126).filter(|&y| off[2].get_pixel(64, y).0 != MAGENTA) {
        let (off, on) = (rows(&off, y), rows(&on, y));
        assert!((on - off).abs() < 12.0, "row {y}: {on} was {off}");
    }
}

/// The share of pixels that are as bright as the one beside them.
fn evenness(picture: &RgbaImage) -> f32 {
    let (width, height) = picture.dimensions();
    let pairs = (0..height).flat_map(|y| (0..width - 1).map(move |x| (x, y)));
    let even = pairs.filter(|&(x, y)| picture.get_pixel(x, y) == picture.get_pixel(x + 1, y)).count();
    even as f32 / (height * (width - 1)) as f32
}

#[test]
fn the_far_corner_of_a_land_of_2000_km_is_as_sharp_as_a_small_land() {
    let sun_from = Vec3::new(-0.5, 1.0, 0.3);
    // A pixel covers a centimetre.
    let pose = looking(Vec3::new(-3.3, 1.5, -2.7), Vec3::new(-3.3, 0.0, -2.7));
    let [small, large] = [20.0, 15_625.0].map(|cell| {
        let field = Heightfield::flat(Grid::new(129, 129, cell).unwrap(), 0.0);
        let corner = field.grid().extent() / 2.0;
        let land = covered(field, GREY, vec![type_of(&speckles("corner"), 0.6, None)], &[255]);
        let mut studio = Studio::new(128, &land, sun_from);
        // The south-east corner of each lies at the world's origin, where Bevy itself is precise.
        let world = studio.headless.app_mut().world_mut();
        let terrain = world.query_filtered::<Entity, With<Terrain>>().single(world).unwrap();
        world.entity_mut(terrain).insert(Transform::from_xyz(-corner.x, 0.0, -corner.y));
        studio.draw(ON, pose)
    });
    let (wanted, found) = (evenness(&small), evenness(&large));
    assert!(wanted < 0.3, "{wanted} of the small land");
    assert!(found < wanted + 0.1, "{found} of the large land, {wanted} of the small one");
    let (wanted, found) = (roughness(&small).length(), roughness(&large).length());
    assert!((0.8..1.25).contains(&(found / wanted)), "{found}, {wanted}");
}

#[test]
fn without_detail_a_tiled_land_looks_like_an_untiled_one() {
    let tiled = covered(level(), GREY, vec![type_of(&speckles("none"), 4.0, None)], &[255]);
    let pose = looking(Vec3::new(0.0, 5.0, 0.0), Vec3::new(0.0, 0.0, -9.0));
    let sun = Vec3::new(-0.5, 1.0, 0.3);
    let without = Studio::new(64, &plain(level(), GREY), sun).draw(OFF, pose);
    assert_eq!(differing_pixels(&Studio::new(64, &tiled, sun).draw(OFF, pose), &without), 0);
}

#[test]
fn a_cliff_wears_its_tile_upright_and_unstretched() {
    let stripes = tile("stripes", |_, y| [if y / 4 % 2 == 0 { 70 } else { 190 }; 3], None);
    for (way, eye) in
        [(Vec2::X, Vec3::NEG_X), (Vec2::NEG_X, Vec3::X), (Vec2::Y, Vec3::NEG_Z), (Vec2::NEG_Y, Vec3::Z)]
    {
        let sun_from = eye + Vec3::Y;
        let pose = looking(eye * 14.0, Vec3::ZERO);
        for shading in [Shading::Simple, Shading::Full] {
            let view = TerrainView { shading, ..ON };
            let specks = covered(wall(way), GREY, vec![type_of(&speckles("cliff"), 4.0, None)], &[255]);
            let rough = roughness(&Studio::new(128, &specks, sun_from).draw(view, pose));
            // The wall leans back by 15°, which the eye sees as 3 % of its height.
            let stretch = rough.x / rough.y;
            assert!((0.75..1.35).contains(&stretch), "{shading:?}, rising {way}: {stretch}, {rough}");

            let strata = covered(wall(way), GREY, vec![type_of(&stripes, 4.0, None)], &[255]);
            let rough = roughness(&Studio::new(128, &strata, sun_from).draw(view, pose));
            assert!(rough.y > 3.0 * rough.x, "{shading:?}, rising {way}: strata are level: {rough}");
        }
    }
}

#[test]
fn the_relief_of_a_tile_faces_where_its_normals_say() {
    // Every texel faces west on the ground; north on the ground is up on a wall.
    let (west, north) = ([65, 128, 238], [128, 65, 238]);
    let even = |_, _| [128; 3];
    let (west, north) = (tile("west", even, Some(west)), tile("north", even, Some(north)));
    let light = |field: Heightfield, image: &str, sun_from: Vec3, eye: Vec3| {
        let land = covered(field, GREY, vec![type_of(image, 4.0, None)], &[255]);
        let mut studio = Studio::new(32, &land, sun_from);
        let pose = looking(eye * 20.0, Vec3::ZERO);
        mean(&studio.draw(ON, pose)).x - mean(&studio.draw(OFF, pose)).x
    };
    for (image, towards) in [(&west, Vec3::NEG_X), (&north, Vec3::NEG_Z)] {
        let facing = light(level(), image, Vec3::Y + towards, Vec3::Y);
        let averted = light(level(), image, Vec3::Y - towards, Vec3::Y);
        assert!(facing > 10.0 && averted < -10.0, "ground towards {towards}: {facing}, {averted}");
    }
    for (way, eye) in
        [(Vec2::X, Vec3::NEG_X), (Vec2::NEG_X, Vec3::X), (Vec2::Y, Vec3::NEG_Z), (Vec2::NEG_Y, Vec3::Z)]
    {
        let from_above = light(wall(way), &north, eye + Vec3::Y, eye);
        assert!(from_above > 5.0, "a wall rising {way} that faces up is lit more from above: {from_above}");
        let from_below = light(wall(way), &north, eye - Vec3::Y * 0.5, eye);
        assert!(from_below < -5.0, "and less from below: {from_below}");
    }
}

#[test]
fn where_two_kinds_of_ground_meet_each_keeps_its_colour() {
    let image = speckles("mix");
    let (red, blue) =
        (type_of(&image, 4.0, Some([0.5, 0.2, 0.2])), type_of(&image, 2.7, Some([0.2, 0.2, 0.5])));
    // Half of each light, as the baker mixes them.
    let purple = [96, 51, 96, 255];
    let land = covered(level(), purple, vec![red, blue], &[128, 127]);
    let mut studio = Studio::new(128, &land, Vec3::new(-0.5, 1.0, 0.3));
    let pose = looking(Vec3::new(3.0, 8.0, 5.0), Vec3::new(3.1, 0.0, 5.0));
    for shading in [Shading::Simple, Shading::Full] {
        let off = studio.draw(TerrainView { shading, ..OFF }, pose);
        let on = studio.draw(TerrainView { shading, ..ON }, pose);
        let share = |is: fn([f32; 3]) -> bool| {
            on.pixels().filter(|pixel| is([0, 1, 2].map(|k| f32::from(pixel.0[k])))).count() as f32 / 16384.0
        };
        let (reds, blues) = (share(|[r, _, b]| r > 1.5 * b), share(|[r, _, b]| b > 1.5 * r));
        assert!(reds > 0.25 && blues > 0.25, "{shading:?}: red {reds}, blue {blues}");
        assert!((reds - blues).abs() < 0.2, "{shading:?}: red {reds}, blue {blues}");
        let linear = |picture: &RgbaImage| {
            let light = |value: u8| (f32::from(value) / 255.0).powf(2.2);
            let sum: Vec3 =
                picture.pixels().map(|p| Vec3::new(light(p.0[0]), light(p.0[1]), light(p.0[2]))).sum();
            sum / picture.pixels().len() as f32
        };
        let ratio = linear(&on) / linear(&off);
        assert!(
            ratio.min_element() > 0.8 && ratio.max_element() < 1.25,
            "{shading:?}: the mean light {ratio}"
        );
    }
}

#[test]
fn no_repetition_shows() {
    let land = covered(level(), GREY, vec![type_of(&speckles("repeat"), 4.0, None)], &[255]);
    let mut studio = Studio::new(256, &land, Vec3::new(-0.1, 1.0, 0.1));
    // Repeats of tiles of true size and of enlarged ones.
    for (shading, repeat) in [Shading::Simple, Shading::Full].into_iter().flat_map(|s| [(s, 4.0), (s, 50.8)])
    {
        // They are 32 pixels.
        let height = repeat * 4.0 / (std::f32::consts::PI / 8.0).tan();
        let pose = looking(Vec3::new(7.0, height, 3.0), Vec3::new(7.0, 0.0, 3.0));
        let picture = studio.draw(TerrainView { shading, ..ON }, pose);
        let mean = mean(&picture).x;
        let at = |x: u32, y: u32| f32::from(picture.get_pixel(x, y).0[0]) - mean;
        // How alike the picture and its copy one repeat away are, 1 for the same.
        let likeness = |shift: UVec2| {
            let (mut own, mut both) = (0.0, 0.0);
            for (x, y) in (0..224).flat_map(|y| (0..224).map(move |x| (x, y))) {
                own += at(x, y) * at(x, y);
                both += at(x, y) * at(x + shift.x, y + shift.y);
            }
            both / own
        };
        for shift in [UVec2::new(32, 0), UVec2::new(0, 32), UVec2::new(32, 32)] {
            assert!(likeness(shift) < 0.5, "{shading:?}, {repeat} m, {shift}: {}", likeness(shift));
        }
    }
}

#[test]
fn a_broken_tile_is_told_and_the_land_that_is_there_stays() {
    let good = covered(level(), GREY, vec![type_of(&speckles("good"), 4.0, None)], &[255]);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("detail_broken.png");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\nand no more").unwrap();
    let broken = covered(level(), GREY, vec![type_of(&path.to_string_lossy(), 4.0, None)], &[255]);

    let mut headless = stage(64, 64);
    sun(&mut headless, Vec3::new(0.1, 1.0, 0.1));
    let target = headless.target();
    camera(&mut headless, target, ON, looking(Vec3::Y * 20.0, Vec3::ZERO));
    let terrain = spawn(&mut headless, &good);
    let before = headless.capture(TIME_LIMIT).unwrap();
    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::ready(broken));
    let after = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(differing_pixels(&before, &after), 0);
    let status = headless.app().world().get::<TerrainStatus>(terrain).unwrap();
    assert!(
        matches!(status, TerrainStatus::Failed(message) if message.contains("detail_broken.png")),
        "{status:?}"
    );
}
