//! Steps of one's own: what is registered is a step like any other, and what it breaks costs its build alone.

use std::collections::BTreeSet;
use std::sync::Once;

use upland_core::params::{Reading, Value, each_mut, names};
use upland_core::steps::{self, Ground, Kind, Operation, Reach, register};
use upland_core::{Domain, Error, Grid, Heightfield, Recipe, Result, Step, Work, params};

params! {
    /// Lifts the land.
    pub struct Lift {
        /// By so much.
        pub by: f32 = 10.0, "m" in 0.0..=1000.0;
        /// How often.
        pub times: u32 = 1, "" in 1.0..=5.0;
    }
}

params! {
    /// Breaks what a step promises.
    pub struct Broken {
        /// Which promise: 0 panics, 1 makes no numbers, 2 makes other land, 3 panics on another thread.
        pub promise: u32 = 0, "" in 0.0..=3.0;
    }
}

params! {
    /// Says that it is one that there is.
    pub struct Again {}
}

params! {
    /// Has a parameter of all steps' for its own.
    pub struct Taken {
        /// How much.
        pub amount: f32 = 0.0, "" in 0.0..=1.0;
    }
}

macro_rules! operation {
    ($Type:ident, $name:literal, $kind:ident, |$self:ident, $ground:ident| $apply:expr) => {
        impl Operation for $Type {
            fn name(&self) -> &'static str {
                $name
            }
            fn title(&self) -> &'static str {
                "A test's"
            }
            fn kind(&self) -> Kind {
                Kind::$kind
            }
            fn reach(&self, _domain: Domain) -> Reach {
                Reach::Point
            }
            fn apply(&self, $ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
                let $self = self;
                $apply
            }
        }
    };
}

operation!(Lift, "lift", Filter, |lift, ground| {
    let heights = ground.heights.heights_mut().iter_mut();
    heights.for_each(|height| *height += lift.by * lift.times as f32);
    Ok(())
});
operation!(Broken, "broken", Filter, |broken, ground| {
    match broken.promise {
        0 => panic!("a stone in the gears"),
        1 => ground.heights.heights_mut()[3] = f32::NAN,
        2 => ground.heights = Heightfield::flat(Grid::new(3, 2, 10.0)?, 0.0),
        _ => rayon::scope(|scope| scope.spawn(|_| panic!("a stone far away"))),
    }
    Ok(())
});
operation!(Again, "fbm", Generator, |_again, _ground| Ok(()));
operation!(Taken, "taken", Filter, |_taken, _ground| Ok(()));

fn registered() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        register::<Lift>().unwrap();
        register::<Broken>().unwrap();
    });
}

fn build(steps: &str) -> Result<Heightfield> {
    let text = format!("(version: 1, name: \"Own\", size: (4, 4), cell: 10, steps: [{steps}])");
    Recipe::from_ron(&text, "own.ron")?.build_heightfield(&Work::new())
}

#[test]
fn a_step_of_ones_own_is_a_step_like_any_other() {
    registered();
    assert!(steps::names().contains(&"lift"));
    assert_eq!(build("flat(height: 5), lift(by: 2, times: 3)").unwrap().heights(), [11.0; 16]);
    // Taken in part and masked, as every filter can be.
    assert_eq!(build("flat(height: 5), lift(by: 2, amount: 0.5)").unwrap().heights(), [6.0; 16]);
    let masked = "flat(height: 5), lift(by: 2, mask: height, mask_min: 6)";
    assert_eq!(build(masked).unwrap().heights(), [5.0; 16]);
    let mut recipe = Recipe::new("Own", (2, 2), 1.0);
    recipe.steps.push(Step::from_name("lift").unwrap());
    recipe.set("steps.0.by", "7").unwrap();
    let again = Recipe::from_ron(&recipe.to_ron().unwrap(), "own.ron").unwrap();
    assert_eq!(again, recipe);
    assert_eq!(again.steps[0].operation_as::<Lift>(), Some(&Lift { by: 7.0, times: 1 }));
    assert_eq!(
        build("lift(by: -1)").unwrap_err().to_string(),
        "own.ron:1:70: `by`: -1 is outside 0 to 1000 m"
    );
}

#[test]
fn what_a_step_breaks_costs_its_build_and_is_told_with_its_name() {
    registered();
    for (promise, told) in [
        (0, "has failed because of a bug in it: a stone in the gears"),
        (1, "makes heights that are not finite"),
        (2, "makes land of 3×2 samples, 10 m apart, where 4×4, 10 m apart, were asked for"),
        (3, "has failed because of a bug in it: a stone far away"),
    ] {
        for how in ["", ", amount: 0.5", ", mask: noise"] {
            let error = build(&format!("fbm(), broken(promise: {promise}{how})")).unwrap_err();
            let is_panic = matches!(error, Error::Panic { .. });
            assert!(
                is_panic == told.contains("bug") && (is_panic || matches!(error, Error::Parameter { .. }))
            );
            let said = error.to_string();
            assert!(said.starts_with("steps.1 (broken): broken: ") && said.contains(told), "{said}");
        }
    }
    // And the next build is none the worse for it.
    assert_eq!(build("flat(height: 3)").unwrap().heights(), [3.0; 16]);
}

#[test]
fn names_that_are_taken_are_refused() {
    registered();
    let said = |outcome: Result<()>| outcome.unwrap_err().to_string();
    let taken = "step `fbm`: there is a step of this name already; choose another";
    assert_eq!(said(register::<Again>()), taken);
    assert!(said(register::<Lift>()).contains("already"));
    let parameter = said(register::<Taken>());
    assert!(parameter.starts_with("step `taken`: its parameter `amount` needs another name"), "{parameter}");
    assert_eq!(steps::names().iter().filter(|name| **name == "lift").count(), 1);
}

#[test]
fn parameters_are_read_as_they_are_visited() {
    for step in steps::all() {
        let (mut read, mut visited) = (Vec::new(), Vec::new());
        let text = |value: Reading<'_>| ron::to_string(&value).unwrap();
        step.read(&mut |param, value| read.push((param.name, text(value))));
        step.clone().visit(&mut |param, value| visited.push((param.name, text(value.reading()))));
        assert_eq!(read, visited, "{}", step.name());
    }
}

/// What a step becomes if its parameters that are `chosen` go to a share of their range, and others stay.
fn with_changed(step: &dyn Operation, share: f64, chosen: impl Fn(&str) -> bool) -> Box<dyn Operation> {
    let mut other = step.boxed();
    each_mut(&mut *other, &mut |name, param, value| {
        if !chosen(name) {
            return;
        }
        let (low, high) = (*param.range.start(), *param.range.end());
        let number = low + share * (high - low);
        match value {
            Value::Float(value) => *value = number as f32,
            Value::Int(value) => *value = number as u32,
            Value::Flag(value) => *value = share > 0.5,
            Value::Choice(choice) => {
                let last = choice.names().len() - 1;
                choice.set_index((share * last as f64).round() as usize);
            }
            Value::Text(text) => *text = "1 2 1, 2 -4 2, 1 2 1.5".to_owned(),
            _ => {}
        }
    });
    other
}

/// All built-in steps, by name.
fn built_in() -> impl Iterator<Item = Box<dyn Operation>> {
    let of_tests = ["lift", "broken", "waves", "careless"];
    let built_in = steps::all().into_iter().filter(move |step| !of_tests.contains(&step.name()));
    built_in.map(|mut step| {
        // Wind blows for hundreds of steps, which are all alike.
        step.visit(&mut |param, value| {
            if let ("steps", Value::Int(steps)) = (param.name, value) {
                *steps = 9;
            }
        });
        step
    })
}

#[test]
fn what_the_panel_hides_has_no_effect() {
    let grid = Grid::new(40, 36, 10.0).unwrap();
    let land = Heightfield::from_fn(grid, |column, row| (column * 7919 + row * 104_729) as f32 % 100.0);
    let made = |step: &dyn Operation| {
        let mut ground = Ground::new(land.clone());
        step.apply(&mut ground, 3, &Work::new()).map(|()| ground).map_err(|error| error.to_string())
    };
    let mut hidden = BTreeSet::new();
    for step in built_in() {
        let mut switches = Vec::new();
        step.read(&mut |param, value| {
            if matches!(value, Reading::Choice(_) | Reading::Flag(_)) {
                switches.push(param.name);
            }
        });
        // Each switch alone, and all together: some hide others only then.
        let alone = switches.iter().map(|switch| vec![*switch]);
        for turned in alone.chain([switches.clone()]) {
            for share in [0.0, 0.5, 1.0] {
                let state = with_changed(&*step, share, |name| turned.contains(&name));
                let before = made(&*state);
                for name in names(&*state).into_iter().filter(|name| !state.uses(name)) {
                    hidden.insert(format!("{} {name}", state.name()));
                    for share in [0.3, 0.8] {
                        let other = with_changed(&*state, share, |changed| changed == name);
                        assert_eq!(made(&*other), before, "{name} of {state:?}");
                    }
                }
            }
        }
    }
    for name in [
        "diamond_square north_west",
        "diamond_square seam",
        "fault beyond",
        "fault width",
        "platform radius",
        "hole length",
        "river meander",
        "river rank",
        "undercut level",
    ] {
        assert!(hidden.contains(name), "{name} is always shown: {hidden:?}");
    }
}

/// Built-in steps that need no formula, and why.
const WITHOUT_FORMULA: [(&str, &str); 2] = [
    ("strokes", "what each stroke does stands in its file"),
    ("end", "how a group is blended in stands in the step that begins it"),
];

#[test]
fn formulas_are_short_and_hold_the_present_numbers() {
    registered();
    let mut long = Vec::new();
    let mut check = |formula: &str| {
        let is_short = formula.lines().all(|line| (1..=80).contains(&line.chars().count()));
        let has_signs = !formula.replace("Catmull-Rom", "").contains(['-', '*']);
        if !is_short || !has_signs || !(1..=3).contains(&formula.lines().count()) || formula.ends_with('\n') {
            long.push(formula.to_owned());
        }
    };
    for step in built_in() {
        let Some(formula) = step.formula() else {
            let excused = WITHOUT_FORMULA.iter().any(|(name, _)| *name == step.name());
            assert!(excused, "{} has no formula", step.name());
            continue;
        };
        check(&formula);
        let mut told = Vec::new();
        // The ends of ranges, and odd numbers between them.
        for share in [0.0, 0.123_456_7, 0.345_678_9, 0.654_321, 1.0] {
            let all = with_changed(&*step, share, |_| true);
            all.formula().iter().for_each(|formula| check(formula));
            for name in names(&*step) {
                let other = with_changed(&*step, share, |changed| changed == name);
                let other_formula = other.formula();
                other_formula.iter().for_each(|formula| check(formula));
                if other_formula.is_some_and(|other| other != formula) {
                    told.push(name);
                }
            }
        }
        assert!(!told.is_empty() || names(&*step).is_empty(), "{}: {formula}", step.name());
    }
    assert!(long.is_empty(), "{}", long.join("\n\n"));
    assert_eq!(Lift { by: 1.0, times: 1 }.formula(), None, "a step of one's own need not have one");
}

#[test]
fn a_formula_says_what_its_step_computes() {
    let changed = |step: &str, height: f32| -> f32 {
        let land = format!("flat(height: {height}), {step}");
        build(&land).unwrap().heights()[0]
    };
    let formula = |step: &str| -> String {
        let text = format!("(version: 1, name: \"F\", size: (4, 4), cell: 10, steps: [flat(), {step}])");
        Recipe::from_ron(&text, "f.ron").unwrap().steps[1].operation.formula().unwrap()
    };
    assert_eq!(formula("scale(factor: -0.5, bias: -12.25)"), "h′ = −0.5 · h − 12.25");
    assert_eq!(changed("scale(factor: -0.5, bias: -12.25)", 4.0), -14.25);
    assert_eq!(formula("clamp(low: 10, high: 20)"), "h′ = min(max(h, 10), 20)");
    assert_eq!(changed("clamp(low: 10, high: 20)", 4.0), 10.0);
    let terrace = "terrace(step: 100, sharpness: 0.5)";
    assert_eq!(
        formula(terrace),
        "h′ = 100 · (u + 0.5 (S((f − 0.5) / 0.5) − f))\n\
         u = h / 100,  f = u − ⌊u⌋,  S(t) = 3t² − 2t³,  t kept within 0 … 1"
    );
    // u = 2.75, f = 0.75, S(0.5) = 0.5.
    assert_eq!(changed(terrace, 275.0), 262.5);
    assert_eq!(formula("normalize(low: 3, high: 5)"), "h′ = 3 + 2 · (h − min h) / (max h − min h)");
}

/// A filter's reach is true: what lies farther away than it says changes nothing.
#[test]
fn nothing_beyond_its_reach_changes_what_a_filter_makes() {
    let grid = Grid::new(160, 140, 10.0).unwrap();
    let noise = |column: usize, row: usize| ((column * 7919 + row * 104_729) % 1000) as f32;
    let land = Heightfield::from_fn(grid, noise);
    let mut tried = 0;
    for filter in steps::of_kind(Kind::Filter).filter(|filter| filter.name() != "broken") {
        // A picture or strokes that are to be named first, and roads, which know the land along their line
        // wherever they are.
        if ["stamp", "strokes"].contains(&filter.name()) || !filter.places(&Domain::of(grid)).is_empty() {
            continue;
        }
        let metres = match filter.reach(Domain::of(grid)) {
            Reach::Point => 0.0,
            Reach::Near(metres) => metres,
            Reach::Range | Reach::Whole => continue,
        };
        tried += 1;
        let made = |land: &Heightfield| {
            let mut ground = Ground::new(land.clone());
            filter.apply(&mut ground, 3, &Work::new()).unwrap();
            ground.heights
        };
        let (before, (middle, across)) = (made(&land), (80, 70));
        let mut other = land.clone();
        other.heights_mut()[across * grid.width + middle] += 500.0;
        let after = made(&other);
        let mut changed = 0;
        for row in 0..grid.depth {
            for column in 0..grid.width {
                let away = column.abs_diff(middle).max(row.abs_diff(across)) as f32 * grid.cell;
                if before.at(column, row) != after.at(column, row) {
                    assert!(away <= metres, "{}: {away} m away, beyond {metres}", filter.name());
                    changed += 1;
                }
            }
        }
        // What all heights are multiplied or cut off by can leave one as it was, and paint is no height.
        assert!(
            changed > 0 || ["clamp", "paint", "hole"].contains(&filter.name()),
            "{} changes nothing",
            filter.name()
        );
    }
    assert!(tried >= 8, "{tried}");
}
