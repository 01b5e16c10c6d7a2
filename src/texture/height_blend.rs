//! Bitmaps blended by height alone: each lies in a band of heights and fades into its neighbours.
//! After the blending tool of "Terrain Texture Generation".

use crate::error::{Error, Result};

use super::bands::{Band, Bands};
use super::set::Texture;
use super::tile::{Tile, Tiling};

impl Texture {
    /// Bitmaps in bands of height, the lowest first: each is alone at its centre, metres, and gone at
    /// the farther of its neighbours' centres. Below the lowest centre and above the highest the outer
    /// ones go on.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two bitmaps, and when there are not as many centres or they
    /// don't rise.
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

    /// Centres of `count` bands from `low` to `high` metres, evenly spread: the highest centre at the
    /// highest point, the lowest band all of the lowest part.
    ///
    /// ```
    /// use upland::texture::Texture;
    /// assert_eq!(Texture::even_centres(0.0, 256.0, 4), [64.0, 128.0, 192.0, 256.0]);
    /// ```
    pub fn even_centres(low: f32, high: f32, count: usize) -> Vec<f32> {
        let step = (high - low).max(1e-3) / count.max(1) as f32;
        (1..=count).map(|index| low + step * index as f32).collect()
    }
}

/// A seam is one where neighbours across it differ by so many times more than neighbours elsewhere.
const SEAM: f32 = 3.0;

/// Neighbours that differ by less than this, in levels of 255, are no seam to anyone.
const UNSEEN: f32 = 6.0;

/// So many lines between neighbours say what is usual.
const LINES: usize = 16;

impl Tile {
    /// What is wrong with the picture as a tile, if anything: that it is a single texel, or that it has
    /// a seam where its edges meet.
    ///
    /// ```
    /// use upland::texture::Tile;
    /// let colours: Vec<[u8; 3]> = (0..64).map(|index| [(index % 8) * 30; 3]).collect();
    /// let ramp = Tile { width: 8, depth: 8, colours, normals: vec![], roughness: vec![] };
    /// assert!(ramp.doubt().unwrap().contains("east and west"));
    /// ```
    pub fn doubt(&self) -> Option<String> {
        let (width, depth) = (self.width, self.depth);
        if width == 1 && depth == 1 {
            return Some("it is a single texel, an even colour; give the type a colour instead".into());
        }
        let apart = |a: usize, b: usize| {
            let channels = self.colours[a].iter().zip(&self.colours[b]);
            channels.map(|(a, b)| f32::from(a.abs_diff(*b))).sum::<f32>() / 3.0
        };
        let mean = |count: usize, apart: &dyn Fn(usize) -> f32| {
            (0..count).map(apart).sum::<f32>() / count.max(1) as f32
        };
        let across = mean(depth, &|row| apart(row * width, row * width + width - 1));
        let down = mean(width, &|column| apart(column, (depth - 1) * width + column));
        // A few lines stand for all others.
        let usual = |count: usize, across: &dyn Fn(usize) -> f32| {
            let lines =
                (1..=LINES).map(|line| (line * count / (LINES + 1)).max(1)).filter(|&line| line < count);
            let (sum, number) = lines.fold((0.0, 0), |(sum, number), line| (sum + across(line), number + 1));
            sum / number.max(1) as f32
        };
        let usual_x =
            usual(width, &|line| mean(depth, &|row| apart(row * width + line - 1, row * width + line)));
        let usual_z = usual(depth, &|line| {
            mean(width, &|column| apart((line - 1) * width + column, line * width + column))
        });
        let seam = |at_edge: f32, usual: f32| at_edge > UNSEEN && at_edge > SEAM * usual;
        let sides = match (seam(across, usual_x), seam(down, usual_z)) {
            (true, true) => "all four edges",
            (true, false) => "its east and west edges",
            (false, true) => "its north and south edges",
            (false, false) => return None,
        };
        Some(format!("it does not tile: {sides} don't match; mirror it, or give a picture that tiles"))
    }
}
