//! Plans contain the files that their recipe reads, and keep where their land lies on a map.

use std::fs;
use std::sync::Arc;

use upland_core::{Recipe, Work};
use upland_world::{NewPlan, Plan, Store, Worker};

use super::{Planned, read};

/// An elevation file on a map, with a projection beside it, and its recipe.
fn imported(folder: &std::path::Path) -> Recipe {
    let path = folder.join("höhe 1.asc");
    let rows: Vec<String> = (0..65)
        .map(|row| (0..81).map(|column| ((column * row) % 97).to_string()).collect::<Vec<_>>().join(" "))
        .collect();
    let head = "ncols 81\nnrows 65\nxllcorner 500000\nyllcorner 5200000\ncellsize 25\n";
    fs::write(&path, format!("{head}{}\n", rows.join("\n"))).unwrap();
    let system = r#"PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1],AUTHORITY["EPSG","32632"]]"#;
    fs::write(path.with_extension("prj"), system).unwrap();
    let text = r#"(version: 1, name: "Höhe", size: (81, 65), cell: 25, steps: [import(file: "höhe 1.asc"), gaussian()])"#;
    let mut recipe = Recipe::from_ron(text, "land.ron").unwrap();
    recipe.set_folder(folder);
    recipe
}

#[test]
fn a_plan_contains_its_files_and_its_tiles_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = imported(folder.path());
    let whole = recipe.build_heightfield(&Work::new()).unwrap();
    let planned = Planned::new(&recipe, &NewPlan { tile: 64, colours: true, ..NewPlan::default() });
    // Workers elsewhere have the plan alone.
    drop(folder);
    let plan = Plan::read(planned.worker.store()).unwrap();
    assert_eq!(plan.files.len(), 2, "{:?}", plan.files);
    planned.work();
    let tile = read(&planned.root().join("heights/x0001_y0000.tif"));
    assert_eq!((tile.width(), tile.depth(), tile.at(3, 5)), (17, 64, whole.at(67, 5)));
    let place = tile.place().unwrap();
    assert_eq!(place.system_name().unwrap(), "EPSG:32632");
    // The 65th column, and all rows but the last.
    let origin = place.origin().unwrap();
    assert_eq!((origin.west, origin.south), (500_000.0 + 64.0 * 25.0, 5_200_000.0 + 25.0));
    let colours = read(&planned.root().join("colours/x0001_y0000.tif"));
    let origin = colours.place().unwrap().origin().unwrap();
    assert_eq!((origin.west, origin.south), (500_012.5 + 64.0 * 25.0, 5_200_012.5));
    let list = fs::read_to_string(planned.root().join("heights.vrt")).unwrap();
    assert!(list.contains("32632"), "{list}");
}

#[test]
fn files_that_have_changed_or_are_missing_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let planned = Planned::new(&imported(folder.path()), &NewPlan { tile: 64, ..NewPlan::default() });
    let store = Arc::new(Store::folder(&planned.root()));
    let open = || {
        let plan = Plan::read(&store).unwrap();
        Worker::open(store.clone(), plan, false, &Work::new()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(open(), Ok(()));
    let key = &planned.worker.plan().files.iter().find(|file| file.key.ends_with("asc")).unwrap().key;
    let path = planned.root().join(key);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("96", "95", 1)).unwrap();
    let said = open().unwrap_err();
    assert!(said.contains("höhe 1.asc") && said.contains("is not the file that was planned with"), "{said}");
    fs::remove_file(&path).unwrap();
    assert!(open().unwrap_err().contains("is missing, or is not the file"));
    fs::write(&path, text).unwrap();
    assert_eq!(open(), Ok(()));
}

#[test]
fn a_plan_whose_files_are_elsewhere_is_refused() {
    let planned = Planned::new(
        &Recipe::from_ron(r#"(version: 1, name: "x", size: (9, 9), cell: 1, steps: [flat()])"#, "x.ron")
            .unwrap(),
        &NewPlan { tile: 64, ..NewPlan::default() },
    );
    let text = String::from_utf8(planned.worker.plan().to_json().unwrap()).unwrap();
    let file = r#""files": [{ "key": "files/../../secret", "bytes": 1, "sha256": "" }]"#;
    let said = Plan::from_json(text.replace("\"files\": []", file).as_bytes()).unwrap_err();
    // It is found by its hash first; with the right one it would still be refused.
    assert!(said.contains("has been changed"), "{said}");
}
