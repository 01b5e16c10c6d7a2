//! The definitions that pipelines set, and combinations of them. After `specialize` of Bevy's `MeshPipeline`
//! and `PrepassPipeline`, which only a device can be asked for.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// An option of a camera, a device or a game. Each way is the definitions that it sets: `NAME`, or `NAME=8`
/// for one with a number.
pub(super) type Choice = Vec<Vec<&'static str>>;

/// Definitions that every pipeline of the main pass sets.
pub(super) const MAIN_PASS: [&str; 4] = [
    "MESH_PIPELINE",
    "VERTEX_OUTPUT_INSTANCE_INDEX",
    "MATERIAL_BIND_GROUP=3",
    "IRRADIANCE_VOLUMES_ARE_USABLE",
];

/// Definitions that every pipeline of the prepass and of shadows sets.
pub(super) const PREPASS: [&str; 3] =
    ["PREPASS_PIPELINE", "VERTEX_OUTPUT_INSTANCE_INDEX", "MATERIAL_BIND_GROUP=3"];

/// Definitions where a mesh's shader does the tone mapping, in addition to the method's.
pub(super) const TONEMAP_IN_SHADER: [&str; 3] = [
    "TONEMAP_IN_SHADER",
    "TONEMAPPING_LUT_TEXTURE_BINDING_INDEX=18",
    "TONEMAPPING_LUT_SAMPLER_BINDING_INDEX=19",
];

/// Set where normals were drawn before, with one sample a pixel.
pub(super) const LOAD_PREPASS_NORMALS: &str = "LOAD_PREPASS_NORMALS";

/// Definitions that Bevy's shaders ask for and no pipeline of ours sets, and why. A star stands for any end
/// of a name.
pub(super) const NEVER: [(&str, &[&str]); 7] = [
    (
        "the standard material under the ground has no maps and no coats",
        &["STANDARD_MATERIAL_*", "RELIEF_MAPPING"],
    ),
    ("an extended material is bindless only if its extension is", &["BINDLESS"]),
    ("no mesh of ours has them", &["VERTEX_TANGENTS", "VERTEX_COLORS", "SKINNED", "MORPH_TARGETS"]),
    (
        "no entity of ours has what it is for",
        &["LIGHTMAP", "LIGHTMAP_BICUBIC_SAMPLING", "VISIBILITY_RANGE_DITHER", "MESHLET_*"],
    ),
    ("no material of ours blends so", &["ALPHA_TO_COVERAGE", "BLEND_MULTIPLY", "OIT_ENABLED"]),
    (
        "for browsers without WebGPU and for simulators",
        &["WEBGL2", "NO_ARRAY_TEXTURES_SUPPORT", "NO_CUBE_ARRAY_TEXTURES_SUPPORT", "SIXTEEN_BYTE_ALIGNMENT"],
    ),
    (
        "for passes over the whole picture, and for the eyes of Bevy's makers",
        &[
            "HUE_ROTATE",
            "WHITE_BALANCE",
            "SECTIONAL_COLOR_GRADING",
            "SCREEN_SPACE_REFLECTIONS",
            "USE_DEPTH_SAMPLERS",
            "CLUSTERED_FORWARD_DEBUG_*",
            "DIRECTIONAL_LIGHT_SHADOW_MAP_DEBUG_CASCADES",
        ],
    ),
];

/// The options in which pipelines of the main pass differ.
pub(super) fn main_pass() -> Vec<Choice> {
    let mut tone_mapping = one_of([
        "TONEMAP_METHOD_NONE",
        "TONEMAP_METHOD_REINHARD",
        "TONEMAP_METHOD_REINHARD_LUMINANCE",
        "TONEMAP_METHOD_ACES_FITTED",
        "TONEMAP_METHOD_AGX",
        "TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM",
        "TONEMAP_METHOD_TONY_MC_MAPFACE",
        "TONEMAP_METHOD_BLENDER_FILMIC",
        "TONEMAP_METHOD_PBR_NEUTRAL",
    ]);
    tone_mapping.iter_mut().for_each(|way| way.extend(TONEMAP_IN_SHADER));
    tone_mapping.push([&["TONEMAP_METHOD_AGX", "DEBAND_DITHER"], &TONEMAP_IN_SHADER[..]].concat());
    // That of an HDR camera is a pass of its own.
    tone_mapping.push(vec![]);
    // Bevy 0.19.1's own shader for volumes of light is not valid without storage buffers.
    let has_storage = |device: &Vec<&str>| !device.contains(&NO_STORAGE_BUFFERS);
    let devices_with_volumes = devices().into_iter().filter(has_storage);
    let devices_with_volumes =
        devices_with_volumes.map(|device| [&device[..], &["IRRADIANCE_VOLUME"]].concat());
    let mut choices = vec![
        tone_mapping,
        projections(),
        devices().into_iter().chain(devices_with_volumes).collect(),
        one_of([
            "SHADOW_FILTER_METHOD_HARDWARE_2X2",
            "SHADOW_FILTER_METHOD_GAUSSIAN",
            "SHADOW_FILTER_METHOD_TEMPORAL",
        ]),
        one_of([
            "SCREEN_SPACE_SPECULAR_TRANSMISSION_BLUR_TAPS=4",
            "SCREEN_SPACE_SPECULAR_TRANSMISSION_BLUR_TAPS=8",
            "SCREEN_SPACE_SPECULAR_TRANSMISSION_BLUR_TAPS=16",
            "SCREEN_SPACE_SPECULAR_TRANSMISSION_BLUR_TAPS=32",
        ]),
    ];
    let of_cameras = [
        "MULTISAMPLED",
        "DEPTH_PREPASS",
        "NORMAL_PREPASS",
        "MOTION_VECTOR_PREPASS",
        "DEFERRED_PREPASS",
        "SCREEN_SPACE_AMBIENT_OCCLUSION",
        "CONTACT_SHADOWS",
        "TEMPORAL_JITTER",
        "ENVIRONMENT_MAP",
        "DISTANCE_FOG",
        "ATMOSPHERE",
    ];
    // A game may build Bevy with more features than we ask for.
    let of_features = [
        "PBR_TRANSMISSION_TEXTURES_SUPPORTED",
        "PBR_MULTI_LAYER_MATERIAL_TEXTURES_SUPPORTED",
        "PBR_ANISOTROPY_TEXTURE_SUPPORTED",
        "PBR_SPECULAR_TEXTURES_SUPPORTED",
        "BLUE_NOISE_TEXTURE",
        "DFG_LUT",
        "AREA_LIGHT_LUTS",
        "PCSS_SAMPLERS_AVAILABLE",
    ];
    choices.extend(of_cameras.into_iter().chain(of_features).map(|name| vec![vec![], vec![name]]));
    choices
}

/// The options in which pipelines of the prepass and of shadows differ.
pub(super) fn prepass() -> Vec<Choice> {
    let depth = "DEPTH_PREPASS";
    let normals = ["NORMAL_PREPASS", "NORMAL_PREPASS_OR_DEFERRED_PREPASS", "PREPASS_FRAGMENT"];
    let motion = ["MOTION_VECTOR_PREPASS", "MOTION_VECTOR_PREPASS_OR_DEFERRED_PREPASS", "PREPASS_FRAGMENT"];
    let mut passes = vec![
        vec![depth],
        // Shadows of a sun, where the device cannot leave depth unclipped.
        vec![depth, "UNCLIPPED_DEPTH_ORTHO_EMULATION", "PREPASS_FRAGMENT"],
    ];
    for depth in [vec![], vec![depth]] {
        passes.push([&depth[..], &normals].concat());
        passes.push([&depth[..], &motion].concat());
        passes.push([&depth[..], &normals, &motion].concat());
    }
    vec![passes, projections(), devices()]
}

fn projections() -> Choice {
    one_of(["VIEW_PROJECTION_PERSPECTIVE", "VIEW_PROJECTION_ORTHOGRAPHIC", "VIEW_PROJECTION_NONSTANDARD"])
}

/// Devices as WebGPU asks for at least, with arrays of bindings, with few storage buffers and with none.
fn devices() -> Choice {
    vec![
        vec!["AVAILABLE_STORAGE_BUFFER_BINDINGS=8"],
        vec![
            "AVAILABLE_STORAGE_BUFFER_BINDINGS=8",
            BINDING_ARRAYS,
            "MULTIPLE_LIGHTMAPS_IN_ARRAY",
            "CLUSTERED_DECALS_ARE_USABLE",
            "LIGHT_TEXTURES",
        ],
        vec!["AVAILABLE_STORAGE_BUFFER_BINDINGS=4"],
        vec![NO_STORAGE_BUFFERS, "PER_OBJECT_BUFFER_BATCH_SIZE=64", "SKINS_USE_UNIFORM_BUFFERS"],
    ]
}

/// Set where a device has no storage buffers.
const NO_STORAGE_BUFFERS: &str = "AVAILABLE_STORAGE_BUFFER_BINDINGS=0";

/// Set where a device has arrays of bindings.
pub(super) const BINDING_ARRAYS: &str = "MULTIPLE_LIGHT_PROBES_IN_ARRAY";

fn one_of<const N: usize>(names: [&'static str; N]) -> Choice {
    names.map(|name| vec![name]).to_vec()
}

/// A few combinations in which every way of every choice is there at least once.
pub(super) fn every_way(choices: &[Choice]) -> BTreeSet<BTreeSet<&'static str>> {
    let most = choices.iter().map(Vec::len).max().unwrap_or(0);
    let combination = |number: usize| {
        // Shifted by the choice's place: otherwise the first ways of all choices would always be together.
        let ways = choices.iter().enumerate().map(|(place, choice)| &choice[(number + place) % choice.len()]);
        ways.flatten().copied().collect()
    };
    (0..most).map(combination).collect()
}

/// Every combination of those choices that `matters` to us, and every pair of ways of all of them.
pub(super) fn combinations(
    choices: &[Choice],
    matters: impl Fn(&Choice) -> bool,
) -> BTreeSet<BTreeSet<&'static str>> {
    let mut rows = vec![vec![None; choices.len()]];
    for (place, choice) in choices.iter().enumerate().filter(|(_, choice)| matters(choice)) {
        let with = |row: &Vec<Option<usize>>, way| {
            let mut row = row.clone();
            row[place] = Some(way);
            row
        };
        rows = rows.iter().flat_map(|row| (0..choice.len()).map(|way| with(row, way))).collect();
    }
    let ways = |place: usize| (0..choices[place].len()).map(move |way| (place, way));
    let places = 0..choices.len();
    let pairs = places.clone().flat_map(|a| (0..a).map(move |b| (a, b)));
    // Pairwise testing: all combinations of the main pass would be more than a billion, and definitions that
    // do not go together mostly fail in pairs.
    let mut missing: BTreeSet<_> =
        pairs.flat_map(|(a, b)| ways(a).flat_map(move |a| ways(b).map(move |b| (a, b)))).collect();

    let mut combinations = BTreeSet::new();
    loop {
        let mut row = match (rows.pop(), missing.first()) {
            (Some(row), _) => row,
            (None, Some(&(a, b))) => {
                let mut row = vec![None; choices.len()];
                (row[a.0], row[b.0]) = (Some(a.1), Some(b.1));
                row
            }
            (None, None) => return combinations,
        };
        // Each option that is still open takes the way that covers the most missing pairs.
        for place in places.clone() {
            let made = |way: usize| {
                let others = row.iter().enumerate().filter_map(|(other, &way)| Some((other, way?)));
                others.filter(|&other| missing.contains(&ordered((place, way), other))).count()
            };
            // The first of equally good ways: with `max_by_key` alone it would be the last.
            let best = || (0..choices[place].len()).max_by_key(|&way| (made(way), Reverse(way)));
            row[place] = row[place].or_else(best);
        }
        let chosen: Vec<_> = row.iter().enumerate().filter_map(|(place, &way)| Some((place, way?))).collect();
        for &a in &chosen {
            chosen.iter().for_each(|&b| {
                missing.remove(&(a, b));
            });
        }
        combinations.insert(chosen.iter().flat_map(|&(place, way)| &choices[place][way]).copied().collect());
    }
}

fn ordered<T: Ord>(a: T, b: T) -> (T, T) {
    if a > b { (a, b) } else { (b, a) }
}

/// The definition that a pipeline of the main pass derives from those of cameras.
pub(super) fn implied(set: &BTreeSet<&str>) -> Option<&'static str> {
    (set.contains("NORMAL_PREPASS") && !set.contains("MULTISAMPLED")).then_some(LOAD_PREPASS_NORMALS)
}

/// The name of a definition.
pub(super) fn name(definition: &str) -> &str {
    definition.split('=').next().unwrap_or(definition)
}

/// The names of the definitions that a shader's text asks for.
pub(super) fn asked_for(text: &str) -> BTreeSet<&str> {
    // Comments may name definitions too.
    let lines = text.lines().filter_map(|line| line.split("//").next());
    let conditions = lines.clone().filter_map(|line| {
        let mut words =
            line.trim_start().strip_prefix('#')?.split_whitespace().skip_while(|&word| word == "else");
        matches!(words.next()?, "if" | "ifdef" | "ifndef").then(|| words.next())?
    });
    // `#NAME` and `#{NAME}` stand for a value.
    let is_end = |end: char| !end.is_ascii_alphanumeric() && end != '_';
    let values = lines.flat_map(|line| line.split('#').skip(1));
    let values = values.filter_map(|rest| rest.trim_start_matches('{').split(is_end).next());
    let is_name = |name: &&str| name.starts_with(|first: char| first.is_ascii_uppercase());
    conditions.chain(values).filter(is_name).collect()
}

/// Whether no pipeline of ours sets a definition.
pub(super) fn is_never_set(name: &str) -> bool {
    NEVER.iter().flat_map(|(_, names)| *names).any(|never| match never.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *never,
    })
}

#[test]
fn combinations_have_every_pair_and_all_of_what_matters() {
    let choices = main_pass();
    let is_air =
        |choice: &Choice| choice.iter().flatten().any(|name| ["DISTANCE_FOG", "ATMOSPHERE"].contains(name));
    let combinations = combinations(&choices, is_air);
    assert!(combinations.len() < 100, "{}", combinations.len());
    for (a, b) in
        [("MULTISAMPLED", "DFG_LUT"), ("IRRADIANCE_VOLUME", "DEBAND_DITHER"), ("ATMOSPHERE", "DISTANCE_FOG")]
    {
        for (has_a, has_b) in [(false, false), (false, true), (true, false), (true, true)] {
            let both = |set: &BTreeSet<&str>| set.contains(a) == has_a && set.contains(b) == has_b;
            assert!(combinations.iter().any(both), "{a} {has_a}, {b} {has_b}");
        }
    }
}

#[test]
fn every_way_is_in_a_combination() {
    for choices in [main_pass(), prepass()] {
        let combinations = every_way(&choices);
        assert!(combinations.len() <= 12, "{}", combinations.len());
        for definition in choices.iter().flatten().flatten() {
            assert!(combinations.iter().any(|set| set.contains(definition)), "{definition}");
        }
    }
}

#[test]
fn a_text_is_known_to_ask_for_its_definitions() {
    let text = "#ifdef A\n #else ifdef B_2\n#if C >= 3\n#ifndef D\n#endif\n@group(#{E}) @binding(#F)\n#import x::Y // see #G\n#if 0";
    assert_eq!(asked_for(text).into_iter().collect::<Vec<_>>(), ["A", "B_2", "C", "D", "E", "F"]);
}
