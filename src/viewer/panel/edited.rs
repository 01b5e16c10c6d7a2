//! A landscape as the panels see it.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;

use super::texture::GroundHistogram;
use crate::plugin::{TerrainGround, TerrainScatterStatistics, TerrainStatus};
use crate::render::texture_view::TextureView;
use crate::viewer::build::rebuild::{BuildTime, Failure};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::document::Document;
use crate::viewer::document::links::Links;
use crate::viewer::tools::towers::Towers;

/// The maximum number of characters of a landscape's name where space is short.
pub(super) const MOST_LETTERS: usize = 40;

/// A document as the panels see it.
#[derive(QueryData)]
#[query_data(mutable)]
pub(in super::super) struct Edited {
    pub(super) entity: Entity,
    pub(super) document: &'static mut Document,
    pub(super) status: &'static TerrainStatus,
    pub(super) since: &'static BuildTime,
    pub(super) ground: Option<&'static TerrainGround>,
    pub(super) view: &'static mut TextureView,
    pub(super) histogram: Option<&'static GroundHistogram>,
    pub(super) scattered: &'static TerrainScatterStatistics,
    pub(super) towers: &'static mut Towers,
    pub(super) stack: &'static mut StackView,
    pub(super) links: &'static mut Links,
    pub(super) failure: &'static mut Failure,
}

/// The item of a document, if there is one.
pub(super) fn item<'a, 'w, 's>(
    documents: &'a [EditedItem<'w, 's>],
    document: impl Into<Option<Entity>>,
) -> Option<&'a EditedItem<'w, 's>> {
    let document = document.into()?;
    documents.iter().find(|of| of.entity == document)
}

/// The same, to change it.
pub(super) fn item_mut<'a, 'w, 's>(
    documents: &'a mut [EditedItem<'w, 's>],
    document: impl Into<Option<Entity>>,
) -> Option<&'a mut EditedItem<'w, 's>> {
    let document = document.into()?;
    documents.iter_mut().find(|of| of.entity == document)
}
