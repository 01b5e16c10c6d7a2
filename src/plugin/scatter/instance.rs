//! Objects as the device gets them: 16 bytes each, sorted so that neighbours in memory are neighbours on the
//! land.

use bevy::math::{Vec2, Vec3, Vec4};
use half::f16;

use crate::scatter::Object;

/// Objects of a page: those of one page share a cell and a look. Twin of `PAGE` in
/// `shaders/scatter_instance.wgsl`.
pub(super) const PAGE: usize = 64;

/// Objects of a block, the least part of a page that is drawn by itself. Twin of `BLOCK` in
/// `shaders/scatter_instance.wgsl`.
pub(super) const BLOCK: usize = 4;

/// Bits of a place along each axis for sorting.
const SORTED_BITS: u32 = 8;

/// An object as it is packed for the device. Twin of `unpacked` in `shaders/scatter_instance.wgsl`:
///
/// * its place in its cell, east and south, each as a share of 65 535;
/// * its size, and how deep it sinks, each as half a float;
/// * its upright direction, octahedral, each part as a share of 32 767;
/// * how far it is turned, as a share of 65 536, and 16 bits of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed(pub(super) [u32; 4]);

fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

impl Packed {
    /// An object of a cell whose north-west corner is at `corner`, `side` metres wide.
    pub(super) fn new(object: &Object, sink: f32, corner: [f64; 2], side: f64) -> Self {
        let share = |place: f64, corner: f64| {
            ((place - corner) / side * 65_535.0).round().clamp(0.0, 65_535.0) as u16
        };
        let [east, south] = octahedral(object.up).map(|part| (part * 32_767.0).round() as i16 as u16);
        let turn = ((object.turn / 360.0).rem_euclid(1.0) * 65_536.0) as u32 as u16;
        let half = |number: f32| f16::from_f32(number).to_bits();
        Self([
            pair(share(object.position.x, corner[0]), share(object.position.z, corner[1])),
            pair(half(object.size), half(sink)),
            pair(east, south),
            // The highest bits of the number, which hash functions mix best.
            pair(turn, (object.id >> 48) as u16),
        ])
    }
}

/// A direction on the octahedral map (Cigolle et al., "A Survey of Efficient Representations for Independent
/// Unit Vectors", 2014): x and z, in [−1, 1].
fn octahedral(direction: Vec3) -> [f32; 2] {
    let p = direction / direction.abs().element_sum().max(1e-20);
    if p.y >= 0.0 {
        return [p.x, p.z];
    }
    let folded = (Vec2::ONE - Vec2::new(p.z.abs(), p.x.abs())) * Vec2::new(p.x, p.z).signum();
    folded.to_array()
}

/// The objects of a cell of one look.
#[derive(Debug, Default)]
pub(super) struct Packs {
    pub(super) packed: Vec<Packed>,
    /// A sphere around the feet of every [`BLOCK`] of them: metres from the cell's corner and from height
    /// 0, and the radius.
    pub(super) spheres: Vec<Vec4>,
}

impl Packs {
    /// Packs objects, which are sorted so that neighbours in space are neighbours in memory.
    pub(super) fn new(mut objects: Vec<(&Object, f32)>, corner: [f64; 2], side: f64) -> Self {
        objects.sort_by_cached_key(|(object, _)| {
            let part =
                |place: f64, corner: f64| ((place - corner) / side * f64::from(1 << SORTED_BITS)) as u32;
            let order = interleaved(part(object.position.x, corner[0]), part(object.position.z, corner[1]));
            // By number where two share a place of the curve, so that the order is the same in every run.
            (order, object.id)
        });
        let packed = objects.iter().map(|(object, sink)| Packed::new(object, *sink, corner, side)).collect();
        let foot = |object: &Object| {
            let p = object.position;
            Vec3::new((p.x - corner[0]) as f32, p.y as f32, (p.z - corner[1]) as f32)
        };
        let spheres = objects.chunks(BLOCK).map(|block| sphere(block.iter().map(|(object, _)| foot(object))));
        Self { packed, spheres: spheres.collect() }
    }
}

/// A sphere around points.
fn sphere(points: impl Iterator<Item = Vec3> + Clone) -> Vec4 {
    let (low, high) = points.clone().fold((Vec3::MAX, Vec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    // Not the smallest sphere, but one pass over four points finds it.
    let middle = (low + high) / 2.0;
    let radius = points.map(|p| p.distance(middle)).fold(0.0, f32::max);
    middle.extend(radius)
}

/// The bits of two numbers in turn: a place on Morton's curve.
fn interleaved(x: u32, z: u32) -> u32 {
    let spread = |number: u32| (0..16).fold(0, |spread, bit| spread | (number >> bit & 1) << (2 * bit));
    spread(x) | spread(z) << 1
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec3;

    use super::*;

    fn object(x: f64, z: f64) -> Object {
        let id = (x * 1000.0) as u64 ^ ((z * 1000.0) as u64) << 40;
        Object { id, rule: 0, position: DVec3::new(x, 7.0, z), up: Vec3::Y, turn: 90.0, size: 1.5 }
    }

    #[test]
    fn an_object_is_found_again_in_what_is_packed() {
        let up = Vec3::new(0.3, 0.8, -0.4).normalize();
        let object = Object { up, ..object(1000.25, -499.0) };
        let Packed([place, form, upright, chance]) = Packed::new(&object, 0.25, [1000.0, -512.0], 64.0);
        assert!(((place & 0xffff) as f32 / 65_535.0 * 64.0 - 0.25).abs() < 1e-3);
        assert!(((place >> 16) as f32 / 65_535.0 * 64.0 - 13.0).abs() < 1e-3);
        assert_eq!(f16::from_bits(form as u16).to_f32(), 1.5);
        assert_eq!(f16::from_bits((form >> 16) as u16).to_f32(), 0.25);
        let [x, z] = [upright as u16, (upright >> 16) as u16].map(|part| f32::from(part as i16) / 32_767.0);
        let found = Vec3::new(x, 1.0 - x.abs() - z.abs(), z).normalize();
        assert!(found.distance(up) < 1e-4, "{found}");
        assert_eq!(chance & 0xffff, 16_384);
    }

    #[test]
    fn blocks_of_what_is_sorted_are_small_and_hold_their_objects() {
        let objects: Vec<Object> =
            (0..400).map(|index| object(f64::from(index % 20) * 3.2, f64::from(index / 20) * 3.2)).collect();
        let packs = Packs::new(objects.iter().map(|object| (object, 0.0)).collect(), [0.0; 2], 64.0);
        assert_eq!((packs.packed.len(), packs.spheres.len()), (400, 100));
        // Morton's curve leaps now and then.
        let radii = packs.spheres.iter().map(|sphere| sphere.w);
        assert!(radii.clone().sum::<f32>() / 100.0 < 6.0 && radii.fold(0.0, f32::max) < 16.0);
        for (block, sphere) in packs.packed.chunks(BLOCK).zip(&packs.spheres) {
            for Packed([place, ..]) in block {
                let [x, z] = [place & 0xffff, place >> 16].map(|part| part as f32 / 65_535.0 * 64.0);
                assert!(Vec3::new(x, 7.0, z).distance(sphere.truncate()) <= sphere.w + 0.01);
            }
        }
    }

    #[test]
    fn the_shader_has_the_same_numbers() {
        let shader = include_str!("../../../shaders/scatter_instance.wgsl");
        assert!(shader.contains(&format!("const PAGE: u32 = {PAGE}u;")));
        assert!(shader.contains(&format!("const BLOCK: u32 = {BLOCK}u;")));
    }
}
