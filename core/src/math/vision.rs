//! How colours look to people with colour vision deficiencies, for tests of the colours of the program's
//! maps.
//!
//! After G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based model for simulation
//! of color vision deficiency" (2009), at full severity, in linear light; differences are Euclidean distances
//! in CIE Lab, of which about 2.3 can just be seen.

use glam::{Mat3, Vec3};

/// The least difference between two categories on a map.
pub const CATEGORIES: f32 = 15.0;
/// The least difference between neighbouring stops of a scale of about nine: stops that are four apart then
/// differ as much as any two categories.
pub const STOPS: f32 = 6.0;

/// How people with each kind of vision see linear red, green and blue, row by row.
const VISIONS: [(&str, [[f32; 3]; 3]); 4] = [
    ("all colours", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// Linear light of an sRGB-encoded colour.
pub fn linear(colour: [u8; 3]) -> Vec3 {
    let decoded = |level: u8| {
        let level = f32::from(level) / 255.0;
        if level <= 0.04045 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::from(colour.map(decoded))
}

/// As [`linear`], for a colour written as `0xrrggbb`.
pub fn linear_from_hex(colour: u32) -> Vec3 {
    let [_, red, green, blue] = colour.to_be_bytes();
    linear([red, green, blue])
}

/// Checks that any two colours, in linear light, differ by at least `least` for every kind of vision.
///
/// # Errors
/// Which two don't, and for which vision.
pub fn all_apart(colours: &[Vec3], least: f32) -> Result<(), String> {
    let count = colours.len();
    let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
    apart(colours, pairs, least)
}

/// Checks that each colour differs from the next by at least `least` for every kind of vision.
///
/// # Errors
/// As for [`all_apart`].
pub fn neighbours_apart(colours: &[Vec3], least: f32) -> Result<(), String> {
    apart(colours, (1..colours.len()).map(|second| (second - 1, second)), least)
}

fn apart(
    colours: &[Vec3],
    pairs: impl Iterator<Item = (usize, usize)> + Clone,
    least: f32,
) -> Result<(), String> {
    for (name, rows) in VISIONS {
        // The table lists rows, and `Mat3` reads columns.
        let seen = Mat3::from_cols_array_2d(&rows).transpose();
        let labs: Vec<Vec3> =
            // Simulated colours may leave the gamut a little; a screen would show the nearest that it has.
            colours.iter().map(|colour| lab((seen * *colour).clamp(Vec3::ZERO, Vec3::ONE))).collect();
        for (first, second) in pairs.clone() {
            let distance = labs[first].distance(labs[second]);
            if distance < least {
                return Err(format!(
                    "with {name}, colours {first} and {second} are {distance:.1} apart, less than {least}"
                ));
            }
        }
    }
    Ok(())
}

/// CIE Lab of linear sRGB, with the white of D65.
fn lab(colour: Vec3) -> Vec3 {
    let x = colour.dot(Vec3::new(0.412_456_4, 0.357_576_1, 0.180_437_5)) / 0.950_47;
    let y = colour.dot(Vec3::new(0.212_672_9, 0.715_152_2, 0.072_175_0));
    let z = colour.dot(Vec3::new(0.019_333_9, 0.119_192, 0.950_304_1)) / 1.088_83;
    let [x, y, z] = [x, y, z].map(|part: f32| {
        // ε and κ of CIE Lab as exact fractions, 216/24389 and 24389/27, so that both branches meet.
        if part > 216.0 / 24389.0 { part.cbrt() } else { (24389.0 / 27.0 * part + 16.0) / 116.0 }
    });
    Vec3::new(116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z))
}

#[test]
fn red_and_green_of_one_lightness_differ_only_with_full_colour_vision() {
    let [red, green] = [linear([214, 96, 60]), linear([142, 134, 40])];
    let said = all_apart(&[red, green], CATEGORIES).unwrap_err();
    assert!(said.contains("opia, colours 0 and 1"), "{said}");
    assert!(lab(red).distance(lab(green)) > 3.0 * CATEGORIES);
    // Without blue, yellow and white differ least.
    let pale = [linear([255, 255, 190]), linear([255, 255, 255])];
    assert!(all_apart(&pale, CATEGORIES).unwrap_err().starts_with("with tritanopia"));
}

#[test]
fn black_grey_and_white_differ_for_every_vision() {
    let greys = [linear([0; 3]), linear_from_hex(0x77_77_77), linear([255; 3])];
    assert!((lab(greys[1]).x - 50.0).abs() < 0.5 && (lab(greys[2]).x - 100.0).abs() < 1e-3);
    assert_eq!(all_apart(&greys, 45.0), Ok(()));
    assert!(neighbours_apart(&[greys[0], greys[0]], STOPS).is_err());
    assert!(neighbours_apart(&[greys[0], greys[2], greys[0]], STOPS).is_ok(), "only neighbours are compared");
}
