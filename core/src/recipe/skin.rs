//! The texture of a recipe: a ready-made set of terrain types, a season of one, several that fade into each
//! other, or custom types.

use std::path::Path;

use crate::analysis::Picture;
use crate::files::{FilePath, Use};
use crate::params::{
    self, Forms, Param, Parameter, Params, Reading, Value, in_recipes, params, set_whole_from_text,
};
use crate::texture::{Fade, MAX_SETS, Texture, is_guessed_snow, lying_snow, road};

/// The texture of the ground: a ready-made set of terrain types, or a custom one.
///
/// ```
/// # use upland_core as upland;
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
    /// The temperate set in a season ([`Texture::season`]), or another texture ([`Texture::in_season`]).
    Seasons(Seasons),
    /// Several that fade into each other.
    Sets(Sets),
    /// Custom terrain types.
    Custom(Texture),
}

params! {
    /// A season.
    pub struct Seasons {
        /// Time of the year: 0 is the middle of spring, 0.25 of summer, 0.5 of autumn, 0.75 of winter, and
        /// 1 spring again.
        pub season: f32 = 0.0, "" in 0.0..=1.0, required;
        /// The texture that is put into the season, as it is in summer: one of the ready-made sets or custom
        /// terrain types. Left out: the temperate set, which has colours of its own for each season.
        pub of: Vec<Skin> = Vec::new(), "textures" in 0.0..=1.0;
    }
    law Seasons::has_summer;
}

params! {
    /// Texture sets that fade into each other, from the first to the last.
    pub struct Sets {
        /// The sets in order; none of them may be `sets` itself.
        pub sets: Vec<Skin> = Vec::new(), "sets" in 2.0..=MAX_SETS as f64, required;
        /// Position of the fade from 0, the first set, to 1, the last, the others evenly spaced between.
        pub at: f32 = 1.0, "" in 0.0..=1.0;
        /// Where it fades: fully to `at` where the picture is white, the first set where it is black;
        /// brightness as for a [`Picture`]. None: everywhere.
        pub mask: Option<Picture> = None;
    }
    law Sets::can_fade;
}

in_recipes!(Skin, Seasons, Sets);

impl Seasons {
    /// A season.
    ///
    /// # Errors
    /// For one outside 0 to 1; the message says what is accepted.
    pub fn new(season: f32) -> Result<Self, String> {
        let seasons = Self { season, of: Vec::new() };
        params::check(&seasons, "")
            .map_err(|error| format!("{error}: 0 is spring, 0.25 summer, 0.5 autumn, 0.75 winter"))?;
        Ok(seasons)
    }

    /// Checks the texture that is put into a season; the error is the message.
    fn has_summer(&self) -> Result<(), String> {
        match self.of.first() {
            Some(Skin::Seasons(_) | Skin::Sets(_)) => {
                Err("`of` has seasons or sets in it; give one set, such as \
                 `of: [woodland]`, or put the seasons into `sets`"
                    .into())
            }
            _ => Ok(()),
        }
    }

    fn texture(&self) -> Texture {
        match self.of.first() {
            Some(summer) => summer.texture().in_season(self.season),
            None => Texture::season(self.season),
        }
    }
}

/// Texels a sample of land that is made to be seen soon, at most.
pub(crate) const PREVIEW_TEXELS: u32 = 3;

impl Skin {
    /// The ready-made sets by their names in recipes.
    pub fn ready_made() -> [(&'static str, Self); 3] {
        [("temperate", Self::Temperate), ("woodland", Self::Woodland), ("arid", Self::Arid)]
    }

    /// Parses `text`: the name of a ready-made set, or anything else that a recipe may have after
    /// `texture:`.
    pub(super) fn named(text: &str) -> Result<Self, String> {
        let mut skin = Self::default();
        set_whole_from_text(&mut skin, text).map_err(|error| {
            let names = Self::ready_made().map(|(name, _)| name).join(", ");
            format!("`{text}` is not one of {names}, and not seasons(season: 0.5) or sets(...): {error}")
        })?;
        Ok(skin)
    }

    /// The terrain types; of several sets those of the set nearest to `at`.
    pub fn texture(&self) -> Texture {
        match self {
            Self::Temperate => Texture::temperate(),
            Self::Woodland => Texture::woodland(),
            Self::Arid => Texture::arid(),
            Self::Seasons(seasons) => seasons.texture(),
            Self::Sets(sets) => sets.nearest().map(Self::texture).unwrap_or_default(),
            Self::Custom(texture) => texture.clone(),
        }
    }

    /// The textures, and how they fade; a single texture doesn't.
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

    /// The same for land with roads, that is, with the layer `road`: each ready-made set gets a type on roads
    /// and pads, which makes it custom. Custom textures stay as they are: their own types decide what lies on
    /// roads.
    #[must_use]
    pub fn with_roads(&self) -> Self {
        self.on_land(true, false)
    }

    /// The same for land with the layers `road` and `snow`, where it has them. Roads are as in
    /// [`with_roads`](Self::with_roads). Ready-made sets show snow where it lies, in place of the snow that
    /// they otherwise show by height, or by season.
    #[must_use]
    pub fn on_land(&self, has_roads: bool, has_snow: bool) -> Self {
        match self {
            Self::Custom(_) => self.clone(),
            Self::Sets(sets) => {
                let put = sets.sets.iter().map(|set| set.on_land(has_roads, has_snow)).collect();
                Self::Sets(Sets { sets: put, ..sets.clone() })
            }
            Self::Temperate | Self::Woodland | Self::Arid | Self::Seasons(_) if has_roads || has_snow => {
                let mut texture = self.texture();
                if has_snow {
                    texture.types.retain(|kind| !is_guessed_snow(kind));
                    texture.types.push(lying_snow());
                }
                // On top: roads are cleared.
                texture.types.extend(has_roads.then(road));
                Self::Custom(texture)
            }
            ready_made => ready_made.clone(),
        }
    }

    /// The same, quick to bake: with at most `texels` texels for each of `samples`, at least 1.
    pub(crate) fn of_few_texels(&self, samples: u32, texels: u32) -> Self {
        let most = samples.max(1).saturating_mul(texels.max(1));
        self.with(&|texture| {
            texture.resolution = match texture.resolution {
                // It means two texels a sample.
                0 if texels >= 2 => 0,
                0 => most,
                resolution => resolution.min(most),
            };
        })
    }

    /// The same with `change` applied to every texture, which makes ready-made ones custom.
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

    /// Sets the folder that the relative paths of its pictures start from.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Calls `visit` with every file path in it.
    pub(crate) fn visit_files(&mut self, visit: &mut dyn FnMut(&mut FilePath, Use)) {
        match self {
            Self::Custom(texture) => texture.visit_files(visit),
            Self::Sets(sets) => {
                sets.sets.iter_mut().for_each(|set| set.visit_files(visit));
                if let Some(mask) = &mut sets.mask {
                    visit(&mut mask.file, Use::Data);
                }
            }
            Self::Seasons(seasons) => seasons.of.iter_mut().for_each(|set| set.visit_files(visit)),
            Self::Temperate | Self::Woodland | Self::Arid => {}
        }
    }

    /// The same at a time of the year, counted as in [`Seasons`]; applied to each of several sets.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Seasons, Skin};
    /// let winter = Skin::Woodland.in_season(0.75);
    /// assert_eq!(winter, Skin::Seasons(Seasons { season: 0.75, of: vec![Skin::Woodland] }));
    /// assert_eq!(winter.in_season(0.5), Skin::Woodland.in_season(0.5));
    /// ```
    pub fn in_season(&self, season: f32) -> Self {
        let of = match self {
            Self::Temperate => Vec::new(),
            Self::Seasons(seasons) => seasons.of.clone(),
            Self::Sets(sets) => {
                let put = sets.sets.iter().map(|set| set.in_season(season)).collect();
                return Self::Sets(Sets { sets: put, ..sets.clone() });
            }
            Self::Woodland | Self::Arid | Self::Custom(_) => vec![self.clone()],
        };
        Self::Seasons(Seasons { season, of })
    }

    /// The time of the year that it shows; with several sets, that of the first that has one. `None` if none
    /// has.
    #[doc(hidden)]
    pub fn shown_season(&self) -> Option<f32> {
        match self {
            Self::Seasons(seasons) => Some(seasons.season),
            Self::Sets(sets) => sets.sets.iter().find_map(Self::shown_season),
            Self::Temperate | Self::Woodland | Self::Arid | Self::Custom(_) => None,
        }
    }
}

impl Sets {
    /// The most sets.
    pub const MOST: usize = MAX_SETS;

    /// Checks the sets between which it fades; the error is the message.
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

/// The parameters of a texture: season, fade, and everything in the texture itself. Changing a ready-made
/// set makes it a custom one.
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
                // Only a change makes it a texture of its own: a visit without one must leave the name.
                if texture != before {
                    *self = Self::Custom(texture);
                }
            }
        }
    }

    fn doc(&self) -> &'static str {
        "The texture of the ground."
    }

    fn type_name(&self) -> &'static str {
        "Skin"
    }

    fn law(&self) -> Result<(), String> {
        match self {
            Self::Sets(sets) => sets.law(),
            Self::Seasons(seasons) => seasons.law(),
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

impl Parameter for Skin {
    fn reading(&self) -> Reading<'_> {
        Reading::Group(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Group(self)
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
