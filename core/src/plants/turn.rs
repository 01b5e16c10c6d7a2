//! Directions in space, by `libm`, because the sines of different systems differ.

use glam::Vec3;

/// `v` turned anticlockwise around a unit vector (Rodrigues' formula).
pub(super) fn turned(v: Vec3, axis: Vec3, radians: f32) -> Vec3 {
    let (sine, cosine) = libm::sincosf(radians);
    v * cosine + axis.cross(v) * sine + axis * (axis.dot(v) * (1.0 - cosine))
}

/// `direction` turned towards +y by this many degrees, or away from it if they are below 0; never beyond the
/// vertical.
pub(super) fn raised(direction: Vec3, degrees: f32) -> Vec3 {
    let axis = direction.cross(Vec3::Y);
    let sine = axis.length();
    if sine < 1e-4 {
        return direction;
    }
    let to_vertical = libm::atan2f(sine, direction.y.abs());
    let limit = if (degrees > 0.0) == (direction.y > 0.0) { to_vertical } else { std::f32::consts::PI };
    let radians = degrees.to_radians().clamp(-limit, limit);
    turned(direction, axis / sine, radians).normalize()
}

/// The horizontal direction with this azimuth.
pub(super) fn level(degrees: f32) -> Vec3 {
    let (sine, cosine) = libm::sincosf(degrees.to_radians());
    Vec3::new(cosine, 0.0, sine)
}

/// Two unit vectors at right angles to a direction and to each other: the first is horizontal.
pub(super) fn across(direction: Vec3) -> (Vec3, Vec3) {
    let side = direction.cross(Vec3::Y);
    let side = if side.length_squared() > 1e-6 { side.normalize() } else { Vec3::X };
    (side, side.cross(direction).normalize())
}
