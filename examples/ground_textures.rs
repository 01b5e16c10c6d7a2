//! Makes the tiling ground textures of `assets/textures` anew.
//!
//! `cargo run --release --no-default-features --example ground_textures [FOLDER]`

use std::path::PathBuf;

use upland::Result;
use upland::texture::GroundTexture;

fn main() -> Result<()> {
    let folder: PathBuf = std::env::args().nth(1).unwrap_or("assets/textures".into()).into();
    for texture in GroundTexture::all() {
        let path = folder.join(format!("{}.png", texture.name));
        texture.make().write(&path)?;
        println!("{}: {}", path.display(), texture.about);
    }
    Ok(())
}
