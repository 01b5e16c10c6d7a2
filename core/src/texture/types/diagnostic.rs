//! Textures that show what a land is made of instead of what it looks like.

use crate::error::{Error, Result};
use crate::params::Name;

use super::blend::BlendMode;
use super::factors::Factors;
use super::layer_limits::LayerLimits;
use super::terrain_type::TerrainType;
use super::texture::{BlendSpace, Texture};

/// Colour of a layer of numbers where the number is 0, sRGB.
const NONE: [f32; 3] = [0.1; 3];

/// Colours of types, sRGB. Everybody can tell any two of them apart, whatever colours they see, the first
/// ones best.
const TYPES: [[u8; 3]; 12] = [
    [39, 138, 78],
    [175, 142, 200],
    [200, 236, 162],
    [64, 63, 59],
    [0, 69, 156],
    [46, 255, 251],
    [224, 145, 158],
    [148, 117, 6],
    [120, 26, 10],
    [186, 58, 126],
    [239, 209, 103],
    [124, 143, 242],
];

impl Texture {
    /// A land's layer as grey levels: black from `low` down, white from `high` up, both in the layer's unit,
    /// and evenly between. `DebugView::Layer` of the plugin shows them as a colour scale.
    ///
    /// ```
    /// # use upland_core as upland;
    /// # let work = &upland::Work::new();
    /// let text = r#"(version: 1, name: "", size: (9, 3), cell: 10, steps: [flat(), paint(layer: "wet", value: 5)])"#;
    /// let mut recipe = upland::Recipe::from_ron(text, "wet.ron")?;
    /// recipe.texture = upland::Skin::Custom(upland::texture::Texture::of_layer("wet", 0.0, 10.0)?);
    /// assert_eq!(recipe.build(work)?.colour.texels[0], [128, 128, 128, 255]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When no layer can have that name.
    pub fn of_layer(name: &str, low: f32, high: f32) -> Result<Self> {
        let limits = LayerLimits {
            name: Name::new(name).map_err(|reason| Error::parameter("layer", reason))?,
            min: Some(high),
            max: None,
            // A scale without extent is a step.
            release: (high - low).max(1e-6),
        };
        let factors = Factors { layer: Some(limits), ..Factors::default() };
        // Over the ground, so that its weight is the grey level.
        let layer = TerrainType { factors, blend: BlendMode::Screen, ..TerrainType::new("layer", [1.0; 3]) };
        Ok(Self { types: vec![TerrainType::new("ground", [0.0; 3]), layer], ..Self::default().bare() })
    }

    /// How many numbers have a colour of their own in [`of_numbers`](Self::of_numbers).
    pub const NUMBERS: usize = 10;

    /// A land's layer of numbers, such as `basin`: a colour for each of 1 to 10
    /// ([`number_colour`](Self::number_colour)), one for all that are greater, and one for 0.
    ///
    /// ```
    /// # use upland_core as upland;
    /// # let work = &upland::Work::new();
    /// let text = r#"(version: 1, name: "", size: (9, 9), cell: 10, steps: [fbm(), drainage()])"#;
    /// let mut recipe = upland::Recipe::from_ron(text, "basins.ron")?;
    /// recipe.texture = upland::Skin::Custom(upland::texture::Texture::of_numbers("basin")?);
    /// let texels = recipe.build(work)?.colour.texels;
    /// let largest = upland::texture::Texture::number_colour(1).map(|part| (part * 255.0).round() as u8);
    /// assert!(texels.iter().any(|texel| texel[..3] == largest));
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When no layer can have that name.
    pub fn of_numbers(name: &str) -> Result<Self> {
        let name = Name::new(name).map_err(|reason| Error::parameter("layer", reason))?;
        let kind = |number: usize| {
            // Nothing but whole numbers is in the layer, so half-way between them is far from each.
            let min = Some(number as f32 - 0.5);
            let max = (number <= Self::NUMBERS).then_some(number as f32 + 0.5);
            let limits = LayerLimits { name: name.clone(), min, max, release: 0.0 };
            let factors = Factors { layer: Some(limits), ..Factors::default() };
            TerrainType { factors, ..TerrainType::new(number.to_string(), Self::number_colour(number)) }
        };
        Ok(Self { types: (0..=Self::NUMBERS + 1).map(kind).collect(), ..Self::default().bare() })
    }

    /// The colour of a number in [`of_numbers`](Self::of_numbers), sRGB.
    pub fn number_colour(number: usize) -> [f32; 3] {
        // Without the fourth, which is nearly that of 0; the second is the palest and serves for the rest.
        let own = [0, 2, 4, 5, 6, 7, 8, 9, 10, 11];
        match number {
            0 => NONE,
            1..=Self::NUMBERS => Self::type_colour(own[number - 1]),
            _ => Self::type_colour(1),
        }
    }

    /// The same terrain types in the same places, each in a colour of its own
    /// ([`type_colour`](Self::type_colour)), without tiles, light and variation. A type that is a layer over
    /// others counts as one of them.
    pub fn of_types(&self) -> Self {
        let mut shown = self.clone().bare();
        let bands = shown.bands.list.len();
        for (index, band) in shown.bands.list.iter_mut().enumerate() {
            band.colour = Self::type_colour(index);
        }
        for (index, kind) in shown.types.iter_mut().enumerate() {
            let colour = Some(Self::type_colour(bands + index));
            // A tile or a tint would hide which type a place has.
            let (tile, variation, blend) = (None, 0.0, kind.blend.as_ground());
            *kind = TerrainType { colour, tile, variation, blend, ..kind.clone() };
        }
        shown
    }

    /// The colour of a type among [`all_types`](Self::all_types) in [`of_types`](Self::of_types), sRGB.
    pub fn type_colour(index: usize) -> [f32; 3] {
        TYPES[index % TYPES.len()].map(|level| f32::from(level) / 255.0)
    }

    /// Without what changes colours.
    fn bare(self) -> Self {
        // Blended as it is encoded, so that a grey level is the share itself.
        Self { blend_space: BlendSpace::Srgb, occlusion: 0.0, light: None, ..self }
    }
}

#[test]
fn everybody_can_tell_numbers_apart() {
    use crate::math::vision::{CATEGORIES, all_apart, linear};
    let level = |part: f32| (part * 255.0).round() as u8;
    let colours: Vec<_> =
        (0..=Texture::NUMBERS + 1).map(|number| linear(Texture::number_colour(number).map(level))).collect();
    assert_eq!(all_apart(&colours, CATEGORIES), Ok(()));
}

#[test]
fn everybody_can_tell_types_apart() {
    use crate::math::vision::{CATEGORIES, all_apart, linear};
    assert_eq!(all_apart(&TYPES.map(linear), CATEGORIES), Ok(()));
}
