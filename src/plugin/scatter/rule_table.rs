//! The rules of a terrain, prepared for drawing: tiers of rules that are placed together, and the table of
//! their looks that the shader reads.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;

use super::impostors::{ImpostorTexels, impostor_images};
use super::mesh_library::{MadeObject, ObjectMaterial};
use crate::Error;
use crate::plugin::device::array_image;
use crate::rules::Rule;
use crate::stream::LandShape;

/// Texels of a row of the table: one for each level, and two with the rest. Twins of `LOOK_TEXELS` and
/// `LEVELS` in `shaders/scatter_instance.wgsl`.
const LOOK_TEXELS: usize = 8;
const LEVELS: usize = 5;

/// The most rows: numbers of eight bits.
const MOST_LOOKS: usize = 256;

/// How many cells of a tier lie side by side up to the distance from which it is seen; and the least and the
/// greatest side of a cell, metres.
const CELLS_TO_REACH: f64 = 12.0;
const SMALLEST: f64 = 24.0;
const LARGEST: f64 = 512.0;

/// Materials of batches: that of plants, that of impostors, and from here on those of a game's own.
pub(super) const PLANTS: usize = 0;
pub(super) const IMPOSTORS: usize = 1;

/// A level of detail of a look.
#[derive(Clone)]
pub(super) struct Level {
    /// The distances between which it is drawn, metres.
    pub(super) from: f32,
    pub(super) until: f32,
    /// Its template, and how many copies that holds; `None` for impostors, which share theirs.
    pub(super) template: Option<(Handle<Mesh>, usize)>,
    pub(super) material: usize,
}

/// The look of a rule's objects of one variant: a row of the table.
pub(super) struct Look {
    pub(super) levels: Vec<Level>,
    pub(super) shadows: bool,
    /// How far it may reach beyond its foot, metres: of its largest object, in wind.
    pub(super) radius: f32,
}

/// A rule whose objects are drawn.
pub(super) struct DrawnRule {
    /// Its index in the recipe.
    pub(super) number: usize,
    /// The row of its first variant, and how many there are.
    pub(super) first_look: usize,
    pub(super) variants: usize,
    pub(super) sink: f32,
    pub(super) made: Arc<MadeObject>,
}

/// Rules whose objects are seen about equally far, and are placed together.
pub(super) struct Tier {
    /// The rules, by their places among those that are drawn.
    pub(super) rules: Vec<usize>,
    /// A side of a cell: how often the finest distance between samples is doubled, and metres.
    pub(super) doublings: u32,
    pub(super) side: f64,
    /// How far its objects are seen, metres.
    pub(super) reach: f32,
    /// How far some of its objects are spawned as entities, metres: whatever the size of the picture.
    pub(super) spawned: f32,
}

/// All rules of a terrain, prepared for drawing.
pub(super) struct RuleTable {
    pub(super) rules: Vec<DrawnRule>,
    pub(super) looks: Vec<Look>,
    pub(super) tiers: Vec<Tier>,
    /// A row for each look, for the shader.
    pub(super) image: Handle<Image>,
    pub(super) impostors: Option<[Handle<Image>; 2]>,
    /// Materials of a game's own.
    pub(super) own: Vec<StandardMaterial>,
    /// Rules without room in the table, by their indices in the recipe, and the reasons.
    pub(super) left_out: Vec<(usize, Error)>,
}

impl RuleTable {
    /// The table of these rules, each with its index and its objects' meshes: as many as fit.
    pub(super) fn new(
        rules: Vec<(usize, &Rule, Arc<MadeObject>)>,
        shape: &LandShape,
        images: &mut Assets<Image>,
    ) -> Self {
        let (mut looks, mut drawn, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let mut left_out = Vec::new();
        let mut texels: Vec<[[f32; 4]; LOOK_TEXELS]> = Vec::new();
        let mut layers: Vec<*const ImpostorTexels> = Vec::new();
        for (number, rule, made) in &rules {
            if looks.len() + made.variants.len() > MOST_LOOKS {
                let reason = format!(
                    "the rules of a land have at most {MOST_LOOKS} variants of objects together, {} of which earlier \
                     rules have, and `{}` has {}; leave rules out, or give objects fewer variants",
                    looks.len(),
                    rule.object,
                    made.variants.len()
                );
                left_out.push((*number, Error::parameter(format!("scatter.{number}"), reason)));
                continue;
            }
            // Larger objects are seen farther; within bounds, so that a rule cannot ask for plants to the
            // horizon.
            let scale = ((rule.size.min + rule.size.max) / 2.0).clamp(0.2, 5.0);
            let material = match &made.material {
                ObjectMaterial::Atlas => PLANTS,
                ObjectMaterial::Own(material) => {
                    own.push((**material).clone());
                    IMPOSTORS + own.len()
                }
            };
            let first_look = looks.len();
            for variant in &made.variants {
                let mut row = [[0.0; 4]; LOOK_TEXELS];
                let mut levels = Vec::new();
                let mut from = 0.0;
                let templates = variant.levels.iter().map(|template| Some(template.clone()));
                let impostor = variant.impostor.is_some().then_some(None);
                let all: Vec<_> = templates.chain(impostor).zip(&made.until).collect();
                let last = all.len().saturating_sub(1);
                for (index, (template, until)) in all.into_iter().enumerate() {
                    let until = until * scale;
                    let material = if template.is_some() { material } else { IMPOSTORS };
                    row[index] = [from, until, f32::from(u8::from(index == last)), 0.0];
                    levels.push(Level { from, until, template, material });
                    from = until;
                }
                row[LEVELS] = [0.0, 0.0, made.sway, 1.0];
                if let Some(impostor) = &variant.impostor {
                    // Variants of several rules share an impostor, and so a layer.
                    let known = layers.iter().position(|layer| std::ptr::eq(*layer, impostor));
                    let layer = known.unwrap_or_else(|| {
                        layers.push(impostor);
                        layers.len() - 1
                    });
                    row[LEVELS][1] = layer as f32;
                    row[LEVELS + 1] = impostor.middle.extend(impostor.radius).to_array();
                }
                texels.push(row);
                let radius =
                    // The largest object in the strongest wind, four times that which the sway is given for.
                    (made.radius + made.sway * 4.0) * rule.size.max + rule.sink.abs() * rule.size.max;
                looks.push(Look { levels, shadows: made.shadows, radius });
            }
            drawn.push(DrawnRule {
                number: *number,
                first_look,
                variants: made.variants.len(),
                sink: rule.sink,
                made: made.clone(),
            });
        }
        // In the order of `layers`, in which rows have counted them.
        let mut impostors: Vec<&ImpostorTexels> = Vec::new();
        for made in drawn.iter().map(|rule| &rule.made) {
            for impostor in made.variants.iter().filter_map(|variant| variant.impostor.as_ref()) {
                if !impostors.iter().any(|known| std::ptr::eq(*known, impostor)) {
                    impostors.push(impostor);
                }
            }
        }
        let image = table_image(&texels, images);
        let impostors = (!impostors.is_empty()).then(|| impostor_images(&impostors, images));
        let tiers = tiers(&drawn, &looks, shape);
        Self { rules: drawn, looks, tiers, image, impostors, own, left_out }
    }

    /// How many materials batches have.
    pub(super) fn materials(&self) -> usize {
        IMPOSTORS + 1 + self.own.len()
    }
}

fn table_image(rows: &[[[f32; 4]; LOOK_TEXELS]], images: &mut Assets<Image>) -> Handle<Image> {
    let empty = [[[0.0; 4]; LOOK_TEXELS]];
    // A texture needs at least one row.
    let rows = if rows.is_empty() { &empty[..] } else { rows };
    let texels: Vec<f32> = rows.as_flattened().as_flattened().to_vec();
    let bytes = bytemuck::cast_slice(&texels).to_vec();
    let mut image = array_image(LOOK_TEXELS, rows.len(), 1, TextureFormat::Rgba32Float, 1, bytes);
    // The shader reads a plain 2-D texture, and `array_image` makes a view of an array.
    image.texture_view_descriptor = None;
    images.add(image)
}

/// Rules in tiers, by the sides of their cells.
fn tiers(rules: &[DrawnRule], looks: &[Look], shape: &LandShape) -> Vec<Tier> {
    let finest = f64::from(shape.cell_at(shape.finest));
    let mut tiers: Vec<Tier> = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        let drawn = looks[rule.first_look].levels.last().map_or(0.0, |level| level.until);
        let spawned = rule.made.spawner.as_ref().map_or(0.0, |spawner| spawner.within);
        let reach = drawn.max(spawned);
        if reach <= 0.0 {
            continue;
        }
        let wanted = (f64::from(reach) / CELLS_TO_REACH).clamp(SMALLEST, LARGEST);
        // Cells are whole numbers of samples wide, a power of two: so their corners lie on samples, and
        // shaders count them as such.
        let doublings = (wanted / finest).log2().round().clamp(0.0, 31.0) as u32;
        match tiers.iter_mut().find(|tier| tier.doublings == doublings) {
            Some(tier) => {
                tier.rules.push(place);
                tier.reach = tier.reach.max(drawn);
                tier.spawned = tier.spawned.max(spawned);
            }
            None => {
                let side = finest * f64::from(doublings).exp2();
                tiers.push(Tier { rules: vec![place], doublings, side, reach: drawn, spawned });
            }
        }
    }
    tiers
}

#[cfg(test)]
mod tests {
    use super::super::mesh_library::Variant;
    use super::*;

    fn made(variants: usize, sway: f32) -> Arc<MadeObject> {
        let variants = (0..variants).map(|_| Variant { levels: vec![default()], impostor: None });
        Arc::new(MadeObject {
            variants: variants.collect(),
            until: vec![100.0],
            radius: 1.0,
            shadows: false,
            sway,
            material: ObjectMaterial::Atlas,
            spawner: None,
        })
    }

    #[test]
    fn plants_that_sway_farther_have_that_in_their_row_and_are_seen_from_farther_aside() {
        let rule = Rule::new("beech", 1.0, 10.0);
        let shape = LandShape::endless(2.0, -3, 5000.0);
        let row = |sway: f32| {
            let mut images = Assets::default();
            let table = RuleTable::new(vec![(0, &rule, made(1, sway))], &shape, &mut images);
            let bytes = images.get(&table.image).unwrap().data.clone().unwrap();
            let floats: Vec<f32> =
                bytes.chunks(4).map(|float| f32::from_le_bytes(float.try_into().unwrap())).collect();
            (floats[4 * LEVELS + 2], table.looks[0].radius)
        };
        let ((stiff, narrow), (soft, wide)) = (row(0.0), row(0.5));
        assert_eq!((stiff, soft), (0.0, 0.5));
        assert!(wide > narrow, "bounds hold what the wind moves: {narrow} m, {wide} m");
    }

    #[test]
    fn rules_that_there_is_no_room_for_are_named_and_later_ones_that_fit_are_worn() {
        let rules: Vec<Rule> = (0..40).map(|_| Rule::new("hut", 1.0, 10.0)).collect();
        // 31 of eight variants leave room for 8 more.
        let variants = |number: usize| if number == 31 { 9 } else { 8 };
        let all = rules.iter().enumerate().map(|(number, rule)| (number, rule, made(variants(number), 0.0)));
        let shape = LandShape::endless(2.0, -3, 5000.0);
        let table = RuleTable::new(all.collect(), &shape, &mut Assets::default());
        let drawn: Vec<usize> = table.rules.iter().map(|rule| rule.number).collect();
        assert_eq!(drawn, (0..=32).filter(|number| *number != 31).collect::<Vec<_>>());
        assert_eq!(table.looks.len(), MOST_LOOKS);
        let left_out: Vec<usize> = table.left_out.iter().map(|(number, _)| *number).collect();
        assert_eq!(left_out, [vec![31], (33..40).collect()].concat());
        let said = table.left_out[0].1.to_string();
        assert!(said.starts_with("scatter.31: ") && said.contains("248") && said.contains("has 9"), "{said}");
    }
}
