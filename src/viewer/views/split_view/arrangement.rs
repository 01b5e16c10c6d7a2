//! How views share the space that the panels leave: side by side, or as one picture with a line between them.

use bevy::camera::SubCameraView;
use bevy::prelude::*;

/// Pixels between two views.
const GAP: u32 = 2;

/// The minimum width and height of a view, as a share of the space.
const LEAST: f32 = 0.04;

/// How views share the space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Each view is a picture of its own.
    #[default]
    SideBySide,
    /// Each view shows a strip of the same picture, so that a line between two lands can be moved over it.
    Swipe,
}

impl Sharing {
    /// All ways, with their names and descriptions.
    pub const ALL: [(Self, &'static str, &'static str); 2] = [
        (Self::SideBySide, "Side by side", "Each land in a view of its own"),
        (Self::Swipe, "Swipe", "One view with a line to drag between the lands"),
    ];
}

/// How the views share the space at present.
#[derive(Resource, Default, Clone, Debug, PartialEq)]
pub(crate) struct Arrangement {
    /// Side by side, or as one picture.
    pub sharing: Sharing,
    /// Where the space is divided from left to right and from top to bottom, as rising shares of it. If their
    /// number doesn't match that of the lines, the space is divided evenly.
    cuts: [Vec<f32>; 2],
}

/// A line between views that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Divider {
    /// 0 if it separates left and right, 1 if it separates top and bottom.
    pub axis: usize,
    /// Its index among the lines of this axis.
    index: usize,
    /// The strip that it occupies, logical pixels.
    pub strip: Rect,
}

/// A part of the space, and the part of the whole picture that its view shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ViewPart {
    /// Pixels of the window.
    pub pixels: URect,
    /// `None` if the view shows its whole picture.
    pub of: Option<SubCameraView>,
}

impl Arrangement {
    /// The numbers of columns and rows for this many views in a space of this shape.
    fn counts(&self, views: usize, space: Vec2) -> UVec2 {
        let views = views.max(1) as u32;
        match (self.sharing, views) {
            (Sharing::Swipe, _) => UVec2::new(views, 1),
            (Sharing::SideBySide, 4) => UVec2::splat(2),
            (Sharing::SideBySide, _) if space.x < 0.8 * space.y => UVec2::new(1, views),
            (Sharing::SideBySide, _) => UVec2::new(views, 1),
        }
    }

    fn cuts(&self, axis: usize, count: u32) -> Vec<f32> {
        let cuts = &self.cuts[axis];
        if cuts.len() as u32 + 1 == count {
            return cuts.clone();
        }
        (1..count).map(|line| line as f32 / count as f32).collect()
    }

    /// The parts of a space in pixels for this many views, row by row; `None` if there is no space.
    pub fn parts(&self, space: URect, views: usize) -> Option<Vec<ViewPart>> {
        let size = space.size();
        let counts = self.counts(views, size.as_vec2());
        let [columns, rows] = [0, 1].map(|axis| stretches(size[axis], &self.cuts(axis, counts[axis])));
        let mut parts = Vec::new();
        for row in &rows {
            for column in &columns {
                let [min, max] = [0, 1].map(|end| UVec2::new(column[end], row[end]));
                if max.cmple(min).any() {
                    return None;
                }
                let of = (self.sharing == Sharing::Swipe).then_some(SubCameraView {
                    full_size: size,
                    offset: min.as_vec2(),
                    size: max - min,
                });
                parts.push(ViewPart { pixels: URect::from_corners(space.min + min, space.min + max), of });
            }
        }
        parts.truncate(views.max(1));
        Some(parts)
    }

    /// The lines between this many views in a space, in logical pixels.
    pub fn dividers(&self, space: Rect, views: usize) -> Vec<Divider> {
        let size = space.size();
        let mut dividers = Vec::new();
        if space.is_empty() {
            return dividers;
        }
        let counts = self.counts(views, size);
        for axis in 0..2 {
            for (index, cut) in self.cuts(axis, counts[axis]).into_iter().enumerate() {
                let mut strip = space;
                strip.min[axis] = space.min[axis] + cut * size[axis] - 1.0;
                strip.max[axis] = strip.min[axis] + 2.0;
                dividers.push(Divider { axis, index, strip });
            }
        }
        dividers
    }

    /// Moves a line to where it was dragged, between its neighbours.
    pub fn drag(&mut self, divider: &Divider, to: Vec2, space: Rect, views: usize) {
        let axis = divider.axis;
        let counts = self.counts(views, space.size());
        let mut cuts = self.cuts(axis, counts[axis]);
        let share = (to[axis] - space.min[axis]) / space.size()[axis];
        if !share.is_finite() || divider.index >= cuts.len() {
            return;
        }
        let before = divider.index.checked_sub(1).map_or(0.0, |index| cuts[index]) + LEAST;
        let after = cuts.get(divider.index + 1).copied().unwrap_or(1.0) - LEAST;
        cuts[divider.index] = share.max(before).min(after);
        self.cuts[axis] = cuts;
    }

    /// Divides the space evenly.
    pub fn even(&mut self) {
        self.cuts = default();
    }
}

/// The ranges of a length that is divided at these shares, with gaps between them.
fn stretches(length: u32, cuts: &[f32]) -> Vec<[u32; 2]> {
    let begins = |share: f32| (share * (length + GAP) as f32).round() as u32;
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| begins(*cut)));
    let ends = cuts.iter().map(|cut| begins(*cut).saturating_sub(GAP)).chain([length]);
    starts.zip(ends).map(|(start, end)| [start, end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(arrangement: &Arrangement, space: URect, views: usize) -> Vec<URect> {
        arrangement.parts(space, views).unwrap().into_iter().map(|part| part.pixels).collect()
    }

    #[test]
    fn views_share_the_whole_space() {
        let space = URect::new(340, 0, 1280, 700);
        let side_by_side = Arrangement::default();
        assert_eq!(parts(&side_by_side, space, 1), [space]);
        let three = parts(&side_by_side, space, 3);
        for pair in three.windows(2) {
            assert_eq!(pair[0].max.x + GAP, pair[1].min.x);
            assert!(pair[0].width().abs_diff(pair[1].width()) <= 1 && pair[0].height() == 700);
        }
        assert_eq!((three[0].min, three[2].max), (space.min, space.max));
        let four = parts(&side_by_side, space, 4);
        assert_eq!((four[3].min, four[3].max), (four[0].max + GAP, space.max));
        let high = parts(&side_by_side, URect::new(0, 0, 300, 900), 2);
        assert_eq!(high[1].min.y, high[0].max.y + GAP, "a tall space has rows");
    }

    #[test]
    fn there_are_no_views_without_space() {
        let all = Arrangement::default();
        for space in [URect::new(0, 0, 0, 0), URect::new(5, 5, 5, 90), URect::new(0, 0, 3, 0)] {
            assert_eq!(all.parts(space, 2), None, "{space:?}");
        }
        assert_eq!(all.parts(URect::new(0, 0, 3, 3), 4), None);
    }

    #[test]
    fn a_line_is_dragged_between_its_neighbours_and_back() {
        let (space, pixels) = (Rect::new(340.0, 0.0, 1340.0, 700.0), URect::new(340, 0, 1340, 700));
        let mut all = Arrangement::default();
        let lines = all.dividers(space, 3);
        assert_eq!(lines.len(), 2);
        all.drag(&lines[0], Vec2::new(540.0, 3.0), space, 3);
        assert_eq!(parts(&all, pixels, 3)[0].width(), 198);
        // Neither beyond the other line nor out of the space.
        all.drag(&lines[0], Vec2::new(5000.0, 3.0), space, 3);
        let wide = parts(&all, pixels, 3);
        assert!(wide[1].width() >= 38 && wide[2].width() > 300, "{wide:?}");
        all.drag(&lines[0], Vec2::new(-5000.0, 3.0), space, 3);
        assert!(parts(&all, pixels, 3)[0].width() >= 38);
        all.drag(&lines[0], Vec2::NAN, space, 3);
        assert!(parts(&all, pixels, 3)[0].width() >= 38);
        // With one more view, the lines of three no longer apply.
        assert_eq!(all.dividers(space, 4).iter().map(|line| line.axis).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(
            all.dividers(Rect { min: Vec2::new(340.0, 0.0), max: Vec2::new(20.0, 700.0) }, 3),
            [],
            "there is no space"
        );
        all.even();
        assert_eq!(all, Arrangement::default());
    }

    #[test]
    fn the_strips_of_a_swipe_are_parts_of_one_picture() {
        let mut swipe = Arrangement { sharing: Sharing::Swipe, ..default() };
        let space = URect::new(340, 0, 1280, 700);
        swipe.drag(&swipe.dividers(space.as_rect(), 2)[0], Vec2::new(500.0, 0.0), space.as_rect(), 2);
        for part in swipe.parts(space, 2).unwrap() {
            let of = part.of.unwrap();
            assert_eq!(of.full_size, space.size());
            assert_eq!(
                (of.offset + space.min.as_vec2(), of.size),
                (part.pixels.min.as_vec2(), part.pixels.size())
            );
        }
        assert_eq!(swipe.parts(space, 4).unwrap().len(), 4, "four strips, rather than two by two");
    }
}
