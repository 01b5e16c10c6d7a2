//! Ways to look at a land: one of the plugin's views, or a layer of the recipe.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::plugin::DebugView;
use crate::recipe::Recipe;

/// What a picture or the window shows of a land.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewMode {
    /// One of the plugin's views.
    View(DebugView),
    /// A layer, by its name.
    Layer(String),
}

impl Default for ViewMode {
    fn default() -> Self {
        Self::View(DebugView::None)
    }
}

impl ViewMode {
    /// The view or layer called `name` on the land of a recipe.
    ///
    /// # Errors
    /// When there is neither such a view nor such a layer; the message lists both.
    pub fn find(name: &str, recipe: &Recipe) -> Result<Self> {
        let layers = recipe.layers();
        // Layers first: a recipe's own layer may be called like a view.
        if layers.iter().any(|layer| layer == name) {
            return Ok(Self::Layer(name.to_owned()));
        }
        let view = DebugView::from_str(name).ok();
        view.filter(|view| VIEWS.contains(view)).map(Self::View).ok_or_else(|| {
            let (views, layers) = (VIEWS.map(DebugView::name).join(", "), layers.join(", "));
            let reason =
                format!("there is no view `{name}`; there are {views}, and of this land the layers {layers}");
            Error::parameter("--view", reason)
        })
    }
}

/// The views that can be chosen by name; layers are chosen by their own names.
pub(crate) const VIEWS: [DebugView; 12] = [
    DebugView::None,
    DebugView::Wireframe,
    DebugView::Levels,
    DebugView::Chunks,
    DebugView::Residency,
    DebugView::Slope,
    DebugView::Aspect,
    DebugView::Contours,
    DebugView::Normals,
    DebugView::Types,
    DebugView::Viewshed,
    DebugView::Overdraw,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_that_is_not_known_is_refused_with_all_that_are() {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        assert_eq!(ViewMode::find("wireframe", &recipe).unwrap(), ViewMode::View(DebugView::Wireframe));
        assert_eq!(ViewMode::find("flow", &recipe).unwrap(), ViewMode::Layer("flow".into()));
        let error = ViewMode::find("wire", &recipe).unwrap_err().to_string();
        for name in ["`wire`", "wireframe, levels", "viewshed", "flow", "water_depth"] {
            assert!(error.contains(name), "{error}");
        }
        for hidden in ["position", "layer"] {
            assert!(ViewMode::find(hidden, &recipe).is_err(), "it needs more than a name");
        }
    }
}
