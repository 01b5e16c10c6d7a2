//! Repaints: new colours for present land, baked in the background. First a coarse picture of the whole,
//! then patch by patch, starting with those in view.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::components::{TerrainFailed, TerrainGround};
use super::job::Job;
use super::life::{Coat, Event, Living};
use super::prepared::{colours_image, mip_chain};
use crate::analysis::{Land, Surroundings};
use crate::plugin::device::{DeviceLimits, TexelPatch, TexelPatches};
use crate::plugin::material::PreparedCover;
use crate::plugin::tiles::TileStacks;
use crate::texture::{ColourMap, GroundCover, Patch, Patches, Prepared, bake_patches};
use crate::{Landscape, Result, Skin, Work};

/// Texels along the longer side of the coarse picture.
const COARSE: u32 = 512;
/// Texels along the sides of a patch: a power of two, so that its mip levels are its own.
const PATCH: usize = 512;
/// Factor on the distance of what lies behind the eye.
const BEHIND: f32 = 4.0;

/// The skin of a terrain, replacing that of its source.
///
/// Inserting or changing it bakes the terrain's colours anew in the background; heights, and the answers of
/// [`TerrainQuery`](crate::plugin::TerrainQuery), stay. A game can let seasons pass with it. If baking
/// fails, the terrain's status is failed and the old colours stay. [`Landscape::colour`] keeps the original
/// colours. After removing the component, the colours stay until the terrain is rebuilt.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use upland::{Skin, plugin::{Terrain, TerrainSkin}};
/// fn dry_out(mut commands: Commands, terrain: Single<Entity, With<Terrain>>) {
///     commands.entity(*terrain).insert(TerrainSkin { skin: Skin::Arid, seed: 7 });
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq)]
pub struct TerrainSkin {
    /// The terrain types, or a ready-made set of them.
    pub skin: Skin,
    /// Seed of the noise that mottles colours; in a recipe that is the recipe's seed.
    pub seed: u64,
}

/// Sent when a terrain has been repainted with its [`TerrainSkin`].
#[derive(EntityEvent, Clone, Debug)]
pub struct TerrainRepainted {
    /// The terrain.
    pub entity: Entity,
    /// Notes for people, as [`Landscape::notes`].
    pub notes: Vec<String>,
}

/// The analysis of a land, which is the same for all skins.
#[derive(Component)]
pub(super) struct LandAnalysis {
    landscape: Arc<Landscape>,
    surroundings: Surroundings,
}

/// A running repaint.
pub(super) struct Repaint {
    pub(super) coat: Coat,
    pub(super) job: Job<PaintResult>,
    pub(super) painted: Painted,
}

/// The result of a repaint.
pub(super) struct PaintResult {
    surroundings: Surroundings,
    notes: Vec<String>,
}

impl PaintResult {
    fn new(prepared: &Prepared) -> Self {
        Self { surroundings: prepared.surroundings().clone(), notes: prepared.notes.clone() }
    }
}

/// What has been painted and not yet uploaded.
#[derive(Clone, Default)]
pub(super) struct Painted(Arc<Mutex<Vec<PaintUpdate>>>);

impl Painted {
    fn push(&self, paint: PaintUpdate) {
        self.lock().push(paint);
    }

    /// Everything since the last call.
    pub(super) fn take(&self) -> Vec<PaintUpdate> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PaintUpdate>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) enum PaintUpdate {
    /// A picture of the whole, replacing the present one.
    Whole(Image),
    /// New splat weights and tiles, replacing the present ones.
    Cover(Option<Box<PreparedCover>>),
    /// A part of the last picture of the whole: its position, and its mip levels.
    Patch(UVec2, Vec<(UVec2, Vec<u8>)>),
}

/// Ends the repaint of a terrain whose skin was removed; its colours stay as they are.
pub(super) fn stop_repaints(mut removed: RemovedComponents<TerrainSkin>, mut terrains: Query<Living>) {
    for entity in removed.read() {
        if let Ok(mut living) = terrains.get_mut(entity) {
            living.on(Event::SkinTaken);
        }
    }
}

/// Starts a repaint of every terrain whose skin differs from its present one.
pub(super) fn start_repaints(
    mut terrains: Query<(Living, &TerrainSkin, &TerrainGround, &GlobalTransform, Option<&LandAnalysis>)>,
    cameras: Query<&GlobalTransform, With<Camera3d>>,
    stacks: Res<TileStacks>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (mut living, skin, ground, placement, known) in &mut terrains {
        let landscape = &ground.landscape;
        if !living.life.wants_paint(skin, landscape) {
            continue;
        }
        let coat = Coat { skin: skin.clone(), landscape: landscape.clone() };
        let painted = Painted::default();
        let painter = Painter {
            coat: coat.clone(),
            known: known
                .filter(|known| Arc::ptr_eq(&known.landscape, landscape))
                .map(|known| known.surroundings.clone()),
            eyes: cameras.iter().map(|camera| Eye::new(camera, placement, landscape)).collect(),
            limits: DeviceLimits::new(device.as_deref(), adapter.as_deref()),
            stacks: stacks.clone(),
            painted: painted.clone(),
        };
        let job = Job::start(move |work| painter.run(work));
        living.on(Event::SkinPut(Box::new(Repaint { coat, job, painted })));
    }
}

/// Uploads what has been painted.
pub(super) fn show_paint(
    mut commands: Commands,
    mut terrains: Query<(Entity, Living, Option<&mut TerrainGround>)>,
    mut images: ResMut<Assets<Image>>,
    mut patches: ResMut<TexelPatches>,
) {
    for (entity, mut living, ground) in &mut terrains {
        let Some(land) = living.life.painted_land() else { continue };
        let Some(mut ground) = ground.filter(|ground| Arc::ptr_eq(land, &ground.landscape)) else {
            // Paint and analysis are of another land.
            living.on(Event::GroundLost);
            continue;
        };
        let Some((paint, outcome)) = living.life.take_paint() else { continue };
        living.tell();
        for paint in paint {
            match paint {
                PaintUpdate::Whole(image) => ground.textures.colours = images.add(image),
                PaintUpdate::Cover(cover) => {
                    ground.textures.cover = cover.map(|cover| cover.upload(&mut images));
                }
                PaintUpdate::Patch(corner, levels) => {
                    let image = ground.textures.colours.id();
                    patches.0.extend((0..).zip(levels).map(|(mip_level, (size, bytes))| TexelPatch {
                        image,
                        mip_level,
                        corner: corner >> mip_level,
                        size,
                        bytes,
                    }));
                }
            }
        }
        match outcome {
            None => {}
            Some(Ok(PaintResult { surroundings, notes })) => {
                commands
                    .entity(entity)
                    .insert(LandAnalysis { landscape: ground.landscape.clone(), surroundings });
                commands.trigger(TerrainRepainted { entity, notes });
            }
            Some(Err(error)) => commands.trigger(TerrainFailed { entity, error: error.to_string() }),
        }
    }
}

/// Everything that a repaint needs, to be sent to the task pool.
struct Painter {
    coat: Coat,
    known: Option<Surroundings>,
    eyes: Vec<Eye>,
    limits: DeviceLimits,
    stacks: TileStacks,
    painted: Painted,
}

impl Painter {
    fn run(self, work: &Work) -> Result<PaintResult> {
        let Coat { skin: TerrainSkin { skin, seed }, landscape } = &self.coat;
        let (fade, seed) = (skin.fade(), *seed);
        let Landscape { heightfield: field, sea_level, rivers, .. } = &**landscape;
        let land = Land { field, sea_level: *sea_level, rivers };
        let known = self.known.clone().unwrap_or_else(|| Surroundings::new(field));
        let known = known.with_land_layers(self.coat.landscape.layers.clone());
        let prepared = fade.prepare(land, Some(known), work)?;

        let mut coarse = fade.clone();
        coarse.textures.iter_mut().for_each(|texture| texture.resolution = COARSE);
        let preview = coarse.baker(land, &prepared, false, seed, work)?;
        let preview = preview.paint(preview.whole(), work)?.colour;
        self.painted.push(PaintUpdate::Whole(colours_image(&preview, self.limits)?));

        let known = Some(prepared.surroundings().clone());
        let cover = GroundCover::of(&fade, land, known, seed, work)?;
        let cover = PreparedCover::new(&cover, self.limits, &self.stacks, work)?;
        self.painted.push(PaintUpdate::Cover(cover.map(Box::new)));

        let baker = fade.baker(land, &prepared, false, seed, work)?;
        let (width, depth) = baker.size();
        let whole_mips = width.is_multiple_of(PATCH) && depth.is_multiple_of(PATCH);
        if !whole_mips || width.max(depth) > self.limits.texture_side as usize {
            let colour = baker.paint(baker.whole(), work)?.colour;
            self.painted.push(PaintUpdate::Whole(colours_image(&colour, self.limits)?));
            return Ok(PaintResult::new(&prepared));
        }
        self.painted.push(PaintUpdate::Whole(colours_image(&enlarged(&preview, width, depth), self.limits)?));
        let patches = Patches::at_most((width, depth), PATCH)?;
        let paint = |patch: Patch| {
            let corner = UVec2::new(patch.window.column as u32, patch.window.row as u32);
            self.painted.push(PaintUpdate::Patch(corner, mip_chain(&patch.baked.colour)));
            Ok(())
        };
        bake_patches(&baker, &patches, &in_order(&patches, &self.eyes), paint, work)?;
        Ok(PaintResult::new(&prepared))
    }
}

/// The position and direction of a camera, as shares of the land's sides.
struct Eye {
    place: Vec2,
    ahead: Vec2,
}

impl Eye {
    fn new(camera: &GlobalTransform, terrain: &GlobalTransform, landscape: &Landscape) -> Self {
        let extent = landscape.heightfield.grid().extent().max(Vec2::splat(1e-6));
        let field_from_world = terrain.affine().inverse();
        let place = field_from_world.transform_point3(camera.translation());
        let ahead = field_from_world.transform_vector3(camera.forward().into());
        Self { place: Vec2::new(place.x, place.z) / extent + 0.5, ahead: Vec2::new(ahead.x, ahead.z) }
    }

    /// The priority of `place`: its distance, with a penalty for what is behind.
    fn distance(&self, place: Vec2) -> f32 {
        let way = place - self.place;
        way.length() * if way.dot(self.ahead) < 0.0 { BEHIND } else { 1.0 }
    }
}

/// Column and row of each patch in order of priority.
fn in_order(patches: &Patches, eyes: &[Eye]) -> Vec<(usize, usize)> {
    let count = Vec2::new(patches.columns() as f32, patches.rows() as f32);
    let lateness = |&(column, row): &(usize, usize)| {
        let middle = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) / count;
        eyes.iter().map(|eye| eye.distance(middle)).fold(f32::INFINITY, f32::min)
    };
    let mut order = patches.row_by_row();
    order.sort_by(|a, b| lateness(a).total_cmp(&lateness(b)));
    order
}

/// A coarse picture enlarged to the size of the fine one that will replace it.
fn enlarged(coarse: &ColourMap, width: usize, depth: usize) -> ColourMap {
    let columns: Vec<usize> = (0..width).map(|column| column * coarse.width / width).collect();
    let mut texels = Vec::with_capacity(width * depth);
    for row in 0..depth {
        let from = &coarse.texels[row * coarse.depth / depth * coarse.width..][..coarse.width];
        texels.extend(columns.iter().map(|&column| from[column]));
    }
    ColourMap { width, depth, texels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_before_the_eye_is_painted_first_and_everything_is_painted_once() {
        let eye = Eye { place: Vec2::splat(0.5), ahead: Vec2::X };
        let patches = Patches::at_most((8 * PATCH, 4 * PATCH), PATCH).unwrap();
        let order = in_order(&patches, &[eye]);
        assert_eq!(order.iter().collect::<std::collections::BTreeSet<_>>().len(), 32);
        assert_eq!(order[0].0, 4);
        assert_eq!(order[31].0, 0, "what lies far behind comes last");
        let place = |column: usize| order.iter().position(|patch| patch.0 == column).unwrap();
        assert!(place(5) < place(2));
    }

    #[test]
    fn an_enlarged_picture_has_every_texel_of_the_coarse_one() {
        let coarse = ColourMap { width: 2, depth: 1, texels: vec![[1; 4], [9; 4]] };
        let fine = enlarged(&coarse, 4, 2);
        assert_eq!(fine.texels, [[1; 4], [1; 4], [9; 4], [9; 4], [1; 4], [1; 4], [9; 4], [9; 4]]);
    }
}
