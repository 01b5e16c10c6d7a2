//! What the step makes of a ground: its layers, and what earlier steps have left.

use super::laws::mountains;
use super::*;

fn glaciated(glacier: &Glacier, land: &Heightfield, layers: &[(&str, &Heightfield)]) -> Result<Ground> {
    let mut ground = Ground::new(land.clone());
    for (name, layer) in layers {
        ground.write_layer(name, (*layer).clone());
    }
    glacier.apply(&mut ground, 3, &Work::new())?;
    Ok(ground)
}

#[test]
fn layers_say_what_has_become_of_the_ground() -> Result<()> {
    let land = mountains(61, 51, 60.0)?;
    let glacier = Glacier { line: 700.0, swing: 200.0, warming: 200.0, ..Glacier::default() };
    let after = glaciated(&glacier, &land, &[])?;
    let [wear, deposit, ice] = [after.layer(WEAR)?, after.layer(DEPOSIT)?, after.layer(ICE)?];
    for (row, column) in (0..51).flat_map(|row| (0..61).map(move |column| (row, column))) {
        let [worn, laid, ice] = [wear, deposit, ice].map(|layer| layer.at(column, row));
        let expected = land.at(column, row) - worn + laid + ice;
        assert!((after.heights.at(column, row) - expected).abs() < 0.01, "{column}, {row}: {expected}");
        assert!(worn == 0.0 || laid == 0.0);
    }
    assert!(wear.range().1 > 20.0 && ice.range().1 > 20.0, "{:?} {:?}", wear.range(), ice.range());
    let (least, most) = after.layer(DEBRIS)?.range();
    assert!(least == 0.0 && most > 3.0, "{least} {most}");
    Ok(())
}

#[test]
fn ice_of_an_earlier_step_melts_first() -> Result<()> {
    let land = mountains(40, 30, 60.0)?;
    let ice = Heightfield::flat(land.grid(), 64.0);
    let covered = Heightfield::from_fn(land.grid(), |column, row| land.at(column, row) + 64.0);
    let after = glaciated(&Glacier { line: 4000.0, ..Glacier::default() }, &covered, &[(ICE, &ice)])?;
    let most = (after.heights.heights().iter().zip(land.heights())).map(|(after, land)| (after - land).abs());
    assert!(most.fold(0.0, f32::max) < 1e-3);
    assert_eq!(after.layer(ICE)?.range(), (0.0, 0.0));
    Ok(())
}

#[test]
fn ground_of_full_hardness_is_not_worn() -> Result<()> {
    let land = mountains(61, 51, 60.0)?;
    let hard = Heightfield::flat(land.grid(), 1.0);
    let glacier = Glacier { line: 700.0, moraines: 0.0, ..Glacier::default() };
    let after = glaciated(&glacier, &land, &[(HARDNESS, &hard)])?;
    assert_eq!(after.layer(WEAR)?.range(), (0.0, 0.0));
    assert!(after.heights == land);
    Ok(())
}
