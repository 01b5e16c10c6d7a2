//! Laws of the maker: the tiles that are built into upland are its output.

use upland_core::texture::Tile;
use upland_ground_textures::GroundTexture;

#[test]
fn the_files_are_the_output_of_the_maker() {
    let names: Vec<&str> = GroundTexture::all().iter().map(|texture| texture.name).collect();
    assert_eq!(names, Tile::built_in());
    for texture in GroundTexture::all() {
        let built_in = Tile::from_built_in(texture.name).unwrap();
        assert!(texture.make() == built_in, "{} differs; make the files again", texture.name);
    }
}

#[test]
fn a_texture_does_not_depend_on_the_number_of_threads() {
    let make = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| GroundTexture::find("snow").unwrap().make())
    };
    assert!(make(1) == make(3));
}
