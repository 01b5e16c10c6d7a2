//! Which layers a recipe's steps write, and what its land has because of them: overhangs, holes, roads.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Recipe, Skin, StackPart};
use crate::grid::layer::{HOLE, MOST_SHIFTED, ROAD, SHIFT, SNOW, WATER_DEPTH};
use crate::texture::Fade;

impl Recipe {
    /// The names of the layers that the finished land can have: those that its steps write, and
    /// [`WATER_DEPTH`].
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Worn", (65, 65), 30.0);
    /// recipe.steps.extend(["fbm", "erode"].map(|name| upland::Step::from_name(name).unwrap()));
    /// assert_eq!(recipe.layers(), ["deposit", "flow", "water_depth", "wear"]);
    /// ```
    pub fn layers(&self) -> Vec<String> {
        let mut names = self.written_layers();
        names.insert(WATER_DEPTH.into());
        names.into_iter().collect()
    }

    /// The names of the layers that its steps write and that the finished land still has.
    fn written_layers(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut outer = Vec::new();
        for (index, part) in self.stack_parts() {
            match part {
                StackPart::Step => self.steps[index].write_into(&mut names),
                StackPart::Opens => {
                    outer.push(names.clone());
                    self.steps[index].write_into(&mut names);
                }
                StackPart::Closes(opened) => {
                    let outer = outer.pop().unwrap_or_default();
                    self.steps[opened].blend_into(outer, &mut names);
                }
            }
        }
        names
    }

    /// Whether a step moves the ground sideways, so that it can overhang: the land is then drawn with the
    /// layers `shift_east` and `shift_south`.
    pub fn is_shifted(&self) -> bool {
        !self.shifts().is_empty()
    }

    /// The layers of shifts that its steps write.
    #[doc(hidden)]
    pub fn shifts(&self) -> Vec<&'static str> {
        let written = self.written_layers();
        SHIFT.into_iter().filter(|name| written.contains(*name)).collect()
    }

    /// Whether a step takes ground away: the land is then drawn, asked and exported with the layer `hole`.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Mine", (65, 65), 30.0);
    /// recipe.steps.extend(["fbm", "hole"].map(|name| upland::Step::from_name(name).unwrap()));
    /// assert!(recipe.has_holes());
    /// recipe.steps[1].mixing.on = false;
    /// assert!(!recipe.has_holes());
    /// ```
    pub fn has_holes(&self) -> bool {
        self.written_layers().contains(HOLE)
    }

    /// Whether a step makes roads or pads, so that the land has the layer `road`: ready-made textures show
    /// gravel there.
    pub fn has_roads(&self) -> bool {
        self.written_layers().contains(ROAD)
    }

    /// Whether a step lays snow, so that the land has the layer `snow`: ready-made textures show it there.
    pub fn has_snow(&self) -> bool {
        self.written_layers().contains(SNOW)
    }

    /// The layers that ready-made textures show on this land.
    pub(crate) fn shown_layers(&self) -> Vec<&'static str> {
        let shown = [(ROAD, self.has_roads()), (SNOW, self.has_snow())];
        shown.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
    }

    /// The texture that is drawn: the recipe's, with gravel on roads and lying snow added to a ready-made
    /// one.
    pub fn drawn_texture(&self) -> Cow<'_, Skin> {
        let (has_roads, has_snow) = (self.has_roads(), self.has_snow());
        let is_as_it_is = matches!(self.texture, Skin::Custom(_)) || !(has_roads || has_snow);
        if is_as_it_is {
            Cow::Borrowed(&self.texture)
        } else {
            Cow::Owned(self.texture.on_land(has_roads, has_snow))
        }
    }

    /// The textures that are drawn, and how they blend into each other.
    pub fn fade(&self) -> Fade {
        self.drawn_texture().fade()
    }

    /// The layers that its ground is made of in addition to the heights: shifts and holes.
    pub(crate) fn ground_layers(&self) -> Vec<&'static str> {
        self.shifts().into_iter().chain(self.has_holes().then_some(HOLE)).collect()
    }

    /// The farthest that its steps move ground along either axis, metres, at most [`MOST_SHIFTED`].
    pub(crate) fn most_shifted(&self) -> f32 {
        self.done().map(|(_, step)| step.operation.shifts_by()).sum::<f32>().min(MOST_SHIFTED)
    }
}
