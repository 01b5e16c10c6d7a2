//! One step of a recipe: a generator, a filter or a waterway, and how its result joins what was there.

use std::fmt;
use std::sync::LazyLock;

use rayon::prelude::*;
use serde::de::{self, EnumAccess, MapAccess, VariantAccess};
use serde::ser::SerializeStructVariant;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;
use crate::noise::{mix, stream};
use crate::params::{self, Key, Params, Value, choice, params};
use crate::recipe::mask::{Mask, Shares};
use crate::steps::filter::AnyFilter;
use crate::steps::generate::Generator;
use crate::steps::water::{Course, Waterway};

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Makes land.
    Generate(Generator),
    /// Changes the land that is there.
    Filter(AnyFilter),
    /// Digs the bed of a water.
    Water(Waterway),
}

choice! {
    /// How generated land joins the land that is there.
    pub enum Blend {
        /// The new land stands in place of the old.
        Replace = "replace",
        /// Heights are added.
        Add = "add",
        /// The new heights are taken away.
        Subtract = "subtract",
        /// Heights are multiplied; give the new land a `height` of about 1.
        Multiply = "multiply",
        /// The lower of the two.
        Min = "min",
        /// The higher of the two.
        Max = "max",
    }
}

params! {
    /// What every step has beside its own parameters.
    pub struct Mixing {
        /// Whether the step is done at all.
        pub on: bool = true;
        /// How generated land joins the land that is there. Filters always replace.
        pub blend: Blend = Blend::Replace;
        /// How much of the step's result is taken; the rest stays as it was. Waterways are dug whole.
        pub amount: f32 = 1.0, "" in 0.0..=1.0;
        /// Steps with the same seed and generator but different variants are different lands.
        pub variant: u32 = 0, "" in 0.0..=9999.0;
    }
}

/// One step of a recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub operation: Operation,
    /// How its result joins what was there.
    pub mixing: Mixing,
    /// Where it acts.
    pub mask: Mask,
}

static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| [Generator::NAMES, AnyFilter::NAMES, Waterway::NAMES].concat());

impl Step {
    /// The names that steps have in recipes: generators first, then filters, then waterways.
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }

    /// A step that does `operation` and takes all of its result.
    pub fn new(operation: Operation) -> Self {
        Self { operation, mixing: Mixing::default(), mask: Mask::default() }
    }

    /// The step called `name`, with its default parameters.
    pub fn from_name(name: &str) -> Option<Self> {
        let operation = Generator::from_name(name)
            .map(Operation::Generate)
            .or_else(|| AnyFilter::from_name(name).map(Operation::Filter))
            .or_else(|| Waterway::from_name(name).map(Operation::Water))?;
        Some(Self::new(operation))
    }

    /// Its name in recipes.
    pub fn name(&self) -> &'static str {
        match &self.operation {
            Operation::Generate(generator) => generator.name(),
            Operation::Filter(filter) => filter.name(),
            Operation::Water(waterway) => waterway.name(),
        }
    }

    /// Its title for people.
    pub fn title(&self) -> &'static str {
        match &self.operation {
            Operation::Generate(generator) => generator.title(),
            Operation::Filter(filter) => filter.title(),
            Operation::Water(waterway) => waterway.title(),
        }
    }

    /// Whether the parameter called `name` matters as the others are now; what the mask doesn't ask for
    /// does not, for one.
    pub fn uses(&self, name: &str) -> bool {
        let by_itself = match &self.operation {
            Operation::Water(Waterway::River(river)) => river.uses(name),
            _ => true,
        };
        by_itself && (!name.starts_with("mask_") || self.mask.uses(name))
    }

    /// Whether the step does anything.
    pub(crate) fn is_done(&self) -> bool {
        self.mixing.on && self.mixing.amount != 0.0
    }

    /// The seed that it works with in a recipe of this `seed`.
    pub(crate) fn seed(&self, seed: u64) -> u64 {
        // The name keeps two generators with one seed from drawing on the same noise.
        let name = self.name().bytes().fold(0, |bits, byte| mix(bits ^ u64::from(byte)));
        stream(seed ^ name, u64::from(self.mixing.variant))
    }

    /// Does the step: changes `field`, and tells where water runs if it is a waterway, which knows nothing
    /// of others: [`dig`](crate::steps::water::dig) joins those of several steps. On an error `field` is as it was or half changed.
    ///
    /// # Errors
    /// What the generator, filter or waterway says, and [`Error::Cancelled`].
    pub fn apply(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<Option<Course>> {
        let Mixing { blend, amount, .. } = self.mixing;
        if !self.is_done() {
            return Ok(None);
        }
        let seed = self.seed(seed);
        let mut course = None;
        let whole = amount == 1.0 && self.mask.is_none();
        match &self.operation {
            Operation::Generate(generator) => {
                let made = generator.generate(field.grid(), seed, work)?;
                if blend == Blend::Replace && whole {
                    *field = made;
                    return Ok(None);
                }
                let shares = self.mask.over(field.grid(), seed, work)?;
                mix_in(field, made, amount, &shares, work, |old, new| match blend {
                    Blend::Replace => new,
                    Blend::Add => old + new,
                    Blend::Subtract => old - new,
                    Blend::Multiply => old * new,
                    Blend::Min => old.min(new),
                    Blend::Max => old.max(new),
                })?;
            }
            Operation::Filter(filter) if whole => filter.apply(field, seed, work)?,
            Operation::Filter(filter) => {
                let changed = filter.applied(field, seed, work)?;
                let shares = self.mask.over(field.grid(), seed, work)?;
                mix_in(field, changed, amount, &shares, work, |_, new| new)?;
            }
            // Half of a bed could rise downstream.
            Operation::Water(waterway) => course = Some(waterway.carve(field, seed, work)?),
        }
        self.check_finite(field, work)?;
        Ok(course)
    }

    /// The waterway, with the seed that it works with in a recipe of this `seed`, if the step is one.
    pub(crate) fn waterway(&self, seed: u64) -> Option<(&Waterway, u64)> {
        match &self.operation {
            Operation::Water(waterway) => Some((waterway, self.seed(seed))),
            Operation::Generate(_) | Operation::Filter(_) => None,
        }
    }

    /// Refuses what the step has made when it isn't land.
    pub(crate) fn check_finite(&self, field: &Heightfield, work: &Work) -> Result<()> {
        if field.is_finite_while(work)? {
            return Ok(());
        }
        Err(Error::parameter(self.name(), "makes heights that are not finite; lower its numbers"))
    }
}

/// Goes `amount` of the way, times the mask's share, from each old height to `join(old, new)`.
fn mix_in(
    field: &mut Heightfield,
    mut new: Heightfield,
    amount: f32,
    shares: &Shares,
    work: &Work,
    join: impl Fn(f32, f32) -> f32 + Sync,
) -> Result<()> {
    let width = field.grid().width;
    // Into the new field, because the mask looks at the old one around every sample.
    new.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, heights)| {
        work.check()?;
        for (column, (height, &old)) in heights.iter_mut().zip(field.row(row)).enumerate() {
            let share = amount * shares.at(field, column, row);
            *height = old + (join(old, *height) - old) * share;
        }
        Ok(())
    })?;
    *field = new;
    Ok(())
}

/// A step's own parameters come first, then the mixing's, then the mask's.
impl Params for Step {
    fn visit(&mut self, visitor: &mut dyn FnMut(&params::Param, Value<'_>)) {
        let unused: &[_] = match self.operation {
            Operation::Generate(_) => &[],
            Operation::Filter(_) => &["blend"],
            Operation::Water(_) => &["blend", "amount"],
        };
        match &mut self.operation {
            Operation::Generate(generator) => generator.params().visit(visitor),
            Operation::Filter(filter) => filter.params().visit(visitor),
            Operation::Water(waterway) => waterway.params().visit(visitor),
        }
        self.mixing.visit(&mut |param, value| {
            if !unused.contains(&param.name) {
                visitor(param, value);
            }
        });
        // A river with gaps would be none.
        if !matches!(self.operation, Operation::Water(_)) {
            self.mask.visit(visitor);
        }
    }

    fn doc(&self) -> &'static str {
        match self.operation.clone() {
            Operation::Generate(mut generator) => generator.params().doc(),
            Operation::Filter(mut filter) => filter.params().doc(),
            Operation::Water(mut waterway) => waterway.params().doc(),
        }
    }
}

impl serde::Serialize for Step {
    /// `fbm(height: 800.0, octaves: 9.0)`: all of its own parameters, and of the mixing and the
    /// mask what is not as usual.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = self.clone();
        let mut usual = Vec::new();
        let mut standard = Self { mixing: Mixing::default(), mask: Mask::default(), ..self.clone() };
        let own = match &mut step.operation {
            Operation::Generate(generator) => params::names(generator.params()).len(),
            Operation::Filter(filter) => params::names(filter.params()).len(),
            Operation::Water(waterway) => params::names(waterway.params()).len(),
        };
        params::fields(&mut standard, |_, value| {
            usual.push(ron::to_string(value).unwrap_or_default());
            Ok::<(), S::Error>(())
        })?;
        let index = NAMES.iter().position(|name| *name == self.name()).unwrap_or(0);
        let mut out = serializer.serialize_struct_variant("Step", index as u32, self.name(), usual.len())?;
        let mut place = 0;
        params::fields(&mut step, |name, value| {
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
        deserializer.deserialize_enum("Step", Step::names(), Reader)
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
                Step::names().join(", ")
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
