//! The land of this room's tests.

use crate::recipe::Recipe;

/// A recipe of land of this size with these steps, as they are written in a file.
pub(super) fn recipe(size: &str, steps: &str) -> Recipe {
    let text = format!(
        r#"(version: 1, name: "Land", seed: 3, size: {size}, cell: 20, steps: [{steps}], texture: arid)"#
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}
