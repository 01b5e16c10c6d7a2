//! A list of points on the land, one row each.

use bevy::math::Vec2;
use bevy_egui::egui;

use super::style::{self, Tip as _};
use crate::params::{MAX_POINTS, Param};

/// Height of the list beyond which it scrolls, logical pixels.
const HEIGHT: f32 = 150.0;

/// A change of the list.
enum Change {
    Remove(usize),
    /// Inserts a point halfway to the next.
    Split(usize),
}

/// Draws the list: points can be dragged, inserted, added and removed.
pub(crate) fn show(ui: &mut egui::Ui, param: &Param, points: &mut Vec<Vec2>) -> egui::Response {
    let list = ui.vertical(|ui| {
        let mut change = None;
        let last = points.len().saturating_sub(1);
        let may_grow = points.len() < MAX_POINTS;
        let row = ui.spacing().interact_size.y;
        let area = egui::ScrollArea::vertical().id_salt(param.name).max_height(HEIGHT);
        area.auto_shrink([false, true]).show_rows(ui, row, points.len(), |ui, rows| {
            for (index, point) in rows.clone().zip(&mut points[rows]) {
                ui.horizontal(|ui| {
                    let name = |axis| format!("Point {}, {axis}", index + 1);
                    let tip = "From the west side (0) to the east side (1)";
                    style::called(coordinate(ui, param, &mut point.x, tip), &name("from the west"));
                    let tip = "From the north side (0) to the south side (1)";
                    style::called(coordinate(ui, param, &mut point.y, tip), &name("from the north"));
                    let split = egui::Button::new("➕").small();
                    let tip = "Insert a point halfway to the next";
                    let split = ui.add_enabled(may_grow && index < last, split);
                    if style::sign(split, tip).clicked() {
                        change = Some(Change::Split(index));
                    }
                    if style::sign(ui.small_button("✖"), "Remove this point").clicked() {
                        change = Some(Change::Remove(index));
                    }
                });
            }
        });
        ui.horizontal(|ui| {
            let add = egui::Button::new("Add a point").small();
            if ui.add_enabled(may_grow, add).tip("Add a point at the end").clicked() {
                points.push(next_place(points, param));
            }
            if !points.is_empty() && ui.small_button("Clear").tip("Remove all points").clicked() {
                points.clear();
            }
        });
        match change {
            Some(Change::Remove(index)) => drop(points.remove(index)),
            Some(Change::Split(index)) => {
                points.insert(index + 1, points[index].midpoint(points[index + 1]));
            }
            None => {}
        }
    });
    list.response
}

fn coordinate(ui: &mut egui::Ui, param: &Param, value: &mut f32, tip: &str) -> egui::Response {
    let range = *param.range.start() as f32..=*param.range.end() as f32;
    let drag = egui::DragValue::new(value).range(range).speed(0.002).fixed_decimals(3);
    ui.add(drag).tip(tip)
}

/// The initial position of a new point, extrapolated from the last two.
fn next_place(points: &[Vec2], param: &Param) -> Vec2 {
    let (low, high) = (*param.range.start() as f32, *param.range.end() as f32);
    let place = match points {
        [] => Vec2::new(0.5, 0.0),
        [only] => *only + Vec2::new(0.0, 0.25),
        [.., before, last] => 2.0 * *last - *before,
    };
    place.clamp(Vec2::splat(low), Vec2::splat(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_point_continues_the_line_and_stays_in_range() {
        let param = Param { range: -1.0..=2.0, ..Param::new("points") };
        let mut points = Vec::new();
        for _ in 0..20 {
            points.push(next_place(&points, &param));
        }
        assert_eq!(points[..3], [Vec2::new(0.5, 0.0), Vec2::new(0.5, 0.25), Vec2::new(0.5, 0.5)]);
        assert!(points.iter().all(|point| (-1.0..=2.0).contains(&point.y)));
    }
}
