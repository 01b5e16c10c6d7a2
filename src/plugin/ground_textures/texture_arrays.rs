//! Tiling pictures as the shaders read them: a texture array with the colours of all tiles, and one with
//! their relief. An array stays on the device as long as a terrain uses it, and terrains with the same tiles
//! share one, so that a rebuilt land doesn't decode them again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use bevy::image::{ImageAddressMode, ImageSampler};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use rayon::prelude::*;

use crate::files::Stamp;
use crate::plugin::device::{DeviceLimits, array_image, mip_levels, sampler};
use crate::texture::{Tile, TileTexels, Tiling};
use crate::{Result, Work};

/// The arrays in use by any terrain.
///
/// Weak references, so that an array lives as long as a terrain uses it; behind a lock, because builds in the
/// background look for one.
#[derive(Resource, Clone, Default)]
pub(crate) struct TextureArrays(Arc<Mutex<Vec<Weak<TextureArray>>>>);

impl TextureArrays {
    /// The array of these tilings, whatever their sizes in metres: a shared one, or a new one.
    ///
    /// # Errors
    /// As [`Tiling::read`], or when the work was cancelled.
    pub(crate) fn array(
        &self,
        tilings: &[&Tiling],
        limits: DeviceLimits,
        work: &Work,
    ) -> Result<Arc<TextureArray>> {
        let mut wanted: Vec<(TileKey, &Tiling)> =
            tilings.iter().map(|tiling| (TileKey::new(tiling), *tiling)).collect();
        // Sorted, so that the same tiles in another order are the same array.
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        wanted.dedup_by(|a, b| a.0 == b.0);

        let known: Vec<Arc<TextureArray>> = self.lock().iter().filter_map(Weak::upgrade).collect();
        let is_wanted =
            |array: &TextureArray| array.layers.iter().map(|l| &l.key).eq(wanted.iter().map(|w| &w.0));
        if let Some(array) = known.into_iter().find(|array| is_wanted(array)) {
            return Ok(array);
        }
        // Without the lock: decoding takes seconds. Two builds may make the same array at the same time, and
        // both are right.
        let array = Arc::new(TextureArray::new(&wanted, limits, work)?);
        let mut arrays = self.lock();
        arrays.retain(|array| array.strong_count() > 0);
        arrays.push(Arc::downgrade(&array));
        Ok(array)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<TextureArray>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A set of tiles, one texture layer each: an array of colours, and one of reliefs.
#[derive(Debug)]
pub(crate) struct TextureArray {
    layers: Vec<TileLayer>,
    /// The arrays, until they are moved to the device.
    pixels: Mutex<Option<ArrayImages<Image>>>,
    handles: OnceLock<ArrayImages<Handle<Image>>>,
}

/// The images of colours and of reliefs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArrayImages<T> {
    /// Colours divided by [`TileLayer::brightest`]; height in alpha.
    pub(crate) ratios: T,
    /// Rise per metre along the picture's columns and rows, roughness, openness to the sky.
    pub(crate) reliefs: T,
}

/// A tile of an array.
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

impl TextureArray {
    fn new(wanted: &[(TileKey, &Tiling)], limits: DeviceLimits, work: &Work) -> Result<Self> {
        let read = |(_, tiling): &(TileKey, &Tiling)| {
            work.check()?;
            tiling.read()
        };
        let tiles = wanted.par_iter().map(read).collect::<Result<Vec<Tile>>>()?;
        let longest = tiles.iter().map(|tile| tile.width.max(tile.depth)).max().unwrap_or(1);
        // All layers of a texture array have one size, and mip levels halve it to 1 without a remainder.
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
        let bytes = |part: fn(&ArrayImages<Vec<u8>>) -> &Vec<u8>| {
            layers.iter().flat_map(|(_, arrays)| part(arrays)).copied().collect()
        };
        let pixels = ArrayImages {
            // Brightness is what the eye sees, so colours are sRGB; slopes and roughness are numbers, and the
            // sampler must not decode them.
            ratios: array(TextureFormat::Rgba8UnormSrgb, bytes(|arrays| &arrays.ratios)),
            reliefs: array(TextureFormat::Rgba8Unorm, bytes(|arrays| &arrays.reliefs)),
        };
        Ok(Self {
            layers: layers.into_iter().map(|(layer, _)| layer).collect(),
            pixels: Mutex::new(Some(pixels)),
            handles: OnceLock::new(),
        })
    }

    /// The layer of a tiling that the array was made for.
    pub(crate) fn find(&self, tiling: &Tiling) -> Option<(usize, &TileLayer)> {
        let key = TileKey::new(tiling);
        self.layers.iter().enumerate().find(|(_, layer)| layer.key == key)
    }

    /// The arrays; the first call moves them to `images`.
    pub(crate) fn handles(&self, images: &mut Assets<Image>) -> ArrayImages<Handle<Image>> {
        let handles = self.handles.get_or_init(|| {
            // Taken, so that main memory is free once they are on the device.
            let pixels = self.pixels.lock().unwrap_or_else(PoisonError::into_inner).take();
            match pixels {
                Some(ArrayImages { ratios, reliefs }) => {
                    ArrayImages { ratios: images.add(ratios), reliefs: images.add(reliefs) }
                }
                None => ArrayImages { ratios: default(), reliefs: default() },
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
) -> Result<(TileLayer, ArrayImages<Vec<u8>>)> {
    let texels = TileTexels::new(tile, tiling.image.text(), tiling.mirror, side)?;
    let size = Vec2::new(tile.width as f32, tile.depth as f32);
    let layer = TileLayer {
        key: key.clone(),
        sides: size / size.max_element(),
        repeats: if tiling.mirror { 2.0 } else { 1.0 },
        mean: texels.mean,
        brightest: texels.brightest,
        brightening: texels.brightening,
    };
    Ok((layer, ArrayImages { ratios: texels.ratios, reliefs: texels.reliefs }))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;
    use crate::plugin::device::linear_from_srgb;

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
        let (arrays, work) = (TextureArrays::default(), Work::new());
        let first = arrays.array(&[&tiling], LIMITS, &work).unwrap();
        let again = arrays.array(&[&larger, &tiling], LIMITS, &work).unwrap();
        assert!(Arc::ptr_eq(&first, &again), "sizes and order don't matter");
        let mirrored = Tiling { mirror: true, ..tiling.clone() };
        assert!(!Arc::ptr_eq(&first, &arrays.array(&[&mirrored], LIMITS, &work).unwrap()));
        RgbImage::from_pixel(30, 30, Rgb([9, 9, 9])).save(&path).unwrap();
        let error = arrays.array(&[&tiling], LIMITS, &work).unwrap_err().to_string();
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
