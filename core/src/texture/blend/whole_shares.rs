//! Shares of 255 that add up to 255: the method of the largest remainder (Hamilton, 1791), by which the seats
//! of a parliament are distributed.

/// The shares of a whole texel.
pub(crate) const WHOLE: u16 = 255;

/// Corrects shares that were rounded one by one, so that those of the ground add up to [`WHOLE`]: missing
/// units are added where rounding down lost most, surplus ones removed where rounding up added most; among
/// equals the first comes first. `exact` is a share before it was rounded, `None` for one that is not of the
/// ground.
#[inline(never)]
pub(crate) fn add_up(shares: &mut [u8], exact: impl Fn(usize) -> Option<f32>) {
    let ground = |index: &usize| exact(*index).is_some();
    let sum: i32 = (0..shares.len()).filter(ground).map(|index| i32::from(shares[index])).sum();
    // Rounding is wrong by less than half a unit for each type, so only a few units are missing and few
    // rounds run.
    let missing = i32::from(WHOLE) - sum;
    for _ in 0..missing.abs() {
        let mut most: Option<(usize, f32)> = None;
        for (index, share) in shares.iter().enumerate() {
            let Some(exact) = exact(index) else { continue };
            let lost = (exact - f32::from(*share)) * missing.signum() as f32;
            let can_change = if missing > 0 { *share < u8::MAX } else { *share > 0 };
            if can_change && most.is_none_or(|(_, most)| lost > most) {
                most = Some((index, lost));
            }
        }
        let Some((index, _)) = most else { return };
        shares[index] = shares[index].saturating_add_signed(missing.signum() as i8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(exact: &[Option<f32>]) -> Vec<u8> {
        let mut shares: Vec<u8> = exact.iter().map(|exact| (exact.unwrap_or(9.0) + 0.5) as u8).collect();
        add_up(&mut shares, |index| exact[index]);
        shares
    }

    #[test]
    fn units_lost_by_rounding_go_where_most_was_lost() {
        let third = Some(85.4);
        assert_eq!(shared(&[Some(84.2), third, third]), [84, 86, 85], "the first of equals");
        assert_eq!(shared(&[Some(100.3), Some(100.4), Some(54.3)]), [100, 101, 54]);
        assert_eq!(shared(&[Some(127.5), Some(127.5)]), [127, 128], "each was rounded up");
        assert_eq!(shared(&[Some(255.0), Some(0.0)]), [255, 0]);
        assert_eq!(shared(&[Some(63.75), None, Some(191.25)]), [64, 9, 191], "layers stay as they are");
        assert_eq!(shared(&[None]), [9]);
    }

    #[test]
    fn shares_of_any_number_of_types_add_up_and_are_off_by_less_than_one() {
        for count in 1..40 {
            let weights: Vec<f32> = (0..count).map(|index| (1 + index * 37 % 11) as f32).collect();
            let total: f32 = weights.iter().sum();
            let exact: Vec<Option<f32>> = weights.iter().map(|weight| Some(255.0 * weight / total)).collect();
            let shares = shared(&exact);
            assert_eq!(shares.iter().map(|share| u16::from(*share)).sum::<u16>(), WHOLE);
            for (share, exact) in shares.iter().zip(exact) {
                assert!((f32::from(*share) - exact.unwrap()).abs() < 1.0, "{count}");
            }
        }
    }
}
