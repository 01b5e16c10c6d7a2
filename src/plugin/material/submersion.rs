//! An eye under water.

use bevy::prelude::*;

/// How deep the eye of a camera is under water. Every [`SkyCamera`](crate::plugin::SkyCamera) has it;
/// [`WaterPlugin`](crate::plugin::WaterPlugin) keeps it up to date for all cameras that see a sea. Then the
/// camera's fog is that of water, and the ground below the sea is lit through it. A game may read it, to
/// muffle sounds for example.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub struct Submersion {
    /// Metres from the eye up to the water's surface, in the world; 0 above water.
    pub depth: f32,
    /// World height of the surface, metres.
    pub level: f32,
    /// The water's clarity, metres in the world: [`WaterSurface::clarity`](crate::plugin::WaterSurface).
    pub clarity: f32,
}

impl Submersion {
    /// How fast water takes light of each colour away, as a multiple of what it does to blue. Twin of
    /// `ABSORPTION` in `shaders/water.wgsl`.
    const ABSORPTION: Vec3 = Vec3::new(6.5, 1.35, 1.0);

    /// How much less is lost of the light that goes down than of a beam: much of what is scattered goes down
    /// too.
    const DIFFUSE: f32 = 0.5;

    /// Whether the eye is under water.
    pub fn is_under_water(self) -> bool {
        self.depth > 0.0
    }

    /// Light of each colour that a beam loses per metre, as the exponent of its decay.
    pub(crate) fn extinction(self) -> Vec3 {
        Self::ABSORPTION / self.clarity.max(0.01)
    }

    /// Daylight of each colour that is lost per metre of depth, as the exponent of its decay.
    pub(crate) fn dimming(self) -> Vec3 {
        Self::DIFFUSE * self.extinction()
    }

    /// The share of each colour of daylight that there is where the eye is.
    pub(crate) fn daylight(self) -> Vec3 {
        (-self.dimming() * self.depth).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deeper_the_darker_and_the_bluer() {
        let at = |depth| Submersion { depth, level: 0.0, clarity: 14.0 }.daylight();
        assert_eq!(at(0.0), Vec3::ONE);
        for depth in [1.0, 5.0, 30.0] {
            let light = at(depth);
            assert!(light.x < light.y && light.y < light.z && light.z < 1.0, "{light}");
            assert!(at(2.0 * depth).z < light.z);
        }
        let shader = include_str!("../../../shaders/water.wgsl");
        let Vec3 { x, y, z } = Submersion::ABSORPTION;
        assert!(shader.contains(&format!("const ABSORPTION: vec3<f32> = vec3({x:?}, {y:?}, {z:?});")));
    }
}
