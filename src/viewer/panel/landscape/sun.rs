//! The sun: its position, or the time by clock and calendar.

use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use crate::params::Param;
use crate::sky::sun::{SolarTime, Sun};
use crate::viewer::actions::Hour;
use crate::viewer::panel::controls::parameters::{self, Usual, written_number};
use crate::viewer::panel::controls::style;

/// The sun is drawn no lower than this, degrees, because the land would be black.
const LOWEST: f32 = -10.0;

/// The days on which months begin, in a year of 365 days.
const MONTHS: [(u32, &str); 12] = [
    (1, "January"),
    (32, "February"),
    (60, "March"),
    (91, "April"),
    (121, "May"),
    (152, "June"),
    (182, "July"),
    (213, "August"),
    (244, "September"),
    (274, "October"),
    (305, "November"),
    (335, "December"),
];

/// A clock for the sun of one landscape, and the sun that it set last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Clock {
    time: SolarTime,
    set: Option<Sun>,
    /// Whether the sun never has its present position at this latitude.
    is_nowhere: bool,
}

impl Clock {
    /// The clock of a landscape.
    pub fn of(context: &egui::Context, document: Entity) -> Self {
        context.data(|data| data.get_temp(place(document))).unwrap_or_default()
    }

    fn keep(self, context: &egui::Context, document: Entity) {
        context.data_mut(|data| data.insert_temp(place(document), self));
    }

    /// Shows the time at which the sun has its present position, unless the clock has set it.
    fn follow(&mut self, sun: Sun) {
        if self.set == Some(sun) {
            return;
        }
        self.set = Some(sun);
        let found = SolarTime::when(sun, self.time.latitude, self.time.day);
        self.is_nowhere = found.is_none();
        self.time = found.unwrap_or(self.time);
    }

    /// The sun at the time that the clock shows.
    fn sun(&mut self) -> Sun {
        let sun = self.time.sun();
        let sun = Sun { elevation: sun.elevation.clamp(LOWEST, 90.0), ..sun };
        (self.set, self.is_nowhere) = (Some(sun), false);
        sun
    }
}

fn place(document: Entity) -> egui::Id {
    egui::Id::new(("clock of the sun", document))
}

/// Sets the sun of a landscape to a time of day.
pub(crate) fn go_to(context: &egui::Context, document: Entity, hour: Hour, sun: &mut Sun) {
    let mut clock = Clock::of(context, document);
    clock.follow(*sun);
    clock.time.hour = hour.on(clock.time);
    *sun = clock.sun();
    clock.keep(context, document);
}

/// Draws the rows for the sun of a landscape.
pub(crate) fn show(ui: &mut egui::Ui, document: Entity, sun: &mut Sun) {
    parameters::show(ui, sun, |_| true);
    let mut clock = Clock::of(ui.ctx(), document);
    clock.follow(*sun);
    let before = clock.time;
    let usually = |param: &Param| match param.name {
        "hour" => Usual { text: Some(&hour_text), parse: Some(&typed_hour), ..Usual::default() },
        "day" => Usual { text: Some(&day_text), parse: Some(&typed_day), ..Usual::default() },
        _ => Usual { text: Some(&latitude_text), parse: Some(&typed_latitude), ..Usual::default() },
    };
    // The hour comes first, because it is changed most often.
    for row in ["hour", "day", "latitude"] {
        parameters::show_usual(ui, &mut clock.time, |name| name == row, &usually);
    }
    if clock.time != before {
        *sun = clock.sun();
    }
    let quiet = |ui: &mut egui::Ui, text: String| {
        ui.add(egui::Label::new(RichText::new(text).color(style::quiet(ui))).wrap());
    };
    if clock.is_nowhere {
        quiet(ui, format!("At {} the sun is never in this position.", latitude_text(clock.time.latitude)));
    } else if clock.time.sun().elevation < LOWEST && clock.set == Some(*sun) && sun.elevation == LOWEST {
        quiet(ui, format!("Night: the land is drawn with the sun {:.0}° below the horizon.", -LOWEST));
    }
    clock.keep(ui.ctx(), document);
}

/// An hour as on a clock: 14:30.
fn hour_text(hour: f32) -> String {
    let minutes = (hour * 60.0).round().clamp(0.0, 1440.0) as u32;
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

/// Parses an hour as on a clock, or as a number.
fn typed_hour(text: &str) -> Option<f64> {
    match text.trim().split_once(':') {
        Some((hours, minutes)) => {
            let (hours, minutes): (u32, u32) = (hours.trim().parse().ok()?, minutes.trim().parse().ok()?);
            (minutes < 60).then_some(f64::from(hours) + f64::from(minutes) / 60.0)
        }
        None => written_number(text),
    }
}

/// A day of the year as in a calendar: 21 June.
fn day_text(day: f32) -> String {
    let day = (day as u32).clamp(1, 365);
    let month = MONTHS.iter().rev().find(|(first, _)| *first <= day);
    month.map_or(String::new(), |(first, name)| format!("{} {name}", day - first + 1))
}

/// Parses a day as in a calendar, or as the number of the day in the year.
fn typed_day(text: &str) -> Option<f64> {
    let text = text.trim();
    let letters: String =
        text.chars().filter(|letter| letter.is_alphabetic()).collect::<String>().to_lowercase();
    let number = text.trim_matches(|letter: char| !letter.is_ascii_digit());
    if letters.is_empty() {
        return written_number(text);
    }
    let is_meant = |name: &str| letters.len() >= 3 && name.to_lowercase().starts_with(&letters);
    let (first, _) = MONTHS.iter().find(|(_, name)| is_meant(name))?;
    let number: u32 = if number.is_empty() { 1 } else { number.parse().ok()? };
    (1..=31).contains(&number).then(|| f64::from(first + number - 1))
}

/// A latitude as on a map: 45° N.
fn latitude_text(latitude: f32) -> String {
    let side = if latitude < 0.0 { "S" } else { "N" };
    format!("{:.1}° {side}", latitude.abs()).replace(".0°", "°")
}

/// Parses a latitude as on a map, or as a number, south of the equator below 0.
fn typed_latitude(text: &str) -> Option<f64> {
    let upper = text.trim().to_uppercase();
    match upper.strip_suffix('S') {
        Some(south) => written_number(south).map(|number| -number.abs()),
        None => written_number(upper.strip_suffix('N').unwrap_or(&upper)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A landscape.
    const LAND: Entity = Entity::PLACEHOLDER;

    #[test]
    fn times_are_written_as_usual_and_read_back() {
        assert_eq!([0.0, 6.5, 14.25, 23.999].map(hour_text), ["0:00", "6:30", "14:15", "24:00"]);
        for hour in [0.0, 6.5, 14.25, 20.0] {
            assert_eq!(typed_hour(&hour_text(hour)), Some(f64::from(hour)));
        }
        assert_eq!((typed_hour("9"), typed_hour("9:75"), typed_hour("noon")), (Some(9.0), None, None));
        assert_eq!(
            [1.0, 59.0, 60.0, 172.0, 365.0].map(day_text),
            ["1 January", "28 February", "1 March", "21 June", "31 December"]
        );
        for day in 1..=365 {
            assert_eq!(typed_day(&day_text(day as f32)), Some(f64::from(day)), "{day}");
        }
        assert_eq!(
            (typed_day("21 jun"), typed_day("June 21"), typed_day("172")),
            (Some(172.0), Some(172.0), Some(172.0))
        );
        assert_eq!((typed_day("40 June"), typed_day("21 juice")), (None, None));
        assert_eq!([45.0, -33.5].map(latitude_text), ["45° N", "33.5° S"]);
        assert_eq!(
            (typed_latitude("33.5° s"), typed_latitude("45° N"), typed_latitude("-12")),
            (Some(-33.5), Some(45.0), Some(-12.0))
        );
    }

    #[test]
    fn the_clock_follows_the_sun_and_the_sun_the_clock() {
        let context = egui::Context::default();
        let mut sun = SolarTime { latitude: 45.0, day: 172, hour: 9.0 }.sun();
        let mut clock = Clock::default();
        clock.follow(sun);
        assert!((clock.time.hour - 9.0).abs() < 0.05 && clock.time.day.abs_diff(172) < 8, "{clock:?}");
        assert!(!clock.is_nowhere);
        clock.follow(Sun { bearing: 180.0, elevation: 90.0 });
        assert!(clock.is_nowhere);
        go_to(&context, LAND, Hour::Night, &mut sun);
        assert_eq!(sun.elevation, LOWEST);
        go_to(&context, LAND, Hour::Noon, &mut sun);
        assert!((sun.bearing - 180.0).abs() < 0.5 && sun.elevation > 60.0, "{sun:?}: the day stays");
        go_to(&context, LAND, Hour::Sunset, &mut sun);
        assert!(sun.bearing > 270.0 && (0.0..4.0).contains(&sun.elevation), "{sun:?}");
        go_to(&context, LAND, Hour::Sunrise, &mut sun);
        assert!(sun.bearing < 90.0 && (0.0..4.0).contains(&sun.elevation), "{sun:?}");
    }

    #[test]
    fn drawing_the_rows_does_not_move_the_sun() {
        let context = egui::Context::default();
        for first in
            [Sun::default(), Sun { bearing: 7.5, elevation: 89.0 }, Sun { bearing: 0.0, elevation: -10.0 }]
        {
            let mut sun = first;
            for _ in 0..3 {
                let mut output = context.run_ui(egui::RawInput::default(), |ui| show(ui, LAND, &mut sun));
                output.textures_delta.clear();
            }
            assert_eq!(sun, first);
        }
    }
}
