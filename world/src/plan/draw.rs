//! Drawing up a plan of a recipe's land.

use upland_core::build::StoredNeed;
use upland_core::elevation::raster::MapPlace;
use upland_core::steps::{Kind, Reach};
use upland_core::texture::TYPES_PER_SPLAT_MAP;
use upland_core::{Error, Recipe, Result, Step, Window, Work};

use super::document::{Land, MOST_TILES, PLAN, PROGRAM, Pass, PassKind, Plan, TILES};
use super::files::{FileCopy, take_files};
use super::new::NewPlan;
use crate::outputs::Output;
use crate::store::Store;

/// The most samples of land that is made as a whole, for the steps that must know all of it: 16,385², so that
/// 16,384 cells of any power of two fit.
const MOST_BASE: u64 = 16_385 * 16_385;

/// Seconds of one processor core for each value that is packed into an object, and for each texel that is
/// painted, measured of `endless-highlands`; as with all estimates, a factor of a few is possible.
const PACKED: f64 = 25e-9;
const PAINTED: f64 = 5e-6;

/// Bytes of memory for each sample of the base while it is made. Erosion needs most.
const BASE_MEMORY: u64 = 40;

/// Memory of a process in addition to its fields, bytes: blocks and the land around them, pieces of the base,
/// and what neighbouring blocks of colours share.
const PROCESS: u64 = 160 << 20;
const PAINTING: u64 = 240 << 20;

/// A plan that is not written yet, and the files that belong to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The plan.
    pub plan: Plan,
    /// What the user should know of it, a line each.
    pub notes: Vec<String>,
    copies: Vec<FileCopy>,
}

impl NewPlan {
    /// Draws up the plan of a recipe's land.
    ///
    /// # Errors
    /// For endless land without a window, a window that is not on the land, steps or outputs that are not
    /// possible at this size, and files that cannot be read.
    pub fn draw(&self, recipe: &Recipe, work: &Work) -> Result<Drawing> {
        recipe.check()?;
        if !TILES.contains(&self.tile) {
            let reason = format!(
                "{} samples are not possible for the side of a tile; give {} to {}",
                self.tile,
                TILES.start(),
                TILES.end()
            );
            return Err(Error::parameter("tile", reason));
        }
        let mut notes = Vec::new();
        let (recipe, land) = self.land(recipe, &mut notes)?;
        let outputs = self.outputs(&recipe)?;
        let mut recipe = recipe;
        let copies = take_files_of(&mut recipe, work, &mut notes)?;
        let mut plan = Plan {
            upland_plan: 1,
            program: PROGRAM.into(),
            name: recipe.name.clone(),
            recipe: recipe.to_ron()?,
            files: copies.iter().map(|copy| copy.file.clone()).collect(),
            land,
            tile: self.tile,
            passes: Vec::new(),
            hash: String::new(),
        };
        if let Some(most) = plan.tiles().into_iter().max().filter(|most| *most > MOST_TILES) {
            let reason = format!(
                "gives {most} tiles along a side, at most {MOST_TILES} are possible; give a larger one"
            );
            return Err(Error::parameter("tile", reason));
        }
        plan.passes = passes(&plan, &recipe, &outputs)?;
        plan.hash = plan.computed_hash().map_err(|reason| Error::parameter("plan", reason))?;
        Ok(Drawing { plan, notes, copies })
    }

    /// The recipe whose windows are the tiles, and the rectangle of its land. Where a step must know all of a
    /// land that is too large, it is the recipe at a coarser level.
    fn land(&self, recipe: &Recipe, notes: &mut Vec<String>) -> Result<(Recipe, Land)> {
        let (domain, mut recipe) = (recipe.domain()?, recipe.clone());
        let window = match (self.window, domain.size()) {
            (Some(window), _) => window,
            (None, Some(size)) => Window { level: 0, first: [0, 0], size },
            (None, None) => {
                let reason =
                    "endless land has no extent; give --window LEVEL:X,Z,WxD, such as 0:0,0,100000x100000";
                return Err(Error::parameter("window", reason));
            }
        };
        let mut land = Land { level: window.level, first: window.first, size: window.size };
        check_window(&recipe, window)?;
        if let (Some([width, depth]), Some(step)) = (domain.size(), whole_step(&recipe)) {
            let cells = [width, depth].map(|side| u64::from(side) - 1);
            let samples_at = |level: u32| cells.map(|cells| cells.div_ceil(1 << level) + 1);
            let fits = |level: &u32| samples_at(*level).iter().product::<u64>() <= MOST_BASE;
            let level = (0..=16).find(fits).unwrap_or(16);
            if level > 0 {
                let size = samples_at(level).map(|side| side as u32);
                (recipe.size, recipe.cell) = ((size[0], size[1]), recipe.cell * (1u32 << level) as f32);
                land.level -= level as i32;
                recipe.check().map_err(|error| {
                    let reason = format!(
                        "{step} must know all of the land, which can be made at once with a sample \
                                          every {} m only: {error}",
                        recipe.cell
                    );
                    Error::parameter("size", reason)
                })?;
                notes.push(format!(
                    "{step} must know all of the land, so that the steps up to it are made with a sample every {} m \
                     ({} × {} of them); the steps after it add detail to every tile",
                    recipe.cell, size[0], size[1]
                ));
            }
        }
        // The error names the step, and says what would work.
        recipe.check_reach()?;
        Ok((recipe, land))
    }

    /// What the tiles hold.
    fn outputs(&self, recipe: &Recipe) -> Result<Vec<Output>> {
        let mut outputs = vec![Output::Heights];
        outputs.extend(self.layers.iter().cloned().map(Output::Layer));
        if self.colours || self.weights {
            outputs.push(Output::Colours);
        }
        if self.weights {
            let types: usize = recipe.fade().types().len();
            outputs.extend((0..types.div_ceil(TYPES_PER_SPLAT_MAP) as u32).map(Output::Weights));
        }
        outputs.dedup();
        Ok(outputs)
    }
}

/// Renames a recipe's files as a plan's, and checks before that where the land lies.
fn take_files_of(recipe: &mut Recipe, work: &Work, notes: &mut Vec<String>) -> Result<Vec<FileCopy>> {
    if let Some(Err(note)) = recipe.map_place(None, work)? {
        notes.push(note);
    }
    take_files(recipe)
}

/// Refuses a window that is not on the land. It may be larger than any that is made at once.
fn check_window(recipe: &Recipe, window: Window) -> Result<()> {
    let domain = recipe.domain()?;
    let last = |axis: usize| window.first[axis].saturating_add(i64::from(window.size[axis]) - 1);
    if window.size.contains(&0) {
        return Err(Error::parameter("window", format!("{window} has no samples; give at least 1×1")));
    }
    for (column, row) in [(window.first[0], window.first[1]), (last(0), last(1))] {
        domain.region(Window { level: window.level, first: [column, row], size: [1, 1] })?;
    }
    Ok(())
}

/// The title of the first step that must know all of the land, or its range.
fn whole_step(recipe: &Recipe) -> Option<&'static str> {
    let domain = recipe.domain().ok()?;
    let is_whole = |step: &Step| {
        let reach = step.operation.reach(domain);
        matches!(reach, Reach::Whole | Reach::Range) || step.operation.kind() == Kind::Waterway
    };
    recipe.done().find(|(_, step)| is_whole(step)).map(|(_, step)| step.title())
}

/// The passes of a plan, with what they are estimated to take.
fn passes(plan: &Plan, recipe: &Recipe, outputs: &[Output]) -> Result<Vec<Pass>> {
    let layers = layers_of(recipe, outputs);
    let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
    let needs = recipe.stored_needs(&layers, plan.base_level())?;
    let last_step = |needs: &mut dyn Iterator<Item = &StoredNeed>| needs.map(|need| need.step).max();
    let last_in_base = last_step(&mut needs.iter());
    // The water of rivers follows from the finished land, but no height of a tile does.
    let last_whole = last_step(&mut needs.iter().filter(|need| !need.is_river_water()));
    // Steps after the base run in every tile; those up to it once, or twice where rivers have water.
    let side = plan.land.size.map(|side| side.min(plan.tile));
    let tile = Window { size: side, ..plan.window() };
    let of_tile = recipe.estimate_of_window(tile)?;
    // Where a group must know all of the land, the steps before it still run in every tile.
    let has_groups = recipe.steps.iter().any(Step::opens_group);
    let is_tiled = |index: usize| has_groups || last_whole.is_none_or(|last| index > last);
    let a_sample = of_tile.steps.iter().enumerate().filter(|(index, _)| is_tiled(*index));
    let a_sample = a_sample.map(|(_, step)| step.seconds).sum::<f64>() / product(side);
    let whole = recipe.estimate();
    let of_base = whole.steps.iter().enumerate().filter(|(index, _)| Some(*index) <= last_in_base);
    let of_base: f64 = of_base.map(|(_, step)| step.seconds).sum();
    let halo = halo_of(recipe, &is_tiled);
    let tile_values = u64::from(side[0]) * u64::from(side[1]);

    let mut passes = Vec::new();
    let mut base = Vec::new();
    if !needs.is_empty() {
        base.push(PassKind::Base);
        let samples = u64::from(recipe.size.0) * u64::from(recipe.size.1);
        let fields: usize = needs.iter().map(|need| need.fields.len()).sum();
        passes.push(Pass {
            kind: PassKind::Base,
            needs: Vec::new(),
            tiles: [1, 1],
            halo: 0.0,
            outputs: Vec::new(),
            bytes: 4 * samples * fields as u64,
            seconds: of_base,
            memory: PROCESS + samples * BASE_MEMORY,
        });
    }
    let tiled = [(PassKind::Heights, false), (PassKind::Colours, true)];
    for (kind, is_between) in tiled {
        let own: Vec<Output> =
            outputs.iter().filter(|output| output.is_between_samples() == is_between).cloned().collect();
        if own.is_empty() {
            continue;
        }
        let values = product(plan.land.size);
        let packed: f64 = own.iter().map(Output::packed_bytes).sum();
        let painted = if is_between { PAINTED } else { 0.0 };
        let held: u64 = own.iter().map(Output::bytes).sum();
        // One output is packed at a time, into fewer bytes than it has; of bytes there are overviews, too.
        let packing = own.iter().map(|output| output.bytes() * 4 / 3).max().unwrap_or(0);
        let process = if is_between { PAINTING } else { PROCESS };
        passes.push(Pass {
            kind,
            needs: base.clone(),
            tiles: plan.tiles(),
            halo,
            bytes: (packed * values) as u64,
            seconds: values * (a_sample + painted + PACKED * own.len() as f64),
            memory: process + tile_values * (held + packing),
            outputs: own,
        });
    }
    let needs = passes.iter().map(|pass| pass.kind).filter(|kind| kind.is_tiled()).collect();
    let lists = outputs.len() as u64;
    let tiles = u64::from(plan.tile_count());
    passes.push(Pass {
        kind: PassKind::Index,
        needs,
        tiles: [1, 1],
        halo: 0.0,
        outputs: outputs.to_vec(),
        bytes: lists * tiles * 400,
        seconds: 1e-6 * (lists * tiles) as f64,
        memory: PROCESS + 1000 * tiles,
    });
    Ok(passes)
}

/// The layers that tiles with these outputs need, of the ground.
pub(crate) fn layers_of(recipe: &Recipe, outputs: &[Output]) -> Vec<String> {
    let named = outputs.iter().filter_map(|output| match output {
        Output::Layer(name) => Some(name.clone()),
        _ => None,
    });
    let mut layers: Vec<String> = named.collect();
    if outputs.iter().any(Output::is_between_samples) {
        layers.extend(recipe.layers_of_colours());
    }
    layers.sort();
    layers.dedup();
    layers
}

/// How far around a tile the steps that run on it look, in metres.
fn halo_of(recipe: &Recipe, is_tiled: &dyn Fn(usize) -> bool) -> f32 {
    let Ok(domain) = recipe.domain() else { return 0.0 };
    let steps = recipe.done().filter(|(index, _)| is_tiled(*index));
    let reach = steps.map(|(_, step)| match step.operation.reach(domain) {
        Reach::Near(metres) => metres,
        _ => 0.0,
    });
    reach.sum()
}

fn product([width, depth]: [u32; 2]) -> f64 {
    f64::from(width) * f64::from(depth)
}

impl Drawing {
    /// Bytes of the files that are copied into the plan.
    pub fn file_bytes(&self) -> u64 {
        self.copies.iter().map(|copy| copy.file.bytes).sum()
    }

    /// Writes the plan with its files; the document comes last. Returns whether it is new: `false` if the
    /// very same plan is there already.
    ///
    /// # Errors
    /// When the place has another plan or the tiles of one, or cannot be written.
    pub fn write(&self, store: &Store) -> Result<bool> {
        if let Some(outcome) = self.compared(store)? {
            return outcome;
        }
        for pass in self.plan.passes.iter().filter(|pass| pass.kind.is_tiled()) {
            for output in &pass.outputs {
                if let Some(object) = store.list(&output.folder())?.first() {
                    let reason = "belongs to no plan here, but is where this one has its tiles; choose another place, or \
                                  remove it";
                    return Err(store.error(&object.key, reason));
                }
            }
        }
        for copy in &self.copies {
            store.put_file(&copy.file.key, &copy.from)?;
        }
        if store.create(PLAN, self.plan.to_json()?)? {
            return Ok(true);
        }
        // Another program was faster.
        match self.compared(store)? {
            Some(outcome) => outcome,
            None => Err(store.error(PLAN, "was there and is gone again; run the command again")),
        }
    }

    /// What follows from the plan that is there, if there is one: `Ok(false)` if it is the same.
    fn compared(&self, store: &Store) -> Result<Option<Result<bool>>> {
        let Some(bytes) = store.get(PLAN, 1 << 30)? else { return Ok(None) };
        let other = match Plan::from_json(&bytes) {
            Ok(plan) if plan.hash == self.plan.hash => return Ok(Some(Ok(false))),
            Ok(plan) => format!("there is another plan (of `{}`)", plan.name),
            Err(reason) => format!("there is another plan, which {reason}"),
        };
        let reason = format!("{other}; choose another place, or remove all of that one");
        Ok(Some(Err(store.error(PLAN, reason))))
    }
}

impl Plan {
    /// Where the rectangle lies on a map; off the map, the place in metres from the land's own origin, so
    /// that tiles lie side by side in other programs too.
    ///
    /// # Errors
    /// When the file that the land is made from cannot be read.
    pub fn place(&self, recipe: &Recipe, work: &Work) -> Result<MapPlace> {
        if let Some(Ok(place)) = recipe.map_place(Some(self.window()), work)? {
            return Ok(place);
        }
        let cell = f64::from(recipe.domain()?.cell_at(self.land.level));
        Ok(MapPlace::off_the_map(self.land.first, cell, self.land.size[1]))
    }
}
