//! The landscape that *New* opens.

use crate::recipe::{Recipe, Skin, Step};
use crate::steps::generate::Fbm;

/// Hills of one generator, about twelve kilometres wide. It is always the same: another seed is a click away.
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
    fn a_new_landscape_is_valid_and_hilly_and_can_be_read_again() {
        let recipe = landscape();
        recipe.check().unwrap();
        let text = recipe.to_ron().unwrap();
        assert_eq!(Recipe::from_ron(&text, "untitled.ron").unwrap(), recipe);
        let land = recipe.with_longer_side(65).build_heightfield(&Work::new()).unwrap();
        let (low, high) = land.range();
        assert!(high - low > 200.0, "{low} to {high}");
    }
}
