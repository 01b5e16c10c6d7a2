//! What the picture on a step's page shows.

use image::RgbImage;
use image::imageops::replace;
use upland::steps::{Kind, Operation};
use upland::{Recipe, Work, thumbnail};

/// Pixels: of a picture of one land, and of each of two beside each other.
const ONE: (u32, u32) = (480, 270);
const TWO: (u32, u32) = (238, 170);

/// Hills that filters change, unless their example has others.
const HILLS: &str = "fbm(height: 700, octaves: 8)";

/// The recipe of a picture.
pub struct Example {
    /// Samples a side, and metres between them.
    size: (u32, f32),
    /// The steps before; of a generator none.
    before: String,
    /// The step.
    step: String,
    texture: &'static str,
    /// A picture of `docs/pictures` that shows the step better than one from above could.
    instead: Option<&'static str>,
    is_generator: bool,
}

/// The steps before, the step, metres between samples and the texture; what is empty or 0 is as usual.
type Row = (&'static str, &'static str, &'static str, f32, &'static str);

/// The file of the step `strokes`: a hill, a crater and a trench.
const STROKES: &str = "(version: 1, strokes: [
    (tool: raise(by: 500), path: [(1300, 2400)], radius: 900),
    (tool: crater(depth: 300, rim: 60), path: [(3700, 1500)], radius: 700),
    (tool: lower(by: 250), path: [(300, 4400), (2600, 3700), (4800, 4300)], radius: 260),
])";

/// Grass, and another colour where something was painted.
const PAINTED: &str = "custom(types: [(name: \"grass\", colour: \"#7c8a55\"), (name: \"painted\", colour: \"#a8432f\", \
                       factors: (layer: (name: \"painted\", min: 0.5, release: 0.5)))], resolution: 512)";

/// The same before the step: no type may depend on a layer that no step has written.
const UNPAINTED: &str = "custom(types: [(name: \"grass\", colour: \"#7c8a55\")], resolution: 512)";

/// Dry ground, brighter streams, and lakes in blue.
const DRAINED: &str = "custom(types: [(name: \"grass\", colour: \"#7c8a55\"), \
                       (name: \"stream\", colour: \"#8fc1d9\", factors: (layer: (name: \"stream_order\", min: 1, release: 0.5))), \
                       (name: \"lake\", colour: \"#2f6f9f\", factors: (layer: (name: \"lake_depth\", min: 0.3, release: 0.3)))], \
                       resolution: 512)";

/// Steps that show nothing with their default parameters on the usual hills.
const ROWS: &[Row] = &[
    ("flat", "", "flat(height: 300)", 0.0, ""),
    ("ridged", "", "ridged(height: 1400)", 0.0, ""),
    ("import", "", "import(file: \"../elevation/jacksboro_fault.asc\", scale: 3)", 0.0, ""),
    ("scale", "", "scale(factor: 1.8)", 0.0, ""),
    ("clamp", "", "clamp(low: -60, high: 160)", 0.0, ""),
    ("power", "", "power(exponent: 2.5)", 0.0, ""),
    ("terrace", "", "terrace(step: 90)", 0.0, ""),
    ("mean", "", "mean(size: 15)", 0.0, ""),
    (
        "majority",
        "fbm(height: 700, octaves: 8), terrace(step: 120, sharpness: 1)",
        "majority(size: 9)",
        0.0,
        "",
    ),
    ("ledges", "fbm(height: 250, octaves: 6)", "ledges()", 2.0, ""),
    ("stones", "fbm(height: 9, octaves: 5)", "stones(size: 3, cover: 0.8)", 0.25, ""),
    ("ripples", "fbm(height: 5, octaves: 3)", "ripples(height: 0.4)", 0.25, ""),
    (
        "talus",
        "fbm(height: 500, frequency: 1.5, octaves: 9), terrace(step: 140, sharpness: 0.8), \
         erode(age: 0.35, max_slope: 60, smoothing: 2)",
        "talus(crumble: 10)",
        6.0,
        "",
    ),
    ("dunes", "ridged(height: 220, octaves: 6)", "dunes(supply: 14, spacing: 220)", 8.0, "arid"),
    (
        "snow",
        "fbm(height: 1400, frequency: 1.2, octaves: 9), scale(bias: 1500), \
         erode(age: 0.5, max_slope: 50, base_level: 0)",
        "snow(temperature: 14)",
        20.0,
        "",
    ),
    ("paint", "", "paint(mask: height, mask_min: 40, mask_max: 130, mask_release: 20)", 0.0, PAINTED),
    ("strata", "", "", 0.0, "strata.png"),
    ("drainage", "", "drainage(sea: -12000, stream_from: 0.2)", 0.0, DRAINED),
    ("coast", "", "", 0.0, "coast.png"),
    ("lakes", "", "lakes(sea: -12000)", 0.0, ""),
    (
        "streams",
        "fbm(height: 400, octaves: 6)",
        "streams(from: 0.002, narrowest: 90, bank: 80, sea: -12000)",
        0.0,
        "",
    ),
    (
        "river",
        "fbm(height: 300, octaves: 6)",
        "river(width: 140, depth: 20, bank: 200, meander: 600)",
        0.0,
        "",
    ),
    ("strokes", "", "strokes(file: \"page.strokes.ron\")", 0.0, ""),
    (
        "stamp",
        "",
        "stamp(file: \"../elevation/jacksboro_fault.asc\", width: 3200, length: 3200, scale: 2, bias: -600)",
        0.0,
        "",
    ),
    ("platform", "", "platform(width: 1600, length: 1200, reach: 600)", 0.0, ""),
    ("road", "", "", 0.0, "roads.png"),
    ("hole", "", "", 0.0, "hole.png"),
    ("undercut", "", "", 0.0, "hoodoos.png"),
    ("glacier", "", "", 0.0, "glacier.png"),
    ("group", "", "", 0.0, "group.png"),
    ("end", "", "", 0.0, "group.png"),
    ("sculpt_vector", "", "", 0.0, "goosenecks.png"),
];

impl Example {
    pub fn of(step: &dyn Operation) -> Self {
        let name = step.name();
        let is_generator = step.kind() == Kind::Generator;
        let row = ROWS.iter().find(|row| row.0 == name);
        let (before, made, cell, texture) = row.map_or(("", "", 0.0, ""), |row| (row.1, row.2, row.3, row.4));
        let or = |text: &'static str, usual: &str| {
            if text.is_empty() { usual.to_owned() } else { text.to_owned() }
        };
        Self {
            size: (257, if cell > 0.0 { cell } else { 20.0 }),
            before: if is_generator { String::new() } else { or(before, HILLS) },
            step: or(made, &format!("{name}()")),
            texture: if texture.is_empty() || texture.ends_with(".png") { "temperate" } else { texture },
            instead: Some(texture).filter(|texture| texture.ends_with(".png")),
            is_generator,
        }
    }

    pub fn caption(&self, step: &dyn Operation) -> String {
        match (self.instead.is_some(), self.is_generator) {
            (true, _) => format!("Land with the step {}", step.title()),
            (false, true) => format!("{}: the land of this step alone", step.title()),
            (false, false) => format!("{}: the land before and after the step", step.title()),
        }
    }

    /// The picture's path in `docs/pictures`.
    pub fn picture(&self, step: &dyn Operation) -> String {
        self.instead.map_or_else(|| format!("steps/{}.png", step.name()), str::to_owned)
    }

    /// The steps of its recipe.
    pub fn steps(&self) -> Option<String> {
        let steps = if self.is_generator {
            format!("    {},", self.step)
        } else {
            format!("    {},\n    {},", self.before, self.step)
        };
        self.instead.is_none().then(|| {
            let (side, cell) = self.size;
            format!(
                "size: ({side}, {side}),\ncell: {cell:?},\nsteps: [\n{steps}\n],\ntexture: {},",
                self.texture
            )
        })
    }

    fn recipe(&self, steps: &str) -> Recipe {
        let (side, cell) = self.size;
        let is_before = steps == self.before;
        let has_layers = [PAINTED, DRAINED].contains(&self.texture);
        let texture = if is_before && has_layers { UNPAINTED } else { self.texture };
        let text = format!(
            "(version: 1, name: \"Page\", seed: 4, size: ({side}, {side}), cell: {cell:?}, steps: [{steps}], texture: {texture}, \
             sun: (bearing: 250, elevation: 28))"
        );
        let mut recipe =
            Recipe::from_ron(&text, "page.ron").unwrap_or_else(|error| panic!("{steps}: {error}"));
        if steps.contains("page.strokes.ron") {
            recipe
                .hold_files(|path| path.ends_with("page.strokes.ron").then(|| Ok(STROKES.as_bytes().into())));
        }
        recipe
    }

    /// The picture; `None` where another one is shown in its place.
    pub fn draw(&self) -> Option<RgbImage> {
        if self.instead.is_some() {
            return None;
        }
        let draw = |steps: &str, size| {
            let drawn = thumbnail(&self.recipe(steps), size, &Work::new());
            image::DynamicImage::from(drawn.unwrap_or_else(|error| panic!("{steps}: {error}"))).to_rgb8()
        };
        if self.is_generator {
            return Some(draw(&self.step, ONE));
        }
        let mut both = RgbImage::from_pixel(2 * TWO.0 + 4, TWO.1, image::Rgb([255; 3]));
        replace(&mut both, &draw(&self.before, TWO), 0, 0);
        replace(&mut both, &draw(&format!("{}, {}", self.before, self.step), TWO), i64::from(TWO.0 + 4), 0);
        Some(both)
    }
}
