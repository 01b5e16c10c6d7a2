//! The choice of texture set: a ready-made one, one that follows the seasons, several that fade into each
//! other, or a custom one.

use bevy_egui::egui;

use super::land_info::LandInfo;
use super::picture;
use crate::analysis::Picture;
use crate::files::FilePath;
use crate::params::Param;
use crate::recipe::{Seasons, Sets, Skin};
use crate::render::texture_view::TextureView;
use crate::texture::Texture;
use crate::viewer::panel::controls::parameters::{self, Usual};
use crate::viewer::panel::controls::style::{self, Tip as _};

/// Menu entries other than ready-made sets.
const SEASONS: &str = "four seasons";
const SEVERAL: &str = "blend of sets";
const OWN: &str = "custom";

const YEAR: &str = "Temperate land through the year";

/// The rows that select the set.
pub(super) fn show(ui: &mut egui::Ui, skin: &mut Skin, view: &mut TextureView, land: &LandInfo) {
    let before = skin.texture();
    let tip = "The terrain types of the ground. Changing a ready-made set makes it a custom one; \
               Ctrl Z undoes that.";
    parameters::named(ui, "set", tip, |ui| choose(ui, "set", skin, true, land));
    // Every set has a line: without one, the controls below would move, and lose the pointer, while the first
    // drag makes a ready-made set a custom one.
    let holds = egui::RichText::new(described(skin)).color(style::quiet(ui));
    ui.add(egui::Label::new(holds.size(style::points(ui, 11.0))).wrap());
    season(ui, skin);
    if !same_types(&before, &skin.texture()) {
        *view = TextureView::default();
    }
    if let Skin::Sets(sets) = skin {
        several(ui, sets, view, land);
    }
}

/// Whether two textures have the same types, regardless of colours and limits.
fn same_types(a: &Texture, b: &Texture) -> bool {
    a.types.iter().map(|kind| &kind.name).eq(b.types.iter().map(|kind| &kind.name))
}

/// The set whose types are listed: the selected one if there are several.
pub(super) fn edited<'a>(skin: &'a mut Skin, view: &TextureView) -> &'a mut Skin {
    let place = view.set_in(skin);
    if matches!(skin, Skin::Sets(sets) if sets.sets.is_empty()) {
        return skin;
    }
    match skin {
        Skin::Sets(sets) => &mut sets.sets[place],
        one => one,
    }
}

/// A menu of all sets; `several` is only offered at the top level.
fn choose(ui: &mut egui::Ui, name: &str, skin: &mut Skin, may_be_several: bool, land: &LandInfo) {
    let ready_made = Skin::ready_made();
    let shown = match &*skin {
        Skin::Seasons(Seasons { of, .. }) => match of.first() {
            None => SEASONS,
            Some(summer) => ready_made.iter().find(|(_, set)| set == summer).map_or(OWN, |(name, _)| name),
        },
        Skin::Sets(_) => SEVERAL,
        skin => ready_made.iter().find(|(_, set)| set == skin).map_or(OWN, |(name, _)| name),
    };
    let mut chosen = None;
    let combo = egui::ComboBox::from_id_salt("set").selected_text(shown).show_ui(ui, |ui| {
        let mut item = |name: &str, tip: &str, set: &dyn Fn() -> Skin| {
            if ui.selectable_label(name == shown, name).tip(tip).clicked() && name != shown {
                chosen = Some(set());
            }
        };
        for (name, set) in &ready_made {
            item(name, described(set), &|| set.clone());
        }
        item(SEASONS, YEAR, &|| Skin::Temperate.in_season(0.25));
        if may_be_several {
            let tip = "Sets that fade into each other, everywhere or by a mask";
            item(SEVERAL, tip, &|| {
                let other = if *skin == Skin::Arid { Skin::Temperate } else { Skin::Arid };
                Skin::Sets(Sets { sets: vec![skin.clone(), other], at: 0.0, mask: None })
            });
        }
        let tip = "Custom types, starting from the present ones";
        item(OWN, tip, &|| Skin::Custom(land.own_types(skin)));
    });
    style::called(combo.response, name);
    if let Some(chosen) = chosen {
        *skin = chosen;
    }
}

fn described(set: &Skin) -> &'static str {
    match set {
        Skin::Temperate => "Meadow, forest, rock, and snow on the highest summits",
        Skin::Woodland => "Meadow, forest and rock, without snow",
        Skin::Arid => "Sand, scrub and red rock",
        Skin::Seasons(Seasons { of, .. }) => of.first().map_or(YEAR, described),
        Skin::Sets(_) => "Several sets that fade into each other",
        Skin::Custom(_) => "This land's own terrain types and limits",
    }
}

/// The season of a set. Any set can have one; without, it shows summer.
fn season(ui: &mut egui::Ui, skin: &mut Skin) {
    if matches!(skin, Skin::Sets(_)) {
        return;
    }
    let text = |season: f32| format!("{season:.2} {}", season_name(season));
    let before = Seasons { season: skin.shown_season().unwrap_or(SUMMER), ..Seasons::default() };
    let mut seasons = before.clone();
    let usually = |_: &Param| Usual { text: Some(&text), ..Usual::default() };
    ui.scope(|ui| {
        // Leaves room, because the name of the season makes the number wider than others.
        ui.set_max_width(ui.available_width() - style::points(ui, 12.0));
        parameters::show_usual(ui, &mut seasons, |name| name == "season", &usually);
    });
    if seasons != before {
        *skin = skin.in_season(seasons.season);
    }
}

/// The middle of summer as a time of year, which sets without a season show.
const SUMMER: f32 = 0.25;

fn season_name(season: f32) -> &'static str {
    ["spring", "summer", "autumn", "winter", "spring"][(season.clamp(0.0, 1.0) * 4.0).round() as usize]
}

/// The rows for several sets and their fade.
fn several(ui: &mut egui::Ui, sets: &mut Sets, view: &mut TextureView, land: &LandInfo) {
    parameters::show(ui, sets, |name| name == "at");
    let count = sets.sets.len();
    let edited = view.set.min(count.saturating_sub(1));
    let mut removed = None;
    for (place, set) in sets.sets.iter_mut().enumerate() {
        ui.push_id(("set", place), |ui| {
            let name = format!("set {}", place + 1);
            parameters::named(ui, &name, "One of the sets that fade.", |ui| {
                let before = set.texture();
                choose(ui, &name, set, false, land);
                if place == edited && !same_types(&before, &set.texture()) {
                    *view = TextureView { set: place, ..TextureView::default() };
                }
                let edit = ui.selectable_label(edited == place, "edit");
                if edit.tip("List this set's types below").clicked() {
                    *view = TextureView { set: place, ..TextureView::default() };
                }
                let remove = ui.add_enabled(count > 2, egui::Button::new("✖").frame(false));
                let remove = remove.on_disabled_hover_text("A fade needs two sets");
                if style::sign(remove, "Remove this set").clicked() {
                    removed = Some(place);
                }
            });
            season(ui, set);
        });
    }
    if let Some(place) = removed {
        sets.sets.remove(place);
        *view = TextureView::default();
    }
    ui.horizontal(|ui| {
        let add = ui.add_enabled(count < Sets::MOST, egui::Button::new("Add set"));
        let full = format!("There can be at most {} sets; remove one first", Sets::MOST);
        if add.on_disabled_hover_text(full).clicked() {
            sets.sets.push(Skin::Woodland);
        }
        let tip = "A picture that controls the fade: white fades as set above, black shows the first set";
        match sets.mask {
            None if ui.button("Add mask").tip(tip).clicked() => {
                ui.data_mut(|data| data.insert_temp(mask_id(), true));
            }
            Some(_) if ui.button("No mask").clicked() => sets.mask = None,
            _ => {}
        }
    });
    let wanted = ui.data(|data| data.get_temp(mask_id())).unwrap_or(false);
    if wanted || sets.mask.is_some() {
        let current = sets.mask.as_ref().map_or("", |mask| mask.file.text());
        if let Some(path) = picture::row(ui, "mask", current, land) {
            let mut file = FilePath::new(path);
            file.set_folder(land.folder);
            sets.mask = Some(Picture::new(file));
            ui.data_mut(|data| data.remove::<bool>(mask_id()));
        }
    }
}

/// The key under which egui remembers that a mask is about to be named.
fn mask_id() -> egui::Id {
    egui::Id::new("mask of sets wanted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seasons_have_the_right_names() {
        let names = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0].map(season_name);
        assert_eq!(names, ["spring", "spring", "summer", "autumn", "winter", "spring", "spring"]);
    }

    #[test]
    fn sets_are_only_added_while_the_recipe_can_be_read_again() {
        let context = egui::Context::default();
        context.enable_accesskit();
        let land = LandInfo {
            histogram: None,
            sea_level: None,
            folder: std::path::Path::new(""),
            quality: crate::plugin::Quality::High,
            has_roads: false,
            has_snow: false,
            better: std::cell::Cell::new(None),
        };
        for (count, may_grow) in [(Sets::MOST - 1, true), (Sets::MOST, false)] {
            let mut sets = Sets { sets: vec![Skin::Arid; count], ..Sets::default() };
            let mut view = TextureView::default();
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                several(ui, &mut sets, &mut view, &land);
            });
            // Nothing is drawn, so the font's texture is not needed.
            output.textures_delta.clear();
            let update = output.platform_output.accesskit_update.expect("it is on");
            let mut nodes = update.nodes.iter();
            let (_, add) = nodes.find(|(_, node)| node.label() == Some("Add set")).expect("it is there");
            assert_eq!(!add.is_disabled(), may_grow, "{count}");
        }
    }

    #[test]
    fn the_selected_one_of_several_sets_is_edited() {
        let mut skin = Skin::Sets(Sets { sets: vec![Skin::Temperate, Skin::Arid], at: 0.0, mask: None });
        for (set, expected) in [(0, Skin::Temperate), (1, Skin::Arid), (7, Skin::Arid)] {
            let view = TextureView { set, ..TextureView::default() };
            assert_eq!(*edited(&mut skin, &view), expected);
        }
        assert_eq!(*edited(&mut Skin::Woodland, &TextureView::default()), Skin::Woodland);
    }
}
