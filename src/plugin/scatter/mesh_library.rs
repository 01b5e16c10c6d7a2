//! The looks of objects, made in the background: templates of every variant at every level, and impostors.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;

use super::impostors::{ImpostorTexels, VIEW_TEXELS, VIEWS};
use super::objects::{LooksSource, ScatterLooks, ScatterObjects, Spawner, check_levels, distances};
use super::template::Shape;
use crate::plants::{ALPHA_CUT, Atlas, Detail, Impostor, Season};
use crate::plugin::device::array_image;
use crate::plugin::jobs::Job;
use crate::{Error, Result, Work};

/// What objects of a name look like, as far as it depends on no terrain.
pub(super) struct MadeObject {
    pub(super) variants: Vec<Variant>,
    /// Distances up to which the levels are drawn, metres; the impostor's last, if there is one.
    pub(super) until: Vec<f32>,
    /// How far its vertices lie from its foot at most, metres, at size 1.
    pub(super) radius: f32,
    pub(super) shadows: bool,
    pub(super) sway: f32,
    pub(super) material: ObjectMaterial,
    pub(super) spawner: Option<Spawner>,
}

/// What its meshes are made of.
#[derive(Clone)]
pub(super) enum ObjectMaterial {
    /// The atlas of all plants.
    Atlas,
    Own(Box<StandardMaterial>),
}

/// One of an object's variants.
pub(super) struct Variant {
    /// A template for each level of meshes, and its number of copies.
    pub(super) levels: Vec<(Handle<Mesh>, usize)>,
    pub(super) impostor: Option<ImpostorTexels>,
}

/// The same before its meshes are assets.
struct Grown {
    variants: Vec<(Vec<(Mesh, usize)>, Option<ImpostorTexels>)>,
    until: Vec<f32>,
    radius: f32,
}

/// An object whose looks are being made, are there, or cannot be.
enum Making {
    Under(Job<Grown>, Box<ScatterLooks>),
    Made(Arc<MadeObject>),
    Failed(Arc<Error>),
}

/// The looks of all objects that terrains have needed.
#[derive(Resource, Default)]
pub(super) struct MeshLibrary {
    objects: HashMap<(String, Season), Making>,
    edits: u64,
    atlas: AtlasState,
}

/// The atlas of all plants, which is drawn first.
#[derive(Default)]
enum AtlasState {
    #[default]
    Missing,
    Painting(Job<(Arc<Atlas>, Image)>),
    Painted(Arc<Atlas>, Handle<Image>),
    /// Plants cannot be drawn. Objects with meshes of their own can, and are bound to a white picture.
    Failed(Arc<Error>, Handle<Image>),
}

/// What is known of an object's looks.
pub(super) enum Lods {
    Made(Arc<MadeObject>),
    /// They are being made.
    Pending,
    Failed(Arc<Error>),
}

impl MeshLibrary {
    /// The picture of the atlas, once it has been drawn or has failed.
    pub(super) fn atlas(&self) -> Option<&Handle<Image>> {
        match &self.atlas {
            AtlasState::Missing | AtlasState::Painting(_) => None,
            AtlasState::Painted(_, image) | AtlasState::Failed(_, image) => Some(image),
        }
    }

    /// Forgets looks that have been replaced.
    pub(super) fn follow(&mut self, objects: &ScatterObjects) {
        if self.edits != objects.edits() {
            self.edits = objects.edits();
            self.objects.clear();
        }
    }

    /// The looks of the objects of a name, which begin to be made if they haven't.
    pub(super) fn lods(&mut self, name: &str, season: Season, objects: &ScatterObjects) -> Lods {
        let key = (name.to_owned(), season);
        let atlas = match &self.atlas {
            AtlasState::Missing | AtlasState::Painting(_) => return Lods::Pending,
            AtlasState::Painted(atlas, _) => Ok(atlas),
            AtlasState::Failed(error, _) => Err(error),
        };
        let making = self.objects.entry(key).or_insert_with(|| match objects.get(name) {
            None => Making::Failed(Arc::new(Error::parameter(
                format!("object `{name}`"),
                "nobody knows what it looks like; insert it into ScatterObjects",
            ))),
            Some(looks) => match (&looks.source, atlas) {
                (LooksSource::Plant(_), Err(error)) => Making::Failed(error.clone()),
                _ => {
                    let (of_job, atlas) = (looks.clone(), atlas.ok().cloned());
                    let job = Job::start(move |work| grow(&of_job, season, atlas.as_deref(), work));
                    Making::Under(job, Box::new(looks.clone()))
                }
            },
        });
        match making {
            Making::Under(..) => Lods::Pending,
            Making::Made(made) => Lods::Made(made.clone()),
            Making::Failed(error) => Lods::Failed(error.clone()),
        }
    }

    /// Takes in what has been made, one object in a frame.
    pub(super) fn receive(&mut self, meshes: &mut Assets<Mesh>, images: &mut Assets<Image>) {
        match &mut self.atlas {
            AtlasState::Missing => self.atlas = AtlasState::Painting(Job::start(|_| Ok(paint_atlas()))),
            AtlasState::Painting(job) => match job.outcome() {
                None => {}
                Some(Ok((atlas, image))) => self.atlas = AtlasState::Painted(atlas, images.add(image)),
                Some(Err(error)) => {
                    self.atlas = AtlasState::Failed(Arc::new(error), images.add(Image::default()));
                }
            },
            AtlasState::Painted(..) | AtlasState::Failed(..) => {}
        }
        // One object in a frame, since all meshes that are added are uploaded in the same frame.
        for making in self.objects.values_mut() {
            let Making::Under(job, looks) = making else { continue };
            let Some(outcome) = job.outcome() else { continue };
            *making = match outcome {
                Ok(grown) => Making::Made(Arc::new(made(grown, looks, meshes))),
                Err(error) => Making::Failed(Arc::new(error)),
            };
            break;
        }
    }
}

/// What has been grown, with its meshes as assets.
fn made(grown: Grown, looks: &ScatterLooks, meshes: &mut Assets<Mesh>) -> MadeObject {
    let variants = grown.variants.into_iter().map(|(levels, impostor)| {
        let levels = levels.into_iter().map(|(mesh, copies)| (meshes.add(mesh), copies)).collect();
        Variant { levels, impostor }
    });
    let material = match &looks.source {
        LooksSource::Plant(_) => ObjectMaterial::Atlas,
        LooksSource::Meshes(_) | LooksSource::Nothing => {
            ObjectMaterial::Own(Box::new(cut_out(looks.material.clone())))
        }
    };
    MadeObject {
        variants: variants.collect(),
        until: grown.until,
        radius: grown.radius,
        shadows: looks.shadows,
        sway: looks.sway,
        material,
        spawner: looks.spawner.clone(),
    }
}

/// A material that levels can fade into each other with.
fn cut_out(mut material: StandardMaterial) -> StandardMaterial {
    // Levels fade by discarding pixels, and Bevy's prepass and shadow passes discard for masked materials
    // alone.
    if matches!(material.alpha_mode, AlphaMode::Opaque) {
        material.alpha_mode = AlphaMode::Mask(0.0);
    }
    material.opaque_render_method = bevy::material::OpaqueRendererMethod::Forward;
    material
}

/// The material of plants: what the atlas shows, cut out.
pub(super) fn plant_material(atlas: Option<Handle<Image>>) -> StandardMaterial {
    StandardMaterial {
        base_color_texture: atlas,
        perceptual_roughness: 0.92,
        reflectance: 0.14,
        alpha_mode: AlphaMode::Mask(ALPHA_CUT),
        cull_mode: None,
        opaque_render_method: bevy::material::OpaqueRendererMethod::Forward,
        ..default()
    }
}

/// Makes the templates and impostors of an object; those of plants are drawn with the atlas.
fn grow(looks: &ScatterLooks, season: Season, atlas: Option<&Atlas>, work: &Work) -> Result<Grown> {
    match &looks.source {
        LooksSource::Nothing => {
            Ok(Grown { variants: vec![(Vec::new(), None)], until: Vec::new(), radius: 1.0 })
        }
        LooksSource::Meshes(make) => {
            let mut grown = Grown { variants: Vec::new(), until: Vec::new(), radius: 0.0 };
            for variant in 0..looks.variants {
                work.check()?;
                let levels = make(variant)?;
                check_levels(&levels)?;
                let until: Vec<f32> = levels.iter().map(|level| level.until).collect();
                if variant > 0 && until != grown.until {
                    let reason =
                        format!("variant {variant} has other distances than variant 0; give it the same");
                    return Err(Error::parameter("levels", reason));
                }
                grown.until = until;
                let mut templates = Vec::new();
                for level in &levels {
                    let shape = Shape::of_mesh(&level.mesh)?;
                    grown.radius = grown.radius.max(radius(&shape));
                    templates.push(template(&shape));
                }
                grown.variants.push((templates, None));
            }
            Ok(grown)
        }
        LooksSource::Plant(kind) => {
            let far = distances(*kind);
            let mut grown = Grown { variants: Vec::new(), until: Vec::new(), radius: 0.0 };
            grown.until = far.into_iter().filter(|until| *until > 0.0).collect();
            for variant in 0..looks.variants {
                let plant = kind.grow(1 + u64::from(variant), season);
                let mut templates = Vec::new();
                for detail in Detail::ALL {
                    work.check()?;
                    let shape = Shape::of_plant(&plant.mesh(detail));
                    grown.radius = grown.radius.max(radius(&shape));
                    templates.push(template(&shape));
                }
                let impostor = match atlas.filter(|_| far[3] > 0.0) {
                    // The middle level: fewer triangles, and texels don't show the difference.
                    Some(atlas) => {
                        let mesh = plant.mesh(Detail::Middle);
                        let impostor = Impostor::draw(&mesh, atlas, VIEWS, VIEW_TEXELS)?;
                        Some(ImpostorTexels::new(&impostor))
                    }
                    None => None,
                };
                grown.variants.push((templates, impostor));
            }
            Ok(grown)
        }
    }
}

fn radius(shape: &Shape) -> f32 {
    shape.positions.iter().map(|position| position.length()).fold(0.0, f32::max)
}

fn template(shape: &Shape) -> (Mesh, usize) {
    let copies = shape.copies();
    (shape.repeated(copies), copies)
}

/// The atlas, and its picture with all smaller levels.
fn paint_atlas() -> (Arc<Atlas>, Image) {
    let atlas = Atlas::new();
    let mips = atlas.mips();
    let bytes = mips.iter().flat_map(|mip| mip.texels.as_flattened().iter().copied()).collect();
    let (width, height) = (mips[0].width, mips[0].height);
    let mut image = array_image(width, height, 1, TextureFormat::Rgba8UnormSrgb, mips.len() as u32, bytes);
    // A plain picture, no array.
    image.texture_view_descriptor = None;
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::ClampToEdge,
        // Bark goes on and on.
        address_mode_v: ImageAddressMode::Repeat,
        mag_filter: ImageFilterMode::Linear,
        min_filter: ImageFilterMode::Linear,
        mipmap_filter: ImageFilterMode::Linear,
        ..default()
    });
    (Arc::new(atlas), image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plants::Kind;
    use crate::plugin::scatter::ScatterLevel;

    #[test]
    fn without_an_atlas_plants_fail_and_objects_with_their_own_meshes_are_made() {
        let failed = Job::failed(Error::panic("the atlas", "no paint".to_owned()));
        let mut library = MeshLibrary { atlas: AtlasState::Painting(failed), ..MeshLibrary::default() };
        let mut objects = ScatterObjects::default();
        objects.insert(
            "cube",
            ScatterLooks::meshes(|_| Ok(vec![ScatterLevel::new(Cuboid::from_length(1.0).into(), 500.0)])),
        );
        let (mut meshes, mut images) = (Assets::default(), Assets::default());
        assert!(matches!(library.lods("beech", Season::Summer, &objects), Lods::Pending));
        library.receive(&mut meshes, &mut images);
        assert!(library.atlas().is_some(), "nothing is waited for");
        let Lods::Failed(error) = library.lods("beech", Season::Summer, &objects) else {
            panic!("it is not told")
        };
        assert!(error.to_string().contains("no paint"), "{error}");
        let start = std::time::Instant::now();
        while !matches!(library.lods("cube", Season::Summer, &objects), Lods::Made(_)) {
            assert!(start.elapsed().as_secs() < 60, "it takes too long");
            library.receive(&mut meshes, &mut images);
        }
    }

    #[test]
    fn an_object_that_is_made_has_the_shadows_and_the_sway_that_its_game_chose() {
        let of = |looks: ScatterLooks| {
            let grown = Grown { variants: Vec::new(), until: Vec::new(), radius: 1.0 };
            let made = made(grown, &looks, &mut Assets::default());
            (made.shadows, made.sway)
        };
        let (beech, grass) = (|| ScatterLooks::plant(Kind::Beech), || ScatterLooks::plant(Kind::Grass));
        assert_eq!((of(beech()), of(grass())), ((true, 0.22), (false, 0.06)));
        assert_eq!(of(beech().with_sway(0.5).with_shadows(false)), (false, 0.5));
        assert!(of(grass().with_shadows(true)).0);
        // What cannot be drawn is not passed on.
        let sway = |sway: f32| of(beech().with_sway(sway)).1;
        assert_eq!([f32::NAN, f32::INFINITY, -1.0, 99.0].map(sway), [0.0, 0.0, 0.0, 10.0]);
    }
}
