//! Drawing without a window: pictures, films, planets, comparisons of landscapes and of levels of detail, and
//! the scene that they share with the window.

pub(crate) mod compare;
pub(crate) mod display_names;
pub(crate) mod film;
pub(crate) mod legend;
pub(crate) mod legend_picture;
pub(crate) mod levels;
pub(crate) mod overview_window;
mod planet;
pub(crate) mod scene;
pub(crate) mod short_numbers;
pub(crate) mod still;
pub(crate) mod texture_view;
pub(crate) mod video;
pub(crate) mod view_mode;
pub(crate) mod viewshed;

pub use compare::{CompareShot, Compared, ComparedPicture, ComparedTimes, MOST_COMPARED, render_compared};
pub use film::{Film, render_tour};
pub use levels::{LevelsShot, render_levels};
pub use planet::{PlanetPlace, PlanetShot, render_planet};
pub(crate) use still::OffscreenScene;
pub use still::{Shot, render};
pub use video::FilmWriter;
pub use view_mode::ViewMode;
pub use viewshed::ViewshedTowers;
