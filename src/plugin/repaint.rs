//! New colours for land that is there: baked in the background while the heights stay, first a coarse
//! picture of the whole, then patch by patch, what is looked at first.

use std::sync::{Arc, Mutex};

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy::tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};

use crate::plugin::build::{Building, SourceError, device_limits, without_panic};
use crate::plugin::cover::PreparedCover;
use crate::plugin::terrain::{TerrainFailed, TerrainGround, TerrainStatus};
use crate::plugin::texel_upload::{TexelPatch, TexelPatches};
use crate::plugin::tile_stack::TileStacks;
use crate::plugin::upload::{DeviceLimits, colours_image, mip_chain};
use crate::texture::{ColourMap, GroundCover, Land, Patch, Patches, Prepared, Surroundings, bake_patches};
use crate::{Landscape, Result, Skin, Work};

/// Texels along the longer side of the coarse picture.
const COARSE: u32 = 512;
/// Texels along the sides of a patch: a power of two, so that its mip levels are its own.
const PATCH: usize = 512;
/// What lies behind the eye counts as so much farther away.
const BEHIND: f32 = 4.0;

/// What a terrain wears from now on, instead of what it was built with.
///
/// Inserting or changing it bakes the terrain's colours anew in the background; heights, and what a
/// [`TerrainQuery`](super::TerrainQuery) answers, stay. A game lets the seasons pass with it. What
/// cannot be baked sets the terrain's status to failed, and the colours that were there stay.
/// [`Landscape::colour`] keeps what the landscape was built with. Taken away, the colours stay until the
/// terrain is built anew.
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
    /// Where the noise lies that mottles colours; a recipe's own is its seed.
    pub seed: u64,
}

/// A terrain has been repainted as its [`TerrainSkin`] says.
#[derive(EntityEvent, Clone, Debug)]
pub struct TerrainRepainted {
    /// The terrain.
    pub entity: Entity,
    /// What there is to say about it, for people, as [`Landscape::notes`].
    pub notes: Vec<String>,
}

/// What a terrain was last asked to wear, and over which land.
#[derive(Component)]
pub(crate) struct Wears {
    skin: TerrainSkin,
    landscape: Arc<Landscape>,
}

/// What is known of a land that no skin changes.
#[derive(Component)]
pub(crate) struct Known {
    landscape: Arc<Landscape>,
    surroundings: Surroundings,
}

/// A repaint under way.
#[derive(Component)]
pub(crate) struct Repainting {
    /// The land that is painted.
    landscape: Arc<Landscape>,
    work: Work,
    task: Task<Result<Done>>,
    painted: Painted,
}

impl Drop for Repainting {
    fn drop(&mut self) {
        self.work.cancel();
    }
}

/// What is left of a repaint.
struct Done {
    surroundings: Surroundings,
    notes: Vec<String>,
}

impl Done {
    fn new(prepared: &Prepared) -> Self {
        Self { surroundings: prepared.surroundings().clone(), notes: prepared.notes.clone() }
    }
}

/// What has been painted and is not on the device yet.
type Painted = Arc<Mutex<Vec<Paint>>>;

enum Paint {
    /// A picture of the whole, in place of the one that is there.
    Whole(Image),
    /// Which tiles lie where, in place of those that do.
    Cover(Option<Box<PreparedCover>>),
    /// A part of the last picture of the whole: its place, and its mip levels.
    Patch(UVec2, Vec<(UVec2, Vec<u8>)>),
}

/// Ends the repaint of a terrain whose skin was taken away; its colours stay as they are.
pub(crate) fn stop_repaints(
    mut commands: Commands,
    mut removed: RemovedComponents<TerrainSkin>,
    mut terrains: Query<(&mut TerrainStatus, Has<Repainting>, Option<&SourceError>)>,
) {
    for entity in removed.read() {
        if let Ok((mut status, is_repainting, error)) = terrains.get_mut(entity) {
            commands.entity(entity).remove::<(Repainting, Wears)>();
            if is_repainting {
                *status = SourceError::status(error);
            }
        }
    }
}

/// Starts a repaint wherever a terrain is to wear something else than it does. Land that another is being
/// built in place of is not painted any more; the other one is, when it is there.
pub(crate) fn start_repaints(
    mut commands: Commands,
    mut terrains: Query<
        (
            Entity,
            &TerrainSkin,
            &TerrainGround,
            &GlobalTransform,
            Option<&Wears>,
            Option<&Known>,
            &mut TerrainStatus,
        ),
        Without<Building>,
    >,
    cameras: Query<&GlobalTransform, With<Camera3d>>,
    stacks: Res<TileStacks>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (entity, skin, ground, placement, wears, known, mut status) in &mut terrains {
        let landscape = &ground.landscape;
        let is_worn =
            wears.is_some_and(|wears| wears.skin == *skin && Arc::ptr_eq(&wears.landscape, landscape));
        // What waits has a recipe that is not loaded yet.
        if is_worn || *status == TerrainStatus::Waiting {
            continue;
        }
        let job = Job {
            landscape: landscape.clone(),
            skin: skin.clone(),
            known: known
                .filter(|known| Arc::ptr_eq(&known.landscape, landscape))
                .map(|known| known.surroundings.clone()),
            eyes: cameras.iter().map(|camera| Eye::new(camera, placement, landscape)).collect(),
            limits: device_limits(device.as_deref(), adapter.as_deref()),
            stacks: stacks.clone(),
            painted: Painted::default(),
            work: Work::new(),
        };
        let (work, painted) = (job.work.clone(), job.painted.clone());
        let task = AsyncComputeTaskPool::get().spawn(async move { without_panic(|| job.run()) });
        let wears = Wears { skin: skin.clone(), landscape: landscape.clone() };
        commands
            .entity(entity)
            .insert((Repainting { landscape: landscape.clone(), work, task, painted }, wears));
        *status = TerrainStatus::Building { stage: String::new(), fraction: 0.0 };
    }
}

/// Brings what has been painted to the device.
pub(crate) fn show_paint(
    mut commands: Commands,
    mut terrains: Query<(
        Entity,
        &mut Repainting,
        &mut TerrainGround,
        &mut TerrainStatus,
        Option<&SourceError>,
    )>,
    mut images: ResMut<Assets<Image>>,
    mut patches: ResMut<TexelPatches>,
) {
    for (entity, mut repainting, mut ground, mut status, source_error) in &mut terrains {
        if !Arc::ptr_eq(&repainting.landscape, &ground.landscape) {
            // Paint and surroundings are those of another land.
            commands.entity(entity).remove::<Repainting>();
            *status = SourceError::status(source_error);
            continue;
        }
        // Asked before the paint is taken, so that nothing painted is left behind.
        let done = block_on(poll_once(&mut repainting.task));
        let painted = repainting.painted.lock().map(|mut painted| std::mem::take(&mut *painted));
        for paint in painted.unwrap_or_default() {
            match paint {
                Paint::Whole(image) => ground.colours = images.add(image),
                Paint::Cover(cover) => ground.cover = cover.map(|cover| cover.upload(&mut images)),
                Paint::Patch(corner, levels) => {
                    let image = ground.colours.id();
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
        match done {
            None => {
                let progress = repainting.work.progress();
                let now = TerrainStatus::Building { stage: progress.stage, fraction: progress.fraction };
                status.set_if_neq(now);
            }
            Some(Ok(Done { surroundings, notes })) => {
                let known = Known { landscape: ground.landscape.clone(), surroundings };
                commands.entity(entity).remove::<Repainting>().insert(known);
                *status = SourceError::status(source_error);
                commands.trigger(TerrainRepainted { entity, notes });
            }
            Some(Err(error)) => {
                let error = error.to_string();
                commands.entity(entity).remove::<Repainting>();
                *status = TerrainStatus::Failed(error.clone());
                commands.trigger(TerrainFailed { entity, error });
            }
        }
    }
}

/// Everything that a repaint needs, on its way to the task pool.
struct Job {
    landscape: Arc<Landscape>,
    skin: TerrainSkin,
    known: Option<Surroundings>,
    eyes: Vec<Eye>,
    limits: DeviceLimits,
    stacks: TileStacks,
    painted: Painted,
    work: Work,
}

impl Job {
    fn run(self) -> Result<Done> {
        let (fade, seed) = (self.skin.skin.fade(), self.skin.seed);
        let Landscape { heightfield: field, sea_level, rivers, .. } = &*self.landscape;
        let land = Land { field, sea_level: *sea_level, rivers };
        let known = self.known.clone().unwrap_or_else(|| Surroundings::new(field));
        let known = known.with_land_layers(self.landscape.layers.clone());
        let prepared = fade.prepare(land, Some(known), &self.work)?;

        let mut coarse = fade.clone();
        coarse.textures.iter_mut().for_each(|texture| texture.resolution = COARSE);
        let preview = coarse.baker(land, &prepared, false, seed, &self.work)?;
        let preview = preview.paint(preview.whole(), &self.work)?.colour;
        self.push(Paint::Whole(colours_image(&preview, self.limits)?));

        let known = Some(prepared.surroundings().clone());
        let cover = GroundCover::of(&fade, land, known, seed, &self.work)?;
        let cover = PreparedCover::new(&cover, self.limits, &self.stacks, &self.work)?;
        self.push(Paint::Cover(cover.map(Box::new)));

        let baker = fade.baker(land, &prepared, false, seed, &self.work)?;
        let (width, depth) = baker.size();
        let whole_mips = width.is_multiple_of(PATCH) && depth.is_multiple_of(PATCH);
        if !whole_mips || width.max(depth) > self.limits.texture_side as usize {
            let colour = baker.paint(baker.whole(), &self.work)?.colour;
            self.push(Paint::Whole(colours_image(&colour, self.limits)?));
            return Ok(Done::new(&prepared));
        }
        self.push(Paint::Whole(colours_image(&enlarged(&preview, width, depth), self.limits)?));
        let patches = Patches::at_most((width, depth), PATCH)?;
        let paint = |patch: Patch| {
            let corner = UVec2::new(patch.window.column as u32, patch.window.row as u32);
            self.push(Paint::Patch(corner, mip_chain(&patch.baked.colour)));
            Ok(())
        };
        bake_patches(&baker, &patches, &in_order(&patches, &self.eyes), paint, &self.work)?;
        Ok(Done::new(&prepared))
    }

    fn push(&self, paint: Paint) {
        if let Ok(mut painted) = self.painted.lock() {
            painted.push(paint);
        }
    }
}

/// Where somebody looks from, and which way, both as shares of the land's sides.
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

    /// How late what lies at `place` is looked at.
    fn distance(&self, place: Vec2) -> f32 {
        let way = place - self.place;
        way.length() * if way.dot(self.ahead) < 0.0 { BEHIND } else { 1.0 }
    }
}

/// Column and row of each patch, those that are looked at first.
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

/// A coarse picture with as many texels as the fine one that will replace it.
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
    use crate::{Grid, Heightfield};

    #[test]
    fn paint_of_another_land_is_thrown_away() {
        let ground = |height| TerrainGround::bare(Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), height));
        let (old, new) = (ground(0.0), ground(5.0));
        let surroundings = Surroundings::new(&old.landscape.heightfield);
        let pool = AsyncComputeTaskPool::get_or_init(bevy::tasks::TaskPool::new);
        let task = pool.spawn(async { Ok(Done { surroundings, notes: Vec::new() }) });
        while !task.is_finished() {
            std::thread::yield_now();
        }
        let painted = Painted::default();
        painted.lock().unwrap().push(Paint::Whole(Image::default()));
        let repainting = Repainting { landscape: old.landscape.clone(), work: Work::new(), task, painted };

        let mut app = App::new();
        app.init_resource::<Assets<Image>>().init_resource::<TexelPatches>().add_systems(Update, show_paint);
        let terrain = app.world_mut().spawn((repainting, new, TerrainStatus::default())).id();
        app.update();
        let terrain = app.world().entity(terrain);
        assert_eq!(terrain.get::<TerrainGround>().unwrap().colours, Handle::default());
        assert!(!terrain.contains::<Known>() && !terrain.contains::<Repainting>());
        assert_eq!(terrain.get(), Some(&TerrainStatus::Ready));
    }

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
