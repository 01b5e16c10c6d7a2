//! Where a river or a road runs: its length and heights in a line of text, its course over the land, and a
//! flight to it.

use bevy::math::{DVec2, Vec2, Vec3};
use bevy_egui::egui::{self, RichText};

use crate::params::{Params, Reading};
use crate::plugin::TerrainGround;
use crate::recipe::{Recipe, Step};
use crate::steps::filter::Road;
use crate::viewer::build::found_routes::finds_route;
use crate::viewer::build::step_stack::StackView;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::tools::point_editor::{PointConnection, sides};
use crate::water::Bridge;

/// The maximum number of points of a course that is drawn.
const MOST_POINTS: usize = 400;
/// How long a line stays after *Go there*, seconds: the flight, and time to see where the course is. After
/// that it would hide the water or the road.
const LINE_STAYS: f64 = 5.0;
/// A course that is narrower than this share of its distance can hardly be seen without its line: about three
/// pixels.
const NARROW: f32 = 0.004;
/// How much higher than both ends ground must be to be mentioned, metres.
const HIGHER: f32 = 10.0;

/// A course over the land.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Course {
    /// Its points on the land, in metres from the north-west corner.
    points: Vec<Vec2>,
    metres: f32,
    /// How wide the river or the road is, metres.
    width: f32,
    /// Heights of its ends, metres.
    ends: [f32; 2],
    /// The highest ground under it, metres.
    highest: f32,
    /// The bridges on which it crosses rivers.
    bridges: Vec<Bridge>,
    /// Whether it ends in the sea.
    ends_in_sea: bool,
    /// The level of the sea, if there is one.
    sea_level: Option<f32>,
}

impl Course {
    /// The course of the step with this index: that of the river that it has dug, or the line through its
    /// points, or through those that it has `found` as a road without points of its own. `None` if it has
    /// none on the land.
    pub fn of(recipe: &Recipe, step: usize, ground: &TerrainGround, found: Option<&[Vec2]>) -> Option<Self> {
        let land = &ground.landscape;
        let all: Vec<Vec2> = match recipe.river_of(step, &land.rivers) {
            Some(river) => river.points().collect(),
            None => {
                let step = recipe.steps.get(step).filter(|step| step.is_done())?;
                // A river has not been dug yet; other steps have single points or an outline.
                if step.operation.as_waterway().is_some()
                    || PointConnection::by(step) != PointConnection::Curve
                {
                    return None;
                }
                let (mut points, extent) = (found.unwrap_or_default().to_vec(), sides(recipe)?);
                step.read(&mut |_, value| {
                    if let Reading::Points(of) = value
                        && !of.is_empty()
                    {
                        points = of.to_vec();
                    }
                });
                PointConnection::Curve.line(&points, extent).into_iter().map(|share| share * extent).collect()
            }
        };
        let (field, extent) = (&land.heightfield, ground.extent());
        let is_on_land = |p: &Vec2| p.cmpge(Vec2::ZERO).all() && p.cmple(extent).all();
        let from = all.iter().position(is_on_land)?;
        let points: Vec<Vec2> = all[from..].iter().copied().take_while(is_on_land).collect();
        let (first, last) = (*points.first()?, *points.last()?);
        let metres: f32 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        if metres <= 0.0 {
            return None;
        }
        let ends = [first, last].map(|end| field.sample(end));
        let ends_in_sea = land.sea_level.is_some_and(|sea| ends[1] < sea);
        let every = points.len().div_ceil(MOST_POINTS);
        let mut few: Vec<Vec2> = points.iter().copied().step_by(every).collect();
        if few.last() != Some(&last) {
            few.push(last);
        }
        let mut width = 0.0;
        recipe.steps.get(step)?.read(&mut |param, value| {
            if let ("width", Reading::Float(metres)) = (param.name, value) {
                width = metres;
            }
        });
        let highest = points.iter().map(|point| field.sample(*point)).fold(f32::MIN, f32::max);
        let is_own = |bridge: &&Bridge| {
            let middle = bridge.line[bridge.line.len() / 2];
            // Points lie farther apart than a narrow road is wide.
            let near = width.max(field.grid().cell);
            points.iter().any(|point| point.distance(Vec2::new(middle.x, middle.z)) <= near)
        };
        let bridges = match recipe.river_of(step, &land.rivers) {
            Some(_) => Vec::new(),
            None => land.bridges.iter().filter(is_own).cloned().collect(),
        };
        let sea_level = land.sea_level;
        Some(Self { points: few, metres, width, ends, highest, bridges, ends_in_sea, sea_level })
    }

    /// How long it is, and from which height to which it runs: above the sea, if there is one.
    fn about(&self) -> String {
        let long = match self.metres {
            ..1000.0 => format!("{:.0} m", self.metres),
            _ => format!("{:.1} km", self.metres / 1000.0),
        };
        let sea = self.sea_level.unwrap_or_default();
        let [from, to] = self.ends.map(|height| format!("{:.0} m", height - sea).replace('-', "−"));
        let above = if self.sea_level.is_some() { " above the sea" } else { "" };
        let way = match self.ends[1] - self.ends[0] {
            _ if self.ends_in_sea => return format!("{long} long, from {from}{above} down to its shore"),
            ..-0.5 => "down to",
            0.5.. => "up to",
            _ => "to",
        };
        let bridges = match self.bridges.len() {
            0 => String::new(),
            1 => " with a bridge".to_owned(),
            count => format!(" with {count} bridges"),
        };
        let mut about = format!("{long} long{bridges}, from {from} {way} {to}{above}");
        // A course that only rises or falls has its highest ground at an end.
        if self.highest > self.ends[0].max(self.ends[1]) + HIGHER {
            about += &format!("; its highest point is at {:.0} m", self.highest - sea);
        }
        about
    }

    /// A position from which a bridge is seen from its side, and the point to look at from there, in the
    /// world.
    fn sight_of(bridge: &Bridge, origin: DVec2) -> (Vec3, Vec3) {
        let (first, last) = (bridge.line[0], bridge.line[bridge.line.len() - 1]);
        let along = last - first;
        let (middle, length) = ((first + last) / 2.0, along.length().max(2.0 * bridge.width));
        let across = along.cross(Vec3::Y).normalize_or(Vec3::X);
        let eye = middle + across * (1.8 * length) + Vec3::Y * (0.9 * length);
        let in_world =
            |p: Vec3| Vec3::new((f64::from(p.x) + origin.x) as f32, p.y, (f64::from(p.z) + origin.y) as f32);
        (in_world(eye), in_world(middle))
    }

    /// A position from which all of it is seen, and the point to look at from there. It lies beyond the
    /// river's end, because water is seen best when looking up its valley. In the world, with the land's
    /// corner at `origin` and its highest point at `highest` metres.
    fn sight(&self, origin: DVec2, highest: f32) -> (Vec3, Vec3) {
        let [low, high] =
            [Vec2::min, Vec2::max].map(|end| self.points.iter().copied().reduce(end).unwrap_or_default());
        let (middle, size) = ((low + high) / 2.0, low.distance(high).max(100.0));
        let first = self.points.first().copied().unwrap_or_default();
        let last = self.points.last().copied().unwrap_or_default();
        let out = (last - first).normalize_or(Vec2::Y);
        let level = self.ends[0].min(self.ends[1]);
        let eye = middle + out * size;
        let up = (level + 0.6 * size).max(highest.min(level + 1.2 * size));
        // The near end lies much steeper below the eye than the far end, so the view is centred between the
        // two angles, and not on the middle of the course.
        let mean = (self.ends[0] + self.ends[1]) / 2.0;
        let below = |p: &Vec2| (up - mean).atan2((eye - *p).dot(out));
        let steepest = self.points.iter().map(below).fold(0.0, f32::max);
        let flattest = self.points.iter().map(below).fold(steepest, f32::min);
        let look = eye - out * ((up - mean) / ((steepest + flattest) / 2.0).tan());
        let in_world = |p: Vec2, height: f32| {
            let p = (p.as_dvec2() + origin).as_vec2();
            Vec3::new(p.x, height, p.y)
        };
        (in_world(eye, up), in_world(look, mean))
    }
}

/// Draws the line of text about a course, and passes the course on to be drawn on the land.
pub(super) fn show(
    ui: &mut egui::Ui,
    step: usize,
    course: &Course,
    ground: &TerrainGround,
    view: &mut StackView,
) {
    let id = ui.make_persistent_id("course is shown until");
    let now = ui.input(|input| input.time);
    let mut shown_until = ui.data(|data| data.get_temp(id)).unwrap_or(f64::INFINITY);
    let mut is_shown = now < shown_until;
    ui.horizontal_wrapped(|ui| {
        ui.add(egui::Label::new(RichText::new(course.about()).color(style::quiet(ui))).wrap());
        let tip =
            "Fly to a view of all of it. The line disappears there if the course can be seen without it";
        if ui.button("Go there").tip(tip).clicked() {
            let (eye, look) = course.sight(ground.origin, ground.height_range().1);
            let is_narrow = course.width < NARROW * eye.distance(look);
            view.sight = Some((eye, look));
            (is_shown, shown_until) = (true, if is_narrow { f64::INFINITY } else { now + LINE_STAYS });
        }
        if !course.bridges.is_empty() {
            let next = ui.make_persistent_id("next bridge");
            let tip = "Fly to the bridge; if there are several, to the next one each time";
            if ui.button("Go to the bridge").tip(tip).clicked() {
                let number: usize = ui.data(|data| data.get_temp(next)).unwrap_or_default();
                let bridge = &course.bridges[number % course.bridges.len()];
                view.sight = Some(Course::sight_of(bridge, ground.origin));
                ui.data_mut(|data| data.insert_temp(next, number + 1));
                // The line would cover it.
                (is_shown, shown_until) = (false, now);
            }
        }
        let tip = "Draw its course as a line on the land";
        if ui.toggle_value(&mut is_shown, "Show line").tip(tip).changed() {
            shown_until = if is_shown { f64::INFINITY } else { now };
        }
    });
    ui.data_mut(|data| data.insert_temp(id, shown_until));
    if is_shown && shown_until.is_finite() {
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(shown_until - now));
    }
    // egui may lay out a frame twice, so the course may already be in the list.
    if is_shown && view.courses.iter().all(|(other, _)| *other != step) {
        view.courses.push((step, course.points.clone()));
    }
}

/// The text about a road without points of its own, which has `found` these on the land, and a button that
/// gives them to it. Returns whether it has them now. `is_searching` says that its route isn't known yet.
pub(super) fn show_found(
    ui: &mut egui::Ui,
    step: &mut Step,
    (is_endless, is_searching): (bool, bool),
    found: Option<&[Vec2]>,
) -> bool {
    let Some(road) = step.operation_as::<Road>().filter(|_| finds_route(step)) else { return false };
    let note = match found {
        _ if is_endless => "On endless land it finds no route: draw its points on the land.",
        Some([]) => "It finds no route: too little of the land lies above \"lowest\".",
        None if is_searching && step.is_done() => "Its route is being found …",
        None => return false,
        Some(points) => {
            let tip = "Give the road the points of the route that it has found, to drag them on the land. The land \
                       stays the same until you do.";
            let is_clicked = ui.button("Edit its points").tip(tip).clicked();
            if is_clicked {
                step.operation = Road { points: points.to_vec(), ..road.clone() }.into();
            }
            return is_clicked;
        }
    };
    ui.add(egui::Label::new(RichText::new(note).color(style::quiet(ui))).wrap());
    false
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compute::work::Work;
    use crate::{Cache, Landscape};

    fn built(steps: &str) -> (Recipe, TerrainGround) {
        let text = format!(
            r#"(version: 1, name: "Land", seed: 3, size: (129, 129), cell: 60, water: (sea: true), steps: [{steps}])"#
        );
        let recipe = Recipe::from_ron(&text, "land.ron").unwrap();
        let made = recipe.build_layers(&[], &Cache::default(), &Work::new()).unwrap();
        let mut ground = TerrainGround::bare(made.heights.clone());
        let (rivers, bridges) = (made.rivers, made.bridges);
        let land = Landscape::new(made.heights, ground.landscape.colour.clone());
        ground.landscape = Arc::new(Landscape { rivers, bridges, sea_level: recipe.sea_level(), ..land });
        (recipe, ground)
    }

    #[test]
    fn a_river_with_its_own_course_is_described_and_seen_whole() {
        let (recipe, ground) = built("fbm(height: 900), island(), river(course: valleys)");
        assert_eq!(Course::of(&recipe, 1, &ground, None), None);
        let course = Course::of(&recipe, 2, &ground, None).unwrap();
        let about = course.about();
        assert!(
            about.contains(" km long, from ") && about.ends_with(" m above the sea down to its shore"),
            "{about}"
        );
        assert!(course.points.len() > 10 && course.points.len() <= MOST_POINTS + 1);
        is_in_view(&course, &ground);
    }

    /// Checks that all of a course is in a square picture of the window's camera, from the course's sight.
    fn is_in_view(course: &Course, ground: &TerrainGround) {
        let (from, look) = course.sight(ground.origin, ground.height_range().1);
        let view = bevy::prelude::Transform::from_translation(from).looking_at(look, Vec3::Y);
        for point in &course.points {
            let p = (point.as_dvec2() + ground.origin).as_vec2();
            let p = Vec3::new(p.x, ground.landscape.heightfield.sample(*point), p.y);
            let seen = view.compute_affine().inverse().transform_point3(p);
            let [right, up] = [seen.x, seen.y].map(|part| (part / -seen.z).atan().to_degrees());
            assert!(
                seen.z < 0.0 && right.abs() < 25.0 && up.abs() < 25.0,
                "{point}: {right}° right, {up}° up"
            );
        }
    }

    #[test]
    fn all_of_a_course_is_in_view_whatever_its_shape() {
        let courses = [
            "(0.25, 0.5), (0.75, 0.5)",
            "(0.1, 0.1), (0.9, 0.9)",
            "(0.5, 0.9), (0.2, 0.5), (0.5, 0.1)",
            "(0.4, 0.6), (0.6, 0.6), (0.6, 0.4), (0.42, 0.58)",
        ];
        for points in courses {
            for land in ["flat(height: 40)", "fbm(height: 900)"] {
                let (recipe, ground) = built(&format!("{land}, road(points: [{points}])"));
                is_in_view(&Course::of(&recipe, 1, &ground, None).unwrap(), &ground);
            }
        }
    }

    #[test]
    fn a_road_over_a_hill_and_a_river_says_so_and_shows_its_bridge() {
        let (recipe, ground) = built(
            "fbm(height: 300), river(points: [(0.5, -0.1), (0.52, 1.1)], width: 200), \
             road(points: [(0.2, 0.5), (0.8, 0.5)], width: 60)",
        );
        let course = Course::of(&recipe, 2, &ground, None).unwrap();
        let about = course.about();
        assert!(
            about.contains(" long with a bridge, ") && about.contains("; its highest point is at "),
            "{about}"
        );
        let origin = DVec2::new(-3840.0, -3840.0);
        let (eye, look) = Course::sight_of(&course.bridges[0], origin);
        assert!(look.x.abs() < 300.0 && look.z.abs() < 300.0, "in the middle of the land: {look}");
        assert!(eye.y > look.y && (eye.z - look.z).abs() > (eye.x - look.x).abs(), "from its side: {eye}");
        let river = Course::of(&recipe, 1, &ground, None).unwrap();
        assert!(river.bridges.is_empty() && !river.about().contains("bridge"));
    }

    #[test]
    fn a_road_runs_through_its_points_or_through_those_that_it_has_found() {
        let (recipe, ground) =
            built("flat(height: 40), road(points: [(0.25, 0.5), (0.75, 0.5)]), road(points: [])");
        let course = Course::of(&recipe, 1, &ground, None).unwrap();
        assert!(course.about().starts_with("3.8 km long, from 40 m to "), "{}", course.about());
        assert_eq!(Course::of(&recipe, 2, &ground, None), None);
        let found = [Vec2::new(0.25, 0.5), Vec2::new(0.75, 0.5)];
        assert_eq!(Course::of(&recipe, 2, &ground, Some(&found)), Some(course));
    }
}
