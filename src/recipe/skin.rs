//! What the ground of a recipe wears: a ready-made set of terrain types, the seasons of one, several
//! that fade into each other, or types of the recipe's own.

use std::path::Path;

use crate::analysis::Picture;
use crate::files::{FilePath, Use};
use crate::params::{self, Forms, Param, Params, Reading, Value, in_recipes, params, set_whole_from_text};
use crate::texture::{Fade, MAX_SETS, Texture};

/// What the ground wears: a ready-made set of terrain types, or one of the recipe's own.
///
/// ```
/// let recipe = upland::Recipe::from_ron(
///     r#"(version: 1, name: "Fading", size: (65, 65), cell: 30, steps: [],
///         texture: sets(sets: [temperate, arid], at: 0.3))"#,
///     "fading.ron",
/// )?;
/// assert_eq!(recipe.texture.fade().textures.len(), 2);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Skin {
    /// Meadow, forest, rock and snow: [`Texture::temperate`].
    #[default]
    Temperate,
    /// Meadow, forest and rock, without snow: [`Texture::woodland`].
    Woodland,
    /// Sand, scrub and red rock: [`Texture::arid`].
    Arid,
    /// The temperate set at a time of the year: [`Texture::season`].
    Seasons(Seasons),
    /// Several that fade into each other.
    Sets(Sets),
    /// Terrain types of the recipe's own.
    Custom(Texture),
}

params! {
    /// A time of the year.
    pub struct Seasons {
        /// 0 for the middle of spring, 0.25 of summer, 0.5 of autumn, 0.75 of winter, and 1 for spring
        /// again.
        pub season: f32 = 0.0, "" in 0.0..=1.0, required;
    }
}

impl Copy for Seasons {}

params! {
    /// Sets that fade into each other from the first to the last.
    pub struct Sets {
        /// The sets in order, from 2 to 64, none of them `sets` itself.
        pub sets: Vec<Skin> = Vec::new(), "sets" in 2.0..=MAX_SETS as f64, required;
        /// How far the fade has gone, from 0 (the first set) to 1 (the last), the others evenly between.
        pub at: f32 = 1.0, "" in 0.0..=1.0;
        /// Where: it has gone as far as `at` where the picture is white, and ground under black wears the
        /// first set; brightness is that of a [`Picture`]. None: everywhere.
        pub mask: Option<Picture> = None;
    }
    law Sets::can_fade;
}

in_recipes!(Skin, Seasons, Sets);

impl Seasons {
    /// A time of the year.
    ///
    /// # Errors
    /// What would be accepted, for one outside 0 to 1.
    pub fn new(season: f32) -> Result<Self, String> {
        let seasons = Self { season };
        params::check(&seasons, "")
            .map_err(|error| format!("{error}: 0 is spring, 0.25 summer, 0.5 autumn, 0.75 winter"))?;
        Ok(seasons)
    }
}

impl Skin {
    /// The ready-made sets by their names in recipes.
    pub fn ready_made() -> [(&'static str, Self); 3] {
        [("temperate", Self::Temperate), ("woodland", Self::Woodland), ("arid", Self::Arid)]
    }

    /// The one that is written as `text`: the name of a ready-made set, or anything that may stand after
    /// `texture:` in a recipe.
    pub(super) fn named(text: &str) -> Result<Self, String> {
        let mut skin = Self::default();
        set_whole_from_text(&mut skin, text).map_err(|error| {
            let names = Self::ready_made().map(|(name, _)| name).join(", ");
            format!("`{text}` is none of {names}, nor seasons(season: 0.5) or sets(...): {error}")
        })?;
        Ok(skin)
    }

    /// The terrain types; of several sets those of the one that is nearest.
    pub fn texture(&self) -> Texture {
        match self {
            Self::Temperate => Texture::temperate(),
            Self::Woodland => Texture::woodland(),
            Self::Arid => Texture::arid(),
            Self::Seasons(Seasons { season }) => Texture::season(*season),
            Self::Sets(sets) => sets.nearest().map(Self::texture).unwrap_or_default(),
            Self::Custom(texture) => texture.clone(),
        }
    }

    /// All that is laid: one texture, or several and how they fade.
    pub fn fade(&self) -> Fade {
        match self {
            Self::Sets(sets) => Fade {
                textures: sets.sets.iter().map(Self::texture).collect(),
                at: sets.at,
                mask: sets.mask.clone(),
            },
            one => Fade::from(one.texture()),
        }
    }

    /// The same with textures changed by `change`.
    pub fn with(&self, change: &impl Fn(&mut Texture)) -> Self {
        match self {
            Self::Sets(sets) => {
                let changed = sets.sets.iter().map(|set| set.with(change)).collect();
                Self::Sets(Sets { sets: changed, ..sets.clone() })
            }
            one => {
                let mut texture = one.texture();
                change(&mut texture);
                Self::Custom(texture)
            }
        }
    }

    /// Says where the relative paths of its pictures are looked for first.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Shows every file that it names to `visit`.
    pub(crate) fn visit_files(&mut self, visit: &mut dyn FnMut(&mut FilePath, Use)) {
        match self {
            Self::Custom(texture) => texture.visit_files(visit),
            Self::Sets(sets) => {
                sets.sets.iter_mut().for_each(|set| set.visit_files(visit));
                if let Some(mask) = &mut sets.mask {
                    visit(&mut mask.file, Use::Data);
                }
            }
            Self::Temperate | Self::Woodland | Self::Arid | Self::Seasons(_) => {}
        }
    }
}

impl Sets {
    /// What is wrong with what it fades between, if anything.
    fn can_fade(&self) -> Result<(), String> {
        if self.sets.iter().any(|set| matches!(set, Skin::Sets(_))) {
            return Err("`sets` among sets; list them all in one".into());
        }
        Ok(())
    }

    fn nearest(&self) -> Option<&Skin> {
        let last = self.sets.len().checked_sub(1)?;
        self.sets.get((self.at.clamp(0.0, 1.0) * last as f32).round() as usize)
    }
}

/// What can be set in what the ground wears: the time of the year, how sets fade, and everything in the texture. A
/// ready-made set whose texture is changed becomes one of the recipe's own.
impl Params for Skin {
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>)) {
        match self {
            Self::Sets(sets) => sets.read(visitor),
            Self::Custom(texture) => texture.read(visitor),
            Self::Temperate | Self::Woodland | Self::Arid | Self::Seasons(_) => {
                if let Self::Seasons(seasons) = self {
                    seasons.read(visitor);
                }
                self.texture().read(visitor);
            }
        }
    }

    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>)) {
        match self {
            Self::Sets(sets) => sets.visit(visitor),
            Self::Custom(texture) => texture.visit(visitor),
            Self::Temperate | Self::Woodland | Self::Arid | Self::Seasons(_) => {
                let before = self.texture();
                let mut texture = before.clone();
                if let Self::Seasons(seasons) = self {
                    seasons.visit(visitor);
                }
                texture.visit(visitor);
                if texture != before {
                    *self = Self::Custom(texture);
                }
            }
        }
    }

    fn doc(&self) -> &'static str {
        "What the ground wears."
    }

    fn type_name(&self) -> &'static str {
        "Skin"
    }

    fn law(&self) -> Result<(), String> {
        match self {
            Self::Sets(sets) => sets.law(),
            _ => Ok(()),
        }
    }

    fn forms(&self) -> Option<&dyn Forms> {
        Some(self)
    }

    fn forms_mut(&mut self) -> Option<&mut dyn Forms> {
        Some(self)
    }
}

impl Forms for Skin {
    fn names(&self) -> &'static [&'static str] {
        &["temperate", "woodland", "arid", "seasons", "sets", "custom"]
    }

    fn index(&self) -> usize {
        match self {
            Self::Temperate => 0,
            Self::Woodland => 1,
            Self::Arid => 2,
            Self::Seasons(_) => 3,
            Self::Sets(_) => 4,
            Self::Custom(_) => 5,
        }
    }

    fn inner(&self) -> Option<&dyn Params> {
        match self {
            Self::Temperate | Self::Woodland | Self::Arid => None,
            Self::Seasons(seasons) => Some(seasons),
            Self::Sets(sets) => Some(sets),
            Self::Custom(texture) => Some(texture),
        }
    }

    fn take(&mut self, index: usize) -> Option<&mut dyn Params> {
        *self = match index {
            0 => Self::Temperate,
            1 => Self::Woodland,
            2 => Self::Arid,
            3 => Self::Seasons(Seasons::default()),
            4 => Self::Sets(Sets::default()),
            _ => Self::Custom(Texture::default()),
        };
        match self {
            Self::Temperate | Self::Woodland | Self::Arid => None,
            Self::Seasons(seasons) => Some(seasons),
            Self::Sets(sets) => Some(sets),
            Self::Custom(texture) => Some(texture),
        }
    }
}
