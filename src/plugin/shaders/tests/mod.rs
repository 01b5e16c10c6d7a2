//! Every shader in the pipelines that draw with it, composed as Bevy does and validated by naga, and every
//! uniform against its twin in Rust. None of it takes a graphics card.
//!
//! A pipeline is a [`Pipeline`] in [`pipelines`]. A new shader, a new uniform and a definition that nobody
//! knows each fail a test here, which says what is missing.

mod choices;
mod facts;
mod library;
mod twins;

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use bevy::asset::RenderAssetUsages;
use bevy::math::DVec3;
use bevy::mesh::{MeshVertexAttribute, PrimitiveTopology, VertexFormat};
use bevy::pbr::{
    MATERIAL_BIND_GROUP_INDEX, Material, StandardMaterialKey, TONEMAPPING_LUT_SAMPLER_BINDING_INDEX,
    TONEMAPPING_LUT_TEXTURE_BINDING_INDEX,
};
use bevy::prelude::*;
use bevy::shader::{ShaderDefVal, ShaderRef};

use choices::Choice;
use facts::{Facts, Layout, Stage, Uniform, Varying};
use library::Library;

use super::WIRE_SHADER;
use crate::planet::{Node, NodeMesh};
use crate::plugin::chunks::{chunk_mesh, wall_mesh};
use crate::plugin::displacement::{DisplacedMaterial, DisplacementUniform};
use crate::plugin::material::{
    CoverUniform, HeightMapping, TerrainKey, TerrainMaterial, TerrainUniform, TiledType, ground_material,
};
use crate::plugin::planet::{
    AirMaterial, AirUniform, PlanetKey, PlanetMaterial, ground_mesh, planet_attributes,
};
use crate::plugin::scatter::{
    ScatterKey, ScatterMaterial, ScatterUniform, scatter_attributes, template_mesh,
};
use crate::plugin::sky::{BackdropMaterial, SkyUniform, view_filling_triangle};
use crate::plugin::water::{Counted, WaterKey, WaterKind, WaterMaterial, WaterUniform, river_mesh, sheet};
use crate::steps::water::RiverSheet;
use crate::stream::ChunkPart;

/// What draws something of ours.
struct Pipeline {
    name: &'static str,
    pass: Pass,
    vertex: ShaderRef,
    fragment: ShaderRef,
    /// What it sets for both stages whatever the camera, and what for one of them alone.
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

/// Every pipeline of the plugin's; definitions that cameras, devices and games set are not among what is told
/// here.
fn pipelines() -> Vec<Pipeline> {
    let sky = twins::layout::<SkyUniform, _>(&[]);
    let counted = twins::layout::<Counted, _>(&[]);
    let of_water = [(TypeId::of::<SkyUniform>(), &sky), (TypeId::of::<Counted>(), &counted)];
    let water = twins::layout::<WaterUniform, _>(&of_water);
    let field = twins::layout::<TerrainUniform, _>(&[]);
    let tiled_type = twins::layout::<TiledType, _>(&[]);
    let cover = twins::layout::<CoverUniform, _>(&[(TypeId::of::<TiledType>(), &tiled_type)]);

    let terrain = |name, pass, key: TerrainKey, mesh| {
        let (vertex, fragment) = match pass {
            Pass::Main => (TerrainMaterial::vertex_shader(), TerrainMaterial::fragment_shader()),
            Pass::Prepass => {
                (TerrainMaterial::prepass_vertex_shader(), TerrainMaterial::prepass_fragment_shader())
            }
        };
        Pipeline {
            name,
            pass,
            vertex,
            fragment,
            // As the standard material of ground with holes sets it.
            always: if key.has_holes { vec!["MAY_DISCARD"] } else { vec![] },
            for_vertex: key.definitions(),
            for_fragment: key.definitions(),
            mesh,
            uniforms: match key.has_detail {
                true => uniforms([(100, "field", &field), (108, "cover", &cover)]),
                false => uniforms([(100, "field", &field)]),
            },
        }
    };
    let ground = |name, pass, [is_simple, has_far_shadows, has_detail]: [bool; 3]| {
        let key = TerrainKey {
            is_wall: false,
            is_shifted: false,
            has_holes: false,
            is_simple,
            has_far_shadows,
            has_detail,
            adds: false,
        };
        terrain(name, pass, key, chunk_mesh(ChunkPart::Whole))
    };
    let shifted = |name, pass, [is_simple, has_far_shadows, has_detail]: [bool; 3]| {
        let key = TerrainKey {
            is_wall: false,
            is_shifted: true,
            has_holes: false,
            is_simple,
            has_far_shadows,
            has_detail,
            adds: false,
        };
        terrain(name, pass, key, chunk_mesh(ChunkPart::Whole))
    };
    let holed = |name, pass, [is_wall, is_shifted, is_simple]: [bool; 3]| {
        let key = TerrainKey {
            is_wall,
            is_shifted,
            has_holes: true,
            is_simple,
            has_far_shadows: !is_simple,
            has_detail: !is_simple,
            adds: false,
        };
        terrain(
            name,
            pass,
            key,
            if is_wall { wall_mesh(ChunkPart::Whole) } else { chunk_mesh(ChunkPart::Whole) },
        )
    };
    let walls = |name, pass, is_simple| {
        let key = TerrainKey {
            is_wall: true,
            is_shifted: false,
            has_holes: false,
            is_simple,
            has_far_shadows: !is_simple,
            has_detail: !is_simple,
            adds: false,
        };
        terrain(name, pass, key, wall_mesh(ChunkPart::Whole))
    };
    let water = |name, key: WaterKey, mesh| Pipeline {
        name,
        pass: Pass::Main,
        vertex: WaterMaterial::vertex_shader(),
        fragment: WaterMaterial::fragment_shader(),
        always: vec!["PREMULTIPLY_ALPHA", "BLEND_PREMULTIPLIED_ALPHA"],
        for_vertex: key.definitions(),
        for_fragment: key.definitions(),
        mesh,
        uniforms: uniforms([(0, "water", &water), (100, "field", &field)]),
    };
    let displacement = twins::layout::<DisplacementUniform, _>(&[]);
    let displaced = |name, pass| Pipeline {
        name,
        pass,
        vertex: DisplacedMaterial::vertex_shader(),
        fragment: DisplacedMaterial::fragment_shader(),
        always: vec![],
        for_vertex: vec![],
        for_fragment: vec![],
        mesh: Mesh::from(Plane3d::default()),
        uniforms: uniforms([(100, "displacement", &displacement)]),
    };
    let planet = |name, pass, is_sea, has_detail| {
        let key = PlanetKey { is_sea, has_detail };
        let (vertex, fragment) = match pass {
            Pass::Main => (PlanetMaterial::vertex_shader(), PlanetMaterial::fragment_shader()),
            Pass::Prepass => {
                (PlanetMaterial::prepass_vertex_shader(), PlanetMaterial::prepass_fragment_shader())
            }
        };
        Pipeline {
            name,
            pass,
            vertex,
            fragment,
            always: vec![],
            for_vertex: key.definitions(),
            for_fragment: key.definitions(),
            mesh: planet_mesh(),
            uniforms: match (pass, has_detail, is_sea) {
                (Pass::Main, true, false) => uniforms([(100, "field", &field), (108, "cover", &cover)]),
                (Pass::Main, true, true) => uniforms([(100, "field", &field)]),
                _ => uniforms([]),
            },
        }
    };
    let scatter = twins::layout::<ScatterUniform, _>(&[]);
    let scattered = |name, pass, key: ScatterKey| {
        let (vertex, fragment) = match pass {
            Pass::Main => (ScatterMaterial::vertex_shader(), ScatterMaterial::fragment_shader()),
            Pass::Prepass => {
                (ScatterMaterial::prepass_vertex_shader(), ScatterMaterial::prepass_fragment_shader())
            }
        };
        Pipeline {
            name,
            pass,
            vertex,
            fragment,
            // Of a material that is cut out.
            always: vec!["MAY_DISCARD"],
            for_vertex: key.definitions(),
            for_fragment: key.definitions(),
            mesh: template_mesh(),
            uniforms: uniforms([(100, "field", &field), (113, "scatter", &scatter)]),
        }
    };
    let plants = ScatterKey { has_far_shadows: true, ..ScatterKey::default() };
    let impostors = ScatterKey { is_impostor: true, ..plants };
    let air = twins::layout::<AirUniform, _>(&[]);
    let river = RiverSheet {
        positions: vec![[0.0; 3]],
        velocities: vec![[0.0; 2]],
        froude: vec![0.0],
        indices: vec![0; 3],
        deepest: 1.0,
    };
    vec![
        ground("the ground in full light", Pass::Main, [false, true, true]),
        ground("the ground in full light without far shadows", Pass::Main, [false, false, true]),
        ground("the ground in simple light", Pass::Main, [true, false, true]),
        ground("the ground in simple light with far shadows", Pass::Main, [true, true, true]),
        ground("the ground in simple light without detail", Pass::Main, [true, false, false]),
        ground("the ground's depth in full light", Pass::Prepass, [false, true, true]),
        ground("the ground's depth in simple light", Pass::Prepass, [true, false, true]),
        displaced("a displaced mesh", Pass::Main),
        displaced("a displaced mesh's depth", Pass::Prepass),
        shifted("the ground shifted in full light", Pass::Main, [false, true, true]),
        shifted("the ground shifted in simple light", Pass::Main, [true, false, false]),
        shifted("the ground shifted, its depth", Pass::Prepass, [false, true, true]),
        walls("the ground's walls in full light", Pass::Main, false),
        walls("the ground's walls in simple light", Pass::Main, true),
        walls("the ground's walls' depth", Pass::Prepass, false),
        holed("the ground with holes in full light", Pass::Main, [false, false, false]),
        holed("the ground with holes in simple light", Pass::Main, [false, false, true]),
        holed("the ground with holes, its depth", Pass::Prepass, [false, false, false]),
        holed("the ground shifted with holes", Pass::Main, [false, true, false]),
        holed("the ground shifted with holes, its depth", Pass::Prepass, [false, true, true]),
        holed("the ground's walls with holes", Pass::Main, [true, false, false]),
        holed("the ground's walls with holes, their depth", Pass::Prepass, [true, false, true]),
        water("the sea", WaterKey { kind: WaterKind::Standing, has_far_shadows: true }, sheet()),
        water(
            "the sea without far shadows",
            WaterKey { kind: WaterKind::Standing, has_far_shadows: false },
            sheet(),
        ),
        water(
            "a river",
            WaterKey { kind: WaterKind::Flowing, has_far_shadows: true },
            river_mesh(&river, HeightMapping::default()),
        ),
        planet("a planet's ground near the eye", Pass::Main, false, true),
        planet("a planet's ground far away", Pass::Main, false, false),
        planet("a planet's sea near the eye", Pass::Main, true, true),
        planet("a planet's sea far away", Pass::Main, true, false),
        planet("a planet's ground's depth", Pass::Prepass, false, true),
        scattered("scattered plants", Pass::Main, plants),
        scattered(
            "scattered plants on shifted ground",
            Pass::Main,
            ScatterKey { is_shifted: true, ..plants },
        ),
        scattered(
            "scattered plants in simple light",
            Pass::Main,
            ScatterKey { is_simple: true, has_far_shadows: false, ..plants },
        ),
        scattered("scattered plants' depth", Pass::Prepass, plants),
        scattered("scattered impostors", Pass::Main, impostors),
        scattered(
            "scattered impostors in simple light",
            Pass::Main,
            ScatterKey { is_simple: true, ..impostors },
        ),
        scattered("scattered impostors' depth", Pass::Prepass, impostors),
        Pipeline {
            name: "a planet's air",
            pass: Pass::Main,
            vertex: AirMaterial::vertex_shader(),
            fragment: AirMaterial::fragment_shader(),
            always: vec!["PREMULTIPLY_ALPHA", "BLEND_PREMULTIPLIED_ALPHA"],
            for_vertex: vec![],
            for_fragment: vec![],
            mesh: view_filling_triangle(),
            uniforms: uniforms([(0, "air", &air)]),
        },
        Pipeline {
            name: "wires",
            pass: Pass::Main,
            vertex: WIRE_SHADER.into(),
            fragment: WIRE_SHADER.into(),
            always: vec![],
            for_vertex: vec![],
            for_fragment: vec![],
            mesh: wires(),
            uniforms: uniforms([]),
        },
        Pipeline {
            name: "the sky",
            pass: Pass::Main,
            vertex: BackdropMaterial::vertex_shader(),
            fragment: BackdropMaterial::fragment_shader(),
            always: vec!["MAY_DISCARD"],
            for_vertex: vec![],
            for_fragment: vec![],
            mesh: view_filling_triangle(),
            uniforms: uniforms([(0, "here", &sky)]),
        },
    ]
}

/// A mesh with what wires are drawn of.
fn wires() -> Mesh {
    let corners = vec![[0.0; 3]; 3];
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, vec![[0.0; 2]; 3])
}

/// A node of a planet.
fn planet_mesh() -> Mesh {
    let [node, ..] = Node::roots();
    let vertex = || vec![[0.0; 3]];
    let made = NodeMesh {
        node,
        centre: DVec3::ZERO,
        positions: vertex(),
        normals: vertex(),
        colours: vec![[0; 4]],
        places: vertex(),
        weights: None,
        low: 0.0,
        high: 0.0,
        sea: None,
    };
    ground_mesh(&made, None)
}

fn uniforms<const N: usize>(uniforms: [(u32, &str, &Layout); N]) -> BTreeMap<u32, Uniform> {
    let uniform = |name: &str, layout: &Layout| Uniform { name: name.to_owned(), layout: layout.clone() };
    uniforms.map(|(binding, name, layout)| (binding, uniform(name, layout))).into()
}

impl Pipeline {
    /// What it sets for both stages whatever the camera.
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

    /// Checks a combination of what cameras, devices and games set. Tells of the uniforms that it has `found`,
    /// by binding, and of what is `wrong`.
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
        // A planet's own, beside the position, lie at the same places in every pass.
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
        let present = targets.into_iter().filter(|&(_, _, is_there)| is_there);
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

/// Checks every pipeline in these combinations of definitions, which depend on those that its own shaders ask for.
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

/// What is wrong, and where.
type Problems = BTreeMap<String, Vec<String>>;

fn told(wrong: &Problems) -> String {
    let mut text = format!("{} problems\n", wrong.len());
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
