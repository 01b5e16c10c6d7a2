//! Strokes that paint a terrain type which the land doesn't have.

use std::collections::BTreeSet;

use bevy::prelude::*;

use super::components::{StrokeFailed, TerrainStrokes};
use crate::Error;
use crate::plugin::events::report_failure;
use crate::plugin::terrain::TerrainGround;
use crate::sculpt::{Strokes, Tool};

/// How many types an error names at most.
const MOST_NAMES: usize = 24;

/// The state of a terrain's painted types.
#[derive(Component, Default)]
pub(super) struct PaintChecked {
    /// The strokes that have been checked.
    strokes: Strokes,
    /// The types that the land doesn't have, each of which has been reported.
    missing: BTreeSet<String>,
}

/// Everything that affects whether paint is visible.
type Painted =
    (Entity, &'static TerrainStrokes, Ref<'static, TerrainGround>, Option<&'static mut PaintChecked>);

/// Reports strokes that paint a missing type, once for each type, when they are made and when the texture
/// changes.
pub(super) fn check_paint(
    mut commands: Commands,
    mut terrains: Query<Painted, Or<(Changed<TerrainStrokes>, Changed<TerrainGround>)>>,
) {
    for (terrain, strokes, ground, checked) in &mut terrains {
        let strokes = strokes.strokes();
        let mut own = PaintChecked::default();
        let is_new = checked.is_none();
        let checked = checked.map_or(&mut own, Mut::into_inner);
        let before = checked.missing.clone();
        let mut first = checked.strokes.alike(strokes);
        if ground.is_changed() {
            // The texture may have changed.
            first = 0;
            checked.missing.clear();
        }
        let kinds = strokes.iter().skip(first).filter_map(|stroke| match &stroke.tool {
            Tool::Paint { kind } => Some(kind),
            _ => None,
        });
        let kinds: BTreeSet<&String> = kinds.collect();
        if !kinds.is_empty() {
            let there = ground.recipe.as_ref().map(|source| source.recipe().fade().paintable_types());
            for kind in kinds {
                if there.as_ref().is_some_and(|there| there.contains(kind)) {
                    continue;
                }
                if !before.contains(kind) {
                    let error = Error::parameter("stroke.tool.kind", reason(kind, there.as_deref()));
                    report_failure(&mut commands, StrokeFailed::new(terrain, error));
                }
                checked.missing.insert(kind.clone());
            }
        }
        checked.strokes = strokes.clone();
        if is_new && !own.strokes.is_empty() {
            commands.entity(terrain).try_insert(own);
        }
    }
}

/// Why a type cannot be painted; `there` lists the types that can be, if the terrain has a recipe.
fn reason(kind: &str, there: Option<&[String]>) -> String {
    let Some(there) = there else {
        return format!(
            "`{kind}` is not painted: the terrain has a finished landscape, whose colours stay as they are; make it from a recipe"
        );
    };
    let more = if there.len() > MOST_NAMES { " and others" } else { "" };
    let there = there[..there.len().min(MOST_NAMES)].join(", ");
    format!(
        "`{kind}` is not painted: the land's texture has no such terrain type to paint with; it has {there}{more}"
    )
}
