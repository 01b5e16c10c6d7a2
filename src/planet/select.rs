//! Level of detail: which nodes are drawn for an eye, and which are to be made.

use glam::DVec3;

use super::cube::{Node, QUADS};
use super::land::PlanetLand;

/// A camera over a planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanetEye {
    /// From the planet's centre, metres.
    pub position: DVec3,
    /// How large a metre looks at a distance of a metre, pixels.
    pub pixels: f64,
    /// The largest apparent size of a quad, pixels.
    pub quad_pixels: f64,
}

/// What a planet needs for an eye.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The nodes to draw, which cover all of the planet that is above the eye's horizon, once.
    pub drawn: Vec<Node>,
    /// Nodes to make, the most urgent first.
    pub wanted: Vec<Node>,
}

/// Chooses the nodes for an eye. `is_there` says whether a node has been made: until all quarters of one are, it is
/// drawn itself.
pub fn select(land: &PlanetLand, eye: &PlanetEye, is_there: &impl Fn(Node) -> bool) -> Selection {
    let mut choice = Choice { land, eye, is_there, drawn: Vec::new(), wanted: Vec::new() };
    for root in Node::roots() {
        if is_there(root) {
            choice.visit(root);
        } else {
            choice.wanted.push((f64::INFINITY, root));
        }
    }
    let Choice { drawn, mut wanted, .. } = choice;
    wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Selection { drawn, wanted: wanted.into_iter().map(|(_, node)| node).collect() }
}

struct Choice<'a, F> {
    land: &'a PlanetLand,
    eye: &'a PlanetEye,
    is_there: &'a F,
    drawn: Vec<Node>,
    wanted: Vec<(f64, Node)>,
}

impl<F: Fn(Node) -> bool> Choice<'_, F> {
    fn visit(&mut self, node: Node) {
        let size = self.apparent(node);
        if size == 0.0 {
            return;
        }
        if size <= self.eye.quad_pixels || node.depth >= self.land.deepest() {
            self.drawn.push(node);
            return;
        }
        let children = node.children();
        let missing = children.into_iter().filter(|child| !(self.is_there)(*child));
        let missing: Vec<Node> = missing.collect();
        if missing.is_empty() {
            children.into_iter().for_each(|child| self.visit(child));
        } else {
            self.drawn.push(node);
            self.wanted.extend(missing.into_iter().map(|child| (size, child)));
        }
    }

    /// The largest apparent size of a node's quads, pixels; 0 behind the horizon.
    fn apparent(&self, node: Node) -> f64 {
        let (land, eye) = (self.land, self.eye.position);
        let (low, high) = land.range();
        let half = i64::from(QUADS / 2);
        let middle = node.point(half, half).direction();
        let corners = [(0, 0), (0, 2 * half), (2 * half, 0), (2 * half, 2 * half)]
            .map(|(column, row)| node.point(column, row).direction());
        // Cosine of the angle between the middle and the farthest corner.
        let cosine = corners.iter().map(|corner| corner.dot(middle)).fold(1.0, f64::min);
        let angle = libm::acos(cosine.clamp(-1.0, 1.0));
        // Peaks may stand above what was surveyed.
        let relief = f64::from(high - low).max(1.0);
        let (lowest, highest) = (f64::from(low) - relief / 2.0, f64::from(high) + relief / 2.0);
        let away = eye.length().max(1.0);
        // What is behind the horizon of the lowest ground is hidden, unless it stands above it.
        let ground = (land.radius() + lowest).max(1.0);
        let dip = |radius: f64| libm::acos((ground / radius.max(ground)).min(1.0));
        let between = libm::acos((eye.dot(middle) / away).clamp(-1.0, 1.0));
        if between - angle > dip(away) + dip(land.radius() + highest) {
            return 0.0;
        }
        // From a ball around the node, or, if the eye is in it, from the ground under it.
        let reach = 2.0 * libm::sin(angle / 2.0) * land.radius();
        let nearest_angle = (between - angle).max(0.0);
        let above = (away - land.radius() - highest).max(0.0);
        let over = 2.0 * libm::sin(nearest_angle / 2.0) * land.radius();
        let distance = (over * over + above * above).sqrt();
        let cell = 2.0 * reach / f64::from(QUADS) * std::f64::consts::FRAC_1_SQRT_2;
        cell / distance.max(land.cell_at(land.deepest())) * self.eye.pixels
    }
}
