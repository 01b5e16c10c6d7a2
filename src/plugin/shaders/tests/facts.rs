//! Facts about a composed shader: its uniforms and what its stages hand on.

use std::collections::BTreeMap;
use std::fmt;

use bevy::pbr::MATERIAL_BIND_GROUP_INDEX;
use bevy::shader::{ShaderCacheError, ShaderCacheSource, ValidateShader};
use naga::{AddressSpace, ArraySize, Binding, Handle, Module, ScalarKind, ShaderStage, Type, TypeInner};

/// Facts that a valid shader states.
pub(super) struct Facts {
    /// The material's uniforms by their bindings.
    pub(super) uniforms: BTreeMap<u32, Uniform>,
    pub(super) vertex: Option<Stage>,
    pub(super) fragment: Option<Stage>,
}

#[derive(PartialEq)]
pub(super) struct Uniform {
    pub(super) name: String,
    pub(super) layout: Layout,
}

/// The layout of a uniform: every number, vector and matrix, those of an array's first element for all.
#[derive(Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) size: u64,
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, PartialEq)]
pub(super) struct Part {
    pub(super) offset: u64,
    pub(super) name: String,
    /// As WGSL writes it.
    pub(super) kind: String,
}

impl Layout {
    /// The parts as those of a member of a larger structure.
    pub(super) fn parts_of<'a>(&'a self, name: &'a str, offset: u64) -> impl Iterator<Item = Part> + 'a {
        self.parts.iter().map(move |part| Part {
            offset: offset + part.offset,
            name: format!("{name}.{}", part.name),
            kind: part.kind.clone(),
        })
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for Part { offset, name, kind } in &self.parts {
            writeln!(f, "{offset:6}  {name}: {kind}")?;
        }
        writeln!(f, "{:6}  bytes in all", self.size)
    }
}

/// The locations that a stage reads and writes.
pub(super) struct Stage {
    pub(super) inputs: BTreeMap<u32, Varying>,
    pub(super) outputs: BTreeMap<u32, Varying>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Varying {
    /// As WGSL writes it.
    pub(super) kind: String,
    pub(super) interpolation: Option<naga::Interpolation>,
    pub(super) sampling: Option<naga::Sampling>,
}

impl Facts {
    /// The value that Bevy's cache of shaders keeps for each: for a device this would be its module.
    pub(super) fn load(
        _: &(),
        source: ShaderCacheSource,
        _: &ValidateShader,
    ) -> std::result::Result<Self, ShaderCacheError> {
        match source {
            ShaderCacheSource::Naga(module) => Ok(Self::of(&module)),
            _ => Err(ShaderCacheError::CreateShaderModule("not composed by naga_oil".into())),
        }
    }

    fn of(module: &Module) -> Self {
        let uniforms = module.global_variables.iter().filter_map(|(_, variable)| {
            let binding =
                variable.binding.filter(|binding| binding.group == MATERIAL_BIND_GROUP_INDEX as u32)?;
            let uniform = Uniform {
                name: plain(variable.name.as_deref().unwrap_or_default()),
                layout: layout(module, variable.ty),
            };
            (variable.space == AddressSpace::Uniform).then_some((binding.binding, uniform))
        });
        let stage = |stage: ShaderStage| {
            let function = &module.entry_points.iter().find(|entry| entry.stage == stage)?.function;
            let inputs =
                function.arguments.iter().flat_map(|input| varyings(module, input.ty, &input.binding));
            let outputs = function.result.iter().flat_map(|out| varyings(module, out.ty, &out.binding));
            Some(Stage { inputs: inputs.collect(), outputs: outputs.collect() })
        };
        Self {
            uniforms: uniforms.collect(),
            vertex: stage(ShaderStage::Vertex),
            fragment: stage(ShaderStage::Fragment),
        }
    }
}

/// A name without what naga_oil adds of its module.
fn plain(name: &str) -> String {
    name.split("X_naga_oil_mod_X").next().unwrap_or(name).to_owned()
}

fn layout(module: &Module, ty: Handle<Type>) -> Layout {
    let inner = &module.types[ty].inner;
    let size = u64::from(inner.size(module.to_ctx()));
    let TypeInner::Struct { members, .. } = inner else {
        return Layout { size, parts: vec![] };
    };
    let parts = members.iter().flat_map(|member| {
        let (ty, times) = match module.types[member.ty].inner {
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => (base, format!("[{count}]")),
            _ => (member.ty, String::new()),
        };
        let name = format!("{}{times}", member.name.as_deref().unwrap_or_default());
        let offset = u64::from(member.offset);
        match module.types[ty].inner {
            TypeInner::Struct { .. } => layout(module, ty).parts_of(&name, offset).collect(),
            _ => vec![Part { offset, name, kind: kind(module, ty) }],
        }
    });
    Layout { size, parts: parts.collect() }
}

fn varyings(module: &Module, ty: Handle<Type>, binding: &Option<Binding>) -> Vec<(u32, Varying)> {
    let varying = |ty: Handle<Type>, binding: &Option<Binding>| match *binding {
        Some(Binding::Location { location, interpolation, sampling, .. }) => {
            Some((location, Varying { kind: kind(module, ty), interpolation, sampling }))
        }
        _ => None,
    };
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => {
            members.iter().filter_map(|member| varying(member.ty, &member.binding)).collect()
        }
        _ => varying(ty, binding).into_iter().collect(),
    }
}

/// The WGSL of a type.
fn kind(module: &Module, ty: Handle<Type>) -> String {
    let number = |scalar: naga::Scalar| {
        let kind = match scalar.kind {
            ScalarKind::Float => "f",
            ScalarKind::Sint => "i",
            ScalarKind::Uint => "u",
            _ => "other",
        };
        format!("{kind}{}", 8 * u32::from(scalar.width))
    };
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) => number(scalar),
        TypeInner::Vector { size, scalar } => format!("vec{}<{}>", size as u8, number(scalar)),
        TypeInner::Matrix { columns, rows, scalar } => {
            format!("mat{}x{}<{}>", columns as u8, rows as u8, number(scalar))
        }
        ref other => format!("{other:?}"),
    }
}
