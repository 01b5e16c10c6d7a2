//! A watchman looks around: which of his lines of sight are clear, and where ground hides the rest. It
//! queries a land without Bevy, as a server would, and draws the result into a picture.
//!
//! `cargo run --no-default-features --example sight -- line-of-sight.png`

use std::f64::consts::TAU;
use std::path::PathBuf;

use glam::{DVec2, DVec3, Vec2, Vec3};
use image::{Rgb, RgbImage};
use upland::stream::{Drawn, KnownGround, Residency};
use upland::{Heightfield, Preset, Recipe, Result, Work};

/// Pixels along a side of the picture, and metres along the side of the land that it shows.
const PIXELS: u32 = 900;
const METRES: f64 = 9000.0;

/// The directions in which he looks, how far, and how high his eye and his targets are above the ground,
/// metres.
const DIRECTIONS: u32 = 72;
const FAR: f64 = 4200.0;
const EYE: f64 = 30.0;
const TARGET: f64 = 2.0;

pub(crate) fn main() -> Result<()> {
    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("line-of-sight.png"), PathBuf::from);
    let recipe: Recipe = Preset::find("high-range").expect("a preset").recipe()?;
    let land = recipe.build(&Work::new())?;
    let field = &land.heightfield;
    // All of the land is known; there are no tiles.
    let no_tiles = Residency::without_tiles(field);
    let ground = KnownGround::new(&no_tiles).with_field(field, field.range());
    let on_ground = |place: DVec2, above: f64| {
        let height = ground.at(place.x, place.y).map_or(0.0, |ground| f64::from(ground.height));
        DVec3::new(place.x, height + above, place.y)
    };

    let middle = highest(field, field.grid().extent().as_dvec2() * DVec2::new(0.5, 0.55), 1500.0);
    let corner = middle - METRES / 2.0;
    let mut picture = Canvas::of(&land, corner);
    let eye = on_ground(middle, EYE);
    for direction in 0..DIRECTIONS {
        let towards = DVec2::from_angle(TAU * f64::from(direction) / f64::from(DIRECTIONS));
        for far in [0.25, 0.5, 0.75, 1.0].map(|share| share * FAR) {
            let target = on_ground(middle + towards * far, TARGET);
            // Sight is mutual.
            let hidden = ground.hidden_at(eye, target, Drawn::TRUE);
            assert_eq!(hidden.is_none(), ground.hidden_at(target, eye, Drawn::TRUE).is_none());
            if let Some(hidden) = hidden {
                picture.dot(target, 3.2, [214, 60, 48]);
                picture.dot(hidden, 1.6, [40, 20, 24]);
            } else {
                picture.line(eye, target, [255, 226, 110]);
                picture.dot(target, 3.2, [255, 226, 110]);
            }
        }
    }
    picture.dot(eye, 7.0, [255, 255, 255]);
    picture.pixels.save(&path).map_err(|error| upland::Error::file(&path, error.to_string()))
}

/// The highest place around another.
fn highest(field: &Heightfield, around: DVec2, radius: f64) -> DVec2 {
    let places = (0..40_000).map(|number| {
        let share = DVec2::new(f64::from(number % 200), f64::from(number / 200)) / 100.0 - 1.0;
        around + share * radius
    });
    let height = |place: &DVec2| field.sample_surface(place.as_vec2());
    places.max_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(around)
}

/// The picture, and where it lies.
struct Canvas {
    pixels: RgbImage,
    corner: DVec2,
}

impl Canvas {
    /// The land in its own colours, lit from the north-west.
    fn of(land: &upland::Landscape, corner: DVec2) -> Self {
        let light = Vec3::new(-0.5, 0.62, -0.5).normalize();
        let pixels = RgbImage::from_fn(PIXELS, PIXELS, |x, y| {
            let place = corner + DVec2::new(f64::from(x), f64::from(y)) * METRES / f64::from(PIXELS);
            let lit = 0.35 + 0.65 * land.heightfield.normal(place.as_vec2()).dot(light).max(0.0) / light.y;
            let share = place.as_vec2() / land.heightfield.grid().extent();
            let texel = share * Vec2::new(land.colour.width as f32, land.colour.depth as f32);
            let [column, row] = [(texel.x, land.colour.width), (texel.y, land.colour.depth)]
                .map(|(place, count)| (place.max(0.0) as usize).min(count - 1));
            let [red, green, blue, _] = land.colour.texels[row * land.colour.width + column];
            // Darker and greyer, so that lines stand out.
            let grey = (u32::from(red) + u32::from(green) + u32::from(blue)) as f32 / 3.0;
            Rgb([red, green, blue]
                .map(|part| ((0.5 * f32::from(part) + 0.5 * grey) * 0.72 * lit).min(255.0) as u8))
        });
        Self { pixels, corner }
    }

    fn in_pixels(&self, p: DVec3) -> Vec2 {
        ((DVec2::new(p.x, p.z) - self.corner) / METRES * f64::from(PIXELS)).as_vec2()
    }

    fn line(&mut self, from: DVec3, to: DVec3, colour: [u8; 3]) {
        let [from, to] = [from, to].map(|p| self.in_pixels(p));
        let steps = (from.distance(to) * 2.0).ceil().max(1.0);
        for step in 0..=steps as u32 {
            // Two steps a pixel with little strength each: where lines cross they become brighter.
            self.blend(from.lerp(to, step as f32 / steps), 0.8, colour, 0.3);
        }
    }

    fn dot(&mut self, p: DVec3, radius: f32, colour: [u8; 3]) {
        let p = self.in_pixels(p);
        self.blend(p, radius + 1.0, [24, 22, 26], 1.0);
        self.blend(p, radius, colour, 1.0);
    }

    fn blend(&mut self, middle: Vec2, radius: f32, colour: [u8; 3], strength: f32) {
        let reach = radius.ceil() as i32 + 1;
        for y in -reach..=reach {
            for x in -reach..=reach {
                let pixel = (middle + Vec2::new(x as f32, y as f32)).floor();
                let share = (radius + 0.5 - (pixel + 0.5).distance(middle)).clamp(0.0, 1.0) * strength;
                if pixel.min_element() < 0.0 {
                    continue;
                }
                if let Some(pixel) = self.pixels.get_pixel_mut_checked(pixel.x as u32, pixel.y as u32) {
                    for (part, colour) in pixel.0.iter_mut().zip(colour) {
                        *part = (f32::from(*part) * (1.0 - share) + f32::from(colour) * share) as u8;
                    }
                }
            }
        }
    }
}
