//! Loops over the samples of a row: how strongly the wind blows there, and what it does to the sand.

use crate::compute::wide::Loop;

/// Shares of what lands that stay: on rock, and on sand.
const STAYS_ON_ROCK: f32 = 0.4;
const STAYS_ON_SAND: f32 = 0.6;

/// The most that a slope adds to the wind.
const PUSHED: f32 = 0.7;

/// How the ground ahead and behind, at one distance, changes the wind: for each unit.
#[derive(Clone, Copy)]
pub(super) struct Pressure {
    /// That the ground rises along the wind.
    pub push: f32,
    /// That it lies above both.
    pub rise: f32,
}

/// Adds what the ground at one distance does to the wind.
pub(super) struct Press<'a> {
    pub pressure: Pressure,
    pub here: &'a [i32],
    pub ahead: &'a [i32],
    pub behind: &'a [i32],
    pub wind: &'a mut [f32],
}

impl Loop for Press<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { pressure: Pressure { push, rise }, here, ahead, behind, wind } = self;
        for (((here, ahead), behind), wind) in here.iter().zip(ahead).zip(behind).zip(wind) {
            let above = (2 * here - ahead - behind) as f32;
            *wind += above * rise + ((ahead - behind) as f32 * push).clamp(-PUSHED, PUSHED);
        }
    }
}

/// How strongly the wind blows, in units.
#[derive(Clone, Copy)]
pub(super) struct Strength {
    /// What it lifts from level ground.
    pub lifted: f32,
    /// The most it lifts, as a multiple of that.
    pub strongest: f32,
    /// Thickness of sand below which all of it is lifted, for the rock shows through.
    pub bare: f32,
    /// The share that it lifts less for each unit of depth in the shadow.
    pub dark: f32,
}

/// Lifts sand into what hops.
pub(super) struct Lift<'a> {
    pub strength: Strength,
    /// The wind as a multiple of that over level ground.
    pub wind: &'a [f32],
    pub surface: &'a [i32],
    /// The surface, or the top of the shadow above it.
    pub ground: &'a [i32],
    pub air: &'a [i32],
    pub sheltered: &'a mut [i32],
    pub hopping: &'a mut [i32],
    pub sand: &'a mut [i32],
}

impl Loop for Lift<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { strength, wind, surface, ground, air, sheltered, hopping, sand } = self;
        let ground = surface.iter().zip(ground).zip(wind);
        let layers = air.iter().zip(sheltered).zip(hopping.iter_mut().zip(sand));
        for (((surface, ground), wind), ((air, sheltered), (hopping, sand))) in ground.zip(layers) {
            let depth = ((ground - surface) as f32 * strength.dark).min(1.0);
            let lifted = strength.lifted * wind.clamp(0.0, strength.strongest) * (1.0 - depth);
            // On rock no grain finds rest.
            let thin = strength.bare - *sand as f32;
            let lifted = (lifted.max(thin * (1.0 - depth)) as i32).min(*sand);
            *sand -= lifted;
            *hopping = air + lifted;
            *sheltered = (depth * 256.0) as i32;
        }
    }
}

/// Shares, in parts of 256, of what hops that lands a column farther east and a row farther south.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub east: i32,
    pub south: i32,
}

impl Parts {
    /// What of `amount` lands there. What the four parts are rounded by comes to nothing in all.
    #[inline(always)]
    fn of(self, amount: i32, east: bool, south: bool) -> i32 {
        let far = share(amount, self.east);
        let amount = if east { far } else { amount - far };
        let far = share(amount, self.south);
        if south { far } else { amount - far }
    }
}

impl Parts {
    /// A height between two of the row `near` and two of the row `far`, to the south of it.
    #[inline(always)]
    fn between(self, near: [i32; 2], far: [i32; 2]) -> i32 {
        // Not by `map`, which the compiler would call for every sample.
        let north = near[0] + share(near[1] - near[0], self.east);
        let south = far[0] + share(far[1] - far[0], self.east);
        north + share(south - north, self.south)
    }
}

/// `part` of 256 of an amount, rounded down.
#[inline(always)]
fn share(amount: i32, part: i32) -> i32 {
    // In two parts, so that large amounts don't overflow.
    (amount >> 8) * part + (((amount & 255) * part) >> 8)
}

/// Rolls some of what hops aside.
pub(super) struct Roll<'a> {
    /// The share that rolls for each unit that the ground falls, in parts of 256.
    pub rolls: f32,
    /// The share of full cover for each unit of sand.
    pub covered: f32,
    pub parts: Parts,
    /// Rows of ground at the place where it rolls to.
    pub near: &'a [i32],
    pub far: &'a [i32],
    pub surface: &'a [i32],
    pub sand: &'a [i32],
    pub hopping: &'a mut [i32],
    pub rolled: &'a mut [i32],
}

impl Loop for Roll<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { rolls, covered, parts, near, far, surface, sand, hopping, rolled } = self;
        let count = surface.len();
        let there = near.iter().zip(&near[1..]).zip(far.iter().zip(&far[1..count + 1]));
        let layers = surface.iter().zip(sand).zip(hopping.iter_mut().zip(rolled));
        for (((near, near_east), (far, far_east)), ((surface, sand), (hopping, rolled))) in there.zip(layers)
        {
            let fall = surface - parts.between([*near, *near_east], [*far, *far_east]);
            let cover = (*sand as f32 * covered).min(1.0);
            // At most half of it.
            *rolled = share(
                *hopping,
                ((fall as f32 * rolls).clamp(0.0, 128.0) * (0.5 * cover + 0.5 * cover * cover)) as i32,
            );
            *hopping -= *rolled;
        }
    }
}

/// Adds what comes from the four samples around.
pub(super) struct Gather<'a> {
    pub parts: Parts,
    pub near: &'a [i32],
    pub far: &'a [i32],
    pub sum: &'a mut [i32],
}

impl Loop for Gather<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { parts, near, far, sum } = self;
        let count = sum.len();
        let sources = near[1..].iter().zip(&near[..count]).zip(far[1..].iter().zip(&far[..count]));
        for (((near, near_west), (far, far_west)), sum) in sources.zip(sum) {
            *sum += parts.of(*near, false, false)
                + parts.of(*near_west, true, false)
                + parts.of(*far, false, true)
                + parts.of(*far_west, true, true);
        }
    }
}

/// Computes heights, each between two of the row `near` and two of the row `far`.
pub(super) struct Between<'a> {
    pub parts: Parts,
    pub near: &'a [i32],
    pub far: &'a [i32],
    pub heights: &'a mut [i32],
}

impl Loop for Between<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { parts, near, far, heights } = self;
        let there = near.iter().zip(&near[1..]).zip(far.iter().zip(&far[1..]));
        for (((near, near_east), (far, far_east)), height) in there.zip(heights) {
            *height = parts.between([*near, *near_east], [*far, *far_east]);
        }
    }
}

/// Lays some of what hops down.
pub(super) struct Land<'a> {
    pub parts: Parts,
    pub covered: f32,
    /// What hops, of the row from which it lands here, and of the row before; they begin a column earlier.
    pub near: &'a [i32],
    pub far: &'a [i32],
    pub sheltered: &'a [i32],
    pub sand: &'a mut [i32],
    pub air: &'a mut [i32],
}

impl Loop for Land<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { parts, covered, near, far, sheltered, sand, air } = self;
        let count = sand.len();
        let sources = near[1..].iter().zip(&near[..count]).zip(far[1..].iter().zip(&far[..count]));
        let layers = sheltered.iter().zip(sand.iter_mut().zip(air));
        for (((near, near_west), (far, far_west)), (sheltered, (sand, air))) in sources.zip(layers) {
            let landed = parts.of(*near, false, false)
                + parts.of(*near_west, true, false)
                + parts.of(*far, false, true)
                + parts.of(*far_west, true, true);
            let cover = (*sand as f32 * covered).min(1.0);
            let stays = STAYS_ON_ROCK + (STAYS_ON_SAND - STAYS_ON_ROCK) * cover;
            let stays = stays + (1.0 - stays) * (*sheltered as f32 * (1.0 / 256.0));
            let stays = ((landed as f32 * stays) as i32).min(landed);
            *sand += stays;
            *air = landed - stays;
        }
    }
}
