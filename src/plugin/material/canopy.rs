//! Woods far away, where no trees are drawn, as the ground's shader paints them.

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;

use crate::plugin::device::{empty_plane, mip_levels};
use crate::scatter::Canopy;

/// The map of a terrain's woods: a component on its entity, which the scatter keeps up to date.
#[derive(Component, Clone, Debug, PartialEq)]
pub(crate) struct TerrainCanopy {
    image: Handle<Image>,
    /// Where it begins and how large it is, metres from the land's sample (0, 0).
    low: DVec2,
    size: DVec2,
    /// Distances from the eye between which woods appear, metres of the land.
    from: f32,
    until: f32,
}

/// Where woods lie, for the ground's shader: the fields that begin with `canopy` in `shaders/field.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CanopyFields {
    pub(super) corner: Vec2,
    pub(super) per_metre: Vec2,
    pub(super) from: f32,
    pub(super) until: f32,
}

impl TerrainCanopy {
    pub(crate) fn new(canopy: &Canopy, images: &mut Assets<Image>) -> Self {
        let mut image = empty_plane(canopy.width, canopy.depth, TextureFormat::Rgba8Unorm);
        image.texture_descriptor.mip_level_count = mip_levels(canopy.width, canopy.depth);
        image.data = Some(with_mips(canopy));
        let size = DVec2::new(canopy.width as f64, canopy.depth as f64) * canopy.cell;
        Self { image: images.add(image), low: canopy.low.into(), size, from: 0.0, until: 0.0 }
    }

    /// Lets woods appear between two distances from the eye, metres. Whether that is a change.
    pub(crate) fn appear_between(&mut self, [from, until]: [f32; 2]) -> bool {
        let is_change = (self.from, self.until) != (from, until);
        (self.from, self.until) = (from, until);
        is_change
    }

    pub(super) fn image(&self) -> &Handle<Image> {
        &self.image
    }

    /// The shader's fields for an anchor in metres from the land's sample (0, 0).
    pub(super) fn fields(&self, anchor: DVec2) -> CanopyFields {
        CanopyFields {
            corner: (self.low - anchor).as_vec2(),
            per_metre: (1.0 / self.size).as_vec2(),
            from: self.from,
            until: self.until,
        }
    }
}

/// The texels of all levels: in each the mean of four of the level before.
fn with_mips(canopy: &Canopy) -> Vec<u8> {
    let mut bytes = canopy.texels.as_flattened().to_vec();
    let (mut width, mut depth, mut level) = (canopy.width, canopy.depth, canopy.texels.clone());
    while width > 1 || depth > 1 {
        let (wide, deep) = ((width / 2).max(1), (depth / 2).max(1));
        let texel = |index: usize| {
            let (column, row) = (index % wide, index / wide);
            let at = |east: usize, south: usize| {
                let place = [(2 * column + east).min(width - 1), (2 * row + south).min(depth - 1)];
                level[place[1] * width + place[0]].map(u32::from)
            };
            let four = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
            // Colours by how much they hide: bare ground has the colour of no crown.
            let hidden: u32 = four.iter().map(|texel| texel[3]).sum();
            let mean = |channel: usize| {
                let sum: u32 = four.iter().map(|texel| texel[channel] * (texel[3] + 1)).sum();
                ((sum + (hidden + 4) / 2) / (hidden + 4)) as u8
            };
            [mean(0), mean(1), mean(2), ((hidden + 2) / 4) as u8]
        };
        let next: Vec<[u8; 4]> = (0..wide * deep).map(texel).collect();
        bytes.extend(next.as_flattened());
        (width, depth, level) = (wide, deep, next);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_levels_hide_as_much_and_keep_the_crowns_colour() {
        let texel = |index: usize| if index.is_multiple_of(3) { [90, 120, 60, 240] } else { [0; 4] };
        let (width, depth) = (37, 16);
        let texels = (0..width * depth).map(texel).collect();
        let canopy = Canopy { low: [0.0; 2], cell: 2.0, width, depth, texels };
        let bytes = with_mips(&canopy);
        let sizes = [(37, 16), (18, 8), (9, 4), (4, 2), (2, 1), (1, 1)];
        assert_eq!(bytes.len(), sizes.iter().map(|(wide, deep)| 4 * wide * deep).sum::<usize>());
        assert_eq!(mip_levels(width, depth) as usize, sizes.len());
        let last = &bytes[bytes.len() - 4..];
        assert!(
            last[3].abs_diff(80) < 8 && last[1].abs_diff(120) < 6 && last[0].abs_diff(90) < 5,
            "{last:?}"
        );
    }

    #[test]
    fn it_lies_where_it_belongs_seen_from_any_anchor() {
        let canopy = Canopy { low: [-500.0, 20.0], cell: 10.0, width: 2, depth: 1, texels: vec![[9; 4]; 2] };
        let mut map = TerrainCanopy::new(&canopy, &mut Assets::default());
        assert!(map.appear_between([100.0, 400.0]) && !map.appear_between([100.0, 400.0]));
        let fields = map.fields(DVec2::new(100.0, 0.0));
        assert_eq!((fields.corner, fields.per_metre), (Vec2::new(-600.0, 20.0), Vec2::new(0.05, 0.1)));
        assert_eq!((fields.from, fields.until), (100.0, 400.0));
    }
}
