//! Seasons of plants.

use glam::Vec3;

/// A season, as plants show it in a temperate climate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Season {
    /// Young, light green leaves.
    Spring,
    /// Full leaves and flowers.
    #[default]
    Summer,
    /// Leaves in autumn colours.
    Autumn,
    /// Bare twigs; evergreens and stones stay as they are.
    Winter,
}

impl Season {
    /// All seasons, from spring on.
    pub const ALL: [Self; 4] = [Self::Spring, Self::Summer, Self::Autumn, Self::Winter];

    /// Its name: `spring`, `summer`, `autumn` or `winter`.
    pub fn name(self) -> &'static str {
        ["spring", "summer", "autumn", "winter"][self as usize]
    }

    /// The season at a share of the year, 0 being the first of January and 1 its end; wraps around.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::plants::Season;
    /// assert_eq!([0.05, 0.3, 0.55, 0.8].map(Season::of_year), [Season::Winter, Season::Spring,
    /// Season::Summer, Season::Autumn]);
    /// ```
    pub fn of_year(share: f32) -> Self {
        // Spring begins with March, and each season has three months.
        let month = 12.0 * (share - share.floor());
        match month {
            m if !(2.0..11.0).contains(&m) => Self::Winter,
            m if m < 5.0 => Self::Spring,
            m if m < 8.0 => Self::Summer,
            _ => Self::Autumn,
        }
    }

    /// Linear colours of leaves of a broadleaved plant: two for each season, between which leaves differ; for
    /// winter, of its bare twigs.
    pub(super) fn colours(self, of: [[[f32; 3]; 2]; 4]) -> [Vec3; 2] {
        of[self as usize].map(Vec3::from)
    }
}
