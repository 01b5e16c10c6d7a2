//! Tiling pictures as the shaders read them: a texture array with the colours of all tiles, and one with
//! their relief. A stack stays on the device as long as a terrain uses it, and terrains with the same tiles
//! share one, so that a rebuilt land doesn't decode them again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use bevy::image::{ImageAddressMode, ImageSampler};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use rayon::prelude::*;

use super::height::{heights_from_slopes, ranks};
use crate::files::Stamp;
use crate::math::luminance::luminance;
use crate::plugin::device::{
    DeviceLimits, Plane, array_image, linear_from_srgb, mip_levels, sampler, srgb_from_linear,
};
use crate::texture::{Tile, Tiling};
use crate::{Error, Result, Work};

/// Texels are clipped at this multiple of their tile's mean, or the mean would depend on a few of them.
const BRIGHTEST: f32 = 6.0;
/// The steepest rise per metre that a relief can store; twin of `STEEPEST` in `shaders/tile.wgsl`.
const STEEPEST: f32 = 2.0;
/// Openness to the sky of the deepest texels.
const DEEPEST_OPENNESS: f32 = 0.25;

/// The stacks in use by any terrain.
#[derive(Resource, Clone, Default)]
pub(crate) struct TileStacks(Arc<Mutex<Vec<Weak<TileStack>>>>);

impl TileStacks {
    /// The stack of these tilings, whatever their sizes in metres: a shared one, or a new one.
    ///
    /// # Errors
    /// As [`Tiling::read`], or when the work was cancelled.
    pub(crate) fn stack(
        &self,
        tilings: &[&Tiling],
        limits: DeviceLimits,
        work: &Work,
    ) -> Result<Arc<TileStack>> {
        let mut wanted: Vec<(TileKey, &Tiling)> =
            tilings.iter().map(|tiling| (TileKey::new(tiling), *tiling)).collect();
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        wanted.dedup_by(|a, b| a.0 == b.0);

        let worn: Vec<Arc<TileStack>> = self.lock().iter().filter_map(Weak::upgrade).collect();
        let is_wanted =
            |stack: &TileStack| stack.layers.iter().map(|l| &l.key).eq(wanted.iter().map(|w| &w.0));
        if let Some(stack) = worn.into_iter().find(|stack| is_wanted(stack)) {
            return Ok(stack);
        }
        let stack = Arc::new(TileStack::new(&wanted, limits, work)?);
        let mut stacks = self.lock();
        stacks.retain(|stack| stack.strong_count() > 0);
        stacks.push(Arc::downgrade(&stack));
        Ok(stack)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<TileStack>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A set of tiles, one texture layer each.
#[derive(Debug)]
pub(crate) struct TileStack {
    layers: Vec<TileLayer>,
    /// The arrays, until they are moved to the device.
    pixels: Mutex<Option<TileArrays<Image>>>,
    handles: OnceLock<TileArrays<Handle<Image>>>,
}

/// The two texture arrays of a stack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TileArrays<T> {
    /// Colours divided by [`TileLayer::brightest`]; height in alpha.
    pub(crate) ratios: T,
    /// Rise per metre along the picture's columns and rows, roughness, openness to the sky.
    pub(crate) reliefs: T,
}

/// A tile of a stack.
#[derive(Debug)]
pub(crate) struct TileLayer {
    key: TileKey,
    /// The sides of one repeat, as shares of its longer side.
    pub(crate) sides: Vec2,
    /// Repeats in the layer along each side: two if every other one is mirrored.
    pub(crate) repeats: f32,
    /// The mean colour, linear.
    pub(crate) mean: Vec3,
    /// The value of a texel of 1, as a multiple of the mean.
    pub(crate) brightest: f32,
    /// Slope of brightness over height: how much brighter the highest texel is than the lowest, as a
    /// multiple of the mean.
    pub(crate) brightening: f32,
}

impl TileStack {
    fn new(wanted: &[(TileKey, &Tiling)], limits: DeviceLimits, work: &Work) -> Result<Self> {
        let read = |(_, tiling): &(TileKey, &Tiling)| {
            work.check()?;
            tiling.read()
        };
        let tiles = wanted.par_iter().map(read).collect::<Result<Vec<Tile>>>()?;
        let longest = tiles.iter().map(|tile| tile.width.max(tile.depth)).max().unwrap_or(1);
        let side = longest.next_power_of_two().min(limits.tile_side as usize);
        let layers = wanted.par_iter().zip(tiles).map(|((key, tiling), tile)| {
            work.check()?;
            layer(key, tiling, &tile, side)
        });
        let layers = layers.collect::<Result<Vec<_>>>()?;
        let array = |format, bytes: Vec<u8>| {
            let mut image = array_image(side, side, layers.len(), format, mip_levels(side, side), bytes);
            image.sampler = match sampler(limits) {
                ImageSampler::Descriptor(descriptor) => {
                    ImageSampler::Descriptor(bevy::image::ImageSamplerDescriptor {
                        address_mode_u: ImageAddressMode::Repeat,
                        address_mode_v: ImageAddressMode::Repeat,
                        ..descriptor
                    })
                }
                other => other,
            };
            image
        };
        let bytes = |part: fn(&TileArrays<Vec<u8>>) -> &Vec<u8>| {
            layers.iter().flat_map(|(_, arrays)| part(arrays)).copied().collect()
        };
        let pixels = TileArrays {
            ratios: array(TextureFormat::Rgba8UnormSrgb, bytes(|arrays| &arrays.ratios)),
            reliefs: array(TextureFormat::Rgba8Unorm, bytes(|arrays| &arrays.reliefs)),
        };
        Ok(Self {
            layers: layers.into_iter().map(|(layer, _)| layer).collect(),
            pixels: Mutex::new(Some(pixels)),
            handles: OnceLock::new(),
        })
    }

    /// The layer of a tiling that the stack was made for.
    pub(crate) fn find(&self, tiling: &Tiling) -> Option<(usize, &TileLayer)> {
        let key = TileKey::new(tiling);
        self.layers.iter().enumerate().find(|(_, layer)| layer.key == key)
    }

    /// The arrays; the first call moves them to `images`.
    pub(crate) fn handles(&self, images: &mut Assets<Image>) -> TileArrays<Handle<Image>> {
        let handles = self.handles.get_or_init(|| {
            let pixels = self.pixels.lock().unwrap_or_else(PoisonError::into_inner).take();
            match pixels {
                Some(TileArrays { ratios, reliefs }) => {
                    TileArrays { ratios: images.add(ratios), reliefs: images.add(reliefs) }
                }
                None => TileArrays { ratios: default(), reliefs: default() },
            }
        });
        handles.clone()
    }
}

/// Identifies a layer. A file that has been written to becomes a different one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TileKey {
    name: PathBuf,
    mirror: bool,
    /// Stamps of the colour, normal and roughness files; `None` for built-in ones.
    written: [Option<Stamp>; 3],
}

impl TileKey {
    fn new(tiling: &Tiling) -> Self {
        let (name, mirror) = (tiling.image.text(), tiling.mirror);
        if Tile::built_in().contains(&name) {
            return Self { name: name.into(), mirror, written: [None; 3] };
        }
        let files = Tiling::files(&tiling.image);
        let written = [0, 1, 2].map(|part| files.get(part).and_then(|file| tiling.image.stamp(file)));
        Self { name: tiling.image.on_disk(), mirror, written }
    }
}

/// Converts a tile into a layer of `side²` texels with all mip levels.
fn layer(
    key: &TileKey,
    tiling: &Tiling,
    tile: &Tile,
    side: usize,
) -> Result<(TileLayer, TileArrays<Vec<u8>>)> {
    let count = tile.width * tile.depth;
    let has = |length: usize| length == 0 || length == count;
    if count == 0 || tile.colours.len() != count || !has(tile.normals.len()) || !has(tile.roughness.len()) {
        let reason =
            format!("do not match the {} colours of the tile {}", tile.colours.len(), tiling.image.text());
        return Err(Error::Size { width: tile.width, depth: tile.depth, reason });
    }
    let (ratios, mean) = ratios_to_mean(&square(tile, tiling.mirror, side, |index, _| {
        tile.colours[index].map(linear_from_srgb)
    }));
    let slopes = square(tile, tiling.mirror, side, |index, flip| match tile.normals.get(index) {
        Some(normal) => {
            let [x, z] = normal.map(|value| (f32::from(value) - 128.0) / 127.0);
            let up = (1.0 - x * x - z * z).max(0.01).sqrt();
            [x * flip.x, z * flip.y].map(|value| (-value / up).clamp(-STEEPEST, STEEPEST))
        }
        None => [0.0; 2],
    });
    let roughness = square(tile, tiling.mirror, side, |index, _| {
        [tile.roughness.get(index).map_or(1.0, |&value| f32::from(value) / 255.0)]
    });
    let heights = ranks(&if tile.normals.is_empty() {
        ratios.texels.iter().map(|&ratio| luminance(ratio.into())).collect()
    } else {
        heights_from_slopes(&slopes)
    });
    let openness = openness(&heights, side);
    let brightening = brightening(&ratios, &heights);

    let brightest = ratios.texels.iter().flatten().fold(1.0f32, |a, &b| a.max(b));
    let ratios = Plane::from_fn(side, side, |column, row| {
        let index = row * side + column;
        let [red, green, blue] = ratios.texels[index].map(|ratio| ratio / brightest);
        [red, green, blue, heights[index]]
    });
    let reliefs = Plane::from_fn(side, side, |column, row| {
        let index = row * side + column;
        let [x, z] = slopes.texels[index];
        [x, z, roughness.texels[index][0], openness[index]]
    });
    let byte = |share: f32| (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    // 128 stands for a level surface exactly, so 127 steps to either side.
    let slope = |rise: f32| (rise / STEEPEST * 127.0 + 128.5) as u8;
    let arrays = TileArrays {
        ratios: with_mips(ratios, |[red, green, blue, height]| {
            let [red, green, blue] = [red, green, blue].map(srgb_from_linear);
            [red, green, blue, byte(height)]
        }),
        reliefs: with_mips(reliefs, |[x, z, rough, open]| [slope(x), slope(z), byte(rough), byte(open)]),
    };
    let size = Vec2::new(tile.width as f32, tile.depth as f32);
    let layer = TileLayer {
        key: key.clone(),
        sides: size / size.max_element(),
        repeats: if tiling.mirror { 2.0 } else { 1.0 },
        mean,
        brightest,
        brightening,
    };
    Ok((layer, arrays))
}

/// A channel of a tile, resampled to `side²` texels. A mirrored tile has two repeats each way; `texel` is
/// told the direction of each axis.
fn square<const N: usize>(
    tile: &Tile,
    mirror: bool,
    side: usize,
    texel: impl Fn(usize, Vec2) -> [f32; N] + Sync,
) -> Plane<N> {
    let fold = |place: usize, length: usize| {
        if place < length { (place, 1.0) } else { (2 * length - 1 - place, -1.0) }
    };
    let times = if mirror { 2 } else { 1 };
    let plane = Plane::from_fn(tile.width * times, tile.depth * times, |column, row| {
        let ((column, x), (row, z)) = (fold(column, tile.width), fold(row, tile.depth));
        texel(row * tile.width + column, Vec2::new(x, z))
    });
    plane.wrapped_to(side)
}

/// Colours as multiples of their mean, and the mean. A channel that is 0 everywhere becomes constant.
fn ratios_to_mean(colours: &Plane<3>) -> (Plane<3>, Vec3) {
    let mean = colours.mean();
    let ratio = |texel: [f32; 3], mean: [f32; 3]| {
        [0, 1, 2].map(|k| if mean[k] > 1e-6 { (texel[k] / mean[k]).min(BRIGHTEST) } else { 1.0 })
    };
    let at = |plane: &Plane<3>, column: usize, row: usize| plane.texels[row * plane.width + column];
    let (width, depth) = (colours.width, colours.depth);
    let clipped = Plane::from_fn(width, depth, |column, row| ratio(at(colours, column, row), mean));
    // Clipping has lowered the mean; without a second division the tile would darken the ground.
    let clipped_mean = clipped.mean();
    let ratios = Plane::from_fn(width, depth, |column, row| ratio(at(&clipped, column, row), clipped_mean));
    (ratios, Vec3::from(mean))
}

/// The slope of the least-squares line of brightness over height.
fn brightening(ratios: &Plane<3>, heights: &[f32]) -> f32 {
    let (mut covariance, mut variance) = (0.0f64, 0.0f64);
    for (ratio, height) in ratios.texels.iter().zip(heights) {
        let above = f64::from(height - 0.5);
        covariance += above * f64::from(luminance((*ratio).into()) - 1.0);
        variance += above * above;
    }
    if variance > 0.0 { (covariance / variance) as f32 } else { 0.0 }
}

/// Openness of each texel to the sky, about half on average: texels below their surroundings are shaded.
fn openness(heights: &[f32], side: usize) -> Vec<f32> {
    let plane = Plane { width: side, depth: side, texels: heights.iter().map(|&height| [height]).collect() };
    // Four halvings give the mean over about sixteen texels around.
    let mut around = plane.halved();
    for _ in 0..3 {
        around = around.halved();
    }
    let around = around.wrapped_to(side);
    let above = heights.iter().zip(&around.texels).map(|(height, [around])| height - around);
    above.map(|above| (0.5 + above).clamp(DEEPEST_OPENNESS, 1.0 - DEEPEST_OPENNESS)).collect()
}

/// The texels of a plane and of all its mip levels.
fn with_mips<const N: usize>(mut plane: Plane<N>, encode: impl Fn([f32; N]) -> [u8; 4]) -> Vec<u8> {
    let levels = mip_levels(plane.width, plane.depth);
    let mut bytes = Vec::with_capacity(plane.texels.len() * 6);
    for level in 0..levels {
        if level > 0 {
            plane = plane.halved();
        }
        bytes.extend(plane.texels.iter().flat_map(|&texel| encode(texel)));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    const LIMITS: DeviceLimits =
        DeviceLimits { array_layers: 256, anisotropy: 1, tile_side: 64, tile_bytes: 1 << 20 };

    /// A tile of 40 × 20 texels, redder towards the east, which slopes down towards the east.
    fn ramp(path: &std::path::Path) -> Tiling {
        RgbImage::from_fn(40, 20, |x, _| Rgb([(x * 6) as u8, 90, 0])).save(path).unwrap();
        let normals = path.with_file_name("ramp_normal.png");
        RgbImage::from_pixel(40, 20, Rgb([180, 128, 245])).save(normals).unwrap();
        Tiling { size: 8.0, ..Tiling::new(path.to_string_lossy()) }
    }

    #[test]
    fn a_stack_is_made_once_while_it_is_worn_and_anew_when_a_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ramp.png");
        let tiling = ramp(&path);
        let larger = Tiling { size: 16.0, ..tiling.clone() };
        let (stacks, work) = (TileStacks::default(), Work::new());
        let first = stacks.stack(&[&tiling], LIMITS, &work).unwrap();
        let again = stacks.stack(&[&larger, &tiling], LIMITS, &work).unwrap();
        assert!(Arc::ptr_eq(&first, &again), "sizes and order don't matter");
        let mirrored = Tiling { mirror: true, ..tiling.clone() };
        assert!(!Arc::ptr_eq(&first, &stacks.stack(&[&mirrored], LIMITS, &work).unwrap()));
        RgbImage::from_pixel(30, 30, Rgb([9, 9, 9])).save(&path).unwrap();
        let error = stacks.stack(&[&tiling], LIMITS, &work).unwrap_err().to_string();
        assert!(error.contains("ramp_normal.png") && error.contains("30×30"), "{error}");
    }

    #[test]
    fn a_layer_averages_to_its_mean_and_slopes_as_its_normals_say() {
        let folder = tempfile::tempdir().unwrap();
        let tiling = ramp(&folder.path().join("ramp.png"));
        for mirror in [false, true] {
            let tiling = Tiling { mirror, ..tiling.clone() };
            let (layer, arrays) =
                layer(&TileKey::new(&tiling), &tiling, &tiling.read().unwrap(), 64).unwrap();
            assert_eq!(layer.sides, Vec2::new(1.0, 0.5));
            assert!(layer.mean.x > 0.1 && layer.mean.z == 0.0, "{}", layer.mean);
            // The last mip is the mean: a ratio of 1 in every channel.
            let [.., red, green, blue, _] = arrays.ratios[..] else { panic!() };
            for value in [red, green, blue] {
                let ratio = linear_from_srgb(value) * layer.brightest;
                assert!((ratio - 1.0).abs() < 0.02, "{ratio}, mirrored: {mirror}");
            }
            let slope = |column: usize| f32::from(arrays.reliefs[4 * column]) - 128.0;
            assert!(slope(16) < -15.0, "{}", slope(16));
            assert_eq!(slope(48) > 15.0, mirror, "{}", slope(48));
        }
    }
}
