//! The step that reads the land of a plan.

use upland_core::steps::{self, Ground, Kind, Operation, Reach};
use upland_core::{Domain, Error, FilePath, Grid, Result, Work, choice, params};

use super::open_land::OpenLand;
use super::place::PlanPlace;

choice! {
    /// What becomes of tiles that do not exist yet.
    pub enum MissingTiles {
        /// They are made on the spot, with the bits that they will have.
        Make = "make",
        /// They are drawn coarse, from land of every 16th sample, which is quick. Land between the samples of
        /// tiles is interpolated.
        Coarse = "coarse",
    }
}

params! {
    /// Land that many machines have made from a plan (`upland plan`). It is read from the plan's tiles as far
    /// as it is needed, from a folder or over a network.
    pub struct Planned {
        /// The plan: the path or the address (s3, gs, az, https) of its `plan.json`.
        pub plan: FilePath = FilePath::default();
        /// What becomes of tiles that don't exist yet.
        pub missing: MissingTiles = MissingTiles::Make;
        /// The layers of the plan's recipe that this one reads, with commas between them.
        pub layers: String = String::new(), unless empty;
    }
}

impl Planned {
    /// The names of the layers that it has.
    fn layer_names(&self) -> impl Iterator<Item = &str> {
        self.layers.split(',').map(str::trim).filter(|name| !name.is_empty())
    }
}

impl Operation for Planned {
    fn name(&self) -> &'static str {
        "planned"
    }

    fn title(&self) -> &'static str {
        "Planned land"
    }

    fn kind(&self) -> Kind {
        Kind::Generator
    }

    /// Ten times as long as usual: blocks are unpacked, and come over a network.
    fn seconds(&self, grid: Grid) -> f64 {
        200e-9 * grid.count() as f64
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn writes(&self) -> Vec<&str> {
        self.layer_names().collect()
    }

    /// # Errors
    /// When no plan is named, it or its store cannot be read, or the land has another form than the plan's;
    /// and those of the plan's steps.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        if self.plan.text().is_empty() {
            let reason = "names no plan; give the path or the address of a plan.json";
            return Err(Error::parameter("plan", reason));
        }
        let land = OpenLand::find(&PlanPlace::of_file(&self.plan))?;
        let layers: Vec<&str> = self.layer_names().filter(|name| ground.wants(name)).collect();
        let region = *ground.region();
        let mut fields = land.fill(&region, &layers, self.missing, &work.unobserved())?.into_iter();
        if let Some(heights) = fields.next() {
            ground.heights = heights;
        }
        for (name, values) in layers.into_iter().zip(fields) {
            ground.write_layer(name, values);
        }
        Ok(())
    }
}

/// Makes the step [`Planned`] known, so that recipes may have it: `steps: [planned(plan:
/// "s3://bucket/plan.json")]`. A game calls it before it reads such recipes; [`open`](super::open) does so
/// itself.
///
/// # Errors
/// When the program has another step of this name.
pub fn register() -> Result<()> {
    let is_known = || steps::find("planned").is_some_and(|step| step.as_any().is::<Planned>());
    if is_known() {
        return Ok(());
    }
    match steps::register::<Planned>() {
        // Another thread was faster.
        Err(_) if is_known() => Ok(()),
        outcome => outcome,
    }
}
