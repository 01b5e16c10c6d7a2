//! The effect of a mask on one sample, as an equation with its numbers.

use super::probe::number;
use crate::grid::LayerInfo;
use crate::recipe::{Mask, MaskKind};

impl Mask {
    /// How the share in which its step acts follows from `value`, what it goes by at a sample; `None` without
    /// a mask.
    pub(super) fn equation(&self, value: f32) -> Option<String> {
        let own = self.share_of(value);
        let text = match self.mask {
            MaskKind::None => return None,
            MaskKind::Height => self.within_limits("height", value, " m"),
            MaskKind::Slope => self.within_limits("slope", value, "°"),
            MaskKind::Layer => {
                let name = self.mask_layer.as_str();
                let unit = match LayerInfo::unit_of(name) {
                    "" => String::new(),
                    unit => format!(" {unit}"),
                };
                self.within_limits(name, value, &unit)
            }
            MaskKind::Aspect if value.is_nan() => "level ground faces no way: 0".to_owned(),
            MaskKind::Aspect => {
                let [from, to] = [self.mask_min, self.mask_max].map(number);
                format!("facing {}°, in full from {from}° clockwise to {to}°: {}", number(value), number(own))
            }
            MaskKind::Factor => self.within_limits(self.mask_factor.as_str(), value, ""),
            MaskKind::Noise => self.over_threshold(value),
            MaskKind::Image => format!("brightness of {}: {}", self.mask_image.text(), number(own)),
        };
        let inverted = || format!("{text};  inverted: 1 − {} = {}", number(own), number(1.0 - own));
        Some(if self.mask_invert { inverted() } else { text })
    }

    /// `height 925 m, in full from 400 to 900 m, fading over 100 m: 1 − (925 − 900) / 100 = 0.75`
    fn within_limits(&self, name: &str, value: f32, unit: &str) -> String {
        // At the ends of their ranges limits are none.
        let most = Self::default();
        let min = Some(self.mask_min).filter(|min| *min > most.mask_min);
        let max = Some(self.mask_max).filter(|max| *max < most.mask_max);
        let range = match (min, max) {
            (Some(min), Some(max)) => format!("from {} to {}{unit}", number(min), number(max)),
            (Some(min), None) => format!("from {}{unit} up", number(min)),
            (None, Some(max)) => format!("up to {}{unit}", number(max)),
            (None, None) => "everywhere".to_owned(),
        };
        let release = match self.mask_release {
            0.0 => String::new(),
            release => format!(", fading over {}{unit}", number(release)),
        };
        let share = self.share_of(value);
        let made = number(share);
        let equation = if share == 0.0 || share == 1.0 {
            made
        } else {
            let excess = match min.filter(|min| value < *min) {
                Some(min) => minus(min, value),
                None => minus(value, self.mask_max),
            };
            format!("1 − ({excess}) / {} = {made}", number(self.mask_release))
        };
        format!("{name} {}{unit}, in full {range}{release}: {equation}", number(value))
    }

    /// `noise over its threshold: (0.12 − 0.1) / 0.1 + 0.5 = 0.7`
    fn over_threshold(&self, noise: f32) -> String {
        let (excess, made) = (minus(noise, self.mask_threshold), number(self.share_of(noise)));
        if self.mask_softness == 0.0 {
            let sign = if noise > self.mask_threshold { "above" } else { "not above" };
            return format!("noise {}, {sign} {}: {made}", number(noise), number(self.mask_threshold));
        }
        let softness = number(self.mask_softness);
        let ramp = (noise - self.mask_threshold) / self.mask_softness + 0.5;
        let kept = match ramp {
            0.0..=1.0 => made,
            _ => format!("{}, kept within 0 … 1: {made}", number(ramp)),
        };
        format!("noise over its threshold: ({excess}) / {softness} + 0.5 = {kept}")
    }
}

/// A difference, with a number below 0 in brackets.
fn minus(from: f32, what: f32) -> String {
    let what = if what < 0.0 { format!("({})", number(what)) } else { number(what) };
    format!("{} − {what}", number(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FilePath;
    use crate::params::Name;

    fn told(mask: &Mask, value: f32) -> String {
        mask.equation(value).unwrap()
    }

    #[test]
    fn limits_are_told_with_what_lies_beyond_them() {
        let height = Mask {
            mask: MaskKind::Height,
            mask_min: -50.0,
            mask_max: 900.0,
            mask_release: 100.0,
            ..Mask::default()
        };
        let limits = "in full from −50 to 900 m, fading over 100 m";
        assert_eq!(told(&height, 925.0), format!("height 925 m, {limits}: 1 − (925 − 900) / 100 = 0.75"));
        assert_eq!(told(&height, -75.0), format!("height −75 m, {limits}: 1 − (−50 − (−75)) / 100 = 0.75"));
        assert_eq!(told(&height, 400.0), format!("height 400 m, {limits}: 1"));
        assert_eq!(told(&height, 1200.0), format!("height 1200 m, {limits}: 0"));
        let inverted = Mask { mask_invert: true, mask_min: -12000.0, ..height };
        assert_eq!(
            told(&inverted, 925.0),
            "height 925 m, in full up to 900 m, fading over 100 m: 1 − (925 − 900) / 100 = 0.75;  \
             inverted: 1 − 0.75 = 0.25"
        );
        let slope = Mask { mask: MaskKind::Slope, mask_min: 30.0, ..Mask::default() };
        assert_eq!(told(&slope, 12.5), "slope 12.5°, in full from 30° up: 0");
        let layer = Mask { mask: MaskKind::Layer, mask_layer: Name::new("flow").unwrap(), ..Mask::default() };
        assert_eq!(told(&layer, 0.25), "flow 0.25 km², in full everywhere: 1");
        assert_eq!(Mask::default().equation(1.0), None);
    }

    #[test]
    fn noise_and_pictures_are_told() {
        let noise =
            Mask { mask: MaskKind::Noise, mask_threshold: -0.25, mask_softness: 0.5, ..Mask::default() };
        assert_eq!(told(&noise, -0.125), "noise over its threshold: (−0.125 − (−0.25)) / 0.5 + 0.5 = 0.75");
        assert_eq!(
            told(&noise, 0.25),
            "noise over its threshold: (0.25 − (−0.25)) / 0.5 + 0.5 = 1.5, kept within 0 … 1: 1"
        );
        let hard = Mask { mask_softness: 0.0, ..noise };
        assert_eq!(told(&hard, -0.25), "noise −0.25, not above −0.25: 0");
        let picture = Mask { mask: MaskKind::Image, mask_image: FilePath::new("wet.png"), ..Mask::default() };
        assert_eq!(told(&picture, 0.4), "brightness of wet.png: 0.4");
    }

    /// The equation ends with the share by which the step is masked.
    #[test]
    fn an_equation_comes_to_the_masks_own_share() {
        for kind in [MaskKind::Height, MaskKind::Slope, MaskKind::Noise, MaskKind::Layer] {
            let mask = Mask {
                mask: kind,
                mask_layer: Name::new("wear").unwrap(),
                mask_min: 2.0,
                mask_max: 3.0,
                mask_release: 4.0,
                mask_threshold: 1.0,
                mask_softness: 2.0,
                ..Mask::default()
            };
            for step in -40..100 {
                let value = step as f32 * 0.125;
                let told = told(&mask, value);
                let end = told.rsplit([' ']).next().unwrap();
                assert_eq!(end, number(mask.share_of(value)), "{told}");
            }
        }
    }
}
