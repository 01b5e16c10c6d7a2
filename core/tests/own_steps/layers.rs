//! What a step of a game's promises of its layers, and what it costs to break that.

use upland_core::params::Params;
use upland_core::steps::{Ground, Kind, Operation, Reach, register};
use upland_core::{Cache, Domain, Error, Grid, Heightfield, Recipe, Result, Step, Work, params};

fn layers(recipe: &Recipe, names: &[&str]) -> Result<Ground> {
    recipe.build_layers(names, &Cache::default(), &Work::new())
}

fn recipe(steps: &str) -> Recipe {
    let text = format!("(version: 1, name: \"Own\", seed: 3, size: (97, 81), cell: 30, steps: [{steps}])");
    Recipe::from_ron(&text, "layers.ron").unwrap_or_else(|error| panic!("{error}"))
}

params! {
    /// Breaks what a step promises of its layers.
    pub struct Careless {
        /// Which promise: 0 none, 1 another layer, 2 other samples, 3 no number, 4 nothing written.
        pub promise: u32 = 0, "" in 0.0..=4.0;
    }
}

impl Operation for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }
    fn title(&self) -> &'static str {
        "A test's"
    }
    fn kind(&self) -> Kind {
        Kind::Filter
    }
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
    fn writes(&self) -> Vec<&str> {
        vec!["own"]
    }
    fn apply(&self, ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        let grid = ground.grid();
        match self.promise {
            0 => ground.write_layer("own", Heightfield::flat(grid, 2.0)),
            1 => ground.write_layer("other", Heightfield::flat(grid, 2.0)),
            2 => ground.write_layer("own", Heightfield::flat(Grid::new(2, 2, 1.0)?, 2.0)),
            3 => {
                let mut layer = Heightfield::flat(grid, 2.0);
                layer.heights_mut()[5] = f32::NAN;
                ground.write_layer("own", layer);
            }
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn what_a_step_does_to_layers_that_it_should_not_costs_its_build() {
    register::<Careless>().unwrap();
    let build = |promise: u32, further: &str| {
        let step = format!("careless(promise: {promise}{further})");
        layers(&recipe(&format!("flat(), {step}, paint(layer: \"other\")")), &["own", "other"])
    };
    assert_eq!(build(0, "").unwrap().layer("own").unwrap().range(), (2.0, 2.0));
    assert_eq!(build(0, ", amount: 0.5").unwrap().layer("own").unwrap().range(), (1.0, 1.0));
    for further in ["", ", amount: 0.5", ", mask: noise"] {
        for (promise, said) in [
            (1, "writes a layer `other` that it hasn't declared"),
            (2, "writes a layer `own` that doesn't lie on the land's samples"),
            (3, "writes numbers that are not finite into the layer `own`"),
            (4, "doesn't write the layer `own` that it has declared"),
        ] {
            let error = build(promise, further).unwrap_err();
            assert!(matches!(error, Error::Parameter { .. }));
            let expected = format!("steps.1 (careless): careless: {said}; this is a bug in the step");
            assert_eq!(error.to_string(), expected);
        }
    }
    // A name that a step takes is still its own parameter's.
    assert_eq!(upland_core::params::names(&Careless::default() as &dyn Params), ["promise"]);
    assert!(Step::from_name("careless").is_some());
}
