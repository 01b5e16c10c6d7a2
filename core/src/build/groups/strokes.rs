//! What strokes of a brush do besides changing heights: they paint terrain types and remove objects.

use std::sync::Arc;

use super::{Role, StepGroup};
use crate::build::Cache;
use crate::build::cache::Keepable;
use crate::error::Result;
use crate::grid::Region;
use crate::recipe::Recipe;
use crate::sculpt::{EVERYWHERE, PaintedTypes, Sculpture};

impl Keepable for Sculpture {
    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

impl Recipe {
    /// The strokes of its steps that remove scattered objects. New land that takes the place of all that was
    /// there removes them too.
    ///
    /// # Errors
    /// When a file of strokes cannot be read.
    pub(crate) fn clearings(&self, cache: &Cache) -> Result<Vec<Arc<Sculpture>>> {
        let mut clearings = Vec::new();
        for group in outermost(&self.groups(&[])?) {
            // What was painted or cleared before lay on land that is gone.
            if group.step.replaces_all() {
                clearings.clear();
            }
            if group.is_strokes() {
                clearings.push(group.sculpture(&self.domain()?, Some(cache))?);
            }
        }
        clearings.retain(|sculpture| sculpture.clears(0..usize::MAX, EVERYWHERE));
        Ok(clearings)
    }

    /// The terrain types that its steps paint by strokes, if any do. New land that takes the place of all
    /// that was there removes the paint too.
    ///
    /// # Errors
    /// When a file of strokes cannot be read.
    pub(crate) fn painted_types(&self, cache: Option<&Cache>) -> Result<Option<Arc<PaintedTypes>>> {
        let mut painted: Option<Arc<PaintedTypes>> = None;
        for group in outermost(&self.groups(&[])?) {
            if group.step.replaces_all() {
                painted = None;
            }
            if !group.is_strokes() {
                continue;
            }
            let sculpture = group.sculpture(&self.domain()?, cache)?;
            painted = match (painted, sculpture.types()) {
                (Some(before), Some(types)) => Some(Arc::new(PaintedTypes::clone(&before).and(types))),
                (before, types) => before.or(types.cloned()),
            };
        }
        Ok(painted)
    }

    /// As [`painted_types`](Self::painted_types), for a map over a region whose texels are counted from its
    /// own corner.
    ///
    /// # Errors
    /// As [`painted_types`](Self::painted_types).
    #[doc(hidden)]
    pub fn painted_over(&self, region: &Region, cache: Option<&Cache>) -> Result<Option<Arc<PaintedTypes>>> {
        let corner = [region.x_in_metres(0), region.z_in_metres(0)];
        let seen = |types: Arc<PaintedTypes>| Arc::new(PaintedTypes::clone(&types).seen_from(corner));
        Ok(self.painted_types(cache)?.map(seen))
    }
}

/// The groups of the outermost stack. Strokes are in no other, and new land in another replaces nothing of
/// it.
fn outermost<'a>(groups: &'a [StepGroup<'a>]) -> impl Iterator<Item = &'a StepGroup<'a>> {
    let mut depth = 0usize;
    groups.iter().filter(move |group| {
        match group.role {
            Role::Begins => depth += 1,
            Role::Ends(_) => depth = depth.saturating_sub(1),
            Role::Runs => {}
        }
        depth == 0
    })
}
