//! All that can be done in the window, apart from moving sliders and typing into fields.

use std::path::PathBuf;

use bevy::prelude::Entity;

use super::{Forecast, Hour};
use crate::analysis::plots::{Plot, PlotFormat, PlotKind};
use crate::lessons::{Mistake, ShippedLesson};
use crate::plugin::Quality;
use crate::recipe::preset::Preset;
use crate::recipe::{Recipe, Step};
use crate::render::view_mode::ViewMode;
use crate::viewer::camera::pilot::Mode;
use crate::viewer::session::settings::Theme;
use crate::viewer::session::{DocumentRequest, Tab};
use crate::viewer::views::gallery::Shelf;
use crate::viewer::views::split_view::Sharing;

/// Switches something on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
    Toggle,
}

impl Switch {
    /// Whether something that `is_on` now is on afterwards.
    pub fn of(self, is_on: bool) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
            Self::Toggle => !is_on,
        }
    }
}

impl From<bool> for Switch {
    fn from(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }
}

/// Something that can be done. Unless it says otherwise it is done to the edited landscape.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    // Panels, and windows over the land.
    Panel(Tab, Switch),
    Gallery(Switch),
    /// Opens the gallery at a shelf.
    Shelf(Shelf),
    /// Opens the plots with this one.
    Plot(PlotKind),
    /// Asks for a file to write a plot to. The file is called `name` unless another name is given.
    WritePlot {
        plot: Box<Plot>,
        format: PlotFormat,
        name: String,
    },
    /// Plays the build that is watched, or pauses it.
    Play,
    /// Advances it by n frames.
    Frame(isize),
    /// The comparison of levels of detail.
    Levels(Switch),
    /// The list of keys.
    Keys(Switch),
    /// Opens the command palette, or closes it.
    Palette,
    GuidedTour,
    /// Hides the panels, or shows them.
    Panels,
    /// Closes all but the landscape.
    CloseAll,
    /// Puts the panels back to their places.
    Tidy,
    Theme(Theme),
    Quality(Quality),
    /// Unfolds a section of the editor.
    Section(&'static str),
    /// Explains how to do something that is done elsewhere.
    Explain(&'static str),
    // Files.
    New,
    OpenFile,
    OpenRecent(PathBuf),
    Save,
    SaveAs,
    /// Opens the window for pictures and films.
    Export,
    /// Opens the window for heights, meshes, colours and objects for other programs.
    Output,
    Screenshot,
    /// A request that may lose something. It names its document.
    Document(DocumentRequest),
    Preset(&'static Preset),
    Lesson(ShippedLesson),
    /// Shows the land of a mistake, and explains it.
    Mistake(&'static Mistake),
    // Several landscapes.
    /// Edits this document from now on.
    Edit(Entity),
    /// Opens a copy next to the others.
    Copy,
    /// Opens the same land with the next seed next to the others.
    OtherSeed,
    Arrange(Sharing),
    CloseOne,
    // Changes.
    Undo,
    Redo,
    NewSeed,
    /// Changes the landscape into another.
    Become(Box<Recipe>),
    AddStep(Box<Step>),
    /// Puts steps from the clipboard at this place of the stack, or at its end.
    Paste(usize),
    /// Sets the points of the first step that has some by clicks on the land, or ends that.
    DrawOnLand,
    /// Sets the sun to a time of day.
    Hour(Hour),
    /// Sets the weather to one of a kind.
    Weather(Forecast),
    /// Puts the texture into a season.
    Season(f32),
    /// Makes the brush n times as wide.
    Widen(f32),
    // What is seen, and from where.
    Show(ViewMode),
    /// Shows the view that is n places after the present one.
    ShowNext(isize),
    /// Shows the viewshed, and puts towers by clicks.
    PutTowers(Switch),
    Move(Mode),
    /// Goes back to the view that the landscape opens with.
    LookAgain,
    /// Makes the landscape open with the present view from now on.
    KeepView,
    Bookmark,
    /// Goes to the bookmark with this index.
    Visit(usize),
    /// Goes to a sight: a position, and a point in view.
    GoTo([f32; 3], [f32; 3]),
    /// Goes to the nearest plant or object.
    Nearest,
    /// Ends the search for it.
    CancelNearest,
    /// Flies along the bookmarks, or stops.
    Tour,
    /// Begins to record a flight, or ends it.
    Record,
    /// Flies along the flight with this index.
    Fly(usize),
    /// Moves a waypoint to where the eye is: the indices of its flight and of itself.
    MoveWaypoint([usize; 2]),
}
