//! The picture: each landscape in a pane of its own, seen from the same place.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::math::{DVec3, Vec3Swizzles};
use image::{Rgba, RgbaImage, imageops};

use super::difference;
use super::panes::{LEAST, Panes};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Window;
use crate::plugin::{DebugView, Quality, TerrainSides, origin_of};
use crate::render::display_names::display_names;
use crate::render::legend::Legend;
use crate::render::short_numbers::count;
use crate::render::still::{OffscreenScene, Waiting};
use crate::{Cache, Recipe};

/// The most landscapes in a picture.
pub const MOST_COMPARED: usize = 64;

/// Colours between panes, and in a pane without a land.
const BETWEEN: Rgba<u8> = Rgba([14, 16, 18, 255]);
const WITHOUT: Rgba<u8> = Rgba([40, 34, 34, 255]);

/// How far above the ground the eye stands at least, metres: land that is compared may be higher there.
const ABOVE: f32 = 2.0;

/// The most characters in a line of a caption, for each pixel of a pane's width.
const LETTERS: f32 = 0.11;

/// A landscape in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The caption under it.
    pub title: String,
    /// A shorter caption where the pane is too narrow for the title; by default the title, cut.
    pub short: Option<String>,
    /// The file that it comes from: distinguishes it from others of the same title, and is named if it fails.
    pub file: Option<PathBuf>,
    /// Its recipe; or why there is none, which is seen in its place.
    pub recipe: Result<Recipe, String>,
}

impl Compared {
    /// A landscape with this title, which comes from no file.
    pub fn new(title: impl Into<String>, recipe: Recipe) -> Self {
        Self { title: title.into(), short: None, file: None, recipe: Ok(recipe) }
    }

    /// A landscape whose file could not be read, and why not.
    pub fn unread(file: &Path, reason: impl Into<String>) -> Self {
        let title = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { title, short: None, file: Some(file.to_owned()), recipe: Err(reason.into()) }
    }

    /// The title, or its replacement, if there is one, where the title has more letters than `letters`.
    fn caption_in(&self, letters: usize) -> &str {
        let is_too_long = self.title.chars().count() > letters;
        self.short.as_deref().filter(|_| is_too_long).unwrap_or(&self.title)
    }

    /// The name in the report of a failure: file and title, or, without a file, the name that it has in this
    /// comparison.
    fn culprit(&self, called: &str) -> String {
        match &self.file {
            Some(file) => format!("{}: {}", file.display(), self.title),
            None => called.to_owned(),
        }
    }
}

/// A picture of landscapes side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareShot {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Position of the eye in metres, for all; by default that of the first recipe for lands as long and wide
    /// as it, and their own for others.
    pub from: Option<[f32; 3]>,
    /// The point in the centre of each pane in metres; by default as `from`.
    pub look: Option<[f32; 3]>,
    /// Whether each land is seen from its own recipe's view, where `from` and `look` are not set.
    pub own_views: bool,
    /// Whether a map of the difference of the first two is drawn in a pane of its own.
    pub difference: bool,
    /// The quality.
    pub quality: Quality,
    /// How long rendering a landscape may take before it fails.
    pub time_limit: Duration,
}

impl Default for CompareShot {
    /// 1600 × 900 pixels, seen from where the first recipe says, high quality, ten minutes.
    fn default() -> Self {
        Self {
            size: (1600, 900),
            from: None,
            look: None,
            own_views: false,
            difference: false,
            quality: Quality::High,
            time_limit: Duration::from_secs(600),
        }
    }
}

/// How long a landscape took. As text: "built in 0.2 s, drawn in 1.3 s".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedTimes {
    /// To make its heights and layers; `None` for land whose tiles are made as it is drawn.
    pub built: Option<Duration>,
    /// To draw it once its colours were there.
    pub drawn: Duration,
}

impl ComparedTimes {
    /// The parts that can stand on lines of their own.
    fn parts(self) -> Vec<String> {
        let drawn = seconds(self.drawn);
        match self.built {
            Some(built) => vec![format!("built in {}", seconds(built)), format!("drawn in {drawn}")],
            None => vec![format!("built and drawn in {drawn}")],
        }
    }
}

impl fmt::Display for ComparedTimes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.parts().join(", "))
    }
}

/// A picture of landscapes, what they took, and what went wrong with some of them.
pub struct ComparedPicture {
    /// The picture. Where a landscape failed it says why.
    pub picture: RgbaImage,
    /// Names of those that were drawn, and how long each took: in small panes there is no room for it.
    pub times: Vec<(String, ComparedTimes)>,
    /// Files and titles of those that failed, and why. Those without a recipe are not among them.
    pub failures: Vec<(String, Error)>,
}

/// Builds and draws landscapes one after the other, from the same place, each with its name and how long it
/// took.
///
/// A landscape that fails, or has no recipe, leaves a message in its place; the others are drawn.
///
/// # Errors
/// When there is nothing to compare or too much, when no landscape has a recipe, when the picture is too
/// small for them, when all landscapes fail, and [`Error::Cancelled`].
pub fn render_compared(compared: &[Compared], shot: &CompareShot, work: &Work) -> Result<ComparedPicture> {
    let panes = panes_of(compared, shot)?;
    let first = compared.iter().find_map(|of| of.recipe.as_ref().ok());
    let first =
        first.ok_or_else(|| Error::parameter("landscapes", "none has a recipe; give one that has"))?;
    let mut picture = RgbaImage::from_pixel(shot.size.0, shot.size.1, BETWEEN);
    let mut put = |index: usize, pane: &RgbaImage| {
        let [x, y] = panes.corner(index as u32);
        imageops::replace(&mut picture, pane, x, y);
    };

    let mut view = (shot.from, shot.look);
    let (mut times, mut failures) = (Vec::new(), Vec::new());
    let mut caches = Vec::new();
    let titles = titles_of(compared, usize::MAX);
    let captions = titles_of(compared, letters_in(panes.size.0).max(8));
    for (index, of) in compared.iter().enumerate() {
        let recipe = match &of.recipe {
            Ok(recipe) => recipe,
            Err(reason) => {
                put(index, &failed(&captions[index], reason, panes.size));
                continue;
            }
        };
        // A cache for each land, dropped with it: together they would hold all lands in memory.
        let cache = Cache::default();
        // A view that suits one land would lead nowhere on one of another size.
        let is_alike = extent_of(recipe) == extent_of(first);
        let seen = if shot.own_views || !is_alike { (shot.from, shot.look) } else { view };
        let waiting = Waiting::of(format!("draw {} of {}", index + 1, compared.len()));
        let pane = match draw(recipe, &cache, seen, (panes.size, waiting), shot, work) {
            Ok(Drawn { mut picture, view: of_this, took }) => {
                if is_alike {
                    // The first land of this size chooses the view for all others.
                    view = (view.0.or(Some(of_this.0)), view.1.or(Some(of_this.1)));
                }
                caption(&captions[index], &notes_of(recipe, took), panes.size).draw_into(&mut picture);
                times.push((titles[index].clone(), took));
                picture
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                let pane = failed(&captions[index], &error.to_string(), panes.size);
                failures.push((of.culprit(&titles[index]), error));
                pane
            }
        };
        put(index, &pane);
        // The map of the difference asks for the heights of the first two again.
        if shot.difference && index < 2 {
            caches.push(cache);
        }
    }
    if times.is_empty() {
        return Err(failures.remove(0).1);
    }
    if shot.difference {
        let pane = match difference_pane(compared, &captions, &caches, panes.size, work) {
            Ok(pane) => pane,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                let pane = failed("Difference", &error.to_string(), panes.size);
                failures.push(("Difference".to_owned(), error));
                pane
            }
        };
        put(compared.len(), &pane);
    }
    Ok(ComparedPicture { picture, times, failures })
}

/// The panes of the picture, one for each landscape and for the map of the difference.
fn panes_of(compared: &[Compared], shot: &CompareShot) -> Result<Panes> {
    let most = 1..=MOST_COMPARED;
    if !most.contains(&compared.len()) {
        let reason = format!("{} landscapes cannot be compared; give 1 to {MOST_COMPARED}", compared.len());
        return Err(Error::parameter("landscapes", reason));
    }
    if shot.difference && compared.len() < 2 {
        return Err(Error::parameter("difference", "one landscape differs from none; give two"));
    }
    let (width, height) = shot.size;
    let count = compared.len() + usize::from(shot.difference);
    Panes::new(count as u32, shot.size).ok_or_else(|| {
        let reason = format!(
            "{width}×{height} pixels are too few for {count} landscapes; each needs {LEAST}×{LEAST} or more"
        );
        Error::parameter("size", reason)
    })
}

/// A map of the second land's heights above the first's.
fn difference_pane(
    compared: &[Compared],
    captions: &[String],
    caches: &[Cache],
    size: (u32, u32),
    work: &Work,
) -> Result<RgbaImage> {
    let ([Ok(first), Ok(second)], [of_first, of_second]) =
        ([&compared[0].recipe, &compared[1].recipe], caches)
    else {
        let reason = "one of the first two lands has no recipe; give two that have";
        return Err(Error::parameter("difference", reason));
    };
    work.stage("compare heights", 1);
    let (found, _) = difference::between([first, second], [of_first, of_second], work)?;
    let mut pane = difference::map(&found, size);
    difference::legend(&found, [&captions[0], &captions[1]]).draw_into(&mut pane);
    Ok(pane)
}

/// Names that distinguish the landscapes, each about `letters` long.
fn titles_of(compared: &[Compared], letters: usize) -> Vec<String> {
    let named: Vec<_> = compared.iter().map(|of| (of.caption_in(letters), of.file.as_deref())).collect();
    display_names(&named, letters)
}

/// A landscape that has been drawn.
struct Drawn {
    picture: RgbaImage,
    /// From where to where it would be seen if nothing was asked for, metres.
    view: ([f32; 3], [f32; 3]),
    took: ComparedTimes,
}

fn draw(
    recipe: &Recipe,
    cache: &Cache,
    (from, look): (Option<[f32; 3]>, Option<[f32; 3]>),
    (size, waiting): ((u32, u32), Waiting),
    shot: &CompareShot,
    work: &Work,
) -> Result<Drawn> {
    let mut scene = OffscreenScene::with_cache(recipe, size, shot.quality, cache, work)?;
    let view = scene.first_view(recipe);
    let from = above_ground(recipe, cache, from.unwrap_or(view.0), work)?;
    work.stage("draw", 1);
    scene.aim(recipe, Some(from), Some(look.unwrap_or(view.1)), DebugView::None);
    let terrain = scene.terrain;
    scene.world().entity_mut(terrain).insert(TerrainSides::default());
    let begun = Instant::now();
    let picture = scene.capture(shot.time_limit, waiting, work)?;
    let took = ComparedTimes { built: scene.built, drawn: begun.elapsed() };
    Ok(Drawn { picture, view, took })
}

/// The notes under a land's name. The times come first, as most lands that are compared are of one size.
fn notes_of(recipe: &Recipe, took: ComparedTimes) -> [Vec<String>; 2] {
    let (columns, rows) = recipe.size;
    let samples = match recipe.unit {
        Some(_) => "endless".to_owned(),
        None => format!("{}×{}", count(columns as usize), count(rows as usize)),
    };
    [took.parts(), vec![samples, format!("{} m", recipe.cell), format!("seed {}", recipe.seed)]]
}

/// Length and width of a land, metres, and whether it has an end.
fn extent_of(recipe: &Recipe) -> (f64, f64, bool) {
    let along = |samples: u32| f64::from(recipe.cell) * f64::from(samples.max(1) - 1);
    // Rounded: the same land at another spacing of its samples is the same.
    let (width, depth) = (along(recipe.size.0).round(), along(recipe.size.1).round());
    (width, depth, recipe.unit.is_none())
}

/// The place, or one above it that is not under ground.
pub(crate) fn above_ground(recipe: &Recipe, cache: &Cache, from: [f32; 3], work: &Work) -> Result<[f32; 3]> {
    let place = (DVec3::from(from.map(f64::from)).xz() - origin_of(recipe)) / f64::from(recipe.cell);
    if !place.is_finite() || place.abs().max_element() > 1e9 {
        return Ok(from);
    }
    let mut first = [place.x.floor() as i64, place.y.floor() as i64];
    if recipe.unit.is_none() {
        let (columns, rows) = recipe.size;
        let last = [i64::from(columns) - 2, i64::from(rows) - 2];
        // Beyond the border there is no ground to stand in.
        if (0..2).any(|axis| first[axis] < 0 || first[axis] > last[axis].max(0)) || last.contains(&-1) {
            return Ok(from);
        }
        first = [first[0].min(last[0]), first[1].min(last[1])];
    }
    let around = Window { level: 0, first, size: [2, 2] };
    // The highest of the quad's corners: the eye is above the ground wherever it stands in the quad.
    let (_, high) = recipe.build_window(around, cache, work)?.heights.range();
    Ok([from[0], from[1].max(high + ABOVE), from[2]])
}

/// The caption of a pane of this size, which has to hold it: each note stands on a line, or on several where
/// that is too long, and the last lines go where there is no room.
fn caption(title: &str, notes: &[Vec<String>], size: (u32, u32)) -> Legend {
    let letters = letters_in(size.0);
    let lines = notes.iter().flat_map(|parts| lines_of(parts, letters + letters / 8));
    Legend::of_text(title, lines.take(Legend::lines_in(size.1)))
}

/// The most letters in a line of a caption, in a pane of this width.
fn letters_in(width: u32) -> usize {
    (width as f32 * LETTERS) as usize
}

/// The parts in lines of at most `letters` letters, with commas between those on one line. A part that is
/// longer itself is left out.
fn lines_of(parts: &[String], letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().filter(|part| part.chars().count() <= letters) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + part.chars().count() <= letters => {
                *line = format!("{line}, {part}");
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

/// A pane that says why there is no land in it.
fn failed(title: &str, reason: &str, size: (u32, u32)) -> RgbaImage {
    let mut pane = RgbaImage::from_pixel(size.0, size.1, WITHOUT);
    let letters = letters_in(size.0).max(8);
    let mut lines: Vec<String> = vec![String::new()];
    for word in reason.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() || line.chars().count() + 1 + word.chars().count() <= letters {
            let space = if line.is_empty() { "" } else { " " };
            *line = format!("{line}{space}{word}");
        } else {
            lines.push(word.to_owned());
        }
    }
    Legend::of_text(title, lines).draw_into(&mut pane);
    pane
}

/// A time with two digits, or all before the point.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..0.0995 => format!("{:.0} ms", seconds * 1e3),
        ..9.95 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let times = [0.0, 0.0421, 0.55, 3.13, 123.4].map(|time| seconds(Duration::from_secs_f64(time)));
        assert_eq!(times, ["0 ms", "42 ms", "0.6 s", "3.1 s", "123 s"]);
    }

    #[test]
    fn land_that_is_not_built_as_a_whole_has_one_time() {
        let [short, long] = [0.04, 12.0].map(Duration::from_secs_f64);
        let told = |built| ComparedTimes { built, drawn: long }.to_string();
        assert_eq!(told(Some(short)), "built in 40 ms, drawn in 12 s");
        assert_eq!(told(None), "built and drawn in 12 s");
    }

    #[test]
    fn a_time_that_a_pane_can_hold_is_there() {
        let took = ComparedTimes { built: Some(Duration::from_millis(42)), drawn: Duration::from_secs(3) };
        let notes = notes_of(&Recipe::new("Plain", (5, 5), 10.0), took);
        let of = |size| caption("Plain", &notes, size);
        let legend = |lines: &[&str]| Legend::of_text("Plain", lines.iter().map(|line| (*line).to_owned()));
        let wide = ["built in 42 ms, drawn in 3.0 s", "5×5, 10 m, seed 0"];
        assert_eq!(of((400, 300)), legend(&wide));
        let narrow = ["built in 42 ms", "drawn in 3.0 s", "5×5, 10 m, seed 0"];
        assert_eq!(of((212, 158)), legend(&narrow), "one of nine panes of 640 × 480 pixels");
        assert_eq!(of((140, 158)), legend(&["built in 42 ms", "drawn in 3.0 s", "5×5, 10 m", "seed 0"]));
        assert_eq!(of((212, 70)), legend(&narrow[..2]), "the size goes before the times");
        assert_eq!(of((LEAST, LEAST)), legend(&[]));
    }

    #[test]
    fn an_eye_under_ground_is_raised_and_one_beside_the_land_stays() {
        let mut recipe = Recipe::new("Plain", (5, 5), 10.0);
        recipe.steps.push(crate::Step::from_name("flat").unwrap());
        recipe.set("steps.0.height", "50").unwrap();
        let raised = |from| above_ground(&recipe, &Cache::default(), from, &Work::new()).unwrap();
        assert_eq!(raised([0.0, -7.0, 0.0]), [0.0, 52.0, 0.0]);
        assert_eq!(raised([19.9, 60.0, -19.9]), [19.9, 60.0, -19.9]);
        for beside in [[21.0, 0.0, 0.0], [0.0, 0.0, -500.0], [f32::NAN, 0.0, 0.0], [1e30, 0.0, 0.0]] {
            let stays = raised(beside);
            assert!(stays[1] == 0.0, "{beside:?}");
        }
    }

    #[test]
    fn a_title_that_is_too_long_for_its_pane_is_told_in_short() {
        let mut land = Compared::new("Terraces: width = 25", Recipe::new("Plain", (5, 5), 10.0));
        assert_eq!(land.caption_in(8), "Terraces: width = 25", "nothing is known that is shorter");
        land.short = Some("width = 25".into());
        assert_eq!(
            [8, 19, 20, 90].map(|letters| land.caption_in(letters)),
            ["width = 25", "width = 25", "Terraces: width = 25", "Terraces: width = 25"]
        );
    }

    #[test]
    fn lands_of_one_title_are_told_apart_and_a_failure_names_its_file() {
        let land = |file: &str| Compared {
            file: Some(file.into()),
            ..Compared::new("High range", Recipe::new("Plain", (5, 5), 10.0))
        };
        let lands = [land("maps/a.ron"), land("b.ron")];
        let titles = titles_of(&lands, usize::MAX);
        assert_eq!(titles, ["High range (a.ron)", "High range (b.ron)"]);
        assert_eq!(titles_of(&lands, 12), ["High range", "High ra… (2)"]);
        assert_eq!(lands[0].culprit(&titles[0]), "maps/a.ron: High range");
        assert_eq!(Compared { file: None, ..land("") }.culprit("High range (2)"), "High range (2)");
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        let plain = Compared::new("Plain", Recipe::new("Plain", (5, 5), 10.0));
        let refused = |compared: &[Compared], shot: CompareShot| {
            let drawn = render_compared(compared, &shot, &Work::new());
            drawn.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(refused(&[], CompareShot::default()).contains("1 to 64"));
        let many = vec![plain.clone(); MOST_COMPARED + 1];
        assert!(refused(&many, CompareShot::default()).contains("65 landscapes"));
        let small = CompareShot { size: (60, 40), ..CompareShot::default() };
        assert!(refused(&[plain.clone(), plain.clone()], small).contains("60×40 pixels are too few"));
        let unread = Compared::unread("maps/gone.ron".as_ref(), "no such file");
        assert_eq!(unread.title, "gone.ron");
        assert!(refused(&[unread.clone(), unread], CompareShot::default()).contains("none has a recipe"));
        let alone = CompareShot { difference: true, ..CompareShot::default() };
        assert!(refused(&[plain], alone).contains("give two"));
    }
}
