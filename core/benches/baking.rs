//! How fast textures are baked, beside a yardstick of the same run.
//!
//! `cargo bench -p upland_core --bench baking -- --ratios` takes turns between the two, so that a
//! busy machine disturbs both alike, and prints the medians and their ratio. Without `--ratios`
//! criterion measures each alone. A word after it chooses the contests that contain it.
//!
//! The yardstick is the routine of "Generating Terrain Textures" as published, a texel at a time: a list of
//! terrain types is walked for each texel, with the trigonometry of their limits, a list of factors for each
//! type, a bilinear look into its picture, a list of the colours found, their mean by weight, and a dot
//! product for the light.

use std::collections::LinkedList;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use criterion::Criterion;
use glam::{Vec2, Vec3, vec2};
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::texture::{
    BakeOptions, Baker, Light, Limits, TerrainAnalysis, TerrainType, Texture, Tile, Tiling,
};
use upland_core::{Grid, Heightfield, Work};

/// Texels along each side.
const TEXELS: usize = 4096;
/// Samples along each side, and metres between them.
const SAMPLES: usize = 1025;
const CELL: f32 = 4.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    let wanted = |contest: &Contest| only.is_none_or(|only| contest.name.contains(only.as_str()));
    let scene = Scene::new();
    let contests = contests(&scene).into_iter().filter(wanted);
    if arguments.iter().any(|argument| argument == "--ratios") {
        contests.for_each(|contest| contest.print());
    } else {
        let mut criterion = Criterion::default().sample_size(10).configure_from_args();
        contests.for_each(|contest| contest.measure(&mut criterion));
        criterion.final_summary();
    }
    std::fs::remove_dir_all(folder()).expect("the folder of the pictures");
}

/// Where the pictures lie.
fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("upland-baking-{}", std::process::id()))
}

/// Two ways to do the same work, and the intended ratio of their times.
struct Contest<'a> {
    name: String,
    reach: &'static str,
    yardstick: Box<dyn FnMut() + 'a>,
    /// The yardstick does this share of the work; its time is divided by it.
    share: f64,
    ours: Box<dyn FnMut() + 'a>,
}

impl Contest<'_> {
    /// Takes turns, and prints the medians.
    fn print(mut self) {
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..9 {
            theirs.push(seconds(&mut self.yardstick) / self.share);
            ours.push(seconds(&mut self.ours));
        }
        let (theirs, ours) = (median(theirs), median(ours));
        let rate = |seconds: f64| (TEXELS * TEXELS) as f64 / seconds / 1e6;
        println!(
            "{:<44} yardstick {:7.2}, ours {:7.2} million texels a second: {:6.2} times as fast; reach {}",
            self.name,
            rate(theirs),
            rate(ours),
            theirs / ours,
            self.reach
        );
    }

    fn measure(mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        group.bench_function("yardstick", |bencher| bencher.iter(&mut self.yardstick));
        group.bench_function("ours", |bencher| bencher.iter(&mut self.ours));
        group.finish();
    }
}

fn seconds(work: &mut dyn FnMut()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// A land, two textures for it that differ in their noise, and the data of the yardstick.
struct Scene {
    field: Heightfield,
    plain: Texture,
    noisy: Texture,
    analysis: TerrainAnalysis,
    tiles: Vec<Tile>,
}

impl Scene {
    fn new() -> Self {
        let field = Heightfield::from_fn(Grid::new(SAMPLES, SAMPLES, CELL).expect("a size"), land);
        let folder = folder();
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut types = Vec::new();
        for (index, [elevation, slope]) in GROUNDS.iter().enumerate() {
            let path = folder.join(format!("{index}.png"));
            picture(index).save(&path).expect("a picture");
            types.push(TerrainType {
                colour: None,
                tile: Some(Tiling {
                    size: 20.0 + 30.0 * index as f32,
                    ..Tiling::new(path.to_string_lossy().into_owned())
                }),
                elevation: Limits::new(elevation[0], elevation[1], elevation[2]),
                slope: Limits::new(slope[0], slope[1], slope[2]),
                skew: 20.0 * index as f32,
                skew_bearing: 200.0,
                ..TerrainType::new(format!("type {index}"), [0.5; 3])
            });
        }
        let tiles = types.iter().flat_map(|kind| &kind.tile).map(|tile| tile.read().expect("a tile"));
        let tiles = tiles.collect();
        let light = Some(Light { shadows: false, ..Light::default() });
        let plain = Texture { types, resolution: TEXELS as u32, occlusion: 0.0, light, ..Texture::default() };
        let mut noisy = plain.clone();
        for kind in &mut noisy.types {
            (kind.variation, kind.roughen, kind.slope_roughen) = (0.4, 15.0, 5.0);
        }
        // The pictures are kept in memory from here on.
        let analysis = TerrainAnalysis::new(&field);
        let this = Self { field, plain, noisy, analysis, tiles };
        black_box(this.baker(&this.plain));
        this
    }

    fn baker<'a>(&'a self, texture: &Texture) -> Baker<'a> {
        let options = BakeOptions::default();
        Baker::new(&self.field, &self.analysis, texture, options, 1, &Work::new()).expect("a baker")
    }
}

/// Elevation and slope of each type: minimum, maximum, release.
const GROUNDS: [[[f32; 3]; 2]; 6] = [
    [[-1000.0, 60.0, 40.0], [0.0, 20.0, 10.0]],
    [[40.0, 240.0, 60.0], [0.0, 30.0, 10.0]],
    [[200.0, 400.0, 60.0], [0.0, 35.0, 10.0]],
    [[-1000.0, 1000.0, 0.0], [30.0, 60.0, 10.0]],
    [[350.0, 1000.0, 80.0], [0.0, 40.0, 10.0]],
    [[-1000.0, 1000.0, 0.0], [50.0, 90.0, 15.0]],
];

/// Hills of four sizes, from 0 to about 500 m.
fn land(column: usize, row: usize) -> f32 {
    let (x, z) = (column as f32 * CELL, row as f32 * CELL);
    let wave = |length: f32, turn: f32| libm::sinf(x / length + turn) * libm::cosf(z / length - turn);
    220.0
        + 180.0 * wave(500.0, 1.0)
        + 60.0 * wave(130.0, 2.0)
        + 20.0 * wave(40.0, 3.0)
        + 4.0 * wave(12.0, 4.0)
}

fn picture(index: usize) -> image::RgbImage {
    image::RgbImage::from_fn(512, 512, |x, y| {
        let bits = (x ^ (y << 9) ^ (index as u32) << 18).wrapping_mul(0x9E37_79B1);
        let bits = (bits ^ bits >> 15).wrapping_mul(0x2C1B_3C6D);
        image::Rgb([bits >> 24, bits >> 16, bits >> 8].map(|level| 80 + (level as u8) / 3))
    })
}

fn threads(count: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(count).build().expect("threads")
}

/// Bakes all texels, made ready each time, in a pool.
fn ours<'a>(scene: &'a Scene, texture: &'a Texture, pool: ThreadPool) -> Box<dyn FnMut() + 'a> {
    Box::new(move || {
        pool.install(|| {
            let baker = scene.baker(texture);
            drop(black_box(baker.paint(baker.whole(), &Work::new()).expect("texels")));
        });
    })
}

/// The same, reusing the memory of the previous run.
fn ours_again<'a>(scene: &'a Scene, texture: &'a Texture, pool: ThreadPool) -> Box<dyn FnMut() + 'a> {
    let baker = scene.baker(texture);
    let mut painted = Some(baker.paint(baker.whole(), &Work::new()).expect("texels"));
    Box::new(move || {
        pool.install(|| {
            let baker = scene.baker(texture);
            let before = painted.take().expect("what was painted before");
            painted =
                Some(black_box(baker.paint_again(baker.whole(), before, &Work::new()).expect("texels")));
        });
    })
}

fn contests(scene: &Scene) -> Vec<Contest<'_>> {
    let mut contests = Vec::new();
    for (name, texture) in [("no noise", &scene.plain), ("noise", &scene.noisy)] {
        contests.push(Contest {
            name: format!("6 pictures, lit, {name}; article, 1 thread"),
            reach: "20 times",
            yardstick: Box::new(|| drop(black_box(Article::new(scene).every(EVERY)))),
            share: 1.0 / EVERY as f64,
            ours: ours(scene, texture, threads(1)),
        });
        contests.push(Contest {
            name: format!("6 pictures, lit, {name}; article, 1, memory there"),
            reach: "20 times",
            yardstick: Box::new(|| drop(black_box(Article::new(scene).every(EVERY)))),
            share: 1.0 / EVERY as f64,
            ours: ours_again(scene, texture, threads(1)),
        });
        let all = threads(0);
        contests.push(Contest {
            name: format!("6 pictures, lit, {name}; {} threads, 1", all.current_num_threads()),
            reach: "0.85 times the cores",
            yardstick: ours(scene, texture, threads(1)),
            share: 1.0,
            ours: ours(scene, texture, all),
        });
    }
    contests
}

/// The yardstick paints every 16th row.
const EVERY: usize = 16;

/// The article's routine.
struct Article<'a> {
    field: &'a Heightfield,
    types: LinkedList<ArticleType<'a>>,
    sun: Vec3,
    light: Light,
}

struct ArticleType<'a> {
    picture: &'a Tile,
    size: f32,
    factors: LinkedList<Box<dyn Fn(&Place) -> f32>>,
}

/// What factors look at.
struct Place {
    height: f32,
    normal: Vec3,
}

/// A colour that was found at a texel, and its weight.
struct Found {
    weight: f32,
    colour: Vec3,
}

fn fade(excess: f32, release: f32) -> f32 {
    if excess <= 0.0 {
        1.0
    } else if excess >= release {
        0.0
    } else {
        1.0 - excess / release
    }
}

impl<'a> Article<'a> {
    fn new(scene: &'a Scene) -> Self {
        let kinds = scene.plain.types.iter().zip(&scene.tiles).map(|(kind, picture)| {
            let (elevation, slope) = (kind.elevation, kind.slope);
            let (skew, bearing) = (kind.skew, kind.skew_bearing);
            let by_elevation = move |place: &Place| {
                let level = vec2(place.normal.x, place.normal.z);
                let mut shift = 0.0;
                if level.length_squared() > 1e-5 {
                    let towards = vec2(bearing.to_radians().sin(), -bearing.to_radians().cos());
                    shift = skew * level.dot(towards) / level.length();
                }
                let (low, high) = (elevation.min + shift, elevation.max + shift);
                fade((low - place.height).max(place.height - high), elevation.release)
            };
            let by_slope = move |place: &Place| {
                let degrees = place.normal.y.acos().to_degrees();
                fade((slope.min - degrees).max(degrees - slope.max), slope.release)
            };
            let factors: [Box<dyn Fn(&Place) -> f32>; 2] = [Box::new(by_elevation), Box::new(by_slope)];
            let size = kind.tile.as_ref().map_or(1.0, |tile| tile.size);
            ArticleType { picture, size, factors: factors.into_iter().collect() }
        });
        let light = scene.plain.light.unwrap_or_default();
        Self { field: &scene.field, types: kinds.collect(), sun: light.direction(), light }
    }

    /// Paints one of every `rows` rows.
    fn every(&self, rows: usize) -> Vec<[u8; 3]> {
        let extent = self.field.grid().extent();
        let mut texels = Vec::with_capacity(TEXELS * TEXELS / rows);
        for row in (0..TEXELS).step_by(rows) {
            for column in 0..TEXELS {
                let share = vec2(column as f32 + 0.5, row as f32 + 0.5) / TEXELS as f32;
                texels.push(self.texel(share * extent));
            }
        }
        texels
    }

    fn texel(&self, p_in_metres: Vec2) -> [u8; 3] {
        let place = Place { height: self.field.sample(p_in_metres), normal: self.field.normal(p_in_metres) };
        let mut found: LinkedList<Found> = LinkedList::new();
        let mut total = 0.0;
        for kind in &self.types {
            let mut weight = 1.0;
            for factor in &kind.factors {
                weight *= factor(&place);
                if weight <= 0.0 {
                    break;
                }
            }
            if weight > 0.0 {
                found.push_front(Found { weight, colour: look(kind.picture, p_in_metres / kind.size) });
                total += weight;
            }
        }
        let colour: Vec3 = found.iter().map(|found| found.colour * (found.weight / total)).sum();
        let bright = place.normal.dot(self.sun).max(0.0) * self.light.strength + self.light.ambient;
        (colour * bright).to_array().map(|channel| (channel * 255.0) as u8)
    }
}

/// A picture's colour between its four nearest texels; places count in repeats.
fn look(picture: &Tile, place: Vec2) -> Vec3 {
    let size = vec2(picture.width as f32, picture.depth as f32);
    let p = (place - place.floor()) * size - 0.5;
    let (first, share) = (p.floor(), p - p.floor());
    let at = |x: f32, z: f32| {
        let column = x.rem_euclid(size.x) as usize % picture.width;
        let row = z.rem_euclid(size.y) as usize % picture.depth;
        Vec3::from(picture.colours[row * picture.width + column].map(|level| f32::from(level) / 255.0))
    };
    let north = at(first.x, first.y).lerp(at(first.x + 1.0, first.y), share.x);
    let south = at(first.x, first.y + 1.0).lerp(at(first.x + 1.0, first.y + 1.0), share.x);
    north.lerp(south, share.y)
}
