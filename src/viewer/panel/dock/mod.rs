//! Where panels are: docked around the land, behind one another, or over it. Each keeps its place, also for
//! the next start.

mod sizes;
mod tabs;

use std::collections::BTreeMap;

use bevy_egui::egui::{self, Pos2, Rect, Ui, pos2, vec2};
use egui_dock::{DockArea, DockState, LeafNode, Node, NodeIndex, Surface, SurfaceIndex, Tree};
use sizes::{LEAST, LINE};
use tabs::{Viewer, look};

use crate::viewer::session::{Home, Side, Tab};

/// How far a panel over the land is offset from one at the same place, logical pixels.
const STEP: f32 = 36.0;
/// Width of the frame around a panel over the land, and of the gap between two of them, logical pixels.
const FRAME: f32 = 7.0;
const BETWEEN: f32 = 8.0;

/// All open panels, and where they are.
pub(in super::super) struct Dock {
    state: DockState<Tab>,
    homes: BTreeMap<Tab, Home>,
    /// Their space in the previous frame.
    area: Rect,
    /// Whether a button was held in the previous frame; a border dragged then has its new position in this
    /// one.
    was_held: bool,
    /// Whether panels must get the sizes of their homes again in the next frame.
    is_kept: bool,
    /// The places over the land given to panels in this frame.
    put: Vec<Rect>,
    /// Panels opened over the land in the previous frame, whose positions must be set again. In its first
    /// frame, egui assumes that a window is 600 pixels wide, and moves one that would not fit with that
    /// width.
    again: Vec<(Tab, Pos2)>,
    /// Panels for which there was no free place over the land, and the panels whose title bars they share.
    joined: BTreeMap<Tab, Tab>,
    /// The factor by which text and panels are enlarged.
    scale: f32,
}

/// The result of drawing a frame.
pub(in super::super) struct DockOutput {
    /// The space that is left for the land.
    pub land: Rect,
    /// Panels that the user closed.
    pub closed: Vec<Tab>,
}

impl Dock {
    /// Only the land, and the places where panels will open.
    pub fn new(homes: BTreeMap<Tab, Home>) -> Self {
        let mut state = DockState::new(vec![Tab::Land]);
        state.main_surface_mut()[NodeIndex::root()].set_tab_bar_hidden(true);
        Self {
            state,
            homes,
            area: Rect::NOTHING,
            was_held: false,
            is_kept: false,
            put: Vec::new(),
            again: Vec::new(),
            joined: BTreeMap::new(),
            scale: 1.0,
        }
    }

    /// Resizes panels to suit text enlarged by this factor, except panels that the user has resized.
    pub fn enlarge(&mut self, scale: f32) {
        let before = std::mem::replace(&mut self.scale, scale);
        for (tab, home) in self.homes.iter_mut().filter(|_| before != scale) {
            if home.is_near(&tab.first_home().enlarged(before)) {
                *home = tab.first_home().enlarged(scale);
                self.is_kept = true;
            }
        }
    }

    /// The places of all panels that have ever been open. Panels that the user has not resized have their
    /// initial size, whatever the text size.
    pub fn homes(&self) -> BTreeMap<Tab, Home> {
        let usual = |tab: &Tab, home: &Home| {
            let first = tab.first_home();
            if home.is_near(&first.enlarged(self.scale)) { first } else { *home }
        };
        self.homes.iter().map(|(tab, home)| (*tab, usual(tab, home))).collect()
    }

    /// Draws the panels that `is_open` names, in all of the space of `ui`.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        is_open: impl Fn(Tab) -> bool,
        draw: impl FnMut(&mut Ui, Tab),
    ) -> DockOutput {
        let area = ui.available_rect_before_wrap();
        // Panels keep their sizes when the window is resized, or when one of them opens or closes.
        let mut is_kept = area != self.area || std::mem::take(&mut self.is_kept);
        self.area = area;
        self.put.clear();
        for (tab, corner) in std::mem::take(&mut self.again) {
            let path = self.state.find_tab(&tab);
            if let Some(window) = path.and_then(|path| self.state.get_window_state_mut(path.surface)) {
                window.set_position(corner);
            }
        }
        for tab in Tab::PANELS {
            let is_there = self.state.find_tab(&tab).is_some();
            if is_open(tab) && !is_there {
                self.place(tab);
                is_kept = true;
            } else if !is_open(tab) && is_there {
                self.close(tab);
                is_kept = true;
            }
        }
        let mut sizes = Sizes { tree: self.state.main_surface_mut(), homes: &self.homes };
        if is_kept && sizes.tree.root_node().is_some() && area.is_positive() {
            sizes.keep(NodeIndex::root(), area);
        }
        // The focus may still be on a closed panel, which the dock would look for in vain. Setting it again
        // removes it if its node is gone.
        for tree in self.state.iter_surfaces_mut().filter_map(Surface::node_tree_mut) {
            if let Some(focused) = tree.focused_leaf() {
                tree.set_focused_node(focused);
            }
        }
        let mut viewer = Viewer { draw, land: area, closed: Vec::new() };
        if area.is_positive() {
            let dock = DockArea::new(&mut self.state).style(look(ui.style()));
            let dock =
                dock.hidable_tab_bars(true).tab_context_menus(false).show_leaf_close_all_buttons(false);
            dock.show_leaf_collapse_buttons(false).window_bounds(area).show_inside(ui, &mut viewer);
        }
        let Viewer { land, closed, .. } = viewer;
        self.free_land();
        // Only changes by the user are remembered, not those that a resized window causes.
        let is_held = ui.input(|input| input.pointer.any_down());
        if !is_kept && (is_held || self.was_held) {
            self.remember(ui.style());
        }
        self.was_held = is_held;
        DockOutput { land, closed }
    }

    /// Opens a panel at its place.
    fn place(&mut self, tab: Tab) {
        let home = self.homes.get(&tab).copied().unwrap_or_else(|| tab.first_home().enlarged(self.scale));
        match home {
            Home::Beside(side, size) => self.place_beside(tab, side, size),
            Home::With(other) => self.place_with(tab, other),
            Home::Over { left, top, width, height } => {
                let within = |value: f32, least: f32, most: f32| {
                    if value.is_finite() { value.clamp(least, most.max(least)) } else { most.max(least) }
                };
                // As long as the user has not placed it, it must not cover other panels.
                let is_first = !self.homes.contains_key(&tab);
                let area = if is_first { self.land() } else { self.area };
                let size = vec2(
                    within(width, LEAST, area.width() - 40.0),
                    within(height, LEAST, area.height() - 40.0),
                );
                let mut corner = pos2(
                    within(left, area.left(), area.right() - size.x - 30.0),
                    within(top, area.top(), area.bottom() - size.y - 20.0),
                );
                if is_first {
                    let rect = Rect::from_min_size(corner, size + vec2(2.0, 2.0) * FRAME);
                    match (self.beside_others(rect), self.largest_over_land()) {
                        (Some(left), _) => corner.x = left,
                        (None, Some(other)) => {
                            self.joined.insert(tab, other);
                            return self.place_with(tab, other);
                        }
                        (None, None) => {}
                    }
                }
                // The titles of panels that are already there must stay visible.
                while self.corners().any(|other| other.distance(corner) < 0.7 * STEP) {
                    corner += vec2(-STEP, STEP);
                }
                self.put.push(Rect::from_min_size(corner, size + vec2(2.0, 2.0) * FRAME));
                self.again.push((tab, corner));
                let surface = self.state.add_window(vec![tab]);
                if let Some(window) = self.state.get_window_state_mut(surface) {
                    window.set_position(corner).set_size(size);
                }
            }
        }
    }

    /// The space of the land in the window, as far as it is known.
    fn land(&self) -> Rect {
        let found = self.state.find_main_surface_tab(&Tab::Land);
        let land = found.and_then(|(land, _)| self.state.main_surface()[land].rect());
        land.filter(|land| land.is_positive() && land.is_finite()).unwrap_or(self.area)
    }

    /// Opens a panel behind the title bar of another.
    fn place_with(&mut self, tab: Tab, other: Tab) {
        match self.state.find_tab(&other).filter(|_| other != Tab::Land) {
            Some(found) => {
                if let Ok(leaf) = self.state.leaf_mut(found.node_path()) {
                    leaf.append_tab(tab);
                }
            }
            None => {
                let Home::Beside(side, size) = Home::default() else { return };
                self.place_beside(tab, side, size);
            }
        }
    }

    /// The largest panel over the land.
    fn largest_over_land(&self) -> Option<Tab> {
        let area = |tab: Tab| {
            let path = self.state.find_tab(&tab).filter(|path| path.surface != SurfaceIndex::main())?;
            let rect = self.state.leaf(path.node_path()).ok()?.rect;
            // A panel has no size before it is drawn.
            Some(if rect.is_positive() && rect.is_finite() { rect.area() } else { 0.0 })
        };
        let areas = Tab::PANELS.into_iter().filter_map(|tab| Some((tab, area(tab)?)));
        areas.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(tab, _)| tab)
    }

    /// The left side of a panel that would be here, moved to the left of those over the land that it would
    /// cover; `None` if the land is too narrow for that.
    fn beside_others(&self, panel: Rect) -> Option<f32> {
        let others: Vec<Rect> = self.over_land().collect();
        let at = |left: f32| panel.translate(vec2(left - panel.left(), 0.0));
        let mut places: Vec<f32> =
            others.iter().map(|other| other.left() - BETWEEN - panel.width()).collect();
        places.sort_by(|a, b| b.total_cmp(a));
        let is_free = |left: &f32| {
            *left >= self.land().left() && others.iter().all(|other| !other.intersects(at(*left)))
        };
        std::iter::once(panel.left()).chain(places).find(is_free)
    }

    /// The panels over the land, with their frames.
    fn over_land(&self) -> impl Iterator<Item = Rect> {
        let windows = self.state.iter_surfaces().filter(|surface| matches!(surface, Surface::Window(..)));
        let roots = windows.filter_map(|surface| surface.node_tree()?.root_node()?.rect());
        let drawn = roots.filter(|rect| rect.is_positive() && rect.is_finite());
        drawn.map(|rect| rect.expand(FRAME)).chain(self.put.iter().copied())
    }

    /// The corners of the panels over the land.
    fn corners(&self) -> impl Iterator<Item = Pos2> {
        self.over_land().map(|rect| rect.min)
    }

    fn close(&mut self, tab: Tab) {
        self.joined.remove(&tab);
        // A window without panels is removed together with its last panel.
        if let Some(path) = self.state.find_tab(&tab) {
            self.state.remove_tab(path);
        }
    }

    fn place_beside(&mut self, tab: Tab, side: Side, size: f32) {
        let Some((land, _)) = self.state.find_main_surface_tab(&Tab::Land) else { return };
        let tree = self.state.main_surface_mut();
        let rect = tree[land].rect().filter(|rect| rect.is_positive()).unwrap_or(self.area);
        let whole = match side {
            Side::Left | Side::Right => rect.width(),
            Side::Top | Side::Bottom => rect.height(),
        };
        let part = share(size, whole);
        match side {
            Side::Left => tree.split_left(land, part, vec![tab]),
            Side::Right => tree.split_right(land, 1.0 - part, vec![tab]),
            Side::Top => tree.split_above(land, part, vec![tab]),
            Side::Bottom => tree.split_below(land, 1.0 - part, vec![tab]),
        };
        // Its home sets its size in the frame in which it opens.
        self.homes.entry(tab).or_insert(Home::Beside(side, size));
    }

    /// Moves panels that were dropped onto the land's tab next to the land, because the land must stay
    /// visible.
    fn free_land(&mut self) {
        let Some((land, _)) = self.state.find_main_surface_tab(&Tab::Land) else { return };
        let tree = self.state.main_surface_mut();
        let Ok(leaf) = tree.leaf_mut(land) else { return };
        leaf.tab_bar_hidden = true;
        let dropped: Vec<Tab> = leaf.tabs.iter().copied().filter(|tab| *tab != Tab::Land).collect();
        if !dropped.is_empty() {
            leaf.tabs.retain(|tab| *tab == Tab::Land);
            leaf.active = 0.into();
            let part = share(420.0, leaf.rect.width());
            tree.split_right(land, 1.0 - part, dropped);
        }
    }

    /// Remembers where panels are.
    fn remember(&mut self, style: &egui::Style) {
        let Some((land, _)) = self.state.find_main_surface_tab(&Tab::Land) else { return };
        let Some(land) = self.state.main_surface()[land].rect() else { return };
        for tab in Tab::PANELS {
            let Some(path) = self.state.find_tab(&tab) else { continue };
            let Ok(LeafNode { tabs, rect, .. }) = self.state.leaf(path.node_path()) else { continue };
            let home = match tabs.first() {
                // The user did not put it there.
                Some(first) if self.joined.get(&tab) == Some(first) => continue,
                Some(first) if *first != tab => Home::With(*first),
                _ if path.surface == SurfaceIndex::main() => beside(*rect, land),
                _ => {
                    let root = self.state[path.surface].root_node().and_then(Node::rect).unwrap_or(*rect);
                    let border = style.spacing.window_margin.left_top() + vec2(1.0, 1.0);
                    let corner = root.min - border;
                    Home::Over { left: corner.x, top: corner.y, width: root.width(), height: root.height() }
                }
            };
            // A docked panel takes no more of the land than before, though the dock would give it half.
            let home = match (self.homes.get(&tab), home) {
                (Some(Home::Over { width, height, .. }), Home::Beside(side, _)) => {
                    self.is_kept = true;
                    Home::Beside(side, if side.is_across() { *width } else { *height })
                }
                (_, home) => home,
            };
            // In its first frame a panel has no place yet. Places are rounded to pixels, and must not drift
            // by that.
            let is_new = self.homes.get(&tab).is_none_or(|before| !before.is_near(&home));
            if is_new && rect.is_positive() && rect.is_finite() {
                self.homes.insert(tab, home);
            }
        }
    }
}

/// The side of the land on which a docked panel is, and its size.
fn beside(panel: Rect, land: Rect) -> Home {
    // Borders of neighbours are a separator's width apart.
    const NEAR: f32 = 8.0;
    if panel.right() <= land.left() + NEAR {
        Home::Beside(Side::Left, panel.width() + LINE / 2.0)
    } else if panel.left() >= land.right() - NEAR {
        Home::Beside(Side::Right, panel.width() + LINE / 2.0)
    } else if panel.bottom() <= land.top() + NEAR {
        Home::Beside(Side::Top, panel.height() + LINE / 2.0)
    } else {
        Home::Beside(Side::Bottom, panel.height() + LINE / 2.0)
    }
}

/// The share of a space that a panel of a given size takes, always less than all of it.
fn share(size: f32, whole: f32) -> f32 {
    let share = size.max(LEAST) / whole;
    if share.is_finite() { share.clamp(0.02, 0.8) } else { 0.3 }
}

/// Keeps panels next to the land at their width or height, whatever the window's size.
struct Sizes<'a> {
    tree: &'a mut Tree<Tab>,
    homes: &'a BTreeMap<Tab, Home>,
}

impl Sizes<'_> {
    fn keep(&mut self, node: NodeIndex, area: Rect) {
        let is_across = match &self.tree[node] {
            Node::Horizontal(_) => true,
            Node::Vertical(_) => false,
            Node::Leaf(_) | Node::Empty => return,
        };
        let whole = if is_across { area.width() } else { area.height() };
        let wanted = match (self.has_land(node.left()), self.has_land(node.right())) {
            (true, _) => self.wanted(node.right(), is_across).map(|size| 1.0 - share(size, whole)),
            (_, true) => self.wanted(node.left(), is_across).map(|size| share(size, whole)),
            _ => None,
        };
        let (Node::Horizontal(split) | Node::Vertical(split)) = &mut self.tree[node] else { return };
        if let Some(fraction) = wanted {
            split.fraction = fraction;
        }
        let (first, second) = if is_across {
            area.split_left_right_at_fraction(split.fraction)
        } else {
            area.split_top_bottom_at_fraction(split.fraction)
        };
        self.keep(node.left(), first);
        self.keep(node.right(), second);
    }

    /// A node and all existing nodes below it.
    fn below(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let mut all = vec![node];
        let mut next = 0;
        while let Some(node) = all.get(next).copied() {
            if self.tree[node].is_parent() {
                all.extend([node.left(), node.right()]);
            }
            next += 1;
        }
        all
    }

    fn has_land(&self, node: NodeIndex) -> bool {
        self.below(node).into_iter().any(|node| self.tree[node].iter_tabs().any(|tab| *tab == Tab::Land))
    }

    /// The width or height that the panels below a node want.
    fn wanted(&self, node: NodeIndex, is_across: bool) -> Option<f32> {
        let tabs = self.below(node).into_iter().flat_map(|node| self.tree[node].iter_tabs());
        let sizes = tabs.filter_map(|tab| match self.homes.get(tab) {
            Some(Home::Beside(side, size)) => (is_across == side.is_across()).then_some(*size),
            _ => None,
        });
        sizes.reduce(f32::max)
    }
}
