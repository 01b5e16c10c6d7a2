//! What the ground of a recipe wears: a ready-made set of terrain types, the seasons of one, several
//! that fade into each other, or types of the recipe's own.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::files::{FilePath, Use};
use crate::params::lists;
use crate::params::read_named;
use crate::texture::{Fade, MAX_SETS, Picture, Texture};

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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// A time of the year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seasons {
    /// 0 for the middle of spring, 0.25 of summer, 0.5 of autumn, 0.75 of winter, and 1 for spring
    /// again.
    #[serde(deserialize_with = "read_season")]
    pub season: f32,
}

/// Sets that fade into each other from the first to the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sets {
    /// The sets in order, from 2 to 64, none of them `sets` itself.
    #[serde(deserialize_with = "read_sets")]
    pub sets: Vec<Skin>,
    /// How far the fade has gone, from 0 (the first set) to 1 (the last; the default), the others
    /// evenly between.
    #[serde(default = "last", deserialize_with = "read_at")]
    pub at: f32,
    /// Where: it has gone as far as `at` where the picture is white, and ground under black wears the
    /// first set; brightness is that of a [`Picture`]. Default: everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<Picture>,
}

impl Seasons {
    /// A time of the year.
    ///
    /// # Errors
    /// What would be accepted, for one outside 0 to 1.
    pub fn new(season: f32) -> Result<Self, String> {
        check_season(season).map(|season| Self { season })
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
        super::ron_options().from_str(text).map_err(|error| {
            let names = Self::ready_made().map(|(name, _)| name).join(", ");
            format!("`{text}` is none of {names}, nor seasons(season: 0.5) or sets(...): {}", error.code)
        })
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
    fn nearest(&self) -> Option<&Skin> {
        let last = self.sets.len().checked_sub(1)?;
        self.sets.get((self.at.clamp(0.0, 1.0) * last as f32).round() as usize)
    }
}

fn last() -> f32 {
    1.0
}

fn read_season<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    let season = read_named("season", "a number from 0 to 1", from)?;
    check_season(season).map_err(D::Error::custom)
}

/// What is wrong with a time of the year, if anything.
fn check_season(season: f32) -> Result<f32, String> {
    if (0.0..=1.0).contains(&season) {
        return Ok(season);
    }
    Err(format!(
        "season is {season}; it must be from 0 to 1: 0 is spring, 0.25 summer, 0.5 autumn, 0.75 winter"
    ))
}

fn read_at<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    let at = read_named("at", "a number from 0 to 1", from)?;
    if (0.0..=1.0).contains(&at) {
        return Ok(at);
    }
    Err(D::Error::custom(format!("at is {at}; it must be from 0 (the first set) to 1 (the last)")))
}

fn read_sets<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Skin>, D::Error> {
    let sets = lists::at_most::<MAX_SETS, Skin, D>(from)?;
    if sets.len() < 2 {
        let count = sets.len();
        return Err(D::Error::custom(format!(
            "there is nothing to fade between {count} set; give at least two"
        )));
    }
    if sets.iter().any(|set| matches!(set, Skin::Sets(_))) {
        return Err(D::Error::custom("`sets` among sets; list them all in one"));
    }
    Ok(sets)
}
