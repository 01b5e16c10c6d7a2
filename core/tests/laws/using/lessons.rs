//! Lessons: those that ship are true, those that strangers write are read or refused with a reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use upland_core::plots::{PlotKind, PlotOptions};
use upland_core::{Cache, Heightfield, Lesson, LessonPage, LessonQuestion, Recipe, ShippedLesson, Work};

fn lesson(name: &str) -> Lesson {
    ShippedLesson::find(name).unwrap().lesson().unwrap()
}

fn all() -> impl Iterator<Item = (&'static str, Lesson)> {
    ShippedLesson::all().iter().map(|shipped| (shipped.name, shipped.lesson().unwrap()))
}

// ---- Those that ship ----

#[test]
fn every_family_has_a_lesson_of_its_own() {
    let (mut names, mut titles, mut families) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (name, lesson) in all() {
        assert!(
            names.insert(name) && titles.insert(lesson.title) && families.insert(lesson.family),
            "{name}"
        );
        assert!(!lesson.about.is_empty() && !lesson.sources.is_empty(), "{name}");
    }
    assert_eq!(names.len(), 15);
    // No file is there that nobody reads.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
    let there: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(there, names.into_iter().map(str::to_owned).collect());
}

#[test]
fn a_lesson_is_read_in_some_minutes_and_asks_before_it_tells() {
    for (name, lesson) in all() {
        let words = lesson.words();
        assert!((300..=600).contains(&words), "{name}: {words} words");
        assert!((2..=3).contains(&lesson.sliders().count()), "{name}");
        assert!((2..=4).contains(&lesson.questions().count()), "{name}");
        assert!(lesson.plots().count() >= 1, "{name}");
        assert!(lesson.pages.iter().any(|page| matches!(page, LessonPage::Formula(_))), "{name}");
        assert!(matches!(lesson.pages[0], LessonPage::Text(_)), "{name}");
    }
    // The right answer is not always in the same place.
    let rights: BTreeSet<usize> = all()
        .flat_map(|(_, lesson)| lesson.questions().map(|question| question.right).collect::<Vec<_>>())
        .collect();
    assert_eq!(rights.len(), 3);
}

/// Nobody can try out what is asked before it has been answered.
#[test]
fn a_question_stands_before_the_sliders_that_it_asks_about() {
    let worked = [("ridged-lesson", Lesson::from_ron(WORKED, "ridged-lesson.ron").unwrap())];
    for (name, lesson) in all().chain(worked) {
        let mut free = BTreeSet::new();
        for page in &lesson.pages {
            match page {
                LessonPage::Slider(slider) if !slider.locked => drop(free.insert(&slider.path)),
                LessonPage::Question(question) => {
                    let asked = question.show.iter().find(|setting| free.contains(&setting.path));
                    assert!(asked.is_none(), "{name}: {}: {asked:?}", question.ask);
                }
                _ => {}
            }
        }
    }
    assert!(all().filter(|(_, lesson)| lesson.locked_sliders().count() > 0).count() >= 3);
}

#[test]
fn no_line_of_a_lesson_is_absurdly_long() {
    for ShippedLesson { name, text } in ShippedLesson::all() {
        for (number, line) in text.lines().enumerate() {
            let count = line.chars().count();
            assert!(count <= 180, "{name}, line {}: {count} characters", number + 1);
        }
    }
    for (name, lesson) in all() {
        for page in &lesson.pages {
            if let LessonPage::Formula(formula) = page {
                assert!(formula.formula.lines().all(|line| line.chars().count() <= 72), "{name}");
            }
        }
    }
}

/// Every letter of a formula stands in its explanation.
#[test]
fn every_letter_of_a_formula_is_explained() {
    for (name, lesson) in all() {
        for page in &lesson.pages {
            let LessonPage::Formula(formula) = page else { continue };
            let is_of_word = |c: &char| c.is_alphanumeric() && !c.is_ascii_digit();
            for word in formula.formula.split(|c: char| !is_of_word(&c)) {
                // Single letters with an index are letters; what is longer is a word.
                let letters = word.chars().filter(|c| !"ᵢⱼₖᵏⁱₙ₊₁′²½Σ∂π".contains(*c)).collect::<String>();
                if letters.chars().count() == 1 {
                    assert!(formula.meaning.contains(&letters), "{name}: {letters} of {}", formula.formula);
                }
            }
        }
    }
}

#[test]
fn recipes_of_lessons_are_built_at_both_ends_of_their_sliders_and_as_questions_show_them() {
    let build = |name: &str, recipe: &Recipe| {
        recipe.preview(33).build(&Work::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    for (name, lesson) in all() {
        build(name, &lesson.recipe);
        for slider in lesson.sliders() {
            let number = lesson.recipe.number(&slider.path).unwrap();
            assert_eq!(number, slider.number, "{name}");
            for end in [*slider.range.start(), *slider.range.end()] {
                assert!(number.range.contains(&end), "{name}: {}", slider.path);
                let mut recipe = lesson.recipe.clone();
                lesson.set(&mut recipe, &slider.path, end).unwrap();
                assert_eq!(recipe.number(&slider.path).unwrap().value, end, "{name}: {}", slider.path);
                build(name, &recipe);
            }
        }
        for question in lesson.questions() {
            let LessonQuestion { answers, right, .. } = question;
            assert!(answers.iter().collect::<BTreeSet<_>>().len() == answers.len() && *right < answers.len());
            build(name, &lesson.shown(question).unwrap());
        }
    }
}

// ---- What they claim ----

/// The lands of a lesson. Several claims are about the same, which is built once.
#[derive(Default)]
struct Lands(Vec<(Recipe, Heightfield)>);

impl Lands {
    fn of(&mut self, recipe: &Recipe) -> &Heightfield {
        let known = self.0.iter().position(|(other, _)| other == recipe);
        let index = known.unwrap_or_else(|| {
            self.0.push((recipe.clone(), recipe.build_heightfield(&Work::new()).unwrap()));
            self.0.len() - 1
        });
        &self.0[index].1
    }

    /// The number that a plot of this recipe has, in metres, degrees or none, with so many digits.
    fn plotted(&mut self, recipe: &Recipe, kind: PlotKind, note: &str, digits: usize) -> String {
        let plot = match recipe.line() {
            Some((heights, length)) if kind == PlotKind::Profile => {
                upland_core::plots::line_profile(&heights, length)
            }
            _ => kind.plot(self.of(recipe), &PlotOptions::default(), &Work::new()),
        };
        let plot = plot.unwrap();
        let value = plot.value(note).unwrap_or_else(|| panic!("no {note} in {kind}"));
        format!("{value:.digits$}").replace('-', "−")
    }
}

fn plotted(recipe: &Recipe, kind: PlotKind, note: &str, digits: usize) -> String {
    Lands::default().plotted(recipe, kind, note, digits)
}

/// The mean square of second differences along rows, of samples that are `chosen` by column and height.
fn bends(field: &Heightfield, chosen: impl Fn(usize, f32) -> bool) -> f64 {
    let side = field.grid().width;
    let (mut sum, mut count) = (0.0, 0.0);
    for z in 0..side {
        for x in 1..side - 1 {
            let [west, here, east] = [x - 1, x, x + 1].map(|x| field.at(x, z));
            if chosen(x, here) {
                sum += f64::from(west - 2.0 * here + east).powi(2);
                count += 1.0;
            }
        }
    }
    sum / count
}

/// How much more slopes break at every `apart`th column than between.
fn creases(recipe: &Recipe, apart: usize) -> f64 {
    let field = recipe.build_heightfield(&Work::new()).unwrap();
    bends(&field, |x, _| x % apart == 0) / bends(&field, |x, _| x % apart != 0)
}

/// How much rougher the highest tenth is than the lowest.
fn summits_beside_valleys(recipe: &Recipe) -> f64 {
    let field = recipe.build_heightfield(&Work::new()).unwrap();
    let mut heights = field.heights().to_vec();
    heights.sort_by(f32::total_cmp);
    let (low, high) = (heights[heights.len() / 10], heights[heights.len() * 9 / 10]);
    bends(&field, |_, height| height > high) / bends(&field, |_, height| height < low)
}

/// Checks that a number stands in a lesson's questions or reveals.
fn stands_in(lesson: &Lesson, number: &str, what: &str) {
    let is_there = |text: &str| {
        text.match_indices(number).any(|(start, _)| {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let mut after = text[start + number.len()..].chars();
            let next = after.next();
            let goes_on = digit(next) || (next == Some('.') && digit(after.next()));
            !digit(text[..start].chars().next_back()) && !goes_on
        })
    };
    let mut texts = lesson.questions().flat_map(|question| {
        [&question.ask, &question.reveal].into_iter().chain(&question.answers).collect::<Vec<_>>()
    });
    assert!(texts.any(|text| is_there(text)), "{}: {what} is {number}, which no question says", lesson.title);
}

/// Checks numbers of plots: settings, the plot, the number's name, its digits.
fn claims(name: &str, numbers: &[(&[(&str, &str)], PlotKind, &str, usize)]) -> Lands {
    claims_of(&lesson(name), numbers)
}

fn claims_of(lesson: &Lesson, claims: &[(&[(&str, &str)], PlotKind, &str, usize)]) -> Lands {
    let mut lands = Lands::default();
    for (settings, kind, note, digits) in claims {
        let mut recipe = lesson.recipe.clone();
        for (path, value) in *settings {
            recipe.set(path, value).unwrap();
        }
        stands_in(
            lesson,
            &lands.plotted(&recipe, *kind, note, *digits),
            &format!("{note} with {settings:?}"),
        );
    }
    lands
}

const HURST: &str = "Hurst exponent H";

#[test]
fn what_the_lesson_on_brownian_motion_says_is_measured() {
    use PlotKind::{Slopes, Spectrum};
    claims(
        "brownian",
        &[
            (&[], Spectrum, HURST, 2),
            (&[("steps.0.hurst", "0.3")], Spectrum, HURST, 2),
            (&[], Slopes, "mean slope", 0),
            (&[("steps.0.hurst", "0.3")], Slopes, "mean slope", 0),
            (&[], Spectrum, "standard deviation", 0),
            (&[("steps.0.hurst", "0.3")], Spectrum, "standard deviation", 0),
            (&[("steps.0.octaves", "3")], Slopes, "mean slope", 0),
        ],
    );
    // The smaller H, the flatter the spectrum.
    let recipe = lesson("brownian").recipe;
    let exponents = ["0.2", "0.4", "0.6", "0.8", "1.0"].map(|hurst| {
        let mut recipe = recipe.clone();
        recipe.set("steps.0.hurst", hurst).unwrap();
        plotted(&recipe, Spectrum, "exponent β", 3).parse::<f64>().unwrap()
    });
    assert!(exponents.is_sorted_by(|a, b| a + 0.3 < *b), "{exponents:?}");
}

#[test]
fn what_the_lesson_on_spectral_synthesis_says_is_measured() {
    use PlotKind::{Slopes, Spectrum};
    claims(
        "spectral",
        &[
            (&[], Slopes, "mean slope", 0),
            (&[("steps.0.gain", "0.7")], Slopes, "mean slope", 0),
            (&[("steps.0.gain", "0.7")], Spectrum, HURST, 2),
            (&[], Spectrum, HURST, 2),
            (&[("steps.0.knots", "2")], Slopes, "mean slope", 0),
        ],
    );
    for (gain, hurst) in [("0.7", "0.51"), ("0.4", "1.32")] {
        let theory = -gain.parse::<f64>().unwrap().log2();
        assert_eq!(format!("{theory:.2}"), hurst);
        stands_in(&lesson("spectral"), hurst, "theory");
    }
}

#[test]
fn what_the_lesson_on_midpoints_says_is_measured() {
    use PlotKind::Profile;
    claims(
        "midpoint",
        &[
            (&[], Profile, "climb", 0),
            (&[], Profile, "highest", 0),
            (&[("steps.0.levels", "9")], Profile, "climb", 0),
            (&[("steps.0.levels", "9")], Profile, "highest", 0),
            (&[("steps.0.levels", "9"), ("steps.0.hurst", "0.4")], Profile, "climb", 0),
            (&[("steps.0.levels", "9"), ("steps.0.hurst", "1.2")], Profile, "climb", 0),
        ],
    );
}

#[test]
fn what_the_lesson_on_diamond_square_says_is_measured() {
    use PlotKind::{Slopes, Spectrum};
    claims(
        "diamond-square",
        &[
            (&[("steps.0.hurst", "0.5")], Spectrum, HURST, 2),
            (&[], Spectrum, HURST, 2),
            (&[("steps.0.hurst", "0.5")], Slopes, "mean slope", 0),
            (&[], Slopes, "mean slope", 0),
        ],
    );
    let lesson = lesson("diamond-square");
    let smooth = lesson.shown(lesson.questions().nth(2).unwrap()).unwrap();
    stands_in(&lesson, &format!("{:.1}", creases(&smooth, 64)), "how much more slopes break");
    assert_eq!((0.4f64 * 8.0).exp2().round(), 9.0);
}

#[test]
fn what_the_lesson_on_faults_says_is_measured() {
    use PlotKind::{Heights, Variogram};
    claims(
        "faults",
        &[
            (&[], Variogram, HURST, 2),
            (&[("steps.0.faults", "100")], Variogram, HURST, 2),
            (&[], Heights, "standard deviation", 0),
            (&[("steps.0.faults", "100")], Heights, "standard deviation", 0),
            (&[("steps.0.profile", "sine"), ("steps.0.width", "0.05")], Variogram, HURST, 2),
        ],
    );
    // Over many lands the exponent is that of theory.
    let recipe = lesson("faults").recipe.with_longer_side(129);
    let hursts = (0..12).map(|seed| {
        let mut recipe = recipe.clone();
        recipe.seed = seed;
        plotted(&recipe, Variogram, HURST, 4).parse::<f64>().unwrap()
    });
    let mean = hursts.sum::<f64>() / 12.0;
    assert!((mean - 0.5).abs() < 0.03, "{mean}");
}

#[test]
fn what_the_lesson_on_deposition_says_is_measured() {
    use PlotKind::{Hypsometry, Slopes};
    let integral = "hypsometric integral";
    claims(
        "deposition",
        &[
            (&[], Hypsometry, integral, 3),
            (&[("steps.0.search", "0")], Hypsometry, integral, 3),
            (&[], Slopes, "steepest", 0),
            (&[("steps.0.search", "0")], Slopes, "steepest", 0),
            (&[("steps.0.repose", "8")], Hypsometry, integral, 3),
            (&[("steps.0.repose", "2")], Hypsometry, integral, 3),
            (&[("steps.0.series", "1")], Hypsometry, integral, 3),
        ],
    );
}

#[test]
fn what_the_lesson_on_multifractals_says_is_measured() {
    use PlotKind::Slopes;
    claims(
        "multifractals",
        &[
            (&[], Slopes, "median slope", 0),
            (&[("steps.0.offset", "1.2")], Slopes, "median slope", 0),
            (&[("steps.0.offset", "0.3")], Slopes, "median slope", 0),
            (&[("steps.0.weight", "most")], Slopes, "median slope", 0),
        ],
    );
    let lesson = lesson("multifractals");
    let mut recipe = lesson.recipe.clone();
    stands_in(&lesson, &format!("{:.0}", summits_beside_valleys(&recipe)), "summits beside valleys");
    recipe.set("steps.0.weight", "most").unwrap();
    stands_in(
        &lesson,
        &format!("{:.1}", summits_beside_valleys(&recipe)),
        "summits beside valleys, by mistake",
    );
}

#[test]
fn what_the_lesson_on_filters_says_is_measured() {
    use PlotKind::Slopes;
    claims(
        "filters",
        &[
            (&[], Slopes, "steepest", 0),
            (&[("steps.1.size", "25")], Slopes, "steepest", 0),
            (&[("steps.2.sigma", "7.2")], Slopes, "steepest", 0),
            (&[("steps.2.sigma", "3")], Slopes, "steepest", 1),
            (&[("steps.3.row", "36")], Slopes, "steepest", 1),
            (&[("steps.1.size", "49")], Slopes, "steepest", 0),
        ],
    );
    assert!(((25.0f64 * 25.0 - 1.0) / 12.0 - 7.2 * 7.2).abs() < 0.5 && 36.0 / 4.0 == 3.0f64.powi(2));
    // A wave two thirds as long as the square comes out upside down.
    let sum: f64 =
        (-12..=12).map(|j: i32| (2.0 * std::f64::consts::PI * f64::from(j) * 1.5 / 25.0).cos()).sum();
    assert!(sum / 25.0 < -0.15, "{sum}");
}

#[test]
fn what_the_lesson_on_resizing_says_is_measured() {
    use PlotKind::{Heights, Slopes};
    let resize = |name| [("steps.0.resize", name)];
    let (duplicate, bilinear, through) = (resize("duplicate"), resize("bilinear"), resize("bspline_through"));
    let catmull_rom = resize("catmull_rom");
    claims(
        "resizing",
        &[
            (&[], Slopes, "steepest", 0),
            (&duplicate, Slopes, "steepest", 0),
            (&bilinear, Slopes, "steepest", 0),
            (&catmull_rom, Slopes, "steepest", 0),
            (&through, Slopes, "steepest", 0),
            (&[], Heights, "lowest", 0),
            (&through, Heights, "lowest", 0),
            (&[], Heights, "highest", 0),
            (&through, Heights, "highest", 0),
        ],
    );
    let lesson = lesson("resizing");
    stands_in(&lesson, &format!("{:.1}", creases(&lesson.recipe, 8)), "breaks of the B-spline");
    let mut straight = lesson.recipe.clone();
    straight.set("steps.0.resize", "bilinear").unwrap();
    assert!(creases(&straight, 8) > 1e6);
}

#[test]
fn what_the_lesson_on_erosion_says_is_measured() {
    use PlotKind::{Heights, Hypsometry, SlopeArea, Slopes};
    let integral = "hypsometric integral";
    claims(
        "erosion",
        &[
            (&[("steps.2.age", "0")], SlopeArea, "concavity θ", 2),
            (&[], SlopeArea, "concavity θ", 2),
            (&[], Heights, "highest", 0),
            (&[("steps.2.strength", "10")], Heights, "highest", 0),
            (&[], Hypsometry, integral, 2),
            (&[("steps.2.strength", "10")], Hypsometry, integral, 2),
            (&[], Slopes, "mean slope", 0),
            (&[("steps.2.max_slope", "15")], Slopes, "mean slope", 0),
            (&[("steps.2.max_slope", "15")], Slopes, "steepest", 0),
        ],
    );
}

#[test]
fn what_the_lesson_on_sediment_says_is_measured() {
    use PlotKind::{Heights, SlopeArea, Slopes};
    let sediment = [("steps.2.sediment", "1")];
    let mut lands = claims(
        "sediment",
        &[
            (&[], Heights, "highest", 0),
            (&sediment, Heights, "highest", 0),
            (&[], Slopes, "mean slope", 0),
            (&sediment, Slopes, "mean slope", 0),
        ],
    );
    let lesson = lesson("sediment");
    for (settings, said) in [(&[][..], "0.43"), (&sediment[..], "0.45")] {
        let mut recipe = lesson.recipe.clone();
        for (path, value) in settings {
            recipe.set(path, value).unwrap();
        }
        assert_eq!(lands.plotted(&recipe, SlopeArea, "concavity θ", 2), said, "{settings:?}");
        let is_said = |page: &LessonPage| matches!(page, LessonPage::Text(text) if text.contains(said));
        assert!(lesson.pages.iter().any(is_said), "{said}");
    }
}

#[test]
fn what_the_lesson_on_strata_says_is_measured() {
    use PlotKind::{Aspects, Heights, Slopes};
    let beds = [("steps.2.on", "true")];
    let dipping = [("steps.2.on", "true"), ("steps.2.dip", "12")];
    claims(
        "strata",
        &[
            (&[], Slopes, "mean slope", 0),
            (&beds, Slopes, "mean slope", 0),
            (&[], Heights, "highest", 0),
            (&beds, Heights, "highest", 0),
            (&dipping, Aspects, "mean bearing", 0),
        ],
    );
}

/// Checks that a number stands in one of a lesson's texts.
fn is_told(lesson: &Lesson, number: &str) {
    let is_there = |page: &LessonPage| matches!(page, LessonPage::Text(text) if text.contains(number));
    assert!(lesson.pages.iter().any(is_there), "{}: no text says {number}", lesson.title);
}

/// The lesson's recipe with these settings.
fn with_settings(lesson: &Lesson, settings: &[(&str, &str)]) -> Recipe {
    let mut recipe = lesson.recipe.clone();
    for (path, value) in settings {
        recipe.set(path, value).unwrap();
    }
    recipe
}

#[test]
fn what_the_lesson_on_drainage_says_is_measured() {
    use PlotKind::{Aspects, Basins, Hack, Heights};
    let (fill, breach) = ([("steps.3.hollows", "fill")], [("steps.3.hollows", "breach")]);
    let mut lands = claims(
        "drainage",
        &[
            (&fill, Aspects, "level ground", 1),
            (&[], Basins, "area, largest basin", 1),
            (&fill, Basins, "area, largest basin", 1),
            (&[], Heights, "mean", 1),
            (&fill, Heights, "mean", 1),
            (&breach, Heights, "mean", 1),
        ],
    );
    let lesson = lesson("drainage");
    let kept = &lesson.recipe;
    assert_eq!(lands.plotted(kept, Aspects, "level ground", 1), "0.0");
    is_told(&lesson, "0.0 %");
    is_told(&lesson, &lands.plotted(kept, Hack, "Hack's exponent h", 2));
    // Filling moves more than ten times as much ground as breaching.
    let [kept, filled, breached] = [&[][..], &fill[..], &breach[..]].map(|settings| {
        let recipe = with_settings(&lesson, settings);
        lands.plotted(&recipe, Heights, "mean", 3).parse::<f64>().unwrap()
    });
    assert!(filled - kept > 10.0 * (kept - breached) && kept > breached, "{kept} {filled} {breached}");
    // The texture shows streams of order 3 and more.
    let built = lesson.recipe.build_layers(&["stream_order"], &Cache::default(), &Work::new()).unwrap();
    assert!(built.layer("stream_order").unwrap().range().1 >= 3.0);
}

/// The share of a land whose slope is in these bars of the plot of slopes, in whole per cent.
fn share_of_slopes(land: &Heightfield, bars: std::ops::Range<f64>) -> String {
    let plot = PlotKind::Slopes.plot(land, &PlotOptions::default(), &Work::new()).unwrap();
    let inside = plot.series[0].points.iter().filter(|[slope, _]| bars.contains(slope));
    format!("{:.0}", inside.map(|[_, share]| share).sum::<f64>())
}

#[test]
fn what_the_lesson_on_talus_says_is_measured() {
    use PlotKind::{Heights, Slopes};
    let crumbled = [("steps.2.crumble", "8")];
    let mut lands = claims(
        "talus",
        &[
            (&[], Slopes, "median slope", 0),
            (&crumbled, Slopes, "median slope", 0),
            (&[], Heights, "mean", 1),
            (&crumbled, Heights, "mean", 1),
            (&[], Slopes, "mean slope", 0),
            (&crumbled, Slopes, "mean slope", 0),
            (&[("steps.2.crumble", "16")], Slopes, "mean slope", 0),
        ],
    );
    let lesson = lesson("talus");
    let sharp = with_settings(&lesson, &crumbled);
    let round = with_settings(&lesson, &[("steps.2.crumble", "8"), ("steps.2.repose", "25")]);
    for (recipe, bars, what) in
        [(&sharp, 32.0..36.0, "peak"), (&sharp, 42.0..90.0, "walls"), (&round, 42.0..90.0, "walls")]
    {
        stands_in(&lesson, &share_of_slopes(lands.of(recipe), bars), what);
    }
}

#[test]
fn what_the_lesson_on_dunes_says_is_measured() {
    use PlotKind::{Aspects, Heights, SlopeRose};
    let (longer, less) = ([("steps.1.steps", "120")], [("steps.1.supply", "7.5")]);
    claims(
        "dunes",
        &[
            (&[], Aspects, "mean bearing", 0),
            (&[], SlopeRose, "steepest bearing", 0),
            (&[], SlopeRose, "mean slope there", 0),
            (&[], SlopeRose, "mean slope of the gentlest", 0),
            (&[], Heights, "highest", 0),
            (&longer, Heights, "highest", 0),
            (&[], Heights, "standard deviation", 1),
            (&less, Heights, "standard deviation", 1),
            (&[("steps.1.winds", "two"), ("steps.1.steps", "120")], SlopeRose, "steepest bearing", 1),
        ],
    );
}

// ---- Those that strangers write ----

/// A lesson with these pages.
fn with_pages(pages: &str) -> String {
    format!(
        r#"(
    version: 1, title: "T", family: "F",
    recipe: inline(version: 1, name: "x", size: (9, 9), cell: 1, steps: [fbm()]),
    pages: [
        {pages}
    ],
)"#
    )
}

fn refused(text: &str) -> String {
    let error = Lesson::from_ron(text, "x.ron").expect_err(text);
    let message = error.to_string();
    assert!(message.starts_with("x.ron:"), "{message}");
    message
}

#[test]
fn what_is_wrong_in_a_lesson_is_told_with_its_line_and_a_remedy() {
    let slider = |rest: &str| format!(r#"slider(path: {rest})"#);
    let question = |rest: &str| format!(r#"question(ask: "a?", {rest}, reveal: "r")"#);
    for (page, reasons) in [
        (
            slider(r#""steps.0.hight", label: "H", low: 0, high: 1"#),
            vec!["no such number", "height, frequency"],
        ),
        (
            slider(r#""steps.7.height", label: "H", low: 0, high: 1"#),
            vec!["no step `7`", "has 1, counted from 0"],
        ),
        (slider(r#""name", label: "H", low: 0, high: 1"#), vec!["begin with `steps.`"]),
        (slider(r#""steps.0.basis", label: "H", low: 0, high: 1"#), vec!["that is not a number"]),
        (slider(r#""steps.fbm.hurst", label: "H", low: 0, high: 1"#), vec!["`fbm` is `steps.0`"]),
        (slider(r#""steps.0.height", label: "H", low: 0 m, high: 1"#), vec!["leave `m` out"]),
        (
            slider(r#""steps.0.hurst", label: "H", low: "0", high: 1"#),
            vec!["a number is expected here, without quotes"],
        ),
        (slider(r#""steps.0.hurst", label: “H”, low: 0, high: 1"#), vec!["straight quotes"]),
        (slider(r#""steps.0.hurst", label: "H", low: 0, high: 0,3"#), vec!["after a point: 0.3"]),
        (slider(r#""steps.0.hurst", label: "H", low: 0, high: 3"#), vec!["0 to 3", "within 0 to 2"]),
        (slider(r#""steps.0.hurst", label: "H", low: 1, high: 1"#), vec!["low is 1", "below"]),
        (slider(r#""steps.0.hurst", label: "H", low: NaN, high: 1"#), vec!["low is NaN"]),
        (slider(r#""steps.0.hurst", label: "H", low: 0, high: 0.1"#), vec!["outside 0 to 0.1", "widen"]),
        (slider(r#""steps.0.variant", label: "H", low: 0, high: 1.5"#), vec!["whole"]),
        (slider(r#""steps.0.hurst", label: " ", low: 0, high: 1"#), vec!["label: is empty"]),
        (slider(r#""steps.0.hurst", label: "H", low: 0"#), vec!["`high` is missing", "locked: true"]),
        (slider(r#""steps.0.hurst", label: "H""#), vec!["`low` is missing"]),
        (slider(r#""steps.0.hurst", label: "H", locked: false"#), vec!["`low` is missing"]),
        (slider(r#""steps.0.hurst", label: "H", locked: 1"#), vec!["true or false is expected here"]),
        (slider(r#""steps.0.hight", label: "H", locked: true"#), vec!["no such number"]),
        (slider(r#""steps.0.hurst", label: "H", low: 1.5, locked: true"#), vec!["outside 1.5 to 2"]),
        (slider(r#""steps.0.hurst", label: "H", high: 3, locked: true"#), vec!["within 0 to 2"]),
        (question(r#"answers: ["a", "b"], right: 2"#), vec!["right: 2", "0 to 1"]),
        (question(r#"answers: ["a", "b"], right: -1"#), vec!["whole number", "too small"]),
        (question(r#"answers: ["a", "b"], right: "b""#), vec!["a whole number is expected here"]),
        (question(r#"answers: ["a", "b"]"#), vec!["`right` is missing"]),
        (question(r#"answers: ["a", "b" or "c"], right: 0"#), vec![r#"is written \""#]),
        (question(r#"answers: ["a", "b"], right: 0, show: ("seed": 1)"#), vec!["settings in braces"]),
        (
            question(r#"answers: ["a", "b"], right: 0, show: {"steps.0.basis": value}"#),
            vec!["write words in quotes"],
        ),
        (question(r#"answers: [], right: 0"#), vec!["answers are 0", "2 to 8"]),
        (question(r#"answers: ["a"], right: 0"#), vec!["answers are 1"]),
        (question(r#"answers: ["a", " a"], right: 0"#), vec!["twice"]),
        (question(r#"answers: ["a", ""], right: 0"#), vec!["answers: is empty"]),
        (question(r#"answers: ["a", "b"], right: 0, show: {"steps.0.hight": 1}"#), vec!["steps.0.hight"]),
        (
            question(r#"answers: ["a", "b"], right: 0, show: {"steps.0.hurst": 9}"#),
            vec!["9 is outside 0 to 2"],
        ),
        (question(r#"answers: ["a", "b"], right: 0, show: {"seed": 1, "seed": 2}"#), vec!["set twice"]),
        (
            question(r#"answers: ["a", "b"], right: 0, hint: "c""#),
            vec!["there is no field `hint` in `question`", "a bracket"],
        ),
        (r#"text("")"#.into(), vec!["text: is empty"]),
        (r#"text("\u{1b}[2J")"#.into(), vec!["U+001B"]),
        (r#"formula("", "nothing")"#.into(), vec!["formula: is empty"]),
        (r#"plot(spektrum)"#.into(), vec!["no plot `spektrum`", "slope_area"]),
        (r#"plot(slope-area)"#.into(), vec!["perhaps `slope_area`"]),
        (r#"picture("a.png")"#.into(), vec!["there is no `picture`; there are text, formula"]),
    ] {
        let message = refused(&with_pages(&page));
        assert!(message.starts_with("x.ron:5:") || message.starts_with("x.ron:6:"), "{message}");
        assert!(reasons.iter().all(|reason| message.contains(reason)), "{page}: {message}");
    }
    let twice = r#"slider(path: "steps.0.hurst", label: "H", low: 0, high: 1),"#
        .repeat(2)
        .replace("high: 1", "high: 2");
    assert!(refused(&with_pages(&twice)).contains("two sliders, on page 1 and on page 2"));
    assert!(refused(&with_pages("")).contains("without pages"));
}

#[test]
fn what_is_missing_or_too_much_is_told() {
    let whole = with_pages(r#"text("t")"#);
    Lesson::from_ron(&whole, "x.ron").unwrap();
    for (old, new, reason) in [
        ("version: 1, title", "version: 2, title", "this program reads lessons of version 1"),
        ("version: 1, title", "title", "`version` is missing"),
        ("title: \"T\",", "", "`title` is missing"),
        ("title: \"T\",", "title: \"T\", title: \"T\",", "given twice"),
        ("title: \"T\",", "title: \"\",", "is empty"),
        ("title: \"T\",", "titel: \"T\",", "unknown field `titel`"),
        ("title: \"T\",", "name: \"T\",", "recipe: inline(…)"),
        ("family: \"F\",", "", "`family` is missing"),
        ("steps: [fbm()]", "steps: [fbn()]", "fbn"),
        ("    pages:", "    sources: [\"\"], pages:", "sources: is empty"),
    ] {
        assert!(whole.contains(old));
        let message = refused(&whole.replacen(old, new, 1));
        assert!(message.contains(reason), "{message}");
    }
    let start = whole.find("    recipe:").unwrap();
    let end = whole.find("    pages:").unwrap();
    let without = format!("{}{}", &whole[..start], &whole[end..]);
    assert!(refused(&without).contains("put the recipe first"));
    for (recipe, reason) in [
        ("preset(\"atlantis\")", "there is no preset `atlantis`; there are high-range"),
        ("file(\"/etc/passwd\")", "has no folder"),
        ("downs", "downs"),
    ] {
        let text = format!("{}recipe: {recipe},\n{}", &whole[..start], &whole[end..]);
        let message = refused(&text);
        assert!(message.contains(reason), "{message}");
    }
    let long = "word ".repeat(2000);
    assert!(refused(&with_pages(&format!("text(\"{long}\")"))).contains("at most 6000"));
    assert!(refused(&with_pages(&"text(\"t\"),".repeat(201))).contains("at most 200 pages"));
}

#[test]
fn a_lesson_in_a_file_finds_its_recipe_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.ron");
    let lesson = r#"(version: 1, title: "T", family: "F", recipe: file("land.ron"), pages: [text("t")])"#;
    fs::write(&path, lesson).unwrap();
    let message = Lesson::read(&path).unwrap_err().to_string();
    assert!(message.contains("land.ron") && message.contains("mine.ron"), "{message}");
    let land = r#"(version: 1, name: "Beside", size: (9, 9), cell: 1, steps: [import(file: "a.asc")])"#;
    fs::write(folder.path().join("land.ron"), land).unwrap();
    let read = Lesson::read(&path).unwrap();
    assert_eq!(read.recipe.name, "Beside");
    assert_eq!(read.recipe.files(), [folder.path().join("a.asc")]);
    fs::write(&path, [0xff, 0xfe, 0]).unwrap();
    assert!(Lesson::read(&path).unwrap_err().to_string().contains("not text in UTF-8"));
}

#[test]
fn what_no_slider_names_is_locked() {
    let lesson = lesson("brownian");
    let mut recipe = lesson.recipe.clone();
    let said = lesson.set(&mut recipe, "steps.0.height", 10.0).unwrap_err().to_string();
    assert!(said.contains("locked") && said.contains("steps.0.hurst"), "{said}");
    assert!(lesson.set(&mut recipe, "steps.0.hurst", 1.5).unwrap_err().to_string().contains("0.1 to 1.2"));
    assert!(lesson.set(&mut recipe, "steps.0.hurst", f64::NAN).is_err());
    assert_eq!(recipe, lesson.recipe);
    assert!(lesson.is_free("steps.0.hurst") && !lesson.is_free("steps.0.height"));
}

#[test]
fn a_locked_slider_shows_a_number_that_cannot_be_changed() {
    let free = r#"slider(path: "steps.0.height", label: "A", low: 1, high: 9000, locked: false),"#;
    let locked = r#"slider(path: "steps.0.hurst", label: "H", locked: true),"#;
    let lesson = Lesson::from_ron(&with_pages(&format!("{locked}{free}")), "x.ron").unwrap();
    let paths = |sliders: Vec<&upland_core::LessonSlider>| {
        sliders.into_iter().map(|slider| slider.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(paths(lesson.sliders().collect()), ["steps.0.height"]);
    assert_eq!(paths(lesson.locked_sliders().collect()), ["steps.0.hurst"]);
    let held = lesson.locked_sliders().next().unwrap();
    assert_eq!((held.range.clone(), held.number.value), (0.0..=2.0, 0.9));
    let mut recipe = lesson.recipe.clone();
    let said = lesson.set(&mut recipe, "steps.0.hurst", 0.5).unwrap_err().to_string();
    assert!(said.contains("is locked") && said.contains("free are steps.0.height"), "{said}");
    assert!(!lesson.is_free("steps.0.hurst") && recipe == lesson.recipe);
    // Its ends, where it has some, are those between which it is shown.
    let within = locked.replace("locked: true", "low: 0.5, high: 1, locked: true");
    let lesson = Lesson::from_ron(&with_pages(&within), "x.ron").unwrap();
    assert_eq!(lesson.locked_sliders().next().unwrap().range, 0.5..=1.0);
    let twice = locked.replace("locked: true", "low: 0.5, high: 1") + locked;
    assert!(refused(&with_pages(&twice)).contains("two sliders"));
}

/// The worked example of the guide for teachers, as it lies in `examples`.
const WORKED: &str = include_str!("../../data/ridged-lesson.ron");

#[test]
fn what_the_guide_s_worked_example_says_is_measured() {
    use PlotKind::{Heights, Hypsometry, Slopes};
    let lesson = Lesson::from_ron(WORKED, "ridged-lesson.ron").unwrap();
    let (gain, offset) = ([("steps.0.gain", "0")], [("steps.0.offset", "0.7")]);
    let numbers: [(&[(&str, &str)], _, _, _); 7] = [
        (&[], Slopes, "median slope", 0),
        (&gain, Slopes, "median slope", 0),
        (&[], Heights, "highest", 0),
        (&gain, Heights, "highest", 0),
        (&offset, Heights, "highest", 0),
        (&[], Hypsometry, "hypsometric integral", 2),
        (&offset, Hypsometry, "hypsometric integral", 2),
    ];
    claims_of(&lesson, &numbers);
    for question in lesson.questions() {
        lesson.shown(question).unwrap().preview(33).build(&Work::new()).unwrap();
    }
}
