//! Cut and fill: the slopes between made ground and the land as it was.

use crate::grid::Heightfield;

/// From this share of their reach on, slopes become steeper, so that they always meet the land in the end.
pub(super) const EASED: f64 = 0.75;

/// The slopes around made ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slopes {
    /// Rise per metre where the land is higher.
    cut: f64,
    /// Fall per metre where it is lower.
    fill: f64,
    /// How far they reach, metres.
    pub(super) reach: f64,
}

impl Slopes {
    /// From angles in degrees, and how far they reach in metres.
    pub(super) fn new(cut: f32, fill: f32, reach: f32) -> Self {
        let rise = |degrees: f32| libm::tan(f64::from(degrees).to_radians());
        Self { cut: rise(cut), fill: rise(fill), reach: reach.into() }
    }

    /// The height of land that was `land` high, `beyond` metres from made ground that ends at a height of
    /// `made`: the land itself where the slope has met it.
    pub(super) fn meet(&self, land: f64, made: f64, beyond: f64) -> f64 {
        let share = beyond / self.reach;
        // A reach of 0 gives 0/0 at the edge itself.
        if share.is_nan() || share >= 1.0 {
            return land;
        }
        // From 1 down to 0 at the reach: the slope becomes ever steeper, and so meets the land before it.
        let steeper = 1.0 - ((share - EASED) / (1.0 - EASED)).max(0.0);
        let most = |rise: f64| rise * beyond / steeper;
        // A slope only ever leads towards the land, and ends where it meets it.
        if land > made { land.min(made + most(self.cut)) } else { land.max(made - most(self.fill)) }
    }
}

/// The share of a place that is made ground: 1 up to its edge, falling to 0 over `edge` metres. The place
/// lies `beyond` metres outside, or inside if that is below 0.
pub(super) fn made_share(beyond: f64, edge: f64) -> f32 {
    if beyond <= 0.0 {
        1.0
    } else if beyond < edge {
        (1.0 - beyond / edge) as f32
    } else {
        0.0
    }
}

/// The larger of what a layer held at a sample and a share.
pub(super) fn at_least(before: Option<&Heightfield>, [column, row]: [usize; 2], share: f32) -> f32 {
    before.map_or(share, |before| before.at(column, row).max(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_asked_for_and_always_meet_the_land() {
        let slopes = Slopes::new(45.0, 30.0, 100.0);
        let fall = 30f64.to_radians().tan();
        for beyond in [0.0, 1.0, 20.0, 74.9] {
            assert!((slopes.meet(500.0, 10.0, beyond) - (10.0 + beyond)).abs() < 1e-9);
            assert!((slopes.meet(-500.0, 10.0, beyond) - (10.0 - fall * beyond)).abs() < 1e-9);
            assert_eq!(slopes.meet(10.0, 10.0, beyond), 10.0);
        }
        assert_eq!(
            (slopes.meet(12.0, 10.0, 5.0), slopes.meet(9.0, 10.0, 5.0)),
            (12.0, 9.0),
            "it is met before"
        );
        for land in [500.0, -500.0] {
            assert_eq!(slopes.meet(land, 10.0, 100.0), land);
            let last = slopes.meet(land, 10.0, 99.99);
            assert_eq!(last, land, "without a step");
            let mut before = 10.0f64;
            for beyond in 1..100 {
                let height = slopes.meet(land, 10.0, f64::from(beyond));
                assert!((height - before) * land >= 0.0, "it never turns back");
                before = height;
            }
        }
    }

    #[test]
    fn without_reach_there_are_walls() {
        let walls = Slopes::new(45.0, 45.0, 0.0);
        assert_eq!((walls.meet(7.0, 1.0, 0.0), walls.meet(7.0, 1.0, 0.1)), (7.0, 7.0));
    }

    #[test]
    fn shares_fall_evenly_over_the_edge() {
        assert_eq!(
            [-1.0, 0.0, 1.0, 2.0, 3.0].map(|beyond| made_share(beyond, 2.0)),
            [1.0, 1.0, 0.5, 0.0, 0.0]
        );
        assert_eq!(made_share(0.1, 0.0), 0.0);
    }
}
