//! Where placed objects lie on the device: pages of a texture, and for each page what its objects share.
//!
//! Textures and not storage buffers, because parts of them can be written while the rest is drawn, and
//! because every device reads them in vertex shaders.

use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;

use super::instance::{PAGE, Packed};
use crate::plugin::device::{TexelPatch, TexelPatches, empty_plane};

/// Texels of a row of objects and of pages. Twins of `INSTANCES_WIDTH` and `PAGES_WIDTH` in
/// `shaders/scatter_instance.wgsl`.
const INSTANCES_WIDTH: usize = 1024;
const PAGES_WIDTH: usize = 256;

/// The most rows that every device allows.
const MOST_ROWS: usize = 8192;

/// The data that the objects of a page share. Twin of `Page` in `shaders/scatter_instance.wgsl`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    /// The north-west corner of their cell, in samples of the land's finest level.
    pub(super) corner: [i32; 2],
    /// Their number, at most [`PAGE`].
    pub(super) count: u32,
    /// The row of their look.
    pub(super) look: u32,
    /// How often the finest distance between samples is doubled for a side of their cell.
    pub(super) doublings: u32,
    /// About how high the ground is there, metres.
    pub(super) height: f32,
}

impl Page {
    fn texel(self) -> [u32; 4] {
        let word = self.count | self.look << 8 | self.doublings << 16;
        [self.corner[0] as u32, self.corner[1] as u32, word, self.height.to_bits()]
    }
}

/// The pages, which are taken and given back in runs.
pub(super) struct Pages {
    /// Free runs by their first page, none adjacent to another.
    free: Vec<(usize, usize)>,
    count: usize,
    taken: usize,
}

impl Pages {
    pub(super) fn new(count: usize) -> Self {
        Self { free: vec![(0, count)], count, taken: 0 }
    }

    /// Takes `count` pages in a row: the first of them; `None` if there is no room.
    pub(super) fn take(&mut self, count: usize) -> Option<usize> {
        // The smallest run that is large enough: best fit leaves large runs for large cells.
        let fits = self.free.iter().enumerate().filter(|(_, (_, free))| *free >= count);
        let (at, _) = fits.min_by_key(|(_, (_, free))| *free)?;
        let (first, free) = self.free[at];
        if free == count {
            self.free.remove(at);
        } else {
            self.free[at] = (first + count, free - count);
        }
        self.taken += count;
        Some(first)
    }

    /// Gives pages back.
    pub(super) fn give(&mut self, first: usize, count: usize) {
        if count == 0 {
            return;
        }
        let at = self.free.partition_point(|(start, _)| *start < first);
        self.free.insert(at, (first, count));
        // Neighbours are joined, or the free pages would be in ever smaller pieces.
        if let Some((next, more)) = self.free.get(at + 1).copied()
            && first + count == next
        {
            self.free[at].1 += more;
            self.free.remove(at + 1);
        }
        if at > 0 {
            let (before, so_many) = self.free[at - 1];
            if before + so_many == first {
                self.free[at - 1].1 += self.free[at].1;
                self.free.remove(at);
            }
        }
        self.taken -= count;
    }

    /// How many there are, and how many of these are taken.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.count, self.taken)
    }
}

/// The textures.
pub(super) struct InstancePool {
    pub(super) instances: Handle<Image>,
    pub(super) pages_image: Handle<Image>,
    pub(super) pages: Pages,
}

impl InstancePool {
    /// Room for about `bytes` bytes of objects.
    pub(super) fn new(bytes: usize, images: &mut Assets<Image>) -> Self {
        let of_row = INSTANCES_WIDTH * size_of::<Packed>();
        let rows = (bytes / of_row).clamp(16, MOST_ROWS);
        let pages = rows * INSTANCES_WIDTH / PAGE;
        let format = TextureFormat::Rgba32Uint;
        Self {
            instances: images.add(empty_plane(INSTANCES_WIDTH, rows, format)),
            pages_image: images.add(empty_plane(PAGES_WIDTH, pages.div_ceil(PAGES_WIDTH), format)),
            pages: Pages::new(pages),
        }
    }

    /// Bytes on the device.
    pub(super) fn bytes(&self) -> usize {
        let (pages, _) = self.pages.counts();
        // A page's own texel has 16 bytes, as an object has.
        pages * (PAGE + 1) * size_of::<Packed>()
    }

    /// Uploads pages that begin with the page `first`, and their objects, of which each but a look's last
    /// page has [`PAGE`]; the bytes.
    pub(super) fn upload(
        &self,
        first: usize,
        pages: &[Page],
        objects: &[[Packed; PAGE]],
        patches: &mut TexelPatches,
    ) -> usize {
        let texels: Vec<[u32; 4]> = pages.iter().map(|page| page.texel()).collect();
        let of_pages = bytemuck::cast_slice(&texels);
        write_run(self.pages_image.id(), PAGES_WIDTH, first, of_pages, patches);
        let texels: Vec<[u32; 4]> = objects.as_flattened().iter().map(|packed| packed.0).collect();
        let of_objects = bytemuck::cast_slice(&texels);
        write_run(self.instances.id(), INSTANCES_WIDTH, first * PAGE, of_objects, patches);
        of_pages.len() + of_objects.len()
    }
}

/// Writes texels of 16 bytes from the texel `first` on, counted row by row: as a part of a row, whole rows,
/// and a part of the last.
fn write_run(image: AssetId<Image>, width: usize, first: usize, bytes: &[u8], patches: &mut TexelPatches) {
    const TEXEL: usize = 16;
    let (mut at, mut bytes) = (first, bytes);
    while !bytes.is_empty() {
        let (column, row) = (at % width, at / width);
        let left = bytes.len() / TEXEL;
        let (columns, rows) =
            if column == 0 && left >= width { (width, left / width) } else { (left.min(width - column), 1) };
        let (part, rest) = bytes.split_at(columns * rows * TEXEL);
        patches.push(TexelPatch {
            image,
            corner: UVec3::new(column as u32, row as u32, 0),
            size: UVec2::new(columns as u32, rows as u32),
            bytes: part.to_vec(),
        });
        at += columns * rows;
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_never_taken_twice_and_come_back_as_one() {
        let mut pages = Pages::new(100);
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let mut state = 7u32;
        for _ in 0..5000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (state >> 16) as usize;
            if number.is_multiple_of(2) {
                let count = 1 + number / 2 % 9;
                if let Some(first) = pages.take(count) {
                    assert!(first + count <= 100);
                    for (other, so_many) in &taken {
                        assert!(first + count <= *other || other + so_many <= first);
                    }
                    taken.push((first, count));
                }
            } else if !taken.is_empty() {
                let (first, count) = taken.swap_remove(number % taken.len());
                pages.give(first, count);
            }
            assert_eq!(pages.counts().1, taken.iter().map(|(_, count)| count).sum::<usize>());
        }
        taken.into_iter().for_each(|(first, count)| pages.give(first, count));
        assert_eq!((pages.take(100), pages.take(1)), (Some(0), None));
    }

    #[test]
    fn a_run_is_written_once_wherever_it_begins() {
        for (first, count) in [(0, 3), (5, 3), (5, 20), (0, 16), (7, 8), (6, 34)] {
            let bytes: Vec<u8> = (0..count).flat_map(|texel| [texel as u8; 16]).collect();
            let mut patches = TexelPatches::default();
            write_run(AssetId::default(), 8, first, &bytes, &mut patches);
            let mut written = std::collections::BTreeMap::new();
            for patch in patches.waiting() {
                for (index, texel) in patch.bytes.chunks(16).enumerate() {
                    let (column, row) = (index % patch.size.x as usize, index / patch.size.x as usize);
                    let at = (patch.corner.y as usize + row) * 8 + patch.corner.x as usize + column;
                    assert!(patch.corner.x as usize + column < 8);
                    assert_eq!(written.insert(at, texel[0]), None);
                }
            }
            let expected = (0..count).map(|texel| (first + texel, texel as u8)).collect();
            assert_eq!(written, expected);
            assert!(patches.waiting().len() <= 3);
        }
    }

    #[test]
    fn the_shader_has_the_same_numbers() {
        let shader = include_str!("../../../shaders/scatter_instance.wgsl");
        assert!(shader.contains(&format!("const INSTANCES_WIDTH: u32 = {INSTANCES_WIDTH}u;")));
        assert!(shader.contains(&format!("const PAGES_WIDTH: u32 = {PAGES_WIDTH}u;")));
    }
}
