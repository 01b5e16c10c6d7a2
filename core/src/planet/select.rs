//! Level of detail: which nodes are drawn for an eye, and which are to be made.

use glam::DVec3;

use super::cube::{Node, QUADS};
use super::land::PlanetLand;

/// A camera over a planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanetEye {
    /// From the planet's centre, metres.
    pub position: DVec3,
    /// The size of a metre at a distance of a metre, pixels.
    pub pixels: f64,
    /// The largest apparent size of a quad, pixels.
    pub quad_pixels: f64,
}

impl PlanetEye {
    /// The distance in metres within which quads of a depth look larger than allowed, so that those of the
    /// next depth replace them; 0 for the finest. It is the same for all nodes of a depth, so that both sides
    /// of a border become their parents' at the same distance.
    pub fn splitting_distance(&self, land: &PlanetLand, depth: u8) -> f64 {
        if depth >= land.deepest() { 0.0 } else { land.cell_at(depth) * self.pixels / self.quad_pixels }
    }

    /// The share of their parents' splitting distance at which nodes begin to look like their parents. At
    /// that distance all of a node must look like its parent; at the distance where its own quarters replace
    /// it, half as far, none of it may, up to the node's far end.
    pub fn morph_begins(&self) -> f64 {
        let across = f64::from(QUADS) * std::f64::consts::SQRT_2 / 2.0;
        (0.5 + across * self.quad_pixels / self.pixels).clamp(0.5, 0.9)
    }
}

/// What a planet needs for an eye.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The nodes to draw, which cover the part of the planet above the eye's horizon once.
    pub drawn: Vec<Node>,
    /// Nodes to make, the most urgent first.
    pub wanted: Vec<Node>,
}

/// Chooses the nodes for an eye. `made` returns the lowest and the highest height of a node, metres, if it
/// has been made: until all quarters of a node have been made, it is drawn itself.
pub fn select(land: &PlanetLand, eye: &PlanetEye, made: &impl Fn(Node) -> Option<(f32, f32)>) -> Selection {
    let mut choice = Choice { land, eye, made, drawn: Vec::new(), wanted: Vec::new() };
    for root in Node::roots() {
        match made(root) {
            Some(heights) => choice.visit(root, heights),
            None => choice.wanted.push((f64::INFINITY, root)),
        }
    }
    let Choice { drawn, mut wanted, .. } = choice;
    // Equal sizes are ordered by node, so that the choice doesn't depend on the order of visits.
    wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Selection { drawn, wanted: wanted.into_iter().map(|(_, node)| node).collect() }
}

struct Choice<'a, F> {
    land: &'a PlanetLand,
    eye: &'a PlanetEye,
    made: &'a F,
    drawn: Vec<Node>,
    wanted: Vec<(f64, Node)>,
}

impl<F: Fn(Node) -> Option<(f32, f32)>> Choice<'_, F> {
    fn visit(&mut self, node: Node, heights: (f32, f32)) {
        let size = self.apparent(node, heights);
        if size == 0.0 {
            return;
        }
        if size <= self.eye.quad_pixels || node.depth >= self.land.deepest() {
            self.drawn.push(node);
            return;
        }
        let children = node.children().map(|child| (child, (self.made)(child)));
        if let [(a, Some(of_a)), (b, Some(of_b)), (c, Some(of_c)), (d, Some(of_d))] = children {
            for (child, heights) in [(a, of_a), (b, of_b), (c, of_c), (d, of_d)] {
                self.visit(child, heights);
            }
            return;
        }
        // Drawn itself until all four quarters exist: fewer would leave holes.
        self.drawn.push(node);
        let missing = children.into_iter().filter(|(_, made)| made.is_none());
        self.wanted.extend(missing.map(|(child, _)| (size, child)));
    }

    /// The largest apparent size of a node's quads, pixels; 0 behind the horizon.
    fn apparent(&self, node: Node, (_, high): (f32, f32)) -> f64 {
        let (land, eye) = (self.land, self.eye.position);
        let half = i64::from(QUADS / 2);
        let middle = node.point(half, half).direction();
        let corners = [(0, 0), (0, 2 * half), (2 * half, 0), (2 * half, 2 * half)]
            .map(|(column, row)| node.point(column, row).direction());
        // Cosine of the angle between the middle and the farthest corner.
        let cosine = corners.iter().map(|corner| corner.dot(middle)).fold(1.0, f64::min);
        let angle = libm::acos(cosine.clamp(-1.0, 1.0));
        // There may be land below the lowest surveyed height, and peaks between a node's samples.
        let (low_of_all, high_of_all) = land.range();
        let lowest = f64::from(low_of_all) - f64::from(high_of_all - low_of_all) / 2.0;
        let highest = f64::from(high) + 0.5 * land.cell_at(node.depth);
        let away = eye.length().max(1.0);
        // Ground behind the horizon of the lowest ground is hidden, unless it rises above that.
        let ground = (land.radius() + lowest).max(1.0);
        let dip = |radius: f64| libm::acos((ground / radius.max(ground)).min(1.0));
        let between = libm::acos((eye.dot(middle) / away).clamp(-1.0, 1.0));
        // The eye and the ground each see down to the horizon by their own dip; beyond both, the sphere is in
        // between.
        if between - angle > dip(away) + dip(land.radius() + highest) {
            return 0.0;
        }
        // From a ball around the node, or, if the eye is in it, from the ground under the eye.
        let nearest_angle = (between - angle).max(0.0);
        let above = (away - land.radius() - highest).max(0.0);
        // The chord, not the arc: it is never longer than the true distance, so nodes are drawn rather too
        // fine than too coarse.
        let over = 2.0 * libm::sin(nearest_angle / 2.0) * land.radius();
        let distance = (over * over + above * above).sqrt();
        // Bounded, so that an eye on the ground doesn't divide by 0.
        land.cell_at(node.depth) / distance.max(land.cell_at(land.deepest())) * self.eye.pixels
    }
}
