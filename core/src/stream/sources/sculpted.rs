//! Tiles of land that strokes of a brush have changed.
//!
//! A tile that no stroke touches is that of the land before the strokes. One that is touched gets its heights
//! and holes from the strokes before anything else is made from it, so that colours, weights and normals are
//! those of the new ground. Tiles that are already drawn need not wait for that: [`Residency::sculpt`]
//! changes the heights of resident tiles immediately, and only those texels that a stroke reaches.

use std::sync::Arc;

use glam::DVec2;
use half::f16;

use super::made::MadeTile;
use super::relief::Relief;
use super::sculpted_tile::{cut_drawn, places_in, reach_of};
use super::source::TileSource;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Window;
use crate::sculpt::{EVERYWHERE, Places, Sculpture};
use crate::stream::shape::LandShape;
use crate::stream::tile::LandTile;

/// A source whose land strokes have changed.
pub struct SculptedSource {
    land: Arc<dyn TileSource>,
    sculpture: Arc<Sculpture>,
    /// Whether any stroke changes heights.
    has_ground: bool,
    /// Whether any stroke cuts a hole.
    has_holes: bool,
}

impl SculptedSource {
    /// The land of another source, changed by strokes.
    pub fn new(land: Arc<dyn TileSource>, sculpture: Arc<Sculpture>) -> Self {
        let has_ground = sculpture.changes(0..usize::MAX, EVERYWHERE);
        let has_holes = land.has_holes() || sculpture.has_holes();
        Self { land, sculpture, has_ground, has_holes }
    }
}

impl TileSource for SculptedSource {
    fn shape(&self) -> LandShape {
        self.land.shape()
    }

    fn weight_layers(&self) -> usize {
        self.land.weight_layers()
    }

    fn is_shifted(&self) -> bool {
        self.land.is_shifted()
    }

    fn has_holes(&self) -> bool {
        self.has_holes
    }

    fn heights(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        let mut heights = self.land.heights(window, work)?;
        let cell = libm::ldexp(f64::from(self.shape().cell), window.level);
        let [x, z] = [0, 1].map(|axis| {
            let along = 0..i64::from(window.size[axis]);
            along.map(|index| (window.first[axis] + index) as f64 * cell).collect::<Vec<f64>>()
        });
        let before = |window: Window| self.land.heights(window, work);
        self.sculpture.change(&mut heights, Places { x: &x, z: &z }, &before, work)?;
        Ok(heights)
    }

    fn most_shifted(&self) -> f32 {
        self.land.most_shifted()
    }

    /// Strokes have samples of their own on the finest tiles, also where the land between its samples
    /// consists of flat triangles.
    fn finest_ground(&self) -> i32 {
        if self.has_ground { self.shape().finest } else { self.land.finest_ground() }
    }

    fn relief(&self, window: Window, work: &Work) -> Result<Relief> {
        let Relief { mut heights, shifts, mut holes, .. } = self.land.relief(window, work)?;
        let [x, z] = places_in(window, &self.shape());
        let (places, before) = (Places { x: &x, z: &z }, |window: Window| self.land.heights(window, work));
        self.sculpture.change(&mut heights, places, &before, work)?;
        if self.has_holes {
            // Where there is no hole the layer is 0.
            holes.resize(heights.len(), f16::ZERO);
            cut_drawn(&self.sculpture, 0..usize::MAX, &mut holes, places);
        }
        Relief::new(window, heights, shifts, holes)
    }

    /// The layers of the land before strokes.
    fn layers(&self, place: DVec2, names: &[&str], work: &Work) -> Result<Vec<f32>> {
        self.land.layers(place, names, work)
    }

    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile> {
        let made = if self.sculpture.touches(0..usize::MAX, reach_of(tile, &self.shape())) {
            self.land.make_sculpted(tile, &self.sculpture, work)?
        } else {
            self.land.make(tile, work)?
        };
        Ok(MadeTile { strokes: self.sculpture.len(), ..made })
    }
}
