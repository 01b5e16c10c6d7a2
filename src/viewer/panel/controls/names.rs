//! Names for screen readers, for parts of controls that egui leaves unnamed.

use std::collections::HashMap;

use bevy_egui::egui::accesskit::{Node, NodeId, Role, TreeUpdate};
use bevy_egui::egui::{Context, FullOutput, Plugin};

/// Names what egui draws next to or around named controls: the number of a slider, scroll bars, the borders
/// of windows, the numbers of a colour. A number or a text without a name gets that of the label just before
/// it.
pub(crate) struct Names;

impl Plugin for Names {
    fn debug_name(&self) -> &'static str {
        "names"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        if let Some(update) = &mut output.platform_output.accesskit_update {
            name_parts(update);
        }
    }
}

fn name_parts(update: &mut TreeUpdate) {
    let nodes = &mut update.nodes;
    let places: HashMap<NodeId, usize> =
        nodes.iter().enumerate().map(|(index, (id, _))| (*id, index)).collect();
    let root = update.tree.as_ref().and_then(|tree| places.get(&tree.root).copied());
    let mut before: Option<usize> = None;
    for here in in_order(nodes, &places, root) {
        let last = before.replace(here);
        let role = nodes[here].1.role();
        if let Some(name) = name_of_kind(&nodes[here].1).filter(|_| name_of(&nodes[here].1).is_none()) {
            nodes[here].1.set_label(name);
        }
        let Some(last) = last.filter(|_| NUMBERS_AND_TEXTS.contains(&role)) else { continue };
        let (name, beside) = (name_of(&nodes[here].1).map(str::to_owned), &nodes[last].1);
        match (beside.role(), name) {
            // While the number has the focus, egui puts the given name on it, rather than on the slider.
            (Role::Slider, Some(name)) if role != Role::Slider && name_of(beside).is_none() => {
                nodes[last].1.set_label(name);
            }
            (Role::Slider, None) if role != Role::Slider => {
                if let Some(name) = name_of(beside).map(str::to_owned) {
                    nodes[here].1.set_label(name);
                }
            }
            (Role::Label, None) => {
                if let Some(name) = beside.value().map(str::to_owned) {
                    nodes[here].1.set_label(name);
                }
            }
            _ => {}
        }
    }
}

/// Controls without a text of their own, which usually follow a label.
const NUMBERS_AND_TEXTS: [Role; 4] = [Role::Slider, Role::SpinButton, Role::ComboBox, Role::TextInput];

fn name_of_kind(node: &Node) -> Option<&'static str> {
    let channel = |name: &str| node.value().is_some_and(|value| value.starts_with(name));
    match node.role() {
        Role::ScrollBar => Some("Scroll bar"),
        Role::Splitter => Some("Border"),
        // The colour picker's numbers follow a letter.
        Role::SpinButton if channel("R ") => Some("Red"),
        Role::SpinButton if channel("G ") => Some("Green"),
        Role::SpinButton if channel("B ") => Some("Blue"),
        _ => None,
    }
}

/// The nodes in reading order, without those that are only frames around others or parts of a text.
fn in_order(nodes: &[(NodeId, Node)], places: &HashMap<NodeId, usize>, root: Option<usize>) -> Vec<usize> {
    let (mut order, mut left) = (Vec::new(), Vec::from_iter(root));
    while let Some(here) = left.pop() {
        let node = &nodes[here].1;
        if !matches!(node.role(), Role::GenericContainer | Role::TextRun) {
            order.push(here);
        }
        left.extend(node.children().iter().rev().filter_map(|child| places.get(child).copied()));
    }
    order
}

fn name_of(node: &Node) -> Option<&str> {
    node.label().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui;

    use super::*;
    use crate::viewer::panel::controls::style;

    /// The names of all controls of a role.
    fn names(role: Role, draw: impl FnMut(&mut egui::Ui)) -> Vec<Option<String>> {
        let context = egui::Context::default();
        context.enable_accesskit();
        context.add_plugin(Names);
        let mut output = context.run_ui(egui::RawInput::default(), draw);
        // Nothing is drawn, so the font's texture is not needed.
        output.textures_delta.clear();
        let update = output.platform_output.accesskit_update.expect("it is on");
        let of_role = update.nodes.iter().filter(|(_, node)| node.role() == role);
        of_role.map(|(_, node)| name_of(node).map(str::to_owned)).collect()
    }

    #[test]
    fn the_number_beside_a_slider_has_the_name_of_the_slider() {
        for role in [Role::Slider, Role::SpinButton] {
            let found = names(role, |ui| {
                style::called(ui.add(egui::Slider::new(&mut 3.0, 0.0..=9.0)), "height");
            });
            assert_eq!(found, [Some("height".to_owned())], "{role:?}");
        }
    }

    #[test]
    fn an_unnamed_control_gets_the_name_of_the_label_just_before_it() {
        let found = names(Role::SpinButton, |ui| {
            ui.label("from");
            ui.horizontal(|ui| ui.add(egui::DragValue::new(&mut 1.0)));
        });
        assert_eq!(found, [Some("from".to_owned())]);
        let found = names(Role::SpinButton, |ui| {
            ui.label("from");
            let _ = ui.button("Go");
            ui.add(egui::DragValue::new(&mut 1.0));
        });
        assert_eq!(found, [None]);
    }
}
