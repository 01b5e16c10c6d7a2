//! Every shader in the pipelines that draw with it, composed as Bevy does and validated by naga, and every
//! uniform against its twin in Rust. None of it takes a graphics card.
//!
//! A pipeline is a [`Pipeline`] in [`pipelines`]. A new shader, a new uniform and an unknown definition each
//! fail a test here, which says what is missing.

mod choices;
mod facts;
mod library;
mod pipelines;
mod twins;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use bevy::mesh::{MeshVertexAttribute, VertexFormat};
use bevy::pbr::{
    MATERIAL_BIND_GROUP_INDEX, Material, StandardMaterialKey, TONEMAPPING_LUT_SAMPLER_BINDING_INDEX,
    TONEMAPPING_LUT_TEXTURE_BINDING_INDEX,
};
use bevy::prelude::*;
use bevy::shader::{ShaderDefVal, ShaderRef};

use choices::Choice;
use facts::{Facts, Stage, Uniform, Varying};
use library::Library;
use pipelines::pipelines;

use crate::plugin::material::ground_material;
use crate::plugin::planet::{AirMaterial, planet_attributes};
use crate::plugin::scatter::scatter_attributes;
use crate::plugin::sky::BackdropMaterial;
use crate::plugin::water::WaterMaterial;

/// A pipeline that draws with our shaders.
struct Pipeline {
    name: &'static str,
    pass: Pass,
    vertex: ShaderRef,
    fragment: ShaderRef,
    /// Definitions for both stages whatever the camera, and those for one of them alone.
    always: Vec<&'static str>,
    for_vertex: Vec<ShaderDefVal>,
    for_fragment: Vec<ShaderDefVal>,
    mesh: Mesh,
    /// The uniforms of the material, by their bindings.
    uniforms: BTreeMap<u32, Uniform>,
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Main,
    /// The prepass and the shadows.
    Prepass,
}

impl Pipeline {
    /// Definitions for both stages whatever the camera.
    fn fixed(&self) -> impl Iterator<Item = &'static str> {
        let of_pass = match self.pass {
            Pass::Main => &choices::MAIN_PASS[..],
            Pass::Prepass => &choices::PREPASS[..],
        };
        let of_mesh = self.mesh.attributes().flat_map(|(attribute, _)| self.pass.attribute(attribute).2);
        of_pass.iter().chain(&self.always).chain(of_mesh).copied()
    }

    fn choices(&self) -> Vec<Choice> {
        match self.pass {
            Pass::Main => choices::main_pass(),
            Pass::Prepass => choices::prepass(),
        }
    }

    /// The names of all definitions that it can have.
    fn names(&self) -> BTreeSet<String> {
        let choices = self.choices();
        let of_stages = self.for_vertex.iter().chain(&self.for_fragment).map(shader_definition_name);
        let of_camera = choices.iter().flatten().flatten().copied().chain(self.fixed());
        let of_camera = of_camera.chain([choices::LOAD_PREPASS_NORMALS]);
        of_camera.map(|definition| choices::name(definition).to_owned()).chain(of_stages).collect()
    }

    /// Checks a combination of what cameras, devices and games set. Tells of the uniforms that it has
    /// `found`, by binding, and of what is `wrong`.
    fn check(
        &self,
        set: &BTreeSet<&'static str>,
        library: &mut Library,
        found: &mut BTreeSet<u32>,
        wrong: &mut Problems,
    ) {
        let implied = if self.pass == Pass::Main { choices::implied(set) } else { None };
        let both = self.fixed().chain(set.iter().copied()).chain(implied);
        let both: BTreeSet<_> = both.map(str::to_owned).collect();
        let mut tell = |definitions: &BTreeSet<String>, problems: Vec<String>| {
            let definitions = Vec::from_iter(definitions.iter().map(String::as_str)).join(", ");
            let case = format!("{}, with {definitions}", self.name);
            problems.into_iter().for_each(|problem| wrong.entry(problem).or_default().push(case.clone()));
        };
        let mut stage = |entry: &ShaderRef, own: &[ShaderDefVal]| {
            let own = own.iter().map(shader_definition_name);
            let definitions: BTreeSet<_> = both.iter().cloned().chain(own).collect();
            match library.compose(library.id(entry), &definitions) {
                Ok(facts) => {
                    found.extend(facts.uniforms.keys());
                    tell(&definitions, self.check_uniforms(&facts));
                    Some(facts)
                }
                Err(message) => {
                    tell(&definitions, vec![message]);
                    None
                }
            }
        };
        let vertex = stage(&self.vertex, &self.for_vertex);
        let fragment = self.has_fragment(set).then(|| stage(&self.fragment, &self.for_fragment)).flatten();
        let lacks = [
            vertex.as_ref().is_some_and(|facts| facts.vertex.is_none()).then_some("no vertex stage"),
            fragment.as_ref().is_some_and(|facts| facts.fragment.is_none()).then_some("no fragment stage"),
        ];
        tell(&both, lacks.into_iter().flatten().map(str::to_owned).collect());
        let vertex = vertex.as_ref().and_then(|facts| facts.vertex.as_ref());
        let fragment = fragment.as_ref().and_then(|facts| facts.fragment.as_ref());
        tell(&both, self.check_stages(set, vertex, fragment));
    }

    /// Whether there is a fragment stage: none where depth alone is drawn, of what is not cut out.
    fn has_fragment(&self, set: &BTreeSet<&str>) -> bool {
        let is_cut_out = self.always.contains(&"MAY_DISCARD");
        self.pass == Pass::Main || is_cut_out || set.contains("PREPASS_FRAGMENT")
    }

    /// Compares a shader's uniforms with their twins.
    fn check_uniforms(&self, facts: &Facts) -> Vec<String> {
        let is_standard = ["the ground", "a displaced", "a planet's ground", "a planet's sea", "scattered"]
            .iter()
            .any(|name| self.name.starts_with(name));
        // Bevy's own uniform, whose twin Bevy keeps.
        let of_bevy = |uniform: &Uniform| is_standard && uniform.name == "material";
        let ours = facts.uniforms.iter().filter(|(_, uniform)| !of_bevy(uniform));
        let wrong = ours.filter_map(|(binding, uniform)| match self.uniforms.get(binding) {
            Some(twin) if twin == uniform => None,
            Some(twin) => Some(format!(
                "the uniform at binding {binding} is `{}` in the shader:\n{}but `{}` in Rust:\n{}",
                uniform.name, uniform.layout, twin.name, twin.layout,
            )),
            None => Some(format!("the uniform `{}` at binding {binding} has no twin in Rust", uniform.name)),
        });
        wrong.collect()
    }

    /// Compares what the stages take with what they are given.
    fn check_stages(
        &self,
        set: &BTreeSet<&str>,
        vertex: Option<&Stage>,
        fragment: Option<&Stage>,
    ) -> Vec<String> {
        let mut wrong = vec![];
        let given: BTreeMap<u32, &str> = self
            .mesh
            .attributes()
            .map(|(attribute, _)| {
                let (location, kind, _) = self.pass.attribute(attribute);
                (location, kind)
            })
            .collect();
        for (location, input) in vertex.iter().flat_map(|stage| &stage.inputs) {
            if given.get(location) != Some(&input.kind.as_str()) {
                let given = given.get(location).unwrap_or(&"nothing");
                wrong.push(format!("a vertex has {given} at location {location}, not {}", input.kind));
            }
        }
        let outputs = |location| vertex.and_then(|stage| stage.outputs.get(location));
        for (location, input) in fragment.iter().flat_map(|stage| &stage.inputs) {
            if vertex.is_some() && outputs(location) != Some(input) {
                let given = outputs(location);
                wrong.push(format!("a fragment is given {given:?} at location {location}, not {input:?}"));
            }
        }
        if let Some(fragment) = fragment {
            let kinds = |(&location, output): (&u32, &Varying)| (location, output.kind.clone());
            let drawn: BTreeMap<_, _> = fragment.outputs.iter().map(kinds).collect();
            let targets = self.pass.targets(set);
            if drawn != targets {
                wrong.push(format!("a fragment draws {drawn:?}, not {targets:?}"));
            }
        }
        wrong
    }
}

impl Pass {
    /// Where a vertex has an attribute, as what, and what Bevy sets for it.
    fn attribute(self, attribute: &MeshVertexAttribute) -> (u32, &'static str, &'static [&'static str]) {
        let kind = match attribute.format {
            VertexFormat::Float32x2 => "vec2<f32>",
            VertexFormat::Float32x3 => "vec3<f32>",
            VertexFormat::Unorm8x4 => "vec4<f32>",
            format => panic!("which type of WGSL {format:?} is, nobody has written down here yet"),
        };
        // A planet's own attributes, except for the position, lie at the same places in every pass.
        let planets = planet_attributes();
        if let Some(place) = planets.iter().skip(1).position(|known| known.id == attribute.id) {
            return (place as u32 + 1, kind, &[]);
        }
        let scattered = scatter_attributes();
        if let Some(place) = scattered.iter().skip(1).position(|known| known.id == attribute.id) {
            return (place as u32 + 1, kind, &[]);
        }
        let places: [(_, u32, u32, &[_]); 4] = [
            (Mesh::ATTRIBUTE_POSITION, 0, 0, &["VERTEX_POSITIONS"]),
            (Mesh::ATTRIBUTE_NORMAL, 1, 3, &["VERTEX_NORMALS"]),
            (Mesh::ATTRIBUTE_UV_0, 2, 1, &["VERTEX_UVS", "VERTEX_UVS_A"]),
            (Mesh::ATTRIBUTE_UV_1, 3, 2, &["VERTEX_UVS", "VERTEX_UVS_B"]),
        ];
        let place = places.into_iter().find(|(known, ..)| known.id == attribute.id);
        let (_, main, prepass, definitions) = place.unwrap_or_else(|| {
            panic!("where Bevy binds {}, nobody has written down here yet", attribute.name)
        });
        (if self == Self::Main { main } else { prepass }, kind, definitions)
    }

    /// The kinds of colours that are drawn into the targets.
    fn targets(self, set: &BTreeSet<&str>) -> BTreeMap<u32, String> {
        let targets = match self {
            Self::Main => vec![(0, "vec4<f32>", true)],
            Self::Prepass => vec![
                (0, "vec4<f32>", set.contains("NORMAL_PREPASS")),
                (1, "vec2<f32>", set.contains("MOTION_VECTOR_PREPASS")),
            ],
        };
        let present = targets.into_iter().filter(|&(_, _, exists)| exists);
        present.map(|(location, kind, _)| (location, kind.to_owned())).collect()
    }
}

fn shader_definition_name(definition: &ShaderDefVal) -> String {
    match definition {
        ShaderDefVal::Bool(name, true) => name.clone(),
        other => panic!("{other:?} is no name alone, as the definitions of our materials are"),
    }
}

fn is_ours(shader: &Shader) -> bool {
    shader.path.rsplit(['/', '\\']).nth(1) == Some("shaders")
}

fn library(pipelines: &[Pipeline]) -> Library {
    Library::new(pipelines.iter().flat_map(|pipeline| [&pipeline.vertex, &pipeline.fragment]))
}

/// Takes some seconds: every pipeline is composed in up to twelve combinations.
#[test]
fn shaders_are_valid_and_their_uniforms_are_those_of_rust() {
    check_all(|pipeline, _| choices::every_way(&pipeline.choices()));
}

/// Takes a minute: every pair of definitions needs many more combinations than every definition alone.
#[test]
fn shaders_are_valid_with_every_pair_of_definitions() {
    check_all(|pipeline, asked_for| {
        let is_asked_for = |choice: &Choice| choice.iter().flatten().any(|&name| asked_for.contains(name));
        choices::combinations(&pipeline.choices(), is_asked_for)
    });
}

/// Checks every pipeline in these combinations of definitions, which depend on those that its own shaders ask
/// for.
fn check_all(combinations: impl Fn(&Pipeline, &BTreeSet<String>) -> BTreeSet<BTreeSet<&'static str>>) {
    let pipelines = pipelines();
    let mut library = library(&pipelines);
    let mut wrong = Problems::new();
    for pipeline in &pipelines {
        let asked_for: BTreeSet<String> = [&pipeline.vertex, &pipeline.fragment]
            .into_iter()
            .flat_map(|entry| library.reached(library.id(entry)))
            .filter(|shader| is_ours(shader))
            .flat_map(|shader| choices::asked_for(shader.source.as_str()))
            .map(str::to_owned)
            .collect();
        let combinations = combinations(pipeline, &asked_for);
        let mut found = BTreeSet::new();
        for combination in &combinations {
            pipeline.check(combination, &mut library, &mut found, &mut wrong);
        }
        println!("{}: {} combinations of definitions", pipeline.name, combinations.len());
        let unseen = pipeline.uniforms.iter().filter(|(binding, _)| !found.contains(binding));
        for (binding, Uniform { name, .. }) in unseen {
            wrong.insert(
                format!("the uniform `{name}` at binding {binding} is nowhere"),
                vec![pipeline.name.into()],
            );
        }
    }
    assert!(wrong.is_empty(), "{}", told(&wrong));
}

/// The problems, by place.
type Problems = BTreeMap<String, Vec<String>>;

fn told(wrong: &Problems) -> String {
    let mut text = format!("{} problems\n", wrong.len());
    // One mistake in a shader is a problem in hundreds of combinations.
    for (problem, cases) in wrong.iter().take(8) {
        let _ = writeln!(text, "\n{}, and {} more:\n{problem}", cases[0], cases.len() - 1);
    }
    text
}

#[test]
fn every_file_is_in_a_pipeline_and_every_definition_is_known() {
    let pipelines = pipelines();
    let library = library(&pipelines);
    let set: BTreeSet<String> = pipelines.iter().flat_map(Pipeline::names).collect();
    let mut reached = BTreeMap::new();
    for entry in pipelines.iter().flat_map(|pipeline| [&pipeline.vertex, &pipeline.fragment]) {
        reached.extend(library.reached(library.id(entry)).map(|shader| (shader.path.as_str(), shader)));
    }
    let of_files: BTreeSet<&str> = reached
        .values()
        .flat_map(|shader| &shader.shader_defs)
        .map(|value| match value {
            ShaderDefVal::Bool(name, _) | ShaderDefVal::Int(name, _) | ShaderDefVal::UInt(name, _) => {
                name.as_str()
            }
        })
        .collect();
    let mut asked_for = BTreeSet::new();
    let mut unknown = vec![];
    for (path, shader) in &reached {
        for name in choices::asked_for(shader.source.as_str()) {
            asked_for.insert(name);
            if !set.contains(name) && !of_files.contains(name) && !choices::is_never_set(name) {
                unknown.push(format!("{name} in {path}"));
            }
        }
    }
    assert!(
        unknown.is_empty(),
        "say in choices.rs which pipelines set these, or that none does: {unknown:#?}"
    );
    for name in &set {
        assert!(!choices::is_never_set(name), "{name} is set");
    }
    for pipeline in &pipelines {
        for name in pipeline.for_vertex.iter().chain(&pipeline.for_fragment).map(shader_definition_name) {
            assert!(
                asked_for.contains(name.as_str()),
                "{} sets {name}, for which no shader asks",
                pipeline.name
            );
        }
    }
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_reached = reached.values().any(|shader| is_ours(shader) && shader.path.ends_with(&name));
        assert!(is_reached, "no pipeline in `pipelines` draws with shaders/{name}");
    }
}

#[test]
fn what_is_told_here_of_bevys_pipelines_is_so() {
    let group = format!("MATERIAL_BIND_GROUP={MATERIAL_BIND_GROUP_INDEX}");
    assert!(choices::MAIN_PASS.contains(&group.as_str()) && choices::PREPASS.contains(&group.as_str()));
    let lut = [
        format!("TONEMAPPING_LUT_TEXTURE_BINDING_INDEX={TONEMAPPING_LUT_TEXTURE_BINDING_INDEX}"),
        format!("TONEMAPPING_LUT_SAMPLER_BINDING_INDEX={TONEMAPPING_LUT_SAMPLER_BINDING_INDEX}"),
    ];
    assert_eq!(choices::TONEMAP_IN_SHADER[1..], lut);
    // The ground's standard material asks for no variant of Bevy's shaders.
    let key = |material: &StandardMaterial| StandardMaterialKey::from(material).bits();
    for has_holes in [false, true] {
        assert_eq!(key(&ground_material(has_holes)), key(&StandardMaterial::default()));
    }
    assert!(!WaterMaterial::enable_prepass() && !WaterMaterial::enable_shadows());
    assert!(!AirMaterial::enable_prepass() && !AirMaterial::enable_shadows());
    assert!(!BackdropMaterial::enable_prepass() && !BackdropMaterial::enable_shadows());
}
