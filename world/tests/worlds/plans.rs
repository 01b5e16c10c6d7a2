//! Plans: what they say, and when there is none.

use upland_core::{Recipe, Window, Work};
use upland_world::{NewPlan, PLAN, PassKind, Plan, Store};

use super::{Planned, recipe};

fn refused(recipe: &Recipe, new: &NewPlan) -> String {
    new.draw(recipe, &Work::new()).unwrap_err().to_string()
}

fn window(text: &str) -> NewPlan {
    NewPlan { window: Some(text.parse().unwrap()), ..NewPlan::default() }
}

#[test]
fn land_that_cannot_be_planned_is_refused_by_name_with_what_would_work() {
    let endless = Recipe { unit: Some(3000.0), ..recipe("(65, 65)", "fbm()") };
    let said = refused(&endless, &NewPlan::default());
    assert!(said.contains("--window LEVEL:X,Z,WxD"), "{said}");
    let eroded = Recipe { unit: Some(3000.0), ..recipe("(65, 65)", "fbm(), erode()") };
    let said = refused(&eroded, &window("0:0,0,1000x1000"));
    assert!(said.contains("steps.1 (erode)") && said.contains("give the recipe a size"), "{said}");
    let said = refused(&recipe("(65, 65)", "fbm()"), &window("0:60,0,10x10"));
    assert!(said.contains("reach beyond the land") || said.contains("beyond the land"), "{said}");
    let said =
        refused(&recipe("(65, 65)", "fbm()"), &NewPlan { layers: vec!["flow".into()], ..NewPlan::default() });
    assert!(said.contains("`flow`"), "{said}");
    let said = refused(&recipe("(65, 65)", "fbm()"), &NewPlan { tile: 8, ..NewPlan::default() });
    assert!(said.contains("64 to 16384"), "{said}");
}

#[test]
fn land_too_large_for_a_step_that_must_know_all_of_it_is_planned_from_a_coarser_level() {
    let large = recipe("(65536, 40000)", "fbm(), erode(), gullies()");
    let drawing = NewPlan { tile: 8192, ..NewPlan::default() }.draw(&large, &Work::new()).unwrap();
    let plan = &drawing.plan;
    assert_eq!((plan.land.level, plan.land.size), (-2, [65_536, 40_000]));
    let coarse = plan.parsed_recipe().unwrap();
    assert_eq!((coarse.size, coarse.cell), ((16_385, 10_001), 80.0));
    assert_eq!(
        plan.passes.iter().map(|pass| pass.kind).collect::<Vec<_>>(),
        [PassKind::Base, PassKind::Heights, PassKind::Index]
    );
    assert!(drawing.notes[0].contains("a sample every 80 m"), "{:?}", drawing.notes);
    // Land that fits keeps its own samples.
    let fits = recipe("(16385, 16385)", "fbm(), erode()");
    assert_eq!(NewPlan::default().draw(&fits, &Work::new()).unwrap().plan.land.level, 0);
    // And so does land of which nothing is made as a whole.
    let local = recipe("(65536, 65536)", "fbm(), gullies()");
    let plan = NewPlan::default().draw(&local, &Work::new()).unwrap().plan;
    assert_eq!((plan.land.level, plan.passes.len()), (0, 2));
}

#[test]
fn a_million_by_a_million_samples_are_planned() {
    let endless = Recipe { unit: Some(3000.0), ..recipe("(65, 65)", "fbm(), gullies()") };
    let new = NewPlan { tile: 8192, colours: true, ..window("0:-500000,0,1000000x1000000") };
    let plan = new.draw(&endless, &Work::new()).unwrap().plan;
    assert_eq!((plan.tiles(), plan.tile_count()), ([123, 123], 15_129));
    let last = plan.tile_at(15_128).unwrap();
    let expected = Window { level: 0, first: [499_424, 999_424], size: [576, 576] };
    assert_eq!((last.samples, plan.tile_at(15_129)), (expected, None));
    assert_eq!(plan.cells_of(&last).unwrap().size, [576, 576]);
    assert_eq!(plan.cells_of(&plan.tile_at(0).unwrap()).unwrap().size, [8193, 8193]);
    let heights = plan.pass(PassKind::Heights).unwrap();
    assert!(heights.bytes > 1 << 40 && heights.seconds > 1e4 && heights.memory < 1 << 30, "{heights:?}");
    assert!(plan.pass(PassKind::Colours).unwrap().memory < 3 << 29);
}

#[test]
fn of_two_plans_in_one_place_the_first_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::folder(folder.path());
    let new = NewPlan { tile: 64, ..NewPlan::default() };
    let draw = |steps: &str| new.draw(&recipe("(65, 65)", steps), &Work::new()).unwrap();
    assert!(draw("fbm()").write(&store).unwrap());
    assert!(!draw("fbm()").write(&store).unwrap(), "the same plan again");
    let said = draw("ridged()").write(&store).unwrap_err().to_string();
    assert!(said.contains("another plan (of `Land`)") && said.contains("choose another place"), "{said}");

    // Of many at the same time one is written, and all of the same plan are content.
    let folder = tempfile::tempdir().unwrap();
    let store = Store::folder(folder.path());
    let plans = ["fbm()", "ridged()", "fbm()", "ridged()"];
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let (store, draw) = (&store, &draw);
        let threads: Vec<_> =
            plans.iter().map(|steps| scope.spawn(move || draw(steps).write(store))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Ok(true))).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_err()).count(), 2, "{outcomes:?}");
}

#[test]
fn plans_that_are_not_this_programs_or_were_changed_are_refused() {
    let planned = Planned::new(&recipe("(65, 65)", "fbm()"), &NewPlan { tile: 64, ..NewPlan::default() });
    let path = planned.root().join(PLAN);
    let text = std::fs::read_to_string(&path).unwrap();
    let store = Store::folder(&planned.root());
    let said = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Plan::read(&store).unwrap_err().to_string()
    };
    let own = format!("\"program\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let other = said(&text.replace(&own, "\"program\": \"9.9.9\""));
    assert!(other.contains("upland 9.9.9") && other.contains("use that version"), "{other}");
    let newer = said(&text.replace("\"upland_plan\": 1", "\"upland_plan\": 2"));
    assert!(newer.contains("format 2"), "{newer}");
    let changed = said(&text.replace("seed: 3", "seed: 4"));
    assert!(changed.contains("has been changed since it was made"), "{changed}");
    for end in [0, 1, 100, text.len() - 3] {
        let cut = said(&text[..end]);
        assert!(cut.contains("is not a plan, or not all of one"), "{cut}");
    }
    std::fs::remove_file(&path).unwrap();
    let none = Plan::read(&store).unwrap_err().to_string();
    assert!(none.contains("does not exist; `upland plan"), "{none}");
}

#[test]
fn a_place_with_tiles_and_no_plan_is_not_taken() {
    let planned = Planned::new(&recipe("(65, 65)", "fbm()"), &NewPlan { tile: 64, ..NewPlan::default() });
    planned.work();
    std::fs::remove_file(planned.root().join(PLAN)).unwrap();
    let drawing =
        NewPlan { tile: 64, ..NewPlan::default() }.draw(&recipe("(65, 65)", "ridged()"), &Work::new());
    let said = drawing.unwrap().write(&Store::folder(&planned.root())).unwrap_err().to_string();
    assert!(said.contains("heights/x0000_y0000.tif") && said.contains("choose another place"), "{said}");
}
