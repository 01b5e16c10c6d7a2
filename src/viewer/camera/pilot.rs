//! The pilot, which all cameras of the window follow: its position and direction, its journeys, tours and
//! recordings.

use bevy::math::DVec3;
use bevy::prelude::*;

use crate::recipe::{Flight, PLACES, Tour, Waypoint};

/// Height of a walker's eyes, metres, and the fastest walk, metres per second.
pub(crate) const EYES: f64 = 1.7;
const FASTEST_WALK: f32 = 40.0;
/// Duration of a journey to a place, seconds, and how far from the place it ends, as a share of its length.
const JOURNEY: f32 = 1.6;
const SHORT_OF: f64 = 0.12;
/// Places between the end of a walker's journey and what is looked at, at which land is looked for.
const LANDINGS: u32 = 64;
/// Seconds between two waypoints of a recorded flight.
const BETWEEN: f32 = 1.0;
/// The steepest view up or down, radians.
pub(crate) const STEEPEST: f32 = 1.54;
/// The wheel leads an orbit no nearer and no farther than this, metres. From the farthest, the largest
/// planet, of 20,000 km, is seen whole.
const NEAREST_ORBIT: f64 = 1.0;
const FARTHEST_ORBIT: f64 = 1e8;

/// The pilot's position, direction and speed.
#[derive(Resource, Clone, Debug, PartialEq)]
pub(crate) struct Pilot {
    /// Position in metres from the initial origin of the world, also precise a thousand kilometres away.
    pub place: DVec3,
    /// Compass bearing of the view, radians clockwise from north.
    pub bearing: f32,
    /// Angle of the view above the horizon, radians.
    pub pitch: f32,
    /// Metres per second.
    pub speed: f32,
    /// How the pilot moves.
    pub mode: Mode,
    /// Whether the mouse is turning the view.
    pub(crate) looking: bool,
    /// The journey to a place that was double-clicked.
    pub(crate) journey: Option<Journey>,
    /// The tour in progress, and the seconds since it began.
    pub(crate) tour: Option<(Tour, f64)>,
    /// The flight that is being recorded.
    pub(crate) recording: Option<FlightRecorder>,
}

impl Default for Pilot {
    fn default() -> Self {
        Self {
            place: DVec3::Y * 1000.0,
            bearing: 0.0,
            pitch: 0.0,
            speed: 400.0,
            mode: Mode::Fly,
            looking: false,
            journey: None,
            tour: None,
            recording: None,
        }
    }
}

impl Pilot {
    /// Puts the pilot at `from`, looking towards `at`.
    pub fn put(&mut self, from: Vec3, at: Vec3) {
        let way = at - from;
        self.place = from.as_dvec3();
        (self.journey, self.tour) = (None, None);
        self.bearing = way.x.atan2(-way.z);
        self.pitch = way.y.atan2(way.xz().length()).clamp(-STEEPEST, STEEPEST);
        self.speed = (way.length() / 25.0).clamp(5.0, 20_000.0);
    }

    /// The pilot's position, and a point in the middle of the view.
    pub fn sight(&self) -> (Vec3, Vec3) {
        let place = self.place.as_vec3();
        (place, place + self.rotation() * Vec3::NEG_Z * self.speed * 25.0)
    }

    pub(crate) fn rotation(&self) -> Quat {
        Quat::from_euler(EulerRot::YXZ, -self.bearing, self.pitch, 0.0)
    }

    /// The speed with which keys move the pilot, metres per second. Walking is slower than flying.
    pub fn moving_speed(&self) -> f32 {
        if self.mode == Mode::Walk { self.speed.min(FASTEST_WALK) } else { self.speed }
    }

    /// Starts a journey to a place, to look at it from nearby, from the side from which it is seen now.
    pub fn go_to(&mut self, target: DVec3) {
        let way = target - self.place;
        let level = DVec3::new(way.x, 0.0, way.z);
        let near = (SHORT_OF * way.length()).clamp(12.0, 4000.0);
        let back = if level.length() > 1e-3 { level.normalize() } else { DVec3::NEG_Z };
        let to = match self.mode {
            Mode::Walk => target + DVec3::Y * EYES,
            Mode::Fly | Mode::Orbit => target - back * near + DVec3::Y * 0.45 * near,
        };
        let sight = if self.mode == Mode::Walk { level } else { target - to };
        let bearing = (sight.x.atan2(-sight.z)) as f32;
        let pitch = sight.y.atan2(sight.xz().length()) as f32;
        // Turns the shorter way round.
        let turn = (bearing - self.bearing + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU)
            - std::f32::consts::PI;
        let ends = [(self.bearing, self.pitch), (self.bearing + turn, pitch.clamp(-STEEPEST, STEEPEST))];
        self.tour = None;
        self.journey = Some(Journey { from: self.place, to, look: target, turned: ends, time: 0.0 });
        self.speed = (near as f32 / 4.0).clamp(5.0, 20_000.0);
    }

    /// Starts a journey to a view: a position, and a point to look at. A walker's way ends on the
    /// [ground](Self::end_on_ground), and he looks straight ahead there.
    pub fn go_to_sight(&mut self, from: Vec3, look: Vec3) {
        let mut there = Self::default();
        there.put(from, look);
        let turn = (there.bearing - self.bearing + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU)
            - std::f32::consts::PI;
        let pitch = if self.mode == Mode::Walk { 0.0 } else { there.pitch };
        let ends = [(self.bearing, self.pitch), (self.bearing + turn, pitch)];
        let (from, to, look) = (self.place, there.place, look.as_dvec3());
        self.tour = None;
        self.journey = Some(Journey { from, to, look, turned: ends, time: 0.0 });
        self.speed = there.speed;
    }

    /// Moves the end of a walker's journey onto the ground, whose height `ground` returns where there is
    /// land: below it, or, if it lies beyond the land, where the way from there to what is looked at reaches
    /// land.
    pub(crate) fn end_on_ground(&mut self, ground: impl Fn(DVec3) -> Option<f64>) {
        let Some(journey) = self.journey.as_mut().filter(|_| self.mode == Mode::Walk) else { return };
        let end = (0..=LANDINGS).find_map(|step| {
            let at = journey.to.lerp(journey.look, f64::from(step) / f64::from(LANDINGS));
            Some(DVec3::new(at.x, ground(at)? + EYES, at.z))
        });
        journey.to = end.unwrap_or(journey.to);
    }

    /// A pilot for another view, at the position of this one. Its tour, journey, recording and use of the
    /// mouse stay with this one.
    pub fn for_another_view(&self) -> Self {
        Self { looking: false, journey: None, tour: None, recording: None, ..self.clone() }
    }

    /// Takes over the mouse from the previous pilot: the button press that selected another view also turns
    /// that view.
    pub fn take_mouse(&mut self, before: &mut Self) {
        self.looking = std::mem::take(&mut before.looking);
    }

    /// Continues the recording of another pilot, unless this one is recording itself.
    pub fn take_recording(&mut self, before: Self) {
        self.recording = self.recording.take().or(before.recording);
    }

    /// Starts a tour, or ends it.
    pub fn tour(&mut self, tour: Option<Tour>) {
        (self.tour, self.journey) = (tour.map(|tour| (tour, 0.0)), None);
    }

    /// Whether a tour is in progress.
    pub fn is_on_tour(&self) -> bool {
        self.tour.is_some()
    }

    /// Starts recording a flight.
    pub fn begin_recording(&mut self) {
        self.recording = Some(FlightRecorder::default());
    }

    /// The length of the recording so far, seconds; `None` if no flight is being recorded.
    pub fn recorded(&self) -> Option<f32> {
        self.recording.as_ref().map(|recording| recording.seconds)
    }

    /// The waypoints of the flight that is being recorded, as if it ended now.
    pub fn flight_until_now(&self) -> Vec<Waypoint> {
        let sight = self.sight();
        let Some(mut recording) = self.recording.clone() else { return Vec::new() };
        if recording.since >= 0.05 && recording.waypoints.len() < Flight::MOST_WAYPOINTS {
            recording.put(sight);
        }
        recording.waypoints
    }

    /// Ends the recording and discards it; a flight that should be kept has been taken from it before.
    pub fn end_recording(&mut self) {
        self.recording = None;
    }

    /// Continues a journey or a tour for this many seconds.
    pub(crate) fn travel(&mut self, seconds: f32) {
        if let Some((tour, flown)) = &mut self.tour {
            // In 64 bits: in 32 a tour of days would halt where a frame is too short to be added.
            *flown += f64::from(seconds);
            let now = *flown as f32;
            let ((from, look), is_over) = (tour.sight(now), now >= tour.seconds());
            let tour = self.tour.take_if(|_| !is_over);
            self.put(from.into(), look.into());
            self.tour = tour;
            return;
        }
        let Some(journey) = &mut self.journey else { return };
        journey.time += seconds;
        let share = (journey.time / JOURNEY).min(1.0);
        let eased = share * share * (3.0 - 2.0 * share);
        let [(bearing, pitch), (to_bearing, to_pitch)] = journey.turned;
        self.place = journey.from.lerp(journey.to, eased.into());
        self.bearing = bearing + (to_bearing - bearing) * eased;
        self.pitch = pitch + (to_pitch - pitch) * eased;
        if share >= 1.0 {
            self.journey = None;
        }
    }

    /// Turns around a target by these angles in radians, to the right and upwards, and multiplies the
    /// distance to it by `nearer`.
    pub(crate) fn orbit(&mut self, target: DVec3, turn: Vec2, nearer: f32) {
        let now = (self.place - target).length().max(NEAREST_ORBIT);
        // A pilot beyond the farthest orbit must not jump nearer.
        let away = (now * f64::from(nearer)).clamp(NEAREST_ORBIT, now.max(FARTHEST_ORBIT));
        self.bearing = (self.bearing + turn.x) % std::f32::consts::TAU;
        self.pitch = (self.pitch + turn.y).clamp(-STEEPEST, 0.2);
        // In single precision, the target would drift away with every turn.
        let ahead = (self.rotation() * Vec3::NEG_Z).as_dvec3().normalize();
        self.place = target - ahead * away;
    }
}

/// How the pilot moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Freely, along the view.
    #[default]
    Fly,
    /// On the ground, at eye level.
    Walk,
    /// Around the place in the middle of the view.
    Orbit,
}

impl Mode {
    /// All modes, with their names and descriptions.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Fly, "Fly", "Move freely along the view"),
        (Self::Walk, "Walk", "Stay on the ground, with the eyes at 1.7 m"),
        (
            Self::Orbit,
            "Orbit",
            "The mouse turns around the point in the middle of the view, the wheel changes the distance",
        ),
    ];
}

/// A journey from one view to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Journey {
    from: DVec3,
    to: DVec3,
    /// The point that is looked at from its end.
    look: DVec3,
    /// Bearing and pitch at both ends, radians.
    turned: [(f32, f32); 2],
    /// Seconds since it began.
    time: f32,
}

/// A flight that is being recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FlightRecorder {
    pub(crate) waypoints: Vec<Waypoint>,
    /// Seconds since it began, and since the last waypoint.
    seconds: f32,
    since: f32,
}

impl FlightRecorder {
    /// Continues for this many seconds, to the present view. Returns whether there is room for more
    /// waypoints.
    pub(crate) fn go_on(&mut self, seconds: f32, (from, look): (Vec3, Vec3)) -> bool {
        self.seconds += seconds;
        self.since += seconds;
        if self.waypoints.is_empty() || self.since >= BETWEEN {
            self.put((from, look));
        }
        self.waypoints.len() < Flight::MOST_WAYPOINTS
    }

    fn put(&mut self, (from, look): (Vec3, Vec3)) {
        // A recipe accepts no flight with such a waypoint, so the whole flight would be lost.
        if !(from.is_finite() && look.is_finite()) {
            return;
        }
        let [from, look] =
            [from, look].map(|place| place.clamp(Vec3::splat(*PLACES.start()), Vec3::splat(*PLACES.end())));
        let after = self.since.clamp(0.05, 600.0);
        self.waypoints.push(Waypoint { after, from: from.into(), look: look.into() });
        self.since = 0.0;
    }
}

/// A camera that the pilot looks through.
#[derive(Component, Default)]
pub(crate) struct FollowsPilot;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn the_pilot_looks_towards_the_given_point() {
        let mut pilot = Pilot::default();
        for at in [Vec3::new(0.0, 0.0, -9.0), Vec3::new(7.0, 2.0, 1.0), Vec3::new(-3.0, 5.0, 8.0)] {
            pilot.put(Vec3::ZERO, at);
            assert!((pilot.rotation() * Vec3::NEG_Z).abs_diff_eq(at.normalize(), 1e-5));
        }
    }

    #[test]
    fn a_journey_ends_near_the_place_and_looks_at_it() {
        for target in [DVec3::new(4000.0, 200.0, -3000.0), DVec3::new(-900.0, -50.0, 0.0), DVec3::Y * 100.0] {
            let mut pilot = Pilot { bearing: 3.0, ..Pilot::default() };
            pilot.go_to(target);
            let before = pilot.place;
            pilot.travel(0.5 * JOURNEY);
            assert_ne!(pilot.place, before);
            pilot.travel(JOURNEY);
            assert_eq!(pilot.journey, None);
            let way = (target - pilot.place).as_vec3();
            assert!(way.length() < 0.2 * (target - before).length() as f32 + 20.0, "{way}");
            assert!((pilot.rotation() * Vec3::NEG_Z).dot(way.normalize()) > 0.999, "{way}");
        }
    }

    #[test]
    fn a_walkers_way_to_a_sight_ends_on_the_ground_and_a_fliers_in_the_air() {
        // Land to the south of z = 0, which rises to the east.
        let ground = |at: DVec3| (at.z >= 0.0).then_some(0.1 * at.x);
        let there = |mode: Mode, from: Vec3, look: Vec3| {
            let mut pilot = Pilot { mode, ..Pilot::default() };
            pilot.go_to_sight(from, look);
            for _ in 0..20 {
                pilot.end_on_ground(ground);
                pilot.travel(0.1 * JOURNEY);
            }
            assert_eq!(pilot.journey, None);
            pilot
        };
        let (from, look) = (Vec3::new(300.0, 900.0, 500.0), Vec3::new(300.0, 30.0, 2000.0));
        assert_eq!(there(Mode::Fly, from, look).place, from.as_dvec3());
        let walker = there(Mode::Walk, from, look);
        assert!(walker.place.distance(DVec3::new(300.0, 30.0 + EYES, 500.0)) < 1e-3, "{}", walker.place);
        assert!((walker.rotation() * Vec3::NEG_Z).abs_diff_eq(Vec3::Z, 1e-4), "he looks there");
        // From beyond the land: where it begins.
        let walker = there(Mode::Walk, Vec3::new(300.0, 900.0, -500.0), look);
        assert!((0.0..60.0).contains(&walker.place.z), "{}", walker.place);
        assert!((walker.place.y - 30.0 - EYES).abs() < 1e-3, "{}", walker.place);
    }

    #[test]
    fn the_mouse_turns_one_view_only() {
        let mut before = Pilot { looking: true, ..Pilot::default() };
        let mut next = before.for_another_view();
        assert!(!next.looking);
        next.take_mouse(&mut before);
        assert!(next.looking && !before.looking);
    }

    #[test]
    fn a_flight_is_recorded_every_second_and_at_its_end() {
        let mut pilot = Pilot::default();
        assert!(pilot.flight_until_now().is_empty());
        pilot.begin_recording();
        for step in 0..25 {
            pilot.place.x = f64::from(step);
            let sight = pilot.sight();
            assert!(pilot.recording.as_mut().unwrap().go_on(0.125, sight));
        }
        assert_eq!(pilot.recorded(), Some(3.125));
        let flight = Flight { name: "a".into(), waypoints: pilot.flight_until_now() };
        assert!(pilot.recorded().is_some());
        pilot.end_recording();
        let places: Vec<f32> = flight.waypoints.iter().map(|waypoint| waypoint.from.0).collect();
        assert_eq!(places, [0.0, 8.0, 16.0, 24.0]);
        assert_eq!(Tour::along(&flight).unwrap().seconds(), 3.0, "from the first frame on");
        assert_eq!(pilot.recorded(), None);
    }

    #[test]
    fn a_recording_ends_at_the_maximum_length_of_a_flight() {
        let mut recorder = FlightRecorder::default();
        let steps = (0..10_000).take_while(|_| recorder.go_on(BETWEEN, (Vec3::ZERO, Vec3::X))).count();
        assert_eq!((steps + 1, recorder.waypoints.len()), (Flight::MOST_WAYPOINTS, Flight::MOST_WAYPOINTS));
        // A recipe accepts such a flight, wherever it led.
        recorder.waypoints.truncate(1);
        recorder.go_on(BETWEEN, (Vec3::NAN, Vec3::X));
        recorder.go_on(BETWEEN, (Vec3::splat(-1e30), Vec3::X));
        while recorder.go_on(BETWEEN, (Vec3::ZERO, Vec3::splat(1e30))) {}
        let pilot = Pilot { recording: Some(recorder), ..Pilot::default() };
        let flight = Flight { name: "Long".into(), waypoints: pilot.flight_until_now() };
        assert_eq!(flight.waypoints.len(), Flight::MOST_WAYPOINTS);
        Recipe::new("Land", (9, 9), 1.0).add_flight(flight).unwrap();
    }

    #[test]
    fn an_orbit_keeps_its_distance_and_its_target_in_the_middle() {
        let mut pilot = Pilot::default();
        let target = DVec3::new(500.0, 100.0, -800.0);
        pilot.put(Vec3::new(0.0, 900.0, 0.0), target.as_vec3());
        let away = (pilot.place - target).length();
        pilot.orbit(target, Vec2::new(1.0, -0.2), 1.0);
        assert!(((pilot.place - target).length() - away).abs() < 1e-3);
        let way = (target - pilot.place).as_vec3().normalize();
        assert!((pilot.rotation() * Vec3::NEG_Z).abs_diff_eq(way, 1e-4));
        pilot.orbit(target, Vec2::ZERO, 0.5);
        assert!(((pilot.place - target).length() - away / 2.0).abs() < 1.0);
    }

    #[test]
    fn the_wheel_keeps_an_orbit_out_of_its_target_and_within_sight() {
        let mut pilot = Pilot::default();
        let target = DVec3::new(500.0, 100.0, -800.0);
        pilot.put(Vec3::new(0.0, 900.0, 0.0), target.as_vec3());
        let away = |pilot: &Pilot| (pilot.place - target).length();
        for nearer in [1.0 / 0.85, f32::MAX, f32::INFINITY] {
            (0..1000).for_each(|_| pilot.orbit(target, Vec2::ZERO, nearer));
            assert!((away(&pilot) / FARTHEST_ORBIT - 1.0).abs() < 1e-6, "{}", pilot.place);
        }
        for nearer in [0.85, f32::MIN_POSITIVE, 0.0] {
            (0..1000).for_each(|_| pilot.orbit(target, Vec2::ZERO, nearer));
            assert!((away(&pilot) / NEAREST_ORBIT - 1.0).abs() < 1e-6, "{}", pilot.place);
        }
        // A pilot that is farther away already stays there, and can come nearer.
        pilot.place = target + DVec3::X * 3.0 * FARTHEST_ORBIT;
        pilot.orbit(target, Vec2::ZERO, 2.0);
        assert!((away(&pilot) / FARTHEST_ORBIT - 3.0).abs() < 1e-6, "{}", pilot.place);
        pilot.orbit(target, Vec2::ZERO, 0.5);
        assert!((away(&pilot) / FARTHEST_ORBIT - 1.5).abs() < 1e-6, "{}", pilot.place);
    }
}
