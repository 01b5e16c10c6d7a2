//! The pipelines that draw with our shaders, and the uniforms of each.

use std::any::TypeId;
use std::collections::BTreeMap;

use bevy::asset::RenderAssetUsages;
use bevy::math::DVec3;
use bevy::mesh::PrimitiveTopology;
use bevy::pbr::Material;
use bevy::prelude::*;
use bevy::shader::ShaderDefVal;

use super::facts::{Layout, Uniform};
use super::{Pass, Pipeline, twins};
use crate::planet::{Node, NodeMesh};
use crate::plugin::chunks::{chunk_mesh, wall_mesh};
use crate::plugin::displacement::{DisplacedMaterial, DisplacementUniform};
use crate::plugin::material::{
    CloudsUniform, CoverUniform, HeightMapping, TerrainKey, TerrainMaterial, TerrainUniform, TiledType,
};
use crate::plugin::planet::{AirMaterial, AirUniform, PlanetKey, PlanetMaterial, ground_mesh};
use crate::plugin::scatter::{ScatterKey, ScatterMaterial, ScatterUniform, template_mesh};
use crate::plugin::shaders::WIRE_SHADER;
use crate::plugin::sky::{BackdropMaterial, SkyUniform, view_filling_triangle};
use crate::plugin::water::{Counted, WaterKey, WaterKind, WaterMaterial, WaterUniform, river_mesh, sheet};
use crate::steps::water::RiverSheet;
use crate::stream::ChunkPart;

/// Every pipeline of the plugin. Definitions that cameras, devices and games set are not among these.
pub(super) fn pipelines() -> Vec<Pipeline> {
    let uniforms = Uniforms::new();
    let all = [
        ground(&uniforms),
        holed_ground(&uniforms),
        walls(&uniforms),
        displaced(),
        waters(&uniforms),
        planets(&uniforms),
        scattered(&uniforms),
        backgrounds(&uniforms),
    ];
    all.into_iter().flatten().collect()
}

/// The layouts of uniforms that several pipelines have.
struct Uniforms {
    field: Layout,
    cover: Layout,
    sky: Layout,
}

impl Uniforms {
    fn new() -> Self {
        let tiled_type = twins::layout::<TiledType, _>(&[]);
        let clouds = twins::layout::<CloudsUniform, _>(&[]);
        let clouds = [(TypeId::of::<CloudsUniform>(), &clouds)];
        Self {
            field: twins::layout::<TerrainUniform, _>(&clouds),
            cover: twins::layout::<CoverUniform, _>(&[(TypeId::of::<TiledType>(), &tiled_type)]),
            sky: twins::layout::<SkyUniform, _>(&clouds),
        }
    }
}

fn uniforms<const N: usize>(uniforms: [(u32, &str, &Layout); N]) -> BTreeMap<u32, Uniform> {
    let uniform = |name: &str, layout: &Layout| Uniform { name: name.to_owned(), layout: layout.clone() };
    uniforms.map(|(binding, name, layout)| (binding, uniform(name, layout))).into()
}

/// A pass of a material, with the definitions of its key in both stages.
fn pass_of<M: Material>(
    name: &'static str,
    pass: Pass,
    definitions: &[ShaderDefVal],
    mesh: Mesh,
    uniforms: BTreeMap<u32, Uniform>,
) -> Pipeline {
    let (vertex, fragment) = match pass {
        Pass::Main => (M::vertex_shader(), M::fragment_shader()),
        Pass::Prepass => (M::prepass_vertex_shader(), M::prepass_fragment_shader()),
    };
    Pipeline {
        name,
        pass,
        vertex,
        fragment,
        always: vec![],
        for_vertex: definitions.to_vec(),
        for_fragment: definitions.to_vec(),
        mesh,
        uniforms,
    }
}

impl Pipeline {
    /// With definitions that its material sets for both stages whatever the camera.
    fn always(self, always: &[&'static str]) -> Self {
        Self { always: always.to_vec(), ..self }
    }
}

/// Ground without holes in full light.
const GROUND: TerrainKey = TerrainKey {
    is_wall: false,
    is_shifted: false,
    has_holes: false,
    is_simple: false,
    has_far_shadows: true,
    has_clouds: true,
    has_detail: true,
    has_canopy: false,
    has_ribs: true,
    adds: false,
};
const SIMPLE: TerrainKey = TerrainKey {
    is_simple: true,
    has_far_shadows: false,
    has_clouds: false,
    has_detail: false,
    has_ribs: false,
    ..GROUND
};

fn terrain(own: &Uniforms, name: &'static str, pass: Pass, key: TerrainKey) -> Pipeline {
    let mesh = if key.is_wall { wall_mesh(ChunkPart::Whole) } else { chunk_mesh(ChunkPart::Whole) };
    let uniforms = if key.has_detail {
        uniforms([(100, "field", &own.field), (108, "cover", &own.cover)])
    } else {
        uniforms([(100, "field", &own.field)])
    };
    let pipeline = pass_of::<TerrainMaterial>(name, pass, &key.definitions(), mesh, uniforms);
    // As the standard material of ground with holes sets it.
    pipeline.always(if key.has_holes { &["MAY_DISCARD"] } else { &[] })
}

fn ground(own: &Uniforms) -> Vec<Pipeline> {
    let ground = |name, pass, key| terrain(own, name, pass, key);
    let without_far_shadows = TerrainKey { has_far_shadows: false, ..GROUND };
    let without_clouds = TerrainKey { has_clouds: false, ..GROUND };
    let simple_with_detail = TerrainKey { has_detail: true, ..SIMPLE };
    let simple_with_all = TerrainKey { is_simple: true, ..GROUND };
    let shifted = TerrainKey { is_shifted: true, ..GROUND };
    let shifted_simple = TerrainKey { is_shifted: true, ..SIMPLE };
    let wooded = |key| TerrainKey { has_canopy: true, ..key };
    vec![
        ground("the ground with woods in full light", Pass::Main, wooded(GROUND)),
        ground("the ground without ribs", Pass::Main, TerrainKey { has_ribs: false, ..GROUND }),
        ground("the ground with woods in full light, shifted", Pass::Main, wooded(shifted)),
        ground("the ground with woods in simple light", Pass::Main, wooded(SIMPLE)),
        ground("the ground with woods in simple light with detail", Pass::Main, wooded(simple_with_detail)),
        ground("the ground in full light", Pass::Main, GROUND),
        ground("the ground in full light without far shadows", Pass::Main, without_far_shadows),
        ground("the ground in full light without clouds", Pass::Main, without_clouds),
        ground("the ground in simple light", Pass::Main, simple_with_detail),
        ground("the ground in simple light with far shadows", Pass::Main, simple_with_all),
        ground("the ground in simple light without detail", Pass::Main, SIMPLE),
        ground("the ground's depth in full light", Pass::Prepass, GROUND),
        ground("the ground's depth in simple light", Pass::Prepass, simple_with_detail),
        ground("the ground shifted in full light", Pass::Main, shifted),
        ground("the ground shifted in simple light", Pass::Main, shifted_simple),
        ground("the ground shifted, its depth", Pass::Prepass, shifted),
    ]
}

fn holed_ground(own: &Uniforms) -> Vec<Pipeline> {
    let holed = |name, pass, key| terrain(own, name, pass, TerrainKey { has_holes: true, ..key });
    let shifted = TerrainKey { is_shifted: true, ..GROUND };
    let shifted_simple = TerrainKey { is_shifted: true, ..SIMPLE };
    let wall = TerrainKey { is_wall: true, ..GROUND };
    let wall_simple = TerrainKey { is_wall: true, ..SIMPLE };
    vec![
        holed("the ground with holes in full light", Pass::Main, GROUND),
        holed("the ground with holes in simple light", Pass::Main, SIMPLE),
        holed("the ground with holes, its depth", Pass::Prepass, GROUND),
        holed("the ground shifted with holes", Pass::Main, shifted),
        holed("the ground shifted with holes, its depth", Pass::Prepass, shifted_simple),
        holed("the ground's walls with holes", Pass::Main, wall),
        holed("the ground's walls with holes, their depth", Pass::Prepass, wall_simple),
    ]
}

fn walls(own: &Uniforms) -> Vec<Pipeline> {
    let wall = |name, pass, key| terrain(own, name, pass, TerrainKey { is_wall: true, ..key });
    vec![
        wall("the ground's walls in full light", Pass::Main, GROUND),
        wall("the ground's walls in simple light", Pass::Main, SIMPLE),
        wall("the ground's walls' depth", Pass::Prepass, GROUND),
    ]
}

fn displaced() -> Vec<Pipeline> {
    let displacement = twins::layout::<DisplacementUniform, _>(&[]);
    let displaced = |name, pass| {
        let uniforms = uniforms([(100, "displacement", &displacement)]);
        pass_of::<DisplacedMaterial>(name, pass, &[], Mesh::from(Plane3d::default()), uniforms)
    };
    vec![displaced("a displaced mesh", Pass::Main), displaced("a displaced mesh's depth", Pass::Prepass)]
}

fn waters(own: &Uniforms) -> Vec<Pipeline> {
    let counted = twins::layout::<Counted, _>(&[]);
    let parts = [(TypeId::of::<SkyUniform>(), &own.sky), (TypeId::of::<Counted>(), &counted)];
    let layout = twins::layout::<WaterUniform, _>(&parts);
    let water = |name, kind, [has_far_shadows, has_clouds]: [bool; 2], mesh| {
        let key = WaterKey { kind, has_far_shadows, has_clouds };
        let uniforms = uniforms([(0, "water", &layout), (100, "field", &own.field)]);
        pass_of::<WaterMaterial>(name, Pass::Main, &key.definitions(), mesh, uniforms)
            .always(&["PREMULTIPLY_ALPHA", "BLEND_PREMULTIPLIED_ALPHA"])
    };
    let river = RiverSheet {
        positions: vec![[0.0; 3]],
        velocities: vec![[0.0; 2]],
        depths: vec![0.0],
        froude: vec![0.0],
        indices: vec![0; 3],
        mouths: None,
        cell: 1.0,
    };
    let river = river_mesh(&river, HeightMapping::default());
    vec![
        water("the sea", WaterKind::Standing, [true, true], sheet()),
        water("the sea without far shadows", WaterKind::Standing, [false, true], sheet()),
        water("the sea without clouds", WaterKind::Standing, [true, false], sheet()),
        water("a river", WaterKind::Flowing, [true, true], river.clone()),
        water("a river without clouds", WaterKind::Flowing, [true, false], river),
    ]
}

fn planets(own: &Uniforms) -> Vec<Pipeline> {
    let planet = |name, pass, is_sea, has_detail| {
        let key = PlanetKey { is_sea, has_detail };
        let uniforms = match (pass, has_detail, is_sea) {
            (Pass::Main, true, false) => uniforms([(100, "field", &own.field), (108, "cover", &own.cover)]),
            (Pass::Main, true, true) => uniforms([(100, "field", &own.field)]),
            _ => uniforms([]),
        };
        pass_of::<PlanetMaterial>(name, pass, &key.definitions(), planet_mesh(), uniforms)
    };
    let air = uniforms([(0, "air", &twins::layout::<AirUniform, _>(&[]))]);
    vec![
        planet("a planet's ground near the eye", Pass::Main, false, true),
        planet("a planet's ground far away", Pass::Main, false, false),
        planet("a planet's sea near the eye", Pass::Main, true, true),
        planet("a planet's sea far away", Pass::Main, true, false),
        planet("a planet's ground's depth", Pass::Prepass, false, true),
        pass_of::<AirMaterial>("a planet's air", Pass::Main, &[], view_filling_triangle(), air)
            .always(&["PREMULTIPLY_ALPHA", "BLEND_PREMULTIPLIED_ALPHA"]),
    ]
}

fn scattered(own: &Uniforms) -> Vec<Pipeline> {
    let layout = twins::layout::<ScatterUniform, _>(&[]);
    let scattered = |name, pass, key: ScatterKey| {
        let uniforms = uniforms([(100, "field", &own.field), (113, "scatter", &layout)]);
        // Its material is cut out.
        pass_of::<ScatterMaterial>(name, pass, &key.definitions(), template_mesh(), uniforms)
            .always(&["MAY_DISCARD"])
    };
    let plants = ScatterKey { has_far_shadows: true, has_clouds: true, ..ScatterKey::default() };
    let simple = ScatterKey { is_simple: true, has_far_shadows: false, ..plants };
    let impostors = ScatterKey { is_impostor: true, ..plants };
    vec![
        scattered("scattered plants", Pass::Main, plants),
        scattered(
            "scattered plants on shifted ground",
            Pass::Main,
            ScatterKey { is_shifted: true, ..plants },
        ),
        scattered("scattered plants without clouds", Pass::Main, ScatterKey { has_clouds: false, ..plants }),
        scattered("scattered plants in simple light", Pass::Main, simple),
        scattered("scattered plants' depth", Pass::Prepass, plants),
        scattered("scattered impostors", Pass::Main, impostors),
        scattered(
            "scattered impostors in simple light",
            Pass::Main,
            ScatterKey { is_simple: true, ..impostors },
        ),
        scattered("scattered impostors' depth", Pass::Prepass, impostors),
    ]
}

fn backgrounds(own: &Uniforms) -> Vec<Pipeline> {
    let sky = uniforms([(0, "here", &own.sky)]);
    vec![
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
        pass_of::<BackdropMaterial>("the sky", Pass::Main, &[], view_filling_triangle(), sky)
            .always(&["MAY_DISCARD"]),
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
