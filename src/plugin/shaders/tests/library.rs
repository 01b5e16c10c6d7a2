//! The shaders as a program has them, ours and Bevy's, composed and validated as Bevy does it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::app::TerminalCtrlCHandlerPlugin;
use bevy::asset::AssetId;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{DownlevelFlags, WgpuFeatures};
use bevy::render::settings::WgpuSettings;
use bevy::shader::{ShaderCache, ShaderCacheError, ShaderDefVal, ShaderImport, ShaderRef};
use bevy::window::ExitCondition;

use super::choices::BINDING_ARRAYS;
use super::facts::Facts;
use crate::plugin::shaders::load_wire_shader;
use crate::plugin::{DisplacementPlugin, PlanetPlugin, ScatterPlugin, SkyPlugin, TerrainPlugin, WaterPlugin};

const TIME_LIMIT: Duration = Duration::from_secs(120);

pub(super) struct Library {
    shaders: HashMap<AssetId<Shader>, Shader>,
    importable: HashMap<ShaderImport, AssetId<Shader>>,
    /// For devices with as little as WebGPU asks for.
    plain: ShaderCache<Facts, ()>,
    /// For devices with arrays of bindings.
    with_arrays: ShaderCache<Facts, ()>,
    app: App,
}

impl Library {
    /// Waits until `entries` are there with all that they import.
    pub(super) fn new<'a>(entries: impl Iterator<Item = &'a ShaderRef>) -> Self {
        let mut app = app();
        let handles: Vec<_> = entries.map(|entry| handle(&app, entry)).collect();
        let start = Instant::now();
        let cache = |features| {
            let mut cache = ShaderCache::new((), features, DownlevelFlags::compliant(), Facts::load);
            // So it is in development anyway; in a release Bevy leaves it to the driver.
            cache.composer.validate = true;
            cache
        };
        let arrays = WgpuFeatures::TEXTURE_BINDING_ARRAY
            | WgpuFeatures::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING;
        // Bevy loads shaders in tasks of its own, and what they import is known only when they are there.
        loop {
            app.update();
            let shaders: HashMap<_, _> = app
                .world()
                .resource::<Assets<Shader>>()
                .iter()
                .map(|(id, shader)| (id, shader.clone()))
                .collect();
            let importable = shaders.iter().map(|(&id, shader)| (shader.import_path.clone(), id)).collect();
            let (plain, with_arrays) = (cache(WgpuFeatures::empty()), cache(arrays));
            let mut library = Self { shaders, importable, plain, with_arrays, app };
            let missing: BTreeSet<_> = handles.iter().flat_map(|entry| library.missing(entry.id())).collect();
            if missing.is_empty() {
                for (&id, shader) in &library.shaders {
                    library.plain.set_shader(id, shader.clone());
                    library.with_arrays.set_shader(id, shader.clone());
                }
                return library;
            }
            assert!(start.elapsed() < TIME_LIMIT, "not there: {missing:?}");
            app = library.app;
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(super) fn id(&self, entry: &ShaderRef) -> AssetId<Shader> {
        handle(&self.app, entry).id()
    }

    /// A shader and all that it imports.
    pub(super) fn reached(&self, entry: AssetId<Shader>) -> impl Iterator<Item = &Shader> {
        self.walk(entry).into_values().flatten()
    }

    fn missing(&self, entry: AssetId<Shader>) -> Vec<String> {
        let walked = self.walk(entry).into_iter();
        walked.filter(|(_, shader)| shader.is_none()).map(|(name, _)| name).collect()
    }

    /// A shader and all that it imports, by name.
    fn walk(&self, entry: AssetId<Shader>) -> BTreeMap<String, Option<&Shader>> {
        let mut found = BTreeMap::new();
        let mut next = vec![(entry.to_string(), self.shaders.get(&entry))];
        while let Some((name, shader)) = next.pop() {
            if found.insert(name, shader).is_some() {
                continue;
            }
            next.extend(shader.into_iter().flat_map(|shader| &shader.imports).map(|import| {
                let shader = self.importable.get(import).and_then(|id| self.shaders.get(id));
                (import.module_name().into_owned(), shader)
            }));
        }
        found
    }

    /// The shader with these definitions, or what naga has against it.
    pub(super) fn compose(
        &mut self,
        entry: AssetId<Shader>,
        definitions: &BTreeSet<String>,
    ) -> std::result::Result<Arc<Facts>, String> {
        let has_arrays = definitions.contains(BINDING_ARRAYS);
        let cache = if has_arrays { &mut self.with_arrays } else { &mut self.plain };
        let definitions: Vec<_> = definitions.iter().map(|text| definition(text)).collect();
        cache.get(0, entry, &definitions).map_err(|error| match error {
            ShaderCacheError::ProcessShaderError(error) => error.emit_to_string(&cache.composer),
            other => other.to_string(),
        })
    }
}

/// An app as a program's, that draws on nothing.
fn app() -> App {
    // Without a backend Bevy makes no device, but its shaders are loaded all the same.
    let settings = WgpuSettings { backends: None, ..default() };
    let plugins = DefaultPlugins
        .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
        .set(RenderPlugin { render_creation: settings.into(), ..default() })
        .disable::<PipelinedRenderingPlugin>()
        .disable::<TerminalCtrlCHandlerPlugin>();
    #[cfg(feature = "viewer")]
    // winit insists on the main thread, on which tests do not run, and a process has one logger only.
    let plugins = plugins.disable::<bevy::winit::WinitPlugin>().disable::<bevy::log::LogPlugin>();
    let mut app = App::new();
    app.add_plugins((
        plugins,
        TerrainPlugin,
        SkyPlugin::default(),
        WaterPlugin,
        DisplacementPlugin,
        PlanetPlugin,
        ScatterPlugin,
    ));
    load_wire_shader(&mut app);
    app.finish();
    app.cleanup();
    app
}

fn handle(app: &App, entry: &ShaderRef) -> Handle<Shader> {
    match entry {
        ShaderRef::Handle(handle) => handle.clone(),
        ShaderRef::Path(path) => app.world().resource::<AssetServer>().load(path),
        ShaderRef::Default => panic!("a material of ours without a shader of its own"),
    }
}

/// A definition from `NAME` or `NAME=8`.
fn definition(text: &str) -> ShaderDefVal {
    match text.split_once('=') {
        Some((name, value)) => ShaderDefVal::UInt(name.to_owned(), value.parse().unwrap()),
        None => text.into(),
    }
}
