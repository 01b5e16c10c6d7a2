//! The longitudinal profile of a road: never steeper than its grade, with cut and fill in balance.
//!
//! Of all profiles that keep a grade, the highest that lies nowhere above the land and the lowest that lies
//! nowhere below it are its Lipschitz envelopes (McShane, "Extension of Range of Functions", 1934), found in
//! two passes each. Anything between them keeps the grade as well, and so does a mean over some metres of
//! what does.

/// The limits of a road's profile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grade {
    /// Rise per metre, at most.
    pub(super) most: f64,
    /// Metres over which bumps of the land are evened out, and crests and sags rounded.
    pub(super) ease: f64,
    /// From 0, only cut into the land, to 1, only filled up.
    pub(super) fill: f64,
    /// No lower than this, metres.
    pub(super) lowest: f64,
}

impl Grade {
    /// The heights of a road over land of these heights, at places `along` it, in metres. Both ends lie on
    /// the land where the grade allows it. At those places that `floors` names the road is at least as high as
    /// it says there, and before and after them as high as the grade demands.
    pub(super) fn profile(&self, along: &[f64], land: &[f64], floors: &[(usize, f64)]) -> Vec<f64> {
        let (Some(first), Some(last)) = (land.first(), land.last()) else { return Vec::new() };
        let eased = mean(along, land, self.ease);
        // Everything between the two that keeps the grade would do; `fill` chooses one by its share.
        let [above, below] = [self.envelope(along, &eased, f64::max), self.envelope(along, &eased, f64::min)];
        let between: Vec<f64> =
            above.iter().zip(&below).map(|(above, below)| below + (above - below) * self.fill).collect();
        // Twice, so that there are no kinks; each mean keeps the grade.
        let rounded = mean(along, &mean(along, &between, 0.5 * self.ease), 0.5 * self.ease);
        let length = along[along.len() - 1];
        // Ends that are too far apart in height can't both lie on the land.
        let meets = (last - first).abs() <= self.most * length;
        let along_of = along;
        let profile = rounded.iter().zip(along).map(|(height, along)| {
            let mut height = *height;
            if meets {
                // Rounding has moved the ends: within these cones around them each profile still meets them,
                // and keeps the grade, since a maximum or minimum of two lines of that grade has it too.
                let from = |end: &f64, away: f64| (end - self.most * away, end + self.most * away);
                let (start, end) = (from(first, *along), from(last, length - along));
                height = height.max(start.0).max(end.0).min(start.1).min(end.1);
            }
            // A maximum of lines of that grade keeps it.
            let floor = |(index, floor): &(usize, f64)| floor - self.most * (along - along_of[*index]).abs();
            floors.iter().map(floor).fold(height.max(self.lowest), f64::max)
        });
        profile.collect()
    }

    /// The lowest profile above, with `pick` the maximum, or the highest below, with the minimum.
    fn envelope(&self, along: &[f64], land: &[f64], pick: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let is_above = pick(0.0, 1.0) == 1.0;
        let rise = if is_above { -self.most } else { self.most };
        let mut envelope = land.to_vec();
        // Forwards, then backwards: two passes give the exact envelope, since a limit comes from one side or
        // the other.
        for index in 1..envelope.len() {
            let from = envelope[index - 1] + rise * (along[index] - along[index - 1]);
            envelope[index] = pick(envelope[index], from);
        }
        for index in (1..envelope.len()).rev() {
            let from = envelope[index] + rise * (along[index] - along[index - 1]);
            envelope[index - 1] = pick(envelope[index - 1], from);
        }
        envelope
    }
}

/// The mean of a line of heights over a length in metres around each place; beyond its ends it goes on level.
fn mean(along: &[f64], heights: &[f64], over: f64) -> Vec<f64> {
    if over <= 0.0 || heights.len() < 2 {
        return heights.to_vec();
    }
    // Relative to the first, so that sums stay small.
    let base = heights[0];
    let mut areas = vec![0.0];
    for index in 1..heights.len() {
        let width = along[index] - along[index - 1];
        areas.push(areas[index - 1] + width * (0.5 * (heights[index] + heights[index - 1]) - base));
    }
    let last = heights.len() - 1;
    let area_to = |place: f64, from: &mut usize| {
        // Beyond both ends the height of the end goes on, so areas there are rectangles.
        if place <= along[0] {
            return (heights[0] - base) * (place - along[0]);
        }
        if place >= along[last] {
            return areas[last] + (heights[last] - base) * (place - along[last]);
        }
        // Places ascend, so each of the two searches goes on where it stopped: linear for the whole line.
        while along[*from + 1] < place {
            *from += 1;
        }
        let (from, to) = (*from, *from + 1);
        let away = place - along[from];
        let slope = (heights[to] - heights[from]) / (along[to] - along[from]);
        areas[from] + away * (heights[from] - base + 0.5 * slope * away)
    };
    let (mut behind, mut ahead) = (0, 0);
    let mean = along.iter().map(|place| {
        let area = area_to(place + 0.5 * over, &mut ahead) - area_to(place - 0.5 * over, &mut behind);
        base + area / over
    });
    mean.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GRADE: Grade = Grade { most: 0.08, ease: 30.0, fill: 0.5, lowest: f64::NEG_INFINITY };

    fn steepest(along: &[f64], heights: &[f64]) -> f64 {
        let rises = along.windows(2).zip(heights.windows(2));
        rises
            .map(|(along, heights)| ((heights[1] - heights[0]) / (along[1] - along[0])).abs())
            .fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn no_profile_is_steeper_than_its_grade(
            steps in prop::collection::vec((0.1f64..9.0, -60.0f64..60.0), 2..300),
            most in 0.001f64..0.9, ease in 0.0f64..200.0, fill in 0.0f64..=1.0, lowest in -80.0f64..20.0,
        ) {
            let mut along = Vec::new();
            let mut far = 0.0;
            for (step, _) in &steps {
                along.push(far);
                far += step;
            }
            let land: Vec<f64> = steps.iter().map(|(_, height)| *height).collect();
            let grade = Grade { most, ease, fill, lowest };
            let profile = grade.profile(&along, &land, &[]);
            prop_assert_eq!(profile.len(), land.len());
            prop_assert!(steepest(&along, &profile) <= most * (1.0 + 1e-6) + 1e-9);
            prop_assert!(profile.iter().all(|height| *height >= lowest));
            let last = land.len() - 1;
            if (land[last] - land[0]).abs() <= most * along[last] {
                for end in [0, last] {
                    prop_assert!((profile[end] - land[end].max(lowest)).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_road_over_land_that_is_not_steep_lies_on_it() {
        let along: Vec<f64> = (0..500).map(|index| f64::from(index) * 2.0).collect();
        let land: Vec<f64> = along.iter().map(|along| 100.0 + 0.05 * along).collect();
        let profile = GRADE.profile(&along, &land, &[]);
        // Its ends too: there the mean is of level ground beyond, but they are held.
        assert!(profile.iter().zip(&land).all(|(road, land)| (road - land).abs() < 0.6));
        assert!((profile[250] - land[250]).abs() < 1e-9);
    }

    #[test]
    fn a_floor_lifts_the_road_before_and_after_it_as_gently_as_the_grade_demands() {
        let along: Vec<f64> = (0..401).map(|index| f64::from(index) * 5.0).collect();
        let profile = GRADE.profile(&along, &[10.0; 401], &[(200, 26.0), (210, 22.0)]);
        assert_eq!((profile[200], profile[210]), (26.0, 22.0));
        assert_eq!((profile[0], profile[400]), (10.0, 10.0));
        assert!((profile[190] - 22.0).abs() < 1e-9 && steepest(&along, &profile) <= 0.08 + 1e-9);
    }

    #[test]
    fn a_ridge_is_cut_or_filled_up_to_as_the_share_says() {
        let along: Vec<f64> = (0..401).map(|index| f64::from(index) * 5.0).collect();
        // Level, but for a ridge whose sides, 200 m long, rise by 60 m.
        let ridge = |along: &f64| 60.0 + (60.0 - 0.3 * (along - 1000.0).abs()).max(0.0);
        let land: Vec<f64> = along.iter().map(ridge).collect();
        let crest = |fill: f64| Grade { fill, ease: 0.0, ..GRADE }.profile(&along, &land, &[])[200];
        assert!((crest(1.0) - 120.0).abs() < 1e-9, "nothing of the crest is cut");
        assert!((crest(0.0) - (60.0 + 0.08 * 200.0)).abs() < 1e-9, "nothing is filled up");
        assert!((crest(0.5) - 0.5 * (crest(0.0) + crest(1.0))).abs() < 1e-9);
    }

    #[test]
    fn ends_that_can_be_met_are_met_though_more_is_cut_than_the_share_says() {
        let along: Vec<f64> = (0..401).map(|index| f64::from(index) * 5.0).collect();
        let land: Vec<f64> = along.iter().map(|along| 120.0 - 0.3 * (along - 1000.0).abs()).collect();
        let road = Grade { fill: 1.0, ease: 0.0, ..GRADE }.profile(&along, &land, &[]);
        assert_eq!((road[0], road[400]), (land[0], land[400]));
        assert!((road[200] - (-180.0 + 0.08 * 1000.0)).abs() < 1e-9);
    }
}
