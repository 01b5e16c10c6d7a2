//! The weather of a landscape: clouds and haze.

use crate::params::params;

params! {
    /// The weather. It is seen in the picture alone: the land, its colours and its plants stay the same.
    pub struct Weather {
        /// Share of the sky under low clouds with flat bases, which shade the land; from 0.8 up the sky grows
        /// overcast.
        pub clouds: f32 = 0.0, "" in 0.0..=1.0;
        /// Height of the low clouds' base above the highest ground.
        pub base: f32 = 700.0, "m" in 50.0..=6000.0;
        /// Share of the sky under thin clouds of ice, high above, which cast no shadows.
        pub high_clouds: f32 = 0.3, "" in 0.0..=1.0;
        /// Distance at which a dark hill has all but vanished in haze, where it is shorter than one that suits
        /// the extent of the land.
        pub visibility: f32 = 600000.0, "m" in 500.0..=600000.0, log;
    }
}

impl Copy for Weather {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recipe, Result};

    #[test]
    fn weather_is_written_once_it_has_been_chosen_and_read_back() -> Result<()> {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        let before = recipe.to_ron()?;
        assert!(!before.contains("weather"), "{before}");
        assert_eq!(Recipe::from_ron(&before, "land.ron")?.weather, Weather::default());
        recipe.set("weather.clouds", "0.4")?;
        let text = recipe.to_ron()?;
        assert!(text.contains("weather: (") && text.contains("clouds: 0.4"), "{text}");
        assert_eq!(Recipe::from_ron(&text, "land.ron")?, recipe);
        recipe.set("weather.clouds", "0")?;
        assert_eq!(recipe.to_ron()?, before);
        for (path, value) in [("clouds", "1.1"), ("high_clouds", "-1"), ("base", "NaN"), ("visibility", "10")]
        {
            let said = recipe.set(&format!("weather.{path}"), value).unwrap_err().to_string();
            assert!(said.starts_with(&format!("weather.{path}: ")) && said.contains("outside"), "{said}");
        }
        Ok(())
    }
}
