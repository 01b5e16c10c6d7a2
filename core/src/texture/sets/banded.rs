//! Bitmaps blended by height alone: each lies in a band of heights and fades into its neighbours. After the
//! blending tool of "Terrain Texture Generation".

use crate::error::{Error, Result};
use crate::texture::tile::Tiling;
use crate::texture::types::{Band, Bands, Texture};

impl Texture {
    /// Bitmaps in bands of height, the lowest first: each has all of the ground at its centre, metres, and
    /// none beyond its neighbours' centres. The outer ones continue below the lowest centre and above the
    /// highest.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two bitmaps, and when the number of centres differs or they don't
    /// ascend.
    pub fn banded(bitmaps: &[Tiling], centres: &[f32]) -> Result<Self> {
        let (count, given) = (bitmaps.len(), centres.len());
        if count < 2 {
            let reason = format!("blending takes at least two bitmaps, {count} given; name another");
            return Err(Error::parameter("textures", reason));
        }
        if given != count {
            let reason = format!("{given} heights for {count} bitmaps; give one for each, the lowest first");
            return Err(Error::parameter("bands", reason));
        }
        if let Some(pair) = centres.windows(2).find(|pair| pair[0] >= pair[1] || pair[0].is_nan()) {
            let reason = format!("{} is not below {}; give rising heights", pair[0], pair[1]);
            return Err(Error::parameter("bands", reason));
        }
        let gap = |index: usize| centres.get(index + 1).map_or(0.0, |next| next - centres[index]);
        let list = bitmaps.iter().enumerate().map(|(index, bitmap)| {
            let below = index.checked_sub(1).map_or(0.0, gap);
            let name = bitmap.image.text().to_owned();
            Band { name, colour: [0.5; 3], centre: centres[index], range: below.max(gap(index)) }
        });
        let mut types = Bands { extend: true, list: list.collect() }.types();
        for (kind, bitmap) in types.iter_mut().zip(bitmaps) {
            (kind.colour, kind.tile) = (None, Some(bitmap.clone()));
        }
        Ok(Self { types, occlusion: 0.0, ..Self::default() })
    }

    /// Centres of `count` bands from `low` to `high` metres, evenly spread: the highest centre at the highest
    /// point, while the lowest band has the lowest part to itself.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::Texture;
    /// assert_eq!(Texture::even_centres(0.0, 256.0, 4), [64.0, 128.0, 192.0, 256.0]);
    /// ```
    pub fn even_centres(low: f32, high: f32, count: usize) -> Vec<f32> {
        if !(high - low).is_finite() {
            // The difference of heights near the limit of f32 is infinite.
            let (low, step) = (f64::from(low), (f64::from(high) - f64::from(low)) / count.max(1) as f64);
            return (1..=count).map(|index| (low + step * index as f64) as f32).collect();
        }
        // At least a millimetre apart, because `banded` refuses equal heights.
        let step = (high - low).max(1e-3) / count.max(1) as f32;
        (1..=count).map(|index| low + step * index as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_even_up_to_the_end_of_f32() {
        assert_eq!(Texture::even_centres(-3e38, 3e38, 2), [0.0, 3e38]);
        assert!(Texture::even_centres(-3e38, 3e38, 0).is_empty());
    }
}
