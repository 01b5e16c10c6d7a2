//! The landscape that *New* begins with.

use crate::recipe::{Recipe, Skin, Step};
use crate::steps::generate::Fbm;

/// Hills of one generator, about twelve kilometres wide. It is the same every time: another seed is a click away.
pub(crate) fn landscape() -> Recipe {
    let hills = Fbm { height: 900.0, frequency: 3.0, ..Fbm::default() };
    let mut recipe = Recipe::new("Untitled", (1025, 1025), 12.0);
    (recipe.steps, recipe.texture) = (vec![Step::new(hills)], Skin::Woodland);
    recipe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Work;

    #[test]
    fn a_new_landscape_is_valid_hilly_and_written_as_it_is() {
        let recipe = landscape();
        recipe.check().unwrap();
        let text = recipe.to_ron().unwrap();
        assert_eq!(Recipe::from_ron(&text, "untitled.ron").unwrap(), recipe);
        let land = recipe.with_longer_side(65).build_heightfield(&Work::new()).unwrap();
        let (low, high) = land.range();
        assert!(high - low > 200.0, "{low} to {high}");
    }
}
