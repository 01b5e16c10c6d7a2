use proptest::prelude::*;

use super::tokens::Lexed;
use super::{Recipe, carry};
use crate::recipe::Step;
use crate::recipe::preset::Preset;

/// The text of the recipe in `old` after an edit, with the comments of `old`. It must be that recipe, and be
/// saved again as it is.
fn edited(old: &str, edit: impl FnOnce(&mut Recipe)) -> String {
    let mut recipe = Recipe::from_ron(old, "old.ron").unwrap();
    edit(&mut recipe);
    saved(&recipe, old)
}

fn saved(recipe: &Recipe, old: &str) -> String {
    let text = recipe.to_ron_with_comments(old).unwrap();
    match Recipe::from_ron(&text, "kept.ron") {
        Ok(again) => assert_eq!(&again, recipe, "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
    assert_eq!(recipe.to_ron_with_comments(&text).unwrap(), text, "saved twice");
    text
}

/// A recipe of these steps, as a hand writes it.
fn land(steps: &str) -> String {
    format!(
        "(version: 1, name: \"Land\", size: (33, 33), cell: 20,\n    steps: [{steps}],\n    sun: (elevation: 30),\n)\n"
    )
}

/// The lines of the list of steps, without their parameters.
fn steps_of(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !line.contains("steps: [")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("    ]")).map(str::trim);
    lines
        .map(|line| line.split_once('(').filter(|_| !line.starts_with('/')).map_or(line, |(name, _)| name))
        .collect()
}

const STEPS: &str = "
        // The bulk.
        // In two lines.
        fbm(height: 400),
        gaussian(sigma: 2), // softer
        /* As strata. */
        terrace(),
        // invert(),
    ";

#[test]
fn comments_at_head_and_foot_stay_there() {
    let old = format!("// By hand.\n\n/* Not\n   sold. */\n\n{}// The end.\n", land("fbm()"));
    let text = edited(&old, |recipe| recipe.seed = 5);
    assert!(text.starts_with("// By hand.\n\n/* Not\n   sold. */\n\n(\n"), "{text}");
    assert!(text.ends_with("\n)\n// The end.\n"), "{text}");
}

#[test]
fn text_without_comments_is_written_as_ever() {
    let old =
        land("import(file: \"https://not.a/comment\"), fbm()").replace("Land", "/* none */ \\\" // none");
    let recipe = Recipe::from_ron(&old, "old.ron").unwrap();
    assert_eq!(saved(&recipe, &old), recipe.to_ron().unwrap());
}

#[test]
fn strings_that_look_like_comments_are_none() {
    let old = land("\n// One.\nimport(file: r#\"a\"//b\"#), // two \"\n import(file: \"/* \\\" // */\")");
    let text = edited(&old, |_| {});
    assert_eq!(steps_of(&text), ["// One.", "import", "import"]);
    assert!(text.contains("), // two \"\n"), "{text}");
}

#[test]
fn comments_stand_at_the_steps_at_which_they_stood() {
    let text = edited(&land(STEPS), |recipe| recipe.steps[0] = Step::from_name("fbm").unwrap());
    let all = [
        "// The bulk.",
        "// In two lines.",
        "fbm",
        "gaussian",
        "/* As strata. */",
        "terrace",
        "// invert(),",
    ];
    assert_eq!(steps_of(&text), all);
    assert!(text.contains("border: clamp), // softer\n"), "{text}");
}

#[test]
fn comments_move_with_their_steps() {
    let text = edited(&land(STEPS), |recipe| recipe.steps.rotate_left(1));
    let moved = [
        "gaussian",
        "/* As strata. */",
        "terrace",
        "// The bulk.",
        "// In two lines.",
        "fbm",
        "// invert(),",
    ];
    assert_eq!(steps_of(&text), moved);
    // One of two steps of a kind is recognised by its numbers, or by the text around it.
    let old = land("\n// One.\nfbm(height: 1), erode(),\n// Two.\nfbm(height: 2)");
    let swapped = edited(&old, |recipe| recipe.steps.swap(0, 2));
    assert_eq!(steps_of(&swapped), ["// Two.", "fbm", "erode", "// One.", "fbm"]);
    let text = edited(&old, |recipe| {
        recipe.steps.remove(0);
        recipe.steps[1].mixing.amount = 0.5;
    });
    assert_eq!(steps_of(&text), ["// One.", "erode", "// Two.", "fbm"]);
}

#[test]
fn comments_stay_when_steps_are_added() {
    let text = edited(&land(STEPS), |recipe| {
        for index in [3, 1, 0] {
            recipe.steps.insert(index, Step::from_name("flat").unwrap());
        }
    });
    let all = [
        "flat",
        "// The bulk.",
        "// In two lines.",
        "fbm",
        "flat",
        "gaussian",
        "/* As strata. */",
        "terrace",
    ];
    assert_eq!(steps_of(&text), [&all[..], &["flat", "// invert(),"]].concat());
}

#[test]
fn what_the_end_of_a_group_has_no_use_for_is_in_no_file() {
    let old = land("\n// Hills.\ngroup(), fbm(), end()");
    let text = edited(&old, |recipe| {
        let mixing = &mut recipe.steps[2].mixing;
        (mixing.on, mixing.variant, mixing.amount) = (false, 3, 0.5);
    });
    assert!(text.contains("\n        end(),\n"), "{text}");
}

#[test]
fn only_what_stood_inside_a_removed_step_goes() {
    let old = land(
        "\n// Above.\nfbm(\n // Inside.\n height: 400, /* too */\n), // behind\n// Between.\ngaussian()",
    );
    let text = edited(&old, |recipe| drop(recipe.steps.remove(0)));
    assert_eq!(steps_of(&text), ["// Above.", "// behind", "// Between.", "gaussian"]);
    assert!(!text.contains("nside") && !text.contains("too"), "{text}");
    let text = edited(&old, |recipe| recipe.steps.clear());
    assert!(text.contains("\n    // Above.\n    // behind\n    // Between.\n    steps: [],\n"), "{text}");
}

#[test]
fn comments_inside_a_step_stay_in_it() {
    let old = land(
        "
        fbm( // the bulk
            height: 400, // metres
            // A lot of them.
            octaves: 9,
            /* new */ seed_is: /* old */ 3,
            // Done.
        ),
    ",
    )
    .replace("seed_is: /* old */ 3", "variant: /* old */ 3");
    let text = edited(&old, |_| {});
    assert_eq!(steps_of(&text), ["// A lot of them.", "// Done.", "fbm"]);
    assert!(text.contains("fbm(/* the bulk */ height: 400.0 /* metres */, "), "{text}");
    assert!(text.contains(", /* new */ variant: /* old */ 3"), "{text}");
}

#[test]
fn comments_at_what_is_not_written_stay_near_it() {
    let old = land("fbm()")
        .replace("sun:", "scatter: [\n // rule(),\n ], // none yet\n bare: false, // all of it\n sun:");
    let text = edited(&old, |_| {});
    assert!(text.contains("\n    // rule(),\n    // none yet\n    // all of it\n    sun: ("), "{text}");
}

#[test]
fn comments_inside_comments_and_on_one_line_are_kept() {
    let old = land("\n/* a /* b */ c */ // d */\nfbm() /* e */ , // f\n gaussian() // g\n , // h\n");
    let text = edited(&old, |_| {});
    assert_eq!(steps_of(&text)[..2], ["/* a /* b */ c */", "// d */"], "{text}");
    assert!(text.contains("), /* e */ // f\n") && text.contains("), /* g */ // h\n"), "{text}");
}

#[test]
fn extensions_names_and_lines_of_any_system_are_no_hindrance() {
    let old = land(STEPS).replacen(
        '(',
        "#![enable(implicit_some)] // dialect\r\n// head\nRecipe ( // whole\r\n",
        1,
    );
    let text = edited(
        &old.replace("sun: (", "view: Some( // seen\n from: (0, 1, 0), look: (0, 0, 0)), sun: ("),
        |_| {},
    );
    assert!(text.starts_with("// dialect\n// head\n( // whole\n    version: 1,\n"), "{text}");
    assert!(text.contains("view: ( // seen\n        from:"), "{text}");
    assert_eq!(steps_of(&text).len(), 7);
    // As RON writes it on Windows.
    let crlf =
        carry(&old.replace("implicit_some", "x").replace('\n', "\r\n"), None, "(\r\n    steps: [],\r\n)\r\n");
    assert!(crlf.lines().all(|line| !line.ends_with('\r')) && crlf.contains("// The bulk.\r\n"), "{crlf:?}");
}

#[test]
fn named_things_are_known_by_their_names() {
    let rules = |text: &str| land("fbm()").replace("sun:", &format!("scatter: [{text}], sun:"));
    let old = rules(
        "\n// Low.\n(name: \"pines\", object: \"palm\"),\n// High.\n(name: \"larches\", object: \"beech\")",
    );
    let text = edited(&old, |recipe| {
        recipe.scatter.swap(0, 1);
        recipe.scatter.iter_mut().for_each(|rule| rule.density *= 2.0);
    });
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(place("// High.") < place("larches") && place("larches") < place("// Low."), "{text}");
}

#[test]
fn of_damaged_text_the_head_is_kept() {
    let recipe = Recipe::from_ron(&land("fbm()"), "land.ron").unwrap();
    let new = recipe.to_ron().unwrap();
    for damaged in ["(name: \"", "(/* x", "(steps: [fbm( // a\n r#\"", "('\\"] {
        let text = saved(&recipe, &format!("// Head.\n\n{damaged}"));
        assert_eq!(text, format!("// Head.\n\n{new}"), "{damaged}");
    }
    for strange in [
        "",
        "/",
        "//",
        "/*",
        "/**/",
        "]]]) // a",
        "}{,:,:// b\n,",
        "# ! [ // c",
        "fbm()() // d",
        "\u{feff}// e",
    ] {
        saved(&recipe, strange);
        for new in ["", "(", "]", "(a: [1, 2], b: x(3))", "a", ",", ")(\n(", "// f\n()", "\"\n\""] {
            carry(strange, None, new);
            carry(strange, Some(strange), new);
        }
    }
}

/// What calls itself for each bracket runs out of stack; what looks at everything before it for each comment
/// never ends.
#[test]
fn hostile_text_takes_neither_stack_nor_time() {
    let many = 20_000;
    let texts = [
        "[".repeat(many),
        format!("({} // x\n", "(a: [ /* c */ ".repeat(many)),
        "/* c */".repeat(many),
        "// c\n".repeat(many),
        format!("(steps: [{}])", "// c\nfbm(/* d */), // e\n".repeat(many)),
        format!("({}", "a: 1 /* c */, ".repeat(many)),
        "/*".repeat(many),
        "'\\".repeat(many),
        "r#".repeat(many),
        "] // c\n".repeat(many),
        "((((// c\n".repeat(many),
    ];
    let recipe = Recipe::from_ron(&land("fbm(), erode()"), "land.ron").unwrap();
    let new = recipe.to_ron().unwrap();
    let thread = std::thread::Builder::new().stack_size(1 << 18).spawn(move || {
        for text in texts {
            let kept = carry(&text, None, &new);
            assert!(kept.contains(new.lines().nth(1).unwrap()));
        }
    });
    thread.unwrap().join().unwrap();
}

/// A text with comments at some of its tokens, and the comments.
fn commented(text: &str, places: &[(prop::sample::Index, u8)]) -> (String, Vec<String>) {
    let lexed = Lexed::of(text);
    let mut places: Vec<_> =
        places.iter().map(|(place, form)| (place.index(lexed.tokens.len() + 1), form % 6)).collect();
    places.sort_by_key(|(place, _)| *place);
    let (mut out, mut copied, mut comments) = (String::new(), 0, Vec::new());
    for (number, (place, form)) in places.into_iter().enumerate() {
        let at = lexed.tokens.get(place).map_or(text.len(), |token| token.start);
        out += &text[copied..at];
        copied = at;
        let said = format!("said {number}.");
        out += &match form {
            0 => format!("// {said}\n"),
            1 => format!("\n\n// {said}\n\n"),
            2 => format!("/* {said} */"),
            3 => format!("\n/* {said}\n\n*/\n"),
            4 => format!(" /* {said} */ // too\n"),
            _ => format!("\n/* {said} */ "),
        };
        comments.push(said);
    }
    (out + &text[copied..], comments)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn no_comment_of_a_preset_is_lost_wherever_it_stands(
        preset in 0..Preset::all().len(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        is_written in any::<bool>(),
    ) {
        let preset = Preset::all()[preset];
        let recipe = preset.recipe().unwrap();
        let text = if is_written { recipe.to_ron().unwrap() } else { preset.text.to_owned() };
        let (old, comments) = commented(&text, &places);
        prop_assert_eq!(&Recipe::from_ron(&old, "old.ron").unwrap(), &recipe, "{}", old);
        let text = saved(&recipe, &old);
        for comment in comments {
            prop_assert_eq!(text.matches(&comment).count(), 1, "{} of\n{}\nin\n{}", comment, old, text);
        }
    }

    #[test]
    fn whatever_is_done_to_steps_their_text_can_be_read_and_is_saved_again_as_it_is(
        preset in 0..Preset::all().len(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8), 1..6),
    ) {
        let preset = Preset::all()[preset];
        let mut recipe = preset.recipe().unwrap();
        let (old, _) = commented(preset.text, &places);
        for (one, other, edit) in edits {
            if recipe.steps.is_empty() {
                break;
            }
            let [one, other] = [one, other].map(|index: prop::sample::Index| index.index(recipe.steps.len()));
            match edit {
                0 => drop(recipe.steps.remove(one)),
                1 => recipe.steps.swap(one, other),
                2 => recipe.steps.insert(one, recipe.steps[other].clone()),
                _ => recipe.steps[one].mixing.variant += 1,
            }
        }
        saved(&recipe, &old);
    }

    #[test]
    fn any_text_does_no_harm(
        old in "[(\\[\\])a:,0\"'/*\\\\#r \n]{0,40}",
        new in "[(\\[\\])a:,0\" \n]{0,30}",
    ) {
        let text = carry(&old, None, &new);
        let tokens = |text: &str| Lexed::of(text).texts().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(tokens(&text), tokens(&new));
    }
}
