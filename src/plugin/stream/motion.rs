//! How cameras and bodies move over a land, known from where they are in each frame.

use bevy::ecs::entity::EntityHashMap;
use bevy::math::DVec3;
use bevy::prelude::*;

/// The shortest time between two places from which a speed follows, seconds: in less, rounding is a large
/// part of it.
const SHORTEST: f64 = 1e-3;

/// A kind of things that move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mover {
    /// Beyond this speed, metres per second, a thing has been put somewhere else and does not move on from
    /// there.
    pub(crate) fastest: f64,
    /// The share of its difference from the present speed that the speed of a thing that becomes slower keeps
    /// in a frame, in [0, 1).
    pub(crate) slowing: f64,
}

impl Mover {
    /// A camera flies over lands of thousands of kilometres. Where it stops, the finest tiles are needed
    /// immediately.
    pub(crate) const CAMERA: Self = Self { fastest: 20_000.0, slowing: 0.0 };

    /// A body of a physics engine, which stands still in frames in which physics does not run.
    pub(crate) const BODY: Self = Self { fastest: 2000.0, slowing: 0.85 };

    /// The velocity after one that was known before.
    fn follow(self, before: DVec3, now: DVec3) -> DVec3 {
        // A jump from place to place is not a speed by which anything ahead could be predicted.
        if !now.is_finite() || now.length() >= self.fastest {
            DVec3::ZERO
        // Immediately, so that tiles ahead are ordered in the same frame.
        } else if now.length() >= before.length() {
            now
        } else {
            now + self.slowing * (before - now)
        }
    }
}

/// Where something is, and how fast it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
    /// Metres from the land's sample (0, 0).
    pub(crate) place: DVec3,
    /// Metres per second.
    pub(crate) velocity: DVec3,
    /// When it was there, seconds.
    then: f64,
}

/// The motions of all entities of a kind over one land.
pub(crate) struct Motions {
    mover: Mover,
    by_entity: EntityHashMap<Motion>,
}

impl Motions {
    /// No entities yet.
    pub(crate) fn new(mover: Mover) -> Self {
        Self { mover, by_entity: EntityHashMap::default() }
    }

    /// An entity is at a place at a time, in seconds. Its velocity stays as it was while no time passes, and
    /// is 0 where it is seen for the first time.
    pub(crate) fn follow(&mut self, entity: Entity, place: DVec3, now: f64) -> Motion {
        let motion =
            self.by_entity.entry(entity).or_insert(Motion { place, velocity: DVec3::ZERO, then: now });
        let seconds = now - motion.then;
        if seconds > 0.0 {
            let velocity = (place - motion.place) / seconds.max(SHORTEST);
            motion.velocity = self.mover.follow(motion.velocity, velocity);
        }
        (motion.place, motion.then) = (place, now);
        *motion
    }

    /// Forgets an entity.
    pub(crate) fn forget(&mut self, entity: Entity) {
        self.by_entity.remove(&entity);
    }

    /// Forgets all but these.
    pub(crate) fn keep(&mut self, stays: impl Fn(Entity) -> bool) {
        self.by_entity.retain(|entity, _| stays(*entity));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALKER: Entity = Entity::from_raw_u32(7).unwrap();

    fn velocities(mover: Mover, places: &[(f64, f64)]) -> Vec<f64> {
        let mut motions = Motions::new(mover);
        places.iter().map(|(x, now)| motions.follow(WALKER, DVec3::X * *x, *now).velocity.x).collect()
    }

    #[test]
    fn a_velocity_is_the_way_over_the_time() {
        for mover in [Mover::CAMERA, Mover::BODY] {
            assert_eq!(velocities(mover, &[(5.0, 1.0), (6.0, 1.5), (10.0, 2.0)]), [0.0, 2.0, 8.0]);
        }
    }

    #[test]
    fn whatever_is_put_somewhere_else_stands_still_there() {
        for mover in [Mover::CAMERA, Mover::BODY] {
            let far = mover.fastest * 2.0;
            assert_eq!(velocities(mover, &[(0.0, 0.0), (1.0, 1.0), (far, 2.0)]), [0.0, 1.0, 0.0]);
            let nowhere = velocities(mover, &[(0.0, 0.0), (f64::NAN, 1.0), (1.0, 2.0)]);
            assert_eq!(nowhere, [0.0; 3]);
        }
    }

    #[test]
    fn a_camera_stops_immediately_and_a_body_between_frames_of_physics_moves_on() {
        let stops = [(0.0, 0.0), (1.0, 1.0), (1.0, 2.0), (1.0, 3.0)];
        assert_eq!(velocities(Mover::CAMERA, &stops), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(velocities(Mover::BODY, &stops), [0.0, 1.0, 0.85, 0.85 * 0.85]);
    }

    #[test]
    fn while_time_stands_still_a_velocity_stays() {
        for mover in [Mover::CAMERA, Mover::BODY] {
            assert_eq!(velocities(mover, &[(0.0, 0.0), (1.0, 1.0), (3.0, 1.0)]), [0.0, 1.0, 1.0]);
        }
    }
}
