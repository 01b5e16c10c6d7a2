//! Splits positions into whole units and a fraction: so shaders are precise on land of any extent. The
//! arithmetic with them is in `shaders/place.wgsl`.

/// A distance in some unit as a whole number, rounded down, and the rest in [0, 1).
pub(crate) fn split_whole_fraction(units: f64) -> (i32, f32) {
    let whole = units.floor();
    // Beyond 2³¹ units the count wraps; what repeats every unit is not affected.
    (whole as i64 as i32, (units - whole) as f32)
}

#[cfg(test)]
mod tests {
    use bevy::math::{DVec2, IVec2, Vec2};

    use super::*;

    /// Twin of `Counted` in `shaders/place.wgsl`, as are the functions here.
    #[derive(Clone, Copy)]
    struct Counted {
        whole: IVec2,
        rest: Vec2,
    }

    impl Counted {
        fn new(units: DVec2) -> Self {
            let ((x, x_rest), (y, y_rest)) = (split_whole_fraction(units.x), split_whole_fraction(units.y));
            Self { whole: IVec2::new(x, y), rest: Vec2::new(x_rest, y_rest) }
        }

        fn units(self) -> DVec2 {
            self.whole.as_dvec2() + self.rest.as_dvec2()
        }
    }

    fn advanced(place: Counted, by: Vec2) -> Counted {
        let rest = place.rest + by;
        let whole = rest.floor();
        Counted { whole: place.whole + whole.as_ivec2(), rest: rest - whole }
    }

    fn recounted(place: Counted, times: IVec2, over: IVec2) -> Counted {
        let all = place.whole * times;
        let below = |all: i32, over: i32| i32::from(all % over < 0);
        let whole = all / over - IVec2::new(below(all.x, over.x), below(all.y, over.y));
        let left = (all - whole * over).as_vec2() + place.rest * times.as_vec2();
        advanced(Counted { whole, rest: Vec2::ZERO }, left / over.as_vec2())
    }

    /// Whole numbers after `name` in a shader.
    fn number(shader: &str, name: &str) -> i32 {
        let start = shader.find(&format!("const {name}: i32 = ")).unwrap_or_else(|| panic!("{name}"));
        let value = shader[start..].split(['=', ';']).nth(1).unwrap();
        value.trim().parse().unwrap()
    }

    #[test]
    fn ground_near_the_eye_has_its_place_to_a_tenth_of_a_millimetre_on_any_land() {
        let (tile, detail) =
            (include_str!("../../../shaders/tile.wgsl"), include_str!("../../../shaders/detail.wgsl"));
        let enlarged = IVec2::new(number(tile, "ENLARGED_TIMES"), number(tile, "ENLARGED_OVER"));
        let lacunarity = IVec2::new(number(detail, "LACUNARITY_TIMES"), number(detail, "LACUNARITY_OVER"));
        let patches = number(tile, "PATCH_NOISE");
        assert!(tile.contains(&format!("ENLARGED: f32 = {};", enlarged.x as f32 / enlarged.y as f32)));
        assert!(
            detail.contains(&format!("LACUNARITY: f32 = {};", lacunarity.x as f32 / lacunarity.y as f32))
        );

        for extent in [1e3, 1e5, 2e6] {
            for size in [0.5f32, 3.3, 40.0] {
                // In and around the far corner; the anchor is a sample, the ground near it.
                let anchor = DVec2::new(extent, extent - 7.7);
                for away in [Vec2::new(-3.125, 0.37), Vec2::new(-50.5, -81.25), Vec2::new(2.0, -0.001)] {
                    let true_place = anchor + away.as_dvec2();
                    let units = true_place / f64::from(size);
                    let place = advanced(Counted::new(anchor / f64::from(size)), away / size);
                    let check = |found: Counted, units: DVec2, size: f64| {
                        let off = (found.units() - units).abs().max_element() * size;
                        assert!(off < 1e-4, "{off} m off on {extent} m, {size} m a unit");
                        assert!(found.rest.min_element() >= 0.0 && found.rest.max_element() <= 1.0);
                    };
                    let size = f64::from(size);
                    check(place, units, size);
                    let ratio = |ratio: IVec2| f64::from(ratio.x) / f64::from(ratio.y);
                    let larger = recounted(place, IVec2::splat(enlarged.y), IVec2::splat(enlarged.x));
                    check(larger, units / ratio(enlarged), size * ratio(enlarged));
                    let on_patches = recounted(larger, IVec2::ONE, IVec2::new(3, 1) * patches);
                    let drawn_out = DVec2::new(3.0, 1.0) * f64::from(patches);
                    check(on_patches, units / ratio(enlarged) / drawn_out, size);
                    let mut octave = place;
                    for power in 1..4 {
                        octave = recounted(octave, IVec2::splat(lacunarity.x), IVec2::splat(lacunarity.y));
                        let finer = ratio(lacunarity).powi(power);
                        check(octave, units * finer, size / finer);
                    }
                }
            }
        }
    }

    #[test]
    fn what_lies_below_zero_is_counted_down() {
        let place = Counted::new(DVec2::new(-7.25, -0.5));
        assert_eq!((place.whole, place.rest), (IVec2::new(-8, -1), Vec2::new(0.75, 0.5)));
        let third = recounted(place, IVec2::ONE, IVec2::splat(3));
        assert!((third.units() - DVec2::new(-7.25 / 3.0, -0.5 / 3.0)).abs().max_element() < 1e-6);
        assert_eq!(third.whole, IVec2::new(-3, -1));
    }
}
