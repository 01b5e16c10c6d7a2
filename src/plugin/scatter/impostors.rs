//! Impostors as textures: an array of atlases of views, with mip levels that keep views apart.

use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;

use crate::plants::{ALPHA_CUT, Impostor, Picture, direction_of_view};
use crate::plugin::device::{array_image, linear_from_srgb, srgb_from_linear};

/// Views along a side of an impostor, and texels along a side of a view. Twin of `VIEWS` in
/// `shaders/scatter_impostor.wgsl`.
pub(super) const VIEWS: usize = 8;
pub(super) const VIEW_TEXELS: usize = 64;

/// Levels: the smallest has views of 8² texels.
const LEVELS: u32 = 4;

/// An impostor's texels, all levels of one texture after the other.
#[derive(Clone, Debug)]
pub(super) struct ImpostorTexels {
    albedo: Vec<u8>,
    normal: Vec<u8>,
    /// The point in the middle of every view, metres from the foot, and half the width of a view.
    pub(super) middle: Vec3,
    pub(super) radius: f32,
    pub(super) seen: SeenFromAfar,
}

/// What is seen of an object from far away, in the mean of all views that look down a little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeenFromAfar {
    /// Linear colour.
    pub(super) colour: Vec3,
    /// Square metres of ground that it hides.
    pub(super) hides: f32,
}

/// The sines of the angles by which those views look down: about 8° to 35°, as hills are seen by a low flight.
const LOOKING_DOWN: std::ops::Range<f32> = 0.14..0.57;

impl SeenFromAfar {
    fn of(impostor: &Impostor) -> Self {
        let Impostor { views, texels, radius, albedo, .. } = impostor;
        let (mut colour, mut opaque, mut hides, mut count) = (Vec3::ZERO, 0.0, 0.0, 0.0);
        for (row, column) in (0..*views).flat_map(|row| (0..*views).map(move |column| (row, column))) {
            let down = direction_of_view(column, row, *views).y;
            if !LOOKING_DOWN.contains(&down) {
                continue;
            }
            let mut seen = 0.0;
            for line in 0..*texels {
                let first = (row * texels + line) * albedo.width + column * texels;
                for [red, green, blue, alpha] in &albedo.texels[first..first + texels] {
                    let alpha = f32::from(*alpha) / 255.0;
                    seen += alpha;
                    colour += alpha * Vec3::from([*red, *green, *blue].map(linear_from_srgb));
                }
            }
            opaque += seen;
            // Flat ground behind an object is longer than the object is high.
            hides += seen * (2.0 * radius / *texels as f32).powi(2) / down;
            count += 1.0;
        }
        Self { colour: colour / f32::max(opaque, 1e-6), hides: hides / f32::max(count, 1.0) }
    }
}

impl ImpostorTexels {
    pub(super) fn new(impostor: &Impostor) -> Self {
        Self {
            albedo: levels(&impostor.albedo, true),
            normal: levels(&impostor.normal, false),
            middle: impostor.middle,
            radius: impostor.radius,
            seen: SeenFromAfar::of(impostor),
        }
    }
}

/// The texels of all levels.
fn levels(picture: &Picture, is_srgb: bool) -> Vec<u8> {
    let mut bytes = picture.texels.as_flattened().to_vec();
    let mut level = picture.clone();
    let cover = coverage(&level, 1.0);
    for _ in 1..LEVELS {
        level = halved(&level, is_srgb);
        // Averaged opacities fall below the cut: without this, trees would become thinner from level to
        // level.
        let factor = kept_coverage(&level, cover);
        let scaled = |texel: &[u8; 4]| {
            let alpha = (f32::from(texel[3]) * factor).round().min(255.0) as u8;
            [texel[0], texel[1], texel[2], alpha]
        };
        bytes.extend(level.texels.iter().flat_map(scaled));
    }
    bytes
}

/// The picture at half the size: the mean of each four texels, by their opacity. A view's texels stay its
/// own.
fn halved(picture: &Picture, is_srgb: bool) -> Picture {
    let (width, height) = (picture.width / 2, picture.height / 2);
    let linear = |byte: u8| if is_srgb { linear_from_srgb(byte) } else { f32::from(byte) / 255.0 };
    let encoded = |share: f32| if is_srgb { srgb_from_linear(share) } else { (share * 255.0).round() as u8 };
    let texel = |index: usize| {
        let (column, row) = (index % width, index / width);
        let of = |dx: usize, dy: usize| picture.texels[(2 * row + dy) * picture.width + 2 * column + dx];
        let four = [of(0, 0), of(1, 0), of(0, 1), of(1, 1)];
        // The half keeps the mean of four transparent texels defined; their colour bleeds into the edge when
        // the sampler filters.
        let weights = four.map(|texel| f32::from(texel[3]) + 0.5);
        let all: f32 = weights.iter().sum();
        let mean = |channel: usize| {
            let sum: f32 =
                four.iter().zip(weights).map(|(texel, weight)| linear(texel[channel]) * weight).sum();
            encoded(sum / all)
        };
        let alpha = four.iter().map(|texel| u32::from(texel[3])).sum::<u32>().div_ceil(4) as u8;
        [mean(0), mean(1), mean(2), alpha]
    };
    Picture { width, height, texels: (0..width * height).map(texel).collect() }
}

/// The share of texels that are opaque enough to be drawn when opacities are multiplied by a factor.
fn coverage(picture: &Picture, factor: f32) -> f32 {
    let is_seen = |texel: &&[u8; 4]| f32::from(texel[3]) / 255.0 * factor >= ALPHA_CUT;
    picture.texels.iter().filter(is_seen).count() as f32 / picture.texels.len().max(1) as f32
}

/// The factor that gives opacities the coverage of the first level (Castaño, "Computing Alpha Mipmaps",
/// 2010).
fn kept_coverage(picture: &Picture, wanted: f32) -> f32 {
    // A bisection: coverage grows with the factor.
    let (mut low, mut high) = (0.25, 8.0);
    for _ in 0..12 {
        let middle: f32 = (low + high) / 2.0;
        if coverage(picture, middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Colours and normals of impostors, a layer for each.
pub(super) fn impostor_images(
    impostors: &[&ImpostorTexels],
    images: &mut Assets<Image>,
) -> [Handle<Image>; 2] {
    let side = VIEWS * VIEW_TEXELS;
    // Without anisotropy, which would read across the borders of views.
    let sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::ClampToEdge,
        address_mode_v: ImageAddressMode::ClampToEdge,
        mag_filter: ImageFilterMode::Linear,
        min_filter: ImageFilterMode::Linear,
        mipmap_filter: ImageFilterMode::Linear,
        ..default()
    });
    let mut image = |format: TextureFormat, bytes: Vec<u8>| {
        let mut image = array_image(side, side, impostors.len(), format, LEVELS, bytes);
        image.sampler = sampler.clone();
        images.add(image)
    };
    let of = |texels: fn(&ImpostorTexels) -> &[u8]| -> Vec<u8> {
        impostors.iter().flat_map(|impostor| texels(impostor).iter().copied()).collect()
    };
    [
        image(TextureFormat::Rgba8UnormSrgb, of(|impostor| &impostor.albedo)),
        image(TextureFormat::Rgba8Unorm, of(|impostor| &impostor.normal)),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An impostor of a ball of 4 m.
    pub(in crate::plugin::scatter) fn ball() -> Impostor {
        let (views, texels, radius) = (VIEWS, VIEW_TEXELS, 5.0);
        let side = views * texels;
        let texel = |index: usize| {
            // A disc of 4 m in the middle of every view.
            let at = |place: usize| ((place % texels) as f32 + 0.5) / texels as f32 * 2.0 * radius - radius;
            let (x, y) = (at(index % side), at(index / side));
            [188, 0, 0, if x * x + y * y < 16.0 { 255 } else { 0 }]
        };
        let albedo = Picture { width: side, height: side, texels: (0..side * side).map(texel).collect() };
        Impostor { views, texels, middle: Vec3::Y, radius, normal: albedo.clone(), albedo }
    }

    #[test]
    fn a_ball_hides_as_much_ground_as_its_shadow_from_the_eye() {
        let seen = SeenFromAfar::of(&ball());
        assert!(seen.colour.distance(Vec3::new(0.503, 0.0, 0.0)) < 0.01, "{}", seen.colour);
        // An area of 16 π hides the more ground the lower the eye is.
        let longer = seen.hides / (16.0 * std::f32::consts::PI);
        assert!((1.0 / LOOKING_DOWN.end..1.0 / LOOKING_DOWN.start).contains(&longer), "{longer}");
    }

    #[test]
    fn smaller_levels_cover_as_much_and_keep_their_colour() {
        let side = 64;
        let texel = |index: usize| {
            let (x, y) = (index % side, index / side);
            // Leaves that let some light through, without any order.
            let hash = (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77);
            let opacity = (hash ^ (hash >> 15)).wrapping_mul(0x2C1B_3C6D) >> 24;
            [40, 120, 30, opacity as u8]
        };
        let picture = Picture { width: side, height: side, texels: (0..side * side).map(texel).collect() };
        let bytes = levels(&picture, true);
        assert_eq!(bytes.len(), 4 * (64 * 64 + 32 * 32 + 16 * 16 + 8 * 8));
        let share = |from: usize, count: usize| {
            let texels = bytes[4 * from..4 * (from + count)].chunks(4);
            texels.filter(|texel| f32::from(texel[3]) / 255.0 >= ALPHA_CUT).count() as f32 / count as f32
        };
        let first = share(0, 64 * 64);
        assert!((share(64 * 64, 32 * 32) - first).abs() < 0.1);
        for texel in bytes.chunks(4) {
            for (channel, was) in [(0, 40), (1, 120), (2, 30)] {
                assert!(i32::from(texel[channel]).abs_diff(was) <= 2, "{texel:?}");
            }
        }
    }
}
