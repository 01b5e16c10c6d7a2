//! Strokes prepared for a land: how they change its heights.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::brush::{Brush, Touch};
use super::erode::erode;
use super::list::Strokes;
use super::patch::{Lattice, Patch};
use super::smooth::smooth;
use super::stroke::{Stroke, Tool};
use super::types::PaintedTypes;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Window};
use crate::math::smoothstep::smoothstep;

/// An unlimited rectangle: west, north, east, south, metres.
pub(crate) const EVERYWHERE: [f64; 4] = [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY];

/// Strokes of a block.
const BLOCK: usize = 64;

/// Returns the heights of a land before any stroke: all samples of a window on the land, row by row.
pub type Before<'a> = dyn Fn(Window) -> Result<Vec<f32>> + 'a;

/// The places of heights: where rows and columns cross. Metres from the land's sample (0, 0), ascending.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// East.
    pub x: &'a [f64],
    /// South.
    pub z: &'a [f64],
}

impl Places<'_> {
    /// The rectangle that they span: west, north, east, south.
    pub(crate) fn bounds(&self) -> [f64; 4] {
        let ends =
            |places: &[f64]| [places.first(), places.last()].map(|end| end.copied().unwrap_or(f64::NAN));
        let ([west, east], [north, south]) = (ends(self.x), ends(self.z));
        [west, north, east, south]
    }
}

/// A list of strokes prepared for a land.
///
/// The results of tools that look around are cached, and shared by clones and by the sculptures that follow
/// from this one, as long as the land before the strokes is the same.
///
/// ```
/// # use upland_core as upland;
/// use upland::sculpt::{Places, Sculpture, Stroke, Strokes, Tool};
/// use upland::{Domain, Work};
///
/// let mut strokes = Strokes::default();
/// strokes.push(Stroke::at(Tool::Raise { by: 8.0 }, [0.0, 0.0], 20.0))?;
/// let sculpture = Sculpture::new(Domain::endless(1.0, 1000.0)?, &strokes);
/// let mut heights = [100.0; 3];
/// let places = Places { x: &[-20.0, 0.0, 10.0], z: &[0.0] };
/// let level = |window: upland::Window| Ok(vec![100.0; (window.size[0] * window.size[1]) as usize]);
/// sculpture.change(&mut heights, places, &level, &Work::new())?;
/// assert_eq!(heights, [100.0, 108.0, 104.0]);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sculpture {
    domain: Domain,
    strokes: Vec<PreparedStroke>,
    /// The rectangle that each [`BLOCK`] of strokes changes together. Consecutive strokes mostly lie near
    /// each other, so whole blocks can be skipped.
    blocks: Vec<[f64; 4]>,
    types: Option<Arc<PaintedTypes>>,
    /// Whether any stroke cuts a hole.
    has_holes: bool,
}

/// A prepared stroke.
#[derive(Clone, Debug)]
struct PreparedStroke {
    stroke: Arc<Stroke>,
    /// The rectangle that it changes: west, north, east, south, metres.
    bounds: [f64; 4],
    /// Its view of the ground around, if its tool looks around.
    look: Option<Arc<Look>>,
}

#[derive(Debug)]
struct Look {
    lattice: Lattice,
    found: OnceLock<Patch>,
}

/// Two sculptures are equal if they have the same strokes and the same domain.
impl PartialEq for Sculpture {
    fn eq(&self, other: &Self) -> bool {
        let strokes =
            |sculpture: &Self| sculpture.strokes.iter().map(|known| known.stroke.clone()).collect::<Vec<_>>();
        self.domain == other.domain && self.len() == other.len() && strokes(self) == strokes(other)
    }
}

impl Sculpture {
    /// Strokes over a land.
    pub fn new(domain: Domain, strokes: &Strokes) -> Self {
        let nothing = Self { domain, strokes: Vec::new(), blocks: Vec::new(), types: None, has_holes: false };
        nothing.followed_by(strokes)
    }

    /// Other strokes over the same land. Cached results of the strokes with which both begin are kept.
    pub fn followed_by(&self, strokes: &Strokes) -> Self {
        // Strokes before the first difference keep what they have found; looking again takes long.
        let strokes = strokes.shared();
        let alike = self.strokes.iter().zip(&**strokes);
        let same = alike.take_while(|(known, stroke)| Arc::ptr_eq(&known.stroke, stroke)).count();
        let mut prepared = self.strokes[..same].to_vec();
        prepared.extend(strokes[same..].iter().map(|stroke| PreparedStroke::new(stroke, &self.domain)));
        let paints = |strokes: &[PreparedStroke]| {
            strokes.iter().any(|known| matches!(known.stroke.tool, Tool::Paint { .. }))
        };
        let types = match &self.types {
            // The painted types follow from the strokes of that tool alone.
            Some(types) if !paints(&self.strokes[same..]) && !paints(&prepared[same..]) => {
                Some(types.clone())
            }
            _ => PaintedTypes::of(strokes.iter().cloned()).map(Arc::new),
        };
        // Only full blocks of equal strokes: the last one may have had fewer.
        let mut blocks = self.blocks[..same / BLOCK].to_vec();
        for block in prepared[blocks.len() * BLOCK..].chunks(BLOCK) {
            let none = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
            blocks.push(block.iter().fold(none, |all, known| around(all, known.bounds)));
        }
        let has_holes = prepared.iter().any(|known| matches!(known.stroke.tool, Tool::Hole {}));
        Self { domain: self.domain, strokes: prepared, blocks, types, has_holes }
    }

    /// How many strokes there are.
    pub fn len(&self) -> usize {
        self.strokes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.strokes.is_empty()
    }

    /// Whether any stroke cuts a hole: the land then has the layer `hole`.
    pub fn has_holes(&self) -> bool {
        self.has_holes
    }

    /// The terrain types that are painted, if any are.
    pub(crate) fn types(&self) -> Option<&Arc<PaintedTypes>> {
        self.types.as_ref()
    }

    /// Those of these strokes that change anything in a rectangle; numbers beyond the last are ignored.
    fn within(&self, numbers: Range<usize>, bounds: [f64; 4]) -> impl Iterator<Item = &PreparedStroke> {
        let (start, end) = (numbers.start, numbers.end.min(self.len()));
        let blocks = start / BLOCK..end.div_ceil(BLOCK).max(start / BLOCK);
        let near = blocks.filter(move |block| self.blocks.get(*block).is_some_and(|of| overlap(*of, bounds)));
        // Blocks first: a hundred thousand strokes would otherwise be compared for every tile.
        let strokes = near.flat_map(move |block| {
            let first = block * BLOCK;
            self.strokes.get(first.max(start)..(first + BLOCK).min(end)).unwrap_or_default()
        });
        strokes.filter(move |known| overlap(known.bounds, bounds))
    }

    /// Whether any of these strokes changes heights in a rectangle: west, north, east, south, metres.
    pub fn changes(&self, numbers: Range<usize>, bounds: [f64; 4]) -> bool {
        self.within(numbers, bounds).any(PreparedStroke::changes_heights)
    }

    /// Whether any of these strokes makes or closes holes in a rectangle.
    pub fn changes_holes(&self, numbers: Range<usize>, bounds: [f64; 4]) -> bool {
        self.within(numbers, bounds).any(PreparedStroke::changes_holes)
    }

    /// Whether any of these strokes changes heights, holes or types in a rectangle.
    pub fn touches(&self, numbers: Range<usize>, bounds: [f64; 4]) -> bool {
        self.within(numbers, bounds).any(|known| known.stroke.tool.changes_tiles())
    }

    /// Whether any of these strokes removes objects in a rectangle.
    pub fn clears(&self, numbers: Range<usize>, bounds: [f64; 4]) -> bool {
        self.within(numbers, bounds).any(|known| known.stroke.tool.clears())
    }

    /// A rectangle around the part of a rectangle in which these strokes change heights or holes. `None` if
    /// there is no such part.
    pub fn reach(&self, numbers: Range<usize>, bounds: [f64; 4]) -> Option<[f64; 4]> {
        let changing =
            self.within(numbers, bounds).filter(|known| known.changes_heights() || known.changes_holes());
        let all = changing.map(|known| known.bounds).reduce(around)?;
        let [west, north, east, south] = bounds;
        Some([all[0].max(west), all[1].max(north), all[2].min(east), all[3].min(south)])
    }

    /// Whether these strokes have looked at all ground on which their changes in a rectangle depend.
    pub fn is_ready(&self, numbers: Range<usize>, bounds: [f64; 4]) -> bool {
        self.within(numbers, bounds).all(PreparedStroke::is_ready)
    }

    /// As [`change`](Self::change), for these strokes alone, after those before them have changed the
    /// heights, and without waiting: strokes that are not [ready](Self::is_ready) change nothing.
    pub fn change_at_once(&self, numbers: Range<usize>, heights: &mut [f32], places: Places) {
        // In the order in which they were made: later ones build on earlier ones.
        for known in self.within(numbers, places.bounds()) {
            known.change(heights, places);
        }
    }

    /// The samples that a stroke still has to look at; `None` if there are none.
    pub fn wants(&self, number: usize) -> Option<Window> {
        let look = self.strokes.get(number)?.look.as_ref()?;
        look.found.get().is_none().then(|| look.lattice.window())
    }

    /// Gives a stroke the heights that it [wants](Self::wants), as all strokes before it have left them.
    /// Heights of another size are ignored.
    pub fn show(&self, number: usize, heights: &[f32]) {
        let Some(known) = self.strokes.get(number) else { return };
        if let Some(look) = &known.look
            // Fewer heights than the lattice has would be read beyond their end.
            && heights.len() == look.lattice.size().iter().product::<usize>()
        {
            // This work is never cancelled.
            _ = look.see(&known.stroke, heights, &Work::new());
        }
    }

    /// Changes the heights of some places, row by row, by all strokes in their order. Returns whether any
    /// stroke touches them.
    ///
    /// # Errors
    /// Those of `before`, which tools that look around call, and [`Error::Cancelled`].
    pub fn change(&self, heights: &mut [f32], places: Places, before: &Before, work: &Work) -> Result<bool> {
        let (width, depth) = (places.x.len(), places.z.len());
        if heights.len() != width * depth {
            let reason = format!("there are {} for {width}×{depth} places", heights.len());
            return Err(Error::parameter("heights", reason));
        }
        let bounds = places.bounds();
        let touching = self.within(0..self.len(), bounds).filter(|known| known.changes_heights());
        let touching: Vec<&PreparedStroke> = touching.collect();
        if touching.is_empty() {
            return Ok(false);
        }
        self.look(bounds, before, work)?;
        for known in touching {
            work.check()?;
            known.change(heights, places);
        }
        Ok(true)
    }

    /// The height that strokes make of a height at a place, in metres from the land's sample (0, 0). Strokes
    /// that haven't looked around yet change nothing.
    pub fn height(&self, x: f64, z: f64, height: f32) -> f32 {
        let mut heights = [height];
        self.change_at_once(0..self.len(), &mut heights, Places { x: &[x], z: &[z] });
        heights[0]
    }

    /// Changes the layer `hole` of some places, row by row, by these strokes in their order. The layer is 0
    /// to 1, and there is no ground where it is above [`HOLE_FROM`](crate::grid::HOLE_FROM).
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::sculpt::{Places, Sculpture, Stroke, Strokes, Tool};
    /// use upland::{Domain, grid::is_hole};
    ///
    /// let shaft = Stroke::at(Tool::Hole {}, [0.0, 0.0], 20.0);
    /// let sculpture = Sculpture::new(Domain::endless(1.0, 1000.0)?, &Strokes::of(vec![shaft])?);
    /// let mut holes = [0.0; 4];
    /// sculpture.cut(0..1, &mut holes, Places { x: &[0.0, 19.0, 21.0, 60.0], z: &[0.0] });
    /// assert_eq!(holes.map(is_hole), [true, true, false, false]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn cut(&self, numbers: Range<usize>, holes: &mut [f32], places: Places) {
        for known in self.within(numbers, places.bounds()) {
            known.cut(holes, places);
        }
    }

    /// Whether strokes remove an object at a place. `luck` is the object's own number in \[0, 1): objects
    /// with a higher number are also removed by weaker brushes.
    pub fn takes(&self, x: f64, z: f64, luck: f32) -> bool {
        let mut clearing =
            self.within(0..self.len(), [x, z, x, z]).filter(|known| known.stroke.tool.clears());
        clearing.any(|known| {
            let brush = Brush::new(&known.stroke);
            brush.touch(&brush.row(z), x).is_some_and(|touch| known.stroke.takes(touch, luck))
        })
    }

    /// The value that strokes make of the layer `hole` at a place, in metres from the land's sample (0, 0).
    pub fn hole(&self, x: f64, z: f64, share: f32) -> f32 {
        let mut shares = [share];
        self.cut(0..self.len(), &mut shares, Places { x: &[x], z: &[z] });
        shares[0]
    }

    /// Memory in bytes that it takes once all strokes have looked around.
    pub(crate) fn bytes(&self) -> u64 {
        let of = |known: &PreparedStroke| {
            let look =
                known.look.as_ref().map_or(0, |look| look.lattice.size().iter().product::<usize>() * 4);
            size_of::<PreparedStroke>() + size_of::<Stroke>() + size_of_val(&known.stroke.path[..]) + look
        };
        self.strokes.iter().map(|known| of(known) as u64).sum()
    }

    /// Lets all strokes look around on which heights in a rectangle depend: west, north, east, south, metres.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn look(&self, bounds: [f64; 4], before: &Before, work: &Work) -> Result<()> {
        // A stroke depends on earlier ones where it looks, and these on earlier ones where they look. So
        // areas are collected from the last stroke to the first, and results computed from the first to the
        // last. A loop and no recursion, because chains may be long.
        let mut areas = vec![bounds];
        let mut missing = Vec::new();
        for (number, known) in self.strokes.iter().enumerate().rev() {
            // A stroke that has already looked around needs nothing before it any more.
            let Some(look) = known.look.as_ref().filter(|look| look.found.get().is_none()) else { continue };
            if areas.iter().any(|area| overlap(known.bounds, *area)) {
                areas.push(look.lattice.bounds());
                missing.push((number, look));
            }
        }
        for (number, look) in missing.into_iter().rev() {
            work.check()?;
            let lattice = look.lattice;
            let mut heights = before(lattice.window())?;
            let (x, z) = (lattice.places(0), lattice.places(1));
            if heights.len() != x.len() * z.len() {
                let reason = format!("has {} heights for {}×{} samples", heights.len(), x.len(), z.len());
                return Err(Error::parameter("the land before the strokes", reason));
            }
            let places = Places { x: &x, z: &z };
            self.change_at_once(0..number, &mut heights, places);
            look.see(&self.strokes[number].stroke, &heights, work)?;
        }
        Ok(())
    }
}

impl Look {
    /// Computes the result of a stroke's look around, from the land as all strokes before it have left it.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    fn see(&self, stroke: &Stroke, heights: &[f32], work: &Work) -> Result<()> {
        let (size, cell) = (self.lattice.size(), self.lattice.cell);
        let values = match stroke.tool {
            Tool::Erode { drops } => erode(stroke, drops, heights, size, cell, work)?,
            _ => smooth(stroke, heights, size, cell),
        };
        // Another thread may have been faster, with the same values. Threads don't wait for one another here:
        // a waiting thread could be the one that the scheduler has given this very work.
        _ = self.found.set(Patch::new(self.lattice, values));
        Ok(())
    }
}

impl PreparedStroke {
    fn new(stroke: &Arc<Stroke>, domain: &Domain) -> Self {
        let [low, high] = stroke.bounds();
        let look = stroke.tool.looks_around().then(|| Lattice::of(stroke, domain));
        Self {
            stroke: stroke.clone(),
            bounds: [low.x, low.y, high.x, high.y],
            look: look.map(|lattice| Arc::new(Look { lattice, found: OnceLock::new() })),
        }
    }

    fn changes_heights(&self) -> bool {
        self.stroke.tool.changes_heights()
    }

    fn changes_holes(&self) -> bool {
        self.stroke.tool.changes_holes()
    }

    fn is_ready(&self) -> bool {
        self.look.as_ref().is_none_or(|look| look.found.get().is_some())
    }

    /// The columns and rows of places that it can change.
    fn columns_and_rows(&self, places: Places) -> (Range<usize>, Range<usize>) {
        let [west, north, east, south] = self.bounds;
        let within = |places: &[f64], low: f64, high: f64| {
            // Places ascend, so those within the bounds are found by bisection.
            places.partition_point(|place| *place < low)..places.partition_point(|place| *place <= high)
        };
        (within(places.x, west, east), within(places.z, north, south))
    }

    /// Makes or closes holes at some places.
    fn cut(&self, holes: &mut [f32], places: Places) {
        let (columns, rows) = self.columns_and_rows(places);
        if !self.changes_holes() || columns.is_empty() {
            return;
        }
        let brush = Brush::new(&self.stroke);
        let width = places.x.len();
        for row in rows {
            let brush_row = brush.row(places.z[row]);
            if brush_row.is_empty() {
                continue;
            }
            let holes = &mut holes[row * width..][..width][columns.clone()];
            for (hole, &x) in holes.iter_mut().zip(&places.x[columns.clone()]) {
                if let Some(touch) = brush.touch(&brush_row, x) {
                    *hole = self.stroke.cut(*hole, touch);
                }
            }
        }
    }

    /// Changes the heights of some places. A stroke that has not looked around yet changes nothing, and
    /// neither does one that changes something other than heights.
    fn change(&self, heights: &mut [f32], places: Places) {
        if !self.changes_heights() {
            return;
        }
        let (columns, rows) = self.columns_and_rows(places);
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let brush = Brush::new(&self.stroke);
        let width = places.x.len();
        let x = &places.x[columns.clone()];
        let patch = self.look.as_ref().map(|look| look.found.get());
        let taps: Vec<_> = match patch {
            Some(Some(patch)) => x.iter().map(|&x| patch.tap(0, x)).collect(),
            // The stroke hasn't looked around yet; it is left out, because its effect can't be guessed.
            Some(None) => return,
            None => Vec::new(),
        };
        for row in rows {
            let brush_row = brush.row(places.z[row]);
            if brush_row.is_empty() {
                continue;
            }
            let heights = &mut heights[row * width..][..width][columns.clone()];
            match patch.flatten() {
                None => {
                    for (height, &x) in heights.iter_mut().zip(x) {
                        if let Some(touch) = brush.touch(&brush_row, x) {
                            *height = self.stroke.changed(*height, touch);
                        }
                    }
                }
                Some(patch) => {
                    let line = patch.line(&patch.tap(1, places.z[row]));
                    for ((height, &x), tap) in heights.iter_mut().zip(x).zip(&taps) {
                        if let Some(touch) = brush.touch(&brush_row, x) {
                            *height = self.stroke.changed_by_look(*height, touch, tap.on(&line));
                        }
                    }
                }
            }
        }
    }
}

impl Stroke {
    /// The new height.
    fn changed(&self, height: f32, touch: Touch) -> f32 {
        let share = self.share(touch.apart);
        match self.tool {
            Tool::Raise { by } => height + by * share,
            Tool::Lower { by } => height - by * share,
            Tool::Flatten { to } => towards(height, to, share),
            Tool::Ramp { from, to } => towards(height, from + (to - from) * touch.along, share),
            // The profile ends by itself, so the falloff has no effect on a crater.
            Tool::Crater { depth, rim } => height + self.strength * crater(touch.apart, depth, rim),
            Tool::Smooth {} | Tool::Erode { .. } | Tool::Paint { .. } => height,
            Tool::Hole {} | Tool::Close {} | Tool::Clear {} => height,
        }
    }

    /// The new value of the layer of holes. It is one half on the edge, at the radius, so that the edge
    /// between samples is a circle and not a staircase of cells.
    fn cut(&self, hole: f32, touch: Touch) -> f32 {
        // The reach is two radii, so this is ½ at the radius, where a hole's edge lies.
        let inside = 1.0 - touch.apart;
        match self.tool {
            Tool::Hole {} => hole.max(inside),
            Tool::Close {} => hole.min(1.0 - inside),
            _ => hole,
        }
    }

    /// Whether it removes an object.
    fn takes(&self, touch: Touch, luck: f32) -> bool {
        match self.tool {
            // Up to the rim.
            Tool::Crater { .. } => touch.apart < RIM && self.strength > 0.0,
            Tool::Hole {} => touch.apart < 0.5,
            Tool::Clear {} => luck < self.share(touch.apart),
            _ => false,
        }
    }

    /// The new height, where looking around has given this value.
    fn changed_by_look(&self, height: f32, touch: Touch, found: f32) -> f32 {
        let share = self.share(touch.apart);
        match self.tool {
            Tool::Erode { .. } => height + found * share,
            _ => towards(height, found, share),
        }
    }
}

/// Moves from one height towards another; exactly there with a share of 1.
fn towards(from: f32, to: f32, share: f32) -> f32 {
    // Exactly `to`: from + (to − from) may round to a neighbouring float.
    if share >= 1.0 { to } else { from + (to - from) * share }
}

/// Radii of the brush from the middle of a crater to its rim.
const RIM: f32 = 0.5;

/// The height of a crater above the former ground, at a distance of `apart` brush radii from its middle: a
/// paraboloid up to the rim, half a radius from the middle, and ejecta beyond it, whose thickness falls with
/// the cube of the distance (McGetchin, Settle and Head, "Radial thickness variation in impact crater
/// ejecta", 1973) and ends with the brush.
fn crater(apart: f32, depth: f32, rim: f32) -> f32 {
    let from_middle = apart / RIM;
    if from_middle < 1.0 {
        return (depth + rim) * (from_middle * from_middle) - depth;
    }
    let cubed = from_middle * from_middle * from_middle;
    rim / cubed * (1.0 - smoothstep((apart - RIM) / (1.0 - RIM)))
}

/// The smallest rectangle around two: west, north, east, south.
fn around(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Whether two rectangles share a point: west, north, east, south.
fn overlap(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}
