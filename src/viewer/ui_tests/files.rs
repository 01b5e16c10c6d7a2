//! Files that are dropped on the window.

use std::path::Path;

use super::Driven;
use super::tests::land;
use crate::grid::Heightfield;
use crate::plugin::TerrainGround;
use crate::viewer::document::Document;
use crate::viewer::session::status_message::Message;

/// Drops a file on a window, and waits for a land of this size in samples.
fn dropped(folder: &Path, name: &str, bytes: &[u8], size: (usize, usize)) -> (Driven, Heightfield) {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder);
    driven.settle();
    driven.drop_file(&path);
    let recipe = driven.document(0).recipe.to_ron().unwrap();
    assert!(recipe.contains(name), "{recipe}");
    let mut found = None;
    driven.until("its land is built", |driven| {
        let mut grounds = driven.app.world_mut().query::<&TerrainGround>();
        let ground = grounds.single(driven.app.world()).unwrap();
        let grid = ground.landscape.heightfield.grid();
        found = ((grid.width, grid.depth) == size).then(|| ground.landscape.heightfield.clone());
        found.is_some()
    });
    (driven, found.unwrap())
}

#[test]
fn dropped_elevation_becomes_the_land() {
    let folder = tempfile::tempdir().unwrap();
    let text = "ncols 4\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 30\n1 2 3 4\n5 6 7 8\n9 10 11 12.5\n";
    let (driven, heights) = dropped(folder.path(), "valley.asc", text.as_bytes(), (4, 3));
    assert_eq!(heights.grid().cell, 30.0);
    let corners = [(0, 0), (3, 0), (0, 2), (3, 2)].map(|(column, row)| heights.at(column, row));
    assert_eq!(corners, [1.0, 4.0, 9.0, 12.5]);
    assert!(driven.document(0).recipe.name.contains("valley"), "{}", driven.document(0).recipe.name);
}

#[test]
fn a_sixteen_bit_picture_is_no_higher_than_its_land_is_long() {
    let folder = tempfile::tempdir().unwrap();
    let of_highest = |folder: &Path, name: &str, highest: u32| {
        let picture = image::ImageBuffer::from_fn(33, 17, |x, _| image::Luma([(x * highest / 32) as u16]));
        let mut png = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        dropped(folder, name, png.get_ref(), (33, 17))
    };
    // 32 cells of 30 m.
    let (driven, heights) = of_highest(folder.path(), "island.png", 65_535);
    let (low, high) = heights.range();
    assert!(low == 0.0 && (high - 65.535).abs() < 0.01, "{high}");
    let said = &driven.app.world().resource::<Message>().text;
    assert!(said.contains("multiplied by 0.001"), "{said}");
    // Heights that can be metres stay unchanged.
    let (driven, heights) = of_highest(folder.path(), "metres.png", 900);
    assert_eq!(heights.range(), (0.0, 900.0));
    let said = &driven.app.world().resource::<Message>().text;
    assert!(said.ends_with("metres.png"), "{said}");
}

#[test]
fn an_unreadable_file_shows_the_reason_and_its_land_once_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.ron");
    let reason = "damaged.ron: no such file or folder";
    let documents = vec![Document::unread_file(&path, reason), Document::new(land("Hills", 1), None)];
    let mut driven = Driven::open_documents(documents, folder.path());
    let says = |driven: &mut Driven, text: &str| driven.names().iter().any(|name| name.contains(text));
    driven.until("its view says why", |driven| says(driven, "damaged.ron cannot be read"));
    assert!(says(&mut driven, reason));
    driven.until("the other is built", |driven| {
        let mut grounds = driven.app.world_mut().query::<&TerrainGround>();
        grounds.iter(driven.app.world()).count() == 1
    });

    std::fs::write(&path, land("Mended", 2).to_ron().unwrap()).unwrap();
    driven.until("it is shown", |driven| driven.document(0).recipe.name == "Mended");
    driven.settle();
    driven.frames(3);
    assert!(!says(&mut driven, "cannot be read"), "{:?}", driven.names());
}

#[test]
fn a_dropped_picture_becomes_land_that_is_higher_where_it_is_brighter() {
    let folder = tempfile::tempdir().unwrap();
    let picture = image::GrayImage::from_fn(17, 9, |x, y| image::Luma([(10 * x + 5 * y) as u8]));
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let (_, heights) = dropped(folder.path(), "island.png", png.get_ref(), (17, 9));
    for (column, row) in [(0, 0), (7, 3), (15, 7)] {
        assert!(heights.at(column + 1, row) > heights.at(column, row), "brighter in the east");
        assert!(heights.at(column, row + 1) > heights.at(column, row), "and in the south");
    }
}
