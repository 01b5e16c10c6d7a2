//! A step of a recipe: an operation, and how its result combines with the present land.

use std::collections::BTreeSet;
use std::fmt;

use rayon::prelude::*;
use serde::de::{self, EnumAccess, MapAccess, VariantAccess};
use serde::ser::SerializeStructVariant;

use crate::compute::panics::without_panic;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, HIGHEST, Heightfield, Layers};
use crate::noise::{mix, stream};
use crate::params::{self, Key, Params, Reading, Value};
use crate::recipe::mask::Shares;
use crate::steps::common::{Blend, Mask, Mixing};
use crate::steps::filter::Road;
use crate::steps::water::{Carve, dig};
use crate::steps::{self, Ground, Kind, Needs, Operation, Reach};

/// One step of a recipe.
#[derive(Clone, Debug)]
pub struct Step {
    /// The operation that it runs.
    pub operation: Box<dyn Operation>,
    /// How its result combines with the present land.
    pub mixing: Mixing,
    /// Where it acts.
    pub mask: Mask,
}

impl PartialEq for Step {
    /// Fields that have no effect on a step of this kind, and are in no file, are not compared: the blend of
    /// a filter, the amount and the mask of a waterway, all fields at the end of a group.
    fn eq(&self, other: &Self) -> bool {
        let of = |step: &Self| {
            let Mixing { on, blend, amount, variant } = step.mixing;
            let (on, variant) = (step.has("on").then_some(on), step.has("variant").then_some(variant));
            (on, step.has("blend").then_some(blend), step.has("amount").then_some(amount), variant)
        };
        *self.operation == *other.operation
            && of(self) == of(other)
            && (!self.has("mask") || self.mask == other.mask)
    }
}

impl Step {
    /// A step that runs `operation` everywhere and in full.
    pub fn new(operation: impl Into<Box<dyn Operation>>) -> Self {
        Self { operation: operation.into(), mixing: Mixing::default(), mask: Mask::default() }
    }

    /// The step called `name`, with default parameters; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        steps::find(name).map(Self::new)
    }

    /// Its name in recipes.
    pub fn name(&self) -> &'static str {
        self.operation.name()
    }

    /// Its title for people.
    pub fn title(&self) -> &'static str {
        self.operation.title()
    }

    /// The operation, if it is a `T`.
    pub fn operation_as<T: Operation>(&self) -> Option<&T> {
        self.operation.as_any().downcast_ref()
    }

    /// Whether the parameter `name` has an effect, given the values of the others. For example, most of a
    /// mask's parameters have none without a mask.
    pub fn uses(&self, name: &str) -> bool {
        self.operation.uses(name) && (!name.starts_with("mask_") || self.mask.uses(name))
    }

    /// Whether the step is on and its amount, if its kind has one, above 0.
    #[doc(hidden)]
    pub fn is_done(&self) -> bool {
        self.mixing.on && (self.mixing.amount != 0.0 || !self.has("amount"))
    }

    /// Whether it is a road that finds its own route.
    pub(crate) fn finds_route(&self) -> bool {
        self.operation_as::<Road>().is_some_and(Road::finds_route)
    }

    /// How much of the land it must know to make one sample, with its mask.
    pub(crate) fn reach(&self, domain: Domain) -> Reach {
        let is_of_whole_land = self.operation.mixes() && self.mask.is_of_whole_land();
        if self.operation.kind() == Kind::Waterway || is_of_whole_land {
            Reach::Whole
        } else {
            self.operation.reach(domain)
        }
    }

    /// Whether its result is new land that replaces all of the present land.
    pub(crate) fn replaces_all(&self) -> bool {
        self.blends() && (!self.opens_group() || self.starts_level()) && self.is_unmixed()
    }

    /// Whether it makes land that can be blended into the present land in several ways.
    fn blends(&self) -> bool {
        self.operation.kind() == Kind::Generator || self.opens_group()
    }

    /// Whether its result takes the place of the present land as it is.
    fn is_unmixed(&self) -> bool {
        let Mixing { blend, amount, .. } = self.mixing;
        let blend = if self.blends() { blend } else { Blend::Replace };
        blend == Blend::Replace && amount == 1.0 && self.mask.is_none()
    }

    /// Whether it makes the heights of a window from the context that it needs alone, and keeps none of those
    /// before.
    pub(crate) fn replaces_heights_by(&self, needs: &Needs) -> bool {
        let is_whole = self.mixing.amount == 1.0 && self.mask.is_none();
        is_whole
            && self.operation.kind() == Kind::Filter
            && matches!(needs, Needs::Context { alone: true, .. })
    }

    /// The seed of the step in a recipe with `seed`.
    pub(crate) fn seed(&self, seed: u64) -> u64 {
        // Includes the name, so that two generators with one seed don't use the same noise.
        let name = self.name().bytes().fold(0, |bits, byte| mix(bits ^ u64::from(byte)));
        stream(seed ^ name, u64::from(self.mixing.variant))
    }

    /// Runs the step on `ground`. A waterway ignores others here: [`dig`](crate::steps::water::dig) joins
    /// those of several steps. After an error the ground is unchanged or half changed.
    ///
    /// # Errors
    /// Those of the operation, also when it panics or its result is invalid, and [`Error::Cancelled`].
    pub fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        if !self.is_done() {
            return Ok(());
        }
        let seed = self.seed(seed);
        let kind = self.operation.kind();
        if self.replaces_all() {
            // The old land's layers and lakes don't apply to the new land.
            ground.layers.clear();
            ground.lakes.clear();
        }
        // A copy shares its fields, so that unchanged layers are recognised by their address.
        let layers = ground.layers.clone();
        // Half of a bed could rise downstream.
        if !self.operation.mixes() || (kind == Kind::Filter && self.is_unmixed()) {
            let grid = ground.grid();
            ground.heights.unshare_while(work)?;
            self.guarded(|| self.operation.apply(ground, seed, work))?;
            self.check_grid(grid, ground.grid())?;
            self.check_layers(&layers, ground, work)?;
            return self.check_finite(&ground.heights, work);
        }
        let made = self.guarded(|| self.operation.applied(ground, seed, work))?;
        self.check_grid(ground.grid(), made.grid())?;
        self.check_layers(&layers, &made, work)?;
        self.blend(ground, made, seed, work)
    }

    /// Blends what the step has made into the land before it, by its blend, amount and mask.
    fn blend(&self, ground: &mut Ground, made: Ground, seed: u64, work: &Work) -> Result<()> {
        if self.is_unmixed() {
            // The new land replaces the old one only after it has been checked.
            self.check_finite(&made.heights, work)?;
            *ground = made;
            return Ok(());
        }
        let Mixing { blend, amount, .. } = self.mixing;
        let blend = if self.blends() { blend } else { Blend::Replace };
        let shares = self.mask.over(ground, seed, work)?;
        ground
            .layers
            .mix(made.layers, work, |column, row| amount * shares.at(&ground.heights, column, row))?;
        let lands = (&mut ground.heights, made.heights);
        // A loop for each way of joining: a choice for every sample would take longer than the rest.
        match blend {
            Blend::Replace => mix_in(lands, amount, &shares, work, |_, new| new),
            Blend::Add => mix_in(lands, amount, &shares, work, |old, new| old + new),
            Blend::Subtract => mix_in(lands, amount, &shares, work, |old, new| old - new),
            Blend::Multiply => mix_in(lands, amount, &shares, work, |old, new| old * new),
            Blend::Min => mix_in(lands, amount, &shares, work, f32::min),
            Blend::Max => mix_in(lands, amount, &shares, work, f32::max),
        }?;
        self.check_finite(&ground.heights, work)
    }

    /// Ends the group that this step begins: blends its land into the land before it. Rivers and bridges
    /// stay those of the land before; so do lakes, unless all of that land is replaced.
    pub(crate) fn end_group(
        &self,
        ground: &mut Ground,
        mut made: Ground,
        seed: u64,
        work: &Work,
    ) -> Result<()> {
        if self.replaces_all() {
            ground.lakes.clear();
        }
        made.rivers.clone_from(&ground.rivers);
        made.lakes.clone_from(&ground.lakes);
        made.bridges.clone_from(&ground.bridges);
        self.blend(ground, made, self.seed(seed), work)
    }

    /// Refuses a result on another grid.
    fn check_grid(&self, asked: Grid, made: Grid) -> Result<()> {
        if asked == made {
            return Ok(());
        }
        let reason = format!(
            "makes land of {}×{} samples, {} m apart, where {}×{}, {} m apart, were asked for; that is a mistake \
             in this step",
            made.width, made.depth, made.cell, asked.width, asked.depth, asked.cell
        );
        Err(Error::parameter(self.name(), reason))
    }

    /// Refuses layers that the step did not declare, that are on another grid or contain NaN or infinities,
    /// and requires those that it declared.
    fn check_layers(&self, before: &Layers, made: &Ground, work: &Work) -> Result<()> {
        let declared = self.operation.writes();
        let renewed = self.operation.renews();
        let mistake = |said: String| {
            let reason = format!("{said}; this is a bug in the step");
            Err(Error::parameter(self.name(), reason))
        };
        for (name, layer) in made.layers().iter() {
            if before.get(name).is_some_and(|known| std::ptr::eq(known, layer)) {
                continue;
            }
            if !declared.contains(&name) && !renewed.contains(&name) {
                return mistake(format!("writes a layer `{name}` that it hasn't declared"));
            }
            if layer.grid() != made.grid() {
                return mistake(format!("writes a layer `{name}` that doesn't lie on the land's samples"));
            }
            if !layer.is_finite_while(work)? {
                return mistake(format!("writes numbers that are not finite into the layer `{name}`"));
            }
        }
        let missing = declared.iter().find(|name| made.wants(name) && made.layers().get(name).is_none());
        match missing {
            Some(name) => mistake(format!("doesn't write the layer `{name}` that it has declared")),
            None => Ok(()),
        }
    }

    /// Adds the layers that the step writes to those available before it, or clears them where new land
    /// replaces the old.
    pub(crate) fn write_into(&self, there: &mut BTreeSet<String>) {
        let is_new = if self.opens_group() { self.starts_level() } else { self.replaces_all() };
        if is_new {
            there.clear();
        }
        there.extend(self.operation.writes().into_iter().map(String::from));
    }

    /// Adds the layers of the land before the group that this step begins to those of the group.
    pub(crate) fn blend_into(&self, before: BTreeSet<String>, there: &mut BTreeSet<String>) {
        if !self.is_unmixed() {
            there.extend(before);
        }
    }

    /// The layer that its mask needs, if any.
    pub(crate) fn masked_by(&self) -> Option<&str> {
        self.mask.layer().filter(|_| self.operation.mixes())
    }

    /// Runs the operation's code; a panic becomes an error of the step.
    fn guarded<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        without_panic(run).unwrap_or_else(|said| Err(Error::panic(self.name(), said)))
    }

    /// Digs consecutive waterways together, beginning with this one.
    pub(crate) fn dig(
        &self,
        ground: &mut Ground,
        waterways: &[(&dyn Carve, u64)],
        work: &Work,
    ) -> Result<()> {
        let Ground { heights, rivers, .. } = ground;
        heights.unshare_while(work)?;
        let dug = self.guarded(|| dig(heights, waterways, rivers, work))?;
        rivers.extend(dug);
        self.check_finite(heights, work)
    }

    /// The waterway, if the step is one, and its seed in a recipe with `seed`.
    pub(crate) fn waterway(&self, seed: u64) -> Option<(&dyn Carve, u64)> {
        Some((self.operation.as_waterway()?, self.seed(seed)))
    }

    /// Refuses a result with heights that are NaN, infinite or so near to the end of f32 that slopes would
    /// be.
    pub(crate) fn check_finite(&self, field: &Heightfield, work: &Work) -> Result<()> {
        if field.is_possible_while(work)? {
            return Ok(());
        }
        let reason = match field.is_finite_while(work)? {
            true => format!("makes heights beyond ±{HIGHEST:e} m; lower its numbers"),
            false => "makes heights that are not finite; lower its numbers".to_owned(),
        };
        Err(Error::parameter(self.name(), reason))
    }
}

/// Blends: old + (`join(old, new)` − old) · `amount` · mask, for every height.
fn mix_in(
    (field, mut new): (&mut Heightfield, Heightfield),
    amount: f32,
    shares: &Shares,
    work: &Work,
    join: impl Fn(f32, f32) -> f32 + Sync,
) -> Result<()> {
    let width = field.grid().width;
    // Written into the new field, because the mask reads the old one around every sample.
    let rows = new.heights_mut().par_chunks_mut(width).enumerate();
    rows.try_for_each_init(
        || vec![0.0; width],
        |of_row, (row, heights)| {
            work.check()?;
            shares.of_row(field, row, of_row);
            for ((height, &old), share) in heights.iter_mut().zip(field.row(row)).zip(of_row) {
                // One formula for all shares. At a share of 1 it may round, which the whole replacement above
                // does not.
                *height = old + (join(old, *height) - old) * (amount * *share);
            }
            Ok::<_, Error>(())
        },
    )?;
    *field = new;
    Ok(())
}

impl Step {
    /// Whether a parameter of the mixing or the mask applies to this kind of step.
    fn has(&self, name: &str) -> bool {
        match self.operation.kind() {
            // What there is to say about a group stands in the step that begins it.
            _ if self.closes_group() => false,
            // A river with gaps would make no sense.
            _ if !self.operation.mixes() => name == "on" || name == "variant",
            Kind::Generator | Kind::Group => true,
            Kind::Filter | Kind::Waterway => name != "blend",
        }
    }
}

/// The parameters: a step's own first, then the mixing's, then the mask's.
impl Params for Step {
    fn read(&self, visitor: &mut dyn FnMut(&params::Param, Reading<'_>)) {
        self.operation.read(visitor);
        let mut further = |param: &params::Param, value: Reading<'_>| {
            if self.has(param.name) {
                visitor(param, value);
            }
        };
        self.mixing.read(&mut further);
        self.mask.read(&mut further);
    }

    fn visit(&mut self, visitor: &mut dyn FnMut(&params::Param, Value<'_>)) {
        self.operation.visit(visitor);
        // Read first, since `self` can't be borrowed while its parts are visited.
        let mut further = Vec::new();
        self.mixing.read(&mut |param, _| further.push((param.name, self.has(param.name))));
        self.mask.read(&mut |param, _| further.push((param.name, self.has(param.name))));
        let mut further = |param: &params::Param, value: Value<'_>| {
            if further.contains(&(param.name, true)) {
                visitor(param, value);
            }
        };
        self.mixing.visit(&mut further);
        self.mask.visit(&mut further);
    }

    fn doc(&self) -> &'static str {
        self.operation.doc()
    }

    fn law(&self) -> std::result::Result<(), String> {
        self.operation.law()
    }

    fn follow(&mut self, changed: &str) {
        self.operation.follow(changed);
    }
}

impl serde::Serialize for Step {
    /// `fbm(height: 800.0, octaves: 9.0)`: all of its own parameters, and those of the mixing and the mask
    /// that differ from the default.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Only what differs from the usual is written: most steps are mixed in wholly.
        let standard = Self { mixing: Mixing::default(), mask: Mask::default(), ..self.clone() };
        let mut usual = Vec::new();
        params::fields(&standard, |_, value| {
            usual.push(ron::to_string(value).unwrap_or_default());
            Ok::<(), S::Error>(())
        })?;
        let own = params::names(&*self.operation).len();
        let index = steps::names().iter().position(|name| *name == self.name()).unwrap_or(0);
        let mut out = serializer.serialize_struct_variant("Step", index as u32, self.name(), usual.len())?;
        let mut place = 0;
        params::fields(self, |name, value| {
            place += 1;
            if place > own && ron::to_string(value).unwrap_or_default() == usual[place - 1] {
                return Ok(());
            }
            out.serialize_field(name, value)
        })?;
        out.end()
    }
}

impl<'de> serde::Deserialize<'de> for Step {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The names of steps aren't known at compile time, and RON asks for the enum variant by its name in
        // the file.
        deserializer.deserialize_enum("Step", &[], Reader)
    }
}

struct Reader;

impl<'de> de::Visitor<'de> for Reader {
    type Value = Step;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a step such as fbm(octaves: 8)")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Step, A::Error> {
        let (Key(name), variant) = access.variant()?;
        let Some(step) = Step::from_name(&name) else {
            return Err(de::Error::custom(format!(
                "unknown step `{name}`; there are {}",
                steps::names().join(", ")
            )));
        };
        variant.struct_variant(&[], Fields(step))
    }
}

struct Fields(Step);

impl<'de> de::Visitor<'de> for Fields {
    type Value = Step;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the parameters of `{}` in parentheses", self.0.name())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Step, A::Error> {
        params::set_from_map(&mut self.0, &mut map)?;
        Ok(self.0)
    }
}
