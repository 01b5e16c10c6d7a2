//! Objects that are missing, damaged, or of another plan, are found and made again.

use std::fs;

use upland_core::Work;
use upland_world::{NewPlan, PassKind, Worker, verify};

use super::{Planned, recipe};

fn planned(steps: &str) -> Planned {
    let planned = Planned::new(&recipe("(150, 97)", steps), &NewPlan { tile: 64, ..NewPlan::default() });
    planned.work();
    planned
}

/// All objects with their bytes.
fn objects(planned: &Planned) -> Vec<(String, Vec<u8>)> {
    let store = planned.worker.store();
    let listed = store.list("").unwrap().into_iter();
    listed.map(|object| (object.key.clone(), store.get(&object.key, 1 << 30).unwrap().unwrap())).collect()
}

#[test]
fn work_resumes_and_a_second_run_changes_nothing() {
    let planned = planned("fbm(), erode(), gullies()");
    let before = objects(&planned);
    assert_eq!(planned.work(), 0, "all of it was there");
    for key in ["heights/x0001_y0001.tif", "heights/x0002_y0000.tif", "heights.vrt"] {
        fs::remove_file(planned.root().join(key)).unwrap();
    }
    let status = planned.status();
    let missing: Vec<_> = status.passes.iter().map(|pass| pass.missing.clone()).collect();
    assert_eq!(missing, [vec![], vec![2, 4], vec![0]]);
    assert_eq!(planned.work(), 3);
    assert_eq!(objects(&planned), before);
}

#[test]
fn damaged_objects_are_named_and_made_again() {
    let planned = planned("fbm()");
    let before = objects(&planned);
    let path = |key: &str| planned.root().join(key);
    let tile = fs::read(path("heights/x0000_y0000.tif")).unwrap();
    fs::write(path("heights/x0000_y0000.tif"), &tile[..tile.len() - 1]).unwrap();
    fs::write(path("heights/x0001_y0000.tif"), &tile[..700]).unwrap();
    fs::write(path("heights/x0002_y0000.tif"), "").unwrap();
    fs::write(path("heights/x0000_y0001.tif"), "<html>not here</html>").unwrap();
    // A tile of this plan that is another one, of another size.
    fs::write(path("heights/x0002_y0001.tif"), &tile).unwrap();
    let other = Planned::new(&recipe("(150, 97)", "ridged()"), &NewPlan { tile: 64, ..NewPlan::default() });
    other.work();
    fs::copy(other.root().join("heights/x0001_y0001.tif"), path("heights/x0001_y0001.tif")).unwrap();
    fs::write(path("heights.vrt"), "<VRTDataset/>").unwrap();

    let status = planned.status();
    let heights = &status.passes[0];
    assert_eq!((heights.done, heights.missing.len(), heights.to_make().len()), (0, 0, 6));
    let said: Vec<_> = heights.damaged.iter().map(|damage| damage.reason.as_str()).collect();
    for (reason, expected) in said.iter().zip([
        "that belong to it",
        "is damaged, or it ends there",
        "it is empty",
        "it is not a TIFF",
        "was made by another plan",
        "instead of 22 × 33",
    ]) {
        assert!(reason.contains(expected), "{said:?}");
    }
    assert_eq!(status.passes[1].damaged[0].key, "heights.vrt");
    assert_eq!(planned.work(), 7);
    assert_eq!(objects(&planned), before);
}

#[test]
fn changed_bytes_are_found_by_making_tiles_again() {
    let planned = planned("fbm()");
    let before = objects(&planned);
    let path = planned.root().join("heights/x0001_y0001.tif");
    let mut tile = fs::read(&path).unwrap();
    let middle = tile.len() - 100;
    tile[middle] ^= 1;
    fs::write(&path, &tile).unwrap();
    assert!(planned.status().is_complete(), "heads are right");
    let found = verify(&planned.worker, 1.0, false, &Work::new()).unwrap();
    assert_eq!((found.compared, found.damaged.len(), found.repaired), (6, 1, 0));
    assert!(found.damaged[0].key == "heights/x0001_y0001.tif" && !found.is_right(), "{found:?}");
    let found = verify(&planned.worker, 1.0, true, &Work::new()).unwrap();
    assert!(found.repaired == 1 && found.is_right());
    assert_eq!(objects(&planned), before);

    // A tile outside the sample is repaired where its head is wrong.
    fs::write(&path, &tile[..300]).unwrap();
    let found = verify(&planned.worker, 0.0, true, &Work::new()).unwrap();
    assert_eq!((found.compared, found.damaged.len(), found.repaired), (1, 1, 1));
    assert_eq!(objects(&planned), before);
}

#[test]
fn a_sample_is_the_same_in_every_run_and_never_empty() {
    let planned = planned("fbm()");
    let compared = |share: f64| verify(&planned.worker, share, false, &Work::new()).unwrap().compared;
    assert_eq!((compared(0.0), compared(1e-9), compared(1.0)), (0, 1, 6));
    assert_eq!(compared(0.5), compared(0.5));
}

#[test]
fn a_damaged_base_is_refused_and_made_again() {
    let planned = planned("fbm(), erode(), gullies()");
    let before = objects(&planned);
    let piece = planned.root().join("base/0-0/x0000_y0000.f32");
    let bytes = fs::read(&piece).unwrap();
    let mut changed = bytes.clone();
    changed[4000] ^= 1;
    fs::write(&piece, &changed).unwrap();
    let again = || {
        let store = planned.worker.store().clone();
        let plan = planned.worker.plan().clone();
        let worker = upland_world::Worker::open(store, plan, false, &Work::new()).unwrap();
        worker.make(PassKind::Heights, 0, &Work::new()).map(|_| ())
    };
    let said = again().unwrap_err().to_string();
    assert!(said.contains("x0000_y0000.f32") && said.contains("not those that were written"), "{said}");
    // A length that is wrong is seen without reading it.
    fs::write(&piece, &bytes[..100]).unwrap();
    let base = &planned.status().passes[0];
    assert!(base.damaged[0].reason.contains("has 100 bytes instead of"), "{base:?}");
    planned.work();
    assert_eq!(objects(&planned), before);

    let list = planned.root().join("base/base.json");
    let text = fs::read_to_string(&list).unwrap();
    for wrong in ["", "{}", "[1]", &text.replace("heights", "depths"), &text[..text.len() / 2]] {
        fs::write(&list, wrong).unwrap();
        assert!(again().unwrap_err().to_string().contains("is damaged"), "{wrong}");
    }
    fs::write(&list, text.replace(&planned.worker.plan().hash, "0123")).unwrap();
    assert!(again().unwrap_err().to_string().contains("belongs to another plan"));
    fs::remove_file(&list).unwrap();
    assert!(again().unwrap_err().to_string().contains("--pass base"));
    planned.work();
    assert_eq!(objects(&planned), before);
}

#[test]
fn the_line_of_a_river_is_read_as_it_was_written_or_not_at_all() {
    let planned = planned("fbm(), river(), road(points: [(0.2, 0.1), (0.8, 0.9)], width: 60)");
    let before = objects(&planned);
    let line = planned.root().join("base/rivers-2/0000.f32");
    let whole = fs::read(&line).unwrap();
    let mut changed = whole.clone();
    changed[20] ^= 1;
    for (bytes, reason) in
        [(Some(&*changed), "damaged"), (Some(&whole[..40]), "damaged"), (None, "is missing")]
    {
        match bytes {
            Some(bytes) => fs::write(&line, bytes).unwrap(),
            None => fs::remove_file(&line).unwrap(),
        }
        fs::remove_dir_all(planned.root().join("heights")).unwrap();
        // Opened again, since a worker keeps what it has read.
        let store = planned.worker.store().clone();
        let plan = planned.worker.plan().clone();
        let worker = Worker::open(store, plan, false, &Work::new()).unwrap();
        let error = worker.run(PassKind::Heights, 3, &Work::new()).unwrap_err().to_string();
        assert!(error.contains("rivers-2/0000.f32") && error.contains(reason), "{error}");
        fs::create_dir_all(planned.root().join("heights")).unwrap();
    }
    let status = planned.status();
    assert_eq!(status.passes[0].damaged[0].key, "base/rivers-2/0000.f32");
    planned.work();
    assert_eq!(objects(&planned), before);
}
