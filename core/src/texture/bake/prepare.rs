//! The measurements of a land that a texture needs before it can be baked.

use crate::analysis::{Land, TerrainAnalysis};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::steps::no_layer;
use crate::texture::types::{Light, Texture};

impl TerrainAnalysis {
    /// Measures what `texture` needs on a land without water and isn't there yet. `field` must be the one of
    /// [`new`](Self::new).
    ///
    /// # Errors
    /// As [`prepare_on`](Self::prepare_on).
    pub fn prepare(&mut self, field: &Heightfield, texture: &Texture, work: &Work) -> Result<()> {
        self.prepare_on(Land::dry(field), texture, work)
    }

    /// As [`prepare`](Self::prepare), for a land with its sea and its rivers, on which some factors depend.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a field or rivers of another size, and for a layer
    /// that no step has written; when a mask cannot be read; [`Error::Size`](crate::Error::Size) when there
    /// is too little memory; [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn prepare_on(&mut self, land: Land, texture: &Texture, work: &Work) -> Result<()> {
        self.begin(land)?;
        for factors in texture.types.iter().map(|kind| &kind.factors) {
            for (factor, _) in factors.used() {
                self.measure(factor, texture.shade_day(), land, work)?;
            }
            if let Some(limits) = &factors.layer {
                let name = limits.name.as_str();
                // Kept by the limits' key: a second type with the same limits costs nothing.
                self.derive(limits.key(), |written| {
                    let values = written.get(name);
                    let values = values.ok_or_else(|| no_layer("factors.layer", name, written.names()))?;
                    limits.influence(values, work)
                })?;
            }
            if let Some(mask) = &factors.mask {
                self.read_picture(&mask.picture, work)?;
            }
        }
        // The view of the sky takes long to measure, so it is made only where it darkens anything.
        if texture.occlusion > 0.0 {
            self.measure_sky(land.field, work)?;
        }
        if let Some(light) = texture.light.filter(Light::casts_shadows) {
            self.measure_sun(land.field, light.sun(), work)?;
        }
        Ok(())
    }
}
