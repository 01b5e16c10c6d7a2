//! The part of a texture that is shown while it is edited: one type alone, some left out, or the weight of
//! one. None of it is part of the recipe.

use std::collections::BTreeSet;

use bevy::prelude::*;

use crate::grid::{Heightfield, LayerInfo, LayerScale};
use crate::params::Name;
use crate::plugin::DebugView;
use crate::recipe::Skin;
use crate::texture::{BlendMode, BlendSpace, TerrainType, Texture};

/// Colour of the ground around a type that is shown alone, sRGB.
const NEUTRAL: [f32; 3] = [0.44, 0.45, 0.46];
/// Colours of the full weight and of none, where a weight is shown, sRGB.
const ALL: [f32; 3] = [1.0; 3];
const NOTHING: [f32; 3] = [0.05; 3];

/// How the texture of a land is shown; a component on the land's entity. Types are identified by their index
/// in the texture's list; an index beyond its end is ignored.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub(crate) struct TextureView {
    /// Index of the edited set, if there are several; all indices of types refer to it.
    pub set: usize,
    /// The type that is open in the panel.
    pub opened: Option<usize>,
    /// The type that is shown alone; the others are neutral ground.
    pub solo: Option<usize>,
    /// The types that are left out.
    pub muted: BTreeSet<usize>,
    /// The type whose weight is shown, from dark (none) to white (full).
    pub weight: Option<usize>,
    /// The layer of the land that is shown instead of the texture.
    pub layer: Option<LayerView>,
    /// Whether each type is shown in a colour of its own.
    pub types: bool,
}

/// A layer on a scale.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerView {
    /// Which one.
    pub name: Name,
    /// The value at the low end of the scale, in the layer's unit.
    pub low: f32,
    /// The value at its high end, above `low`.
    pub high: f32,
    /// Whether the scale was chosen for its values, or by hand.
    pub is_fitted: bool,
}

impl LayerView {
    /// The range of both ends, and the least distance between them.
    pub const LEAST: f32 = -1e6;
    pub const MOST: f32 = 1e6;
    pub const APART: f32 = 1e-3;

    /// With a scale that suits most lands.
    pub fn of(name: Name) -> Self {
        let known = LayerInfo::of(name.as_str());
        let low = known.map_or(0.0, |layer| layer.low.max(0.0));
        let high = known.map_or(1.0, |layer| match layer.unit {
            _ if layer.high.is_finite() => layer.high,
            "m" => 50.0,
            _ => 1.0,
        });
        Self { name, low, high, is_fitted: false }
    }

    /// With a scale that suits its values: from the lowest, or 0, to the one that 1 in 100 exceed; 1 in 20
    /// where most values are small and few are large.
    pub fn fitted(name: Name, field: &Heightfield) -> Self {
        let mut values: Vec<f32> =
            field.heights().iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_unstable_by(f32::total_cmp);
        let (Some(&least), Some(&most)) = (values.first(), values.last()) else { return Self::of(name) };
        let is_steep = LayerInfo::scale_of(name.as_str()) == LayerScale::Logarithmic;
        let of = if is_steep { 20 } else { 100 };
        // A percentile and not the maximum: single samples would make all others one colour.
        let usual = values[(values.len() - 1) * (of - 1) / of];
        // For a layer that is the same nearly everywhere, the range of its few other values.
        let high = if usual > least { usual } else { most };
        let low = if least > 0.0 && least < 0.2 * high { 0.0 } else { least };
        let high = rounded_up(high - low) + low;
        Self { name, low, high: high.max(low + Self::APART), is_fitted: true }
    }

    /// Whether its values are numbers with a colour each, without a scale.
    pub fn is_of_numbers(&self) -> bool {
        LayerInfo::scale_of(self.name.as_str()) == LayerScale::Numbers
    }

    /// The view that shows it on land with its texture.
    pub fn debug_view(&self) -> DebugView {
        if self.is_of_numbers() { DebugView::Types } else { DebugView::Layer }
    }

    /// The texture that shows it.
    fn texture(&self) -> Texture {
        let name = self.name.as_str();
        let texture = if self.is_of_numbers() {
            Texture::of_numbers(name)
        } else {
            Texture::of_layer(name, self.low, self.high)
        };
        texture.unwrap_or_default()
    }
}

/// The next number above of two digits.
fn rounded_up(number: f32) -> f32 {
    if !(number.is_finite() && number > 0.0) {
        return 0.0;
    }
    let unit = 10f32.powf(number.log10().floor() - 1.0);
    (number / unit).ceil() * unit
}

/// The treatment of a type.
#[derive(Clone, Copy, PartialEq)]
enum Treatment {
    /// It stays as it is.
    Stays,
    /// It is removed.
    Goes,
    /// It keeps its place, in a uniform colour.
    Becomes([f32; 3]),
    /// It is a layer over others and becomes transparent.
    Clears,
}

impl TextureView {
    /// The skin that shows `skin` in this way: `skin` itself if nothing special is shown; of several sets
    /// that fade the edited one alone.
    pub fn seen(&self, skin: &Skin) -> Skin {
        if let Some(layer) = &self.layer {
            return Skin::Custom(layer.texture());
        }
        let edited = match skin {
            Skin::Sets(sets) => sets.sets.get(self.set_in(skin)).unwrap_or(skin).texture(),
            one => one.texture(),
        };
        if self.types {
            return Skin::Custom(edited.of_types());
        }
        if self.is_plain(&edited) { skin.clone() } else { Skin::Custom(self.apply(&edited)) }
    }

    /// Index of the edited set; 0 if there is only one.
    pub fn set_in(&self, skin: &Skin) -> usize {
        match skin {
            Skin::Sets(sets) => self.set.min(sets.sets.len().saturating_sub(1)),
            _ => 0,
        }
    }

    /// The texture that shows `texture` in this way.
    pub fn apply(&self, texture: &Texture) -> Texture {
        let mut seen = texture.clone();
        seen.types.clear();
        let mut last = Vec::new();
        for (index, kind) in texture.types.iter().enumerate() {
            let part = self.part(texture, index);
            let nothing_under_it = seen.types.is_empty() && seen.bands.list.is_empty();
            if is_layer(texture, index)
                && part != Treatment::Goes
                && (part == Treatment::Clears || nothing_under_it)
            {
                // Multiplied by white nothing changes. Moved behind the others, because the first type
                // would be ground.
                last.push(TerrainType { blend: BlendMode::Multiply, ..even(kind, ALL) });
                continue;
            }
            match part {
                Treatment::Stays | Treatment::Clears => seen.types.push(kind.clone()),
                Treatment::Goes => {}
                Treatment::Becomes(colour) => seen.types.push(even(kind, colour)),
            }
        }
        seen.types.append(&mut last);
        let is_there =
            |name: &String| seen.types.iter().any(|kind| kind.name == *name && kind.blend.takes_ground());
        if !seen.fallback.as_ref().is_some_and(is_there) {
            seen.fallback = None;
        }
        if let Some(colour) = self.around(texture) {
            seen.bands.list.iter_mut().for_each(|band| band.colour = colour);
            if !seen.bands.extend {
                // A single band that lies everywhere weighs as much as all bands together that are not
                // normalised.
                seen.bands.extend = true;
                seen.bands.list.truncate(1);
            }
        }
        if let Some(weight) = self.weight(texture) {
            if is_layer(texture, weight) {
                // Over all of them, and white whatever is under it.
                let layer = TerrainType { blend: BlendMode::Screen, ..even(&texture.types[weight], ALL) };
                seen.types.push(layer);
            }
            // So that a texel's grey level is the weight itself.
            seen.blend_space = BlendSpace::Srgb;
            seen.occlusion = 0.0;
            seen.light = None;
        }
        seen
    }

    /// Why something isn't shown as requested, for people.
    pub fn caveat(&self, texture: &Texture) -> Option<&'static str> {
        let muted =
            |index| self.part(texture, index) == Treatment::Becomes(NEUTRAL) && self.mutes(texture, index);
        if self.mutes_everything(texture) {
            Some("All types that are ground are muted; the land needs one, so all are shown.")
        } else if self.solo(texture).is_none() && (0..texture.types.len()).any(muted) {
            Some("A muted type is grey where the painted map asks for it.")
        } else {
            None
        }
    }

    /// Whether only the plain texture is shown.
    pub fn is_plain(&self, texture: &Texture) -> bool {
        let muted = (0..texture.types.len()).any(|index| self.mutes(texture, index));
        !muted && self.solo(texture).is_none() && self.weight(texture).is_none()
    }

    /// Shows everything again; what is open stays open.
    pub fn show_all(&mut self) {
        *self = Self { set: self.set, opened: self.opened, types: self.types, ..Self::default() };
    }

    /// To be called when a type was inserted at `place`.
    pub fn inserted(&mut self, place: usize) {
        self.follow(|index| Some(if index >= place { index + 1 } else { index }));
    }

    /// To be called when the type at `place` was removed.
    pub fn removed(&mut self, place: usize) {
        self.follow(|index| match index {
            _ if index == place => None,
            _ if index > place => Some(index - 1),
            _ => Some(index),
        });
    }

    /// To be called when a type was moved.
    pub fn moved(&mut self, from: usize, to: usize) {
        self.follow(|index| match index {
            _ if index == from => Some(to),
            _ if from < index && index <= to => Some(index - 1),
            _ if to <= index && index < from => Some(index + 1),
            _ => Some(index),
        });
    }

    fn follow(&mut self, new_place: impl Fn(usize) -> Option<usize>) {
        for index in [&mut self.opened, &mut self.solo, &mut self.weight] {
            *index = index.and_then(&new_place);
        }
        self.muted = self.muted.iter().copied().filter_map(new_place).collect();
    }

    fn solo(&self, texture: &Texture) -> Option<usize> {
        self.solo.filter(|&index| index < texture.types.len())
    }

    fn weight(&self, texture: &Texture) -> Option<usize> {
        self.weight.filter(|&index| index < texture.types.len())
    }

    /// The colour of everything that is not shown, if one type is.
    fn around(&self, texture: &Texture) -> Option<[f32; 3]> {
        let weight = self.weight(texture).map(|_| NOTHING);
        weight.or_else(|| self.solo(texture).map(|_| NEUTRAL))
    }

    /// Whether the type at `index` is left out. The one that is shown never is.
    fn mutes(&self, texture: &Texture, index: usize) -> bool {
        let looked_at = self.weight(texture).or(self.solo(texture));
        self.muted.contains(&index) && looked_at != Some(index)
    }

    /// Whether no ground would be left.
    fn mutes_everything(&self, texture: &Texture) -> bool {
        let mut places = (0..texture.types.len()).filter(|&index| !is_layer(texture, index));
        let all = places.all(|index| self.mutes(texture, index));
        all && !texture.types.is_empty() && texture.bands.list.is_empty()
    }

    fn part(&self, texture: &Texture, index: usize) -> Treatment {
        if self.mutes(texture, index) && !self.mutes_everything(texture) {
            // A painted map needs a type for each of its ids.
            let id = texture.types[index].id.filter(|_| texture.map.is_some());
            return match id {
                None => Treatment::Goes,
                Some(_) if is_layer(texture, index) => Treatment::Clears,
                Some(_) => Treatment::Becomes(self.around(texture).unwrap_or(NEUTRAL)),
            };
        }
        match (self.weight(texture), self.solo(texture)) {
            (Some(_), _) if is_layer(texture, index) => Treatment::Clears,
            (None, Some(solo)) if solo != index && is_layer(texture, index) => Treatment::Clears,
            (Some(weight), _) => Treatment::Becomes(if weight == index { ALL } else { NOTHING }),
            (None, Some(solo)) if solo != index => Treatment::Becomes(NEUTRAL),
            _ => Treatment::Stays,
        }
    }
}

/// Whether a type is a layer: it takes no ground, and isn't the first type.
fn is_layer(texture: &Texture, index: usize) -> bool {
    let is_first = index == 0 && texture.bands.list.is_empty();
    !texture.types[index].blend.takes_ground() && !is_first
}

/// The same type in a uniform colour.
fn even(kind: &TerrainType, colour: [f32; 3]) -> TerrainType {
    let blend = kind.blend.as_ground();
    TerrainType { colour: Some(colour), tile: None, variation: 0.0, blend, ..kind.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FilePath;
    use crate::recipe::Sets;
    use crate::texture::{BakeOptions, Band, Bands, Limits, PaintedMap, bake_with};
    use crate::{Grid, Heightfield, Work};

    fn texture() -> Texture {
        Texture { resolution: 64, ..Texture::arid() }
    }

    fn land() -> Heightfield {
        Heightfield::from_fn(Grid::new(33, 33, 20.0).unwrap(), |column, row| {
            400.0 * (column as f32 * 0.21).sin() * (row as f32 * 0.17).cos() + 8.0 * row as f32
        })
    }

    #[test]
    fn a_plain_view_changes_nothing() {
        let view = TextureView { opened: Some(2), ..TextureView::default() };
        assert_eq!(view.apply(&texture()), texture());
        assert!(view.is_plain(&texture()));
        let beyond = TextureView { solo: Some(99), weight: Some(99), ..view };
        assert_eq!(beyond.apply(&texture()), texture());
        assert!(beyond.is_plain(&texture()));
    }

    #[test]
    fn muted_types_are_gone_but_never_all() {
        let mut view = TextureView { muted: [0, 3].into(), ..TextureView::default() };
        let names = |texture: &Texture| -> Vec<String> {
            texture.types.iter().map(|kind| kind.name.clone()).collect()
        };
        let mut expected = names(&texture());
        expected.remove(3);
        expected.remove(0);
        assert_eq!(names(&view.apply(&texture())), expected);
        assert_eq!(view.caveat(&texture()), None);

        view.muted = (0..texture().types.len()).collect();
        assert_eq!(view.apply(&texture()), texture());
        assert!(view.caveat(&texture()).is_some());

        let band = Band { name: "low".into(), colour: [0.5; 3], centre: 0.0, range: 1.0 };
        let banded = Texture { bands: Bands { list: vec![band], ..Bands::default() }, ..texture() };
        assert!(view.apply(&banded).types.is_empty());
        view.apply(&banded).check().unwrap();
    }

    #[test]
    fn a_muted_type_that_a_map_needs_turns_grey() {
        let mut painted = texture();
        painted.map = Some(PaintedMap::new(FilePath::new("types.png")));
        painted.types[1].id = Some(7);
        let view = TextureView { muted: [1].into(), ..TextureView::default() };
        let seen = view.apply(&painted);
        assert_eq!(seen.types.len(), painted.types.len());
        assert_eq!((seen.types[1].id, seen.types[1].colour), (Some(7), Some(NEUTRAL)));
        assert!(view.caveat(&painted).is_some());
    }

    #[test]
    fn a_type_alone_lies_where_it_lay_among_the_others() {
        let options = BakeOptions { weights: true, ..BakeOptions::default() };
        let bake = |texture: &Texture| bake_with(&land(), texture, options, 3, &Work::new()).unwrap();
        let view = TextureView { solo: Some(4), muted: [4].into(), ..TextureView::default() };
        let seen = view.apply(&texture());
        assert_eq!(bake(&seen).weights, bake(&texture()).weights);
        assert_eq!(seen.types[4], texture().types[4]);
        assert_eq!(seen.types[3].colour, Some(NEUTRAL));
    }

    /// A texel's level runs from [`NOTHING`] to white as the type's share of it does.
    #[test]
    fn the_picture_of_a_weight_is_the_weight() {
        let mut banded = texture();
        let band = Band { name: "low".into(), colour: [0.9; 3], centre: 0.2, range: 0.4 };
        banded.bands.list.push(band);
        let options = BakeOptions { weights: true, ..BakeOptions::default() };
        let bake = |texture: &Texture| bake_with(&land(), texture, options, 3, &Work::new()).unwrap();
        let weights = bake(&banded).weights.unwrap();
        assert_eq!(weights.layers, [banded.types.len()], "the varnish");
        for index in 0..banded.types.len() {
            let view = TextureView { weight: Some(index), ..TextureView::default() };
            let seen = bake(&view.apply(&banded)).colour;
            for (texel, shares) in seen.texels.iter().zip(weights.shares.chunks(weights.types)) {
                let share = f32::from(shares[index + 1]) / 255.0;
                let expected = 255.0 * (NOTHING[0] + share * (1.0 - NOTHING[0]));
                assert!((f32::from(texel[0]) - expected).abs() < 2.0, "{texel:?} for {share}");
                assert_eq!((texel[0], texel[0], 255), (texel[1], texel[2], texel[3]));
            }
        }
    }

    #[test]
    fn bands_that_are_not_divided_are_as_much_of_the_ground_in_the_picture_of_a_weight() {
        let mut banded = texture();
        let band = Band { name: "low".into(), colour: [0.9; 3], centre: 0.2, range: 0.4 };
        banded.bands = Bands { extend: false, list: vec![band] };
        let options = BakeOptions { weights: true, ..BakeOptions::default() };
        let bake = |texture: &Texture| bake_with(&land(), texture, options, 3, &Work::new()).unwrap();
        let weights = bake(&banded).weights.unwrap();
        let view = TextureView { weight: Some(4), ..TextureView::default() };
        let seen = bake(&view.apply(&banded)).colour;
        for (texel, shares) in seen.texels.iter().zip(weights.shares.chunks(weights.types)) {
            let share = f32::from(shares[5]) / 255.0;
            let expected = 255.0 * (NOTHING[0] + share * (1.0 - NOTHING[0]));
            assert!((f32::from(texel[0]) - expected).abs() < 2.0, "{texel:?} for {share}");
        }
    }

    #[test]
    fn a_layer_is_never_ground_because_what_lies_under_it_is_muted() {
        let kind = |blend, level| TerrainType { blend, ..TerrainType::new("kind", [level; 3]) };
        let types =
            vec![kind(BlendMode::Mix, 0.2), kind(BlendMode::Multiply, 0.5), kind(BlendMode::Mix, 0.8)];
        let layered = Texture { types, resolution: 4, occlusion: 0.0, ..Texture::default() };
        let level = |view: TextureView| {
            let seen = view.apply(&layered);
            bake_with(&land(), &seen, BakeOptions::default(), 3, &Work::new()).unwrap().colour.texels[0][0]
        };
        let muted = |muted: &[usize]| TextureView {
            muted: muted.iter().copied().collect(),
            ..TextureView::default()
        };
        assert_eq!(level(muted(&[0])), 204);
        assert_eq!(level(muted(&[0, 1])), 204);
        // With all ground muted all is shown.
        assert!(muted(&[0, 2]).caveat(&layered).is_some());
        assert_eq!(level(muted(&[0, 2])), level(muted(&[])));
        // The layer alone tints neutral ground, and its own weight is all there is.
        let alone = TextureView { solo: Some(1), ..TextureView::default() };
        assert!(level(alone) < (255.0 * NEUTRAL[0]) as u8);
        assert_eq!(level(TextureView { weight: Some(1), ..TextureView::default() }), 255);
    }

    #[test]
    fn a_layer_is_shown_in_greys_from_the_low_end_of_its_scale_to_the_high_one() {
        // Painted 0, 5 and 10 on three plateaus.
        let text = r#"(version: 1, name: "Painted", size: (9, 3), cell: 10, steps: [
            flat(), paint(layer: "wet", value: 5), paint(layer: "wet", value: 10, mask: height, mask_min: 1),
        ])"#;
        let mut recipe = crate::Recipe::from_ron(text, "painted.ron").unwrap();
        let of = |recipe: &mut crate::Recipe, low: f32, high: f32| {
            let layer = Some(LayerView { low, high, ..LayerView::of(Name::new("wet").unwrap()) });
            recipe.texture = TextureView { layer, ..TextureView::default() }.seen(&Skin::Arid);
            recipe.build(&crate::Work::new()).unwrap().colour.texels[0][0]
        };
        let levels =
            [(0.0, 5.0), (5.0, 10.0), (0.0, 10.0), (0.0, 20.0)].map(|(low, high)| of(&mut recipe, low, high));
        assert_eq!(levels, [255, 0, 128, 64]);
    }

    #[test]
    fn a_scale_fits_most_of_a_layer() {
        let grid = Grid::new(100, 10, 1.0).unwrap();
        let fitted = |value: &(dyn Fn(usize) -> f32 + Sync)| {
            let field = Heightfield::from_fn(grid, |column, row| value(row * 100 + column));
            let LayerView { low, high, .. } = LayerView::fitted(Name::new("wet").unwrap(), &field);
            (low, high)
        };
        assert_eq!(fitted(&|index| index as f32), (0.0, 990.0));
        assert_eq!(fitted(&|index| if index > 2 { 0.0 } else { 7.0 }), (0.0, 7.0), "hardly any");
        assert_eq!(fitted(&|index| 300.0 + index as f32 / 1000.0).0, 300.0);
        assert_eq!(fitted(&|_| 4.0), (4.0, 4.0 + LayerView::APART), "the same everywhere");
    }

    #[test]
    fn places_follow_their_types() {
        let mut types: Vec<usize> = (0..6).collect();
        let mut view = TextureView {
            opened: Some(1),
            solo: Some(4),
            muted: [0, 2, 5].into(),
            weight: Some(3),
            ..TextureView::default()
        };
        let muted = |view: &TextureView, types: &[usize]| -> BTreeSet<usize> {
            view.muted.iter().map(|&index| types[index]).collect()
        };
        for (from, to) in [(0, 5), (5, 0), (4, 1), (1, 4), (2, 2), (0, 3)] {
            let kind = types.remove(from);
            types.insert(to, kind);
            view.moved(from, to);
            assert_eq!(muted(&view, &types), [0, 2, 5].into());
            let at = |place: Option<usize>| types[place.unwrap()];
            assert_eq!((at(view.opened), at(view.solo), at(view.weight)), (1, 4, 3));
        }
        let place = types.iter().position(|&kind| kind == 4).unwrap();
        types.remove(place);
        view.removed(place);
        types.insert(1, 9);
        view.inserted(1);
        assert_eq!((view.solo, types[view.opened.unwrap()]), (None, 1));
        assert_eq!(muted(&view, &types), [0, 2, 5].into());
        view.show_all();
        assert_eq!(view, TextureView { opened: view.opened, ..TextureView::default() });
    }

    #[test]
    fn of_several_sets_the_one_that_is_looked_at_is_seen() {
        let skin = Skin::Sets(Sets { sets: vec![Skin::Temperate, Skin::Arid], at: 0.3, mask: None });
        let mut view = TextureView { set: 1, opened: Some(0), ..TextureView::default() };
        assert_eq!(view.seen(&skin), skin);
        view.weight = Some(2);
        assert_eq!(view.seen(&skin), Skin::Custom(view.apply(&Texture::arid())));
        assert_eq!(TextureView::default().seen(&Skin::Woodland), Skin::Woodland);
    }

    #[test]
    fn limits_are_kept_whatever_is_shown() {
        let view = TextureView { weight: Some(0), ..TextureView::default() };
        let limits = |texture: &Texture| -> Vec<(Limits, Limits)> {
            texture.types.iter().map(|kind| (kind.elevation, kind.slope)).collect()
        };
        assert_eq!(limits(&view.apply(&texture())), limits(&texture()));
    }
}
