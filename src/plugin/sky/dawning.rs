//! Computes the light of a sky in the background.

use std::thread::{Builder, JoinHandle};

use bevy::prelude::*;

#[cfg(doc)]
use super::components::Sky;
use crate::{Daylight, Sun};

/// The light of a [`Sky`] that is being computed.
///
/// It has its own thread: on the task pool it would wait behind the build of a land, for minutes if the
/// pool has one thread.
#[derive(Component)]
pub(crate) struct Dawning {
    pub(super) sun: Sun,
    light: Option<Pending>,
}

enum Pending {
    Coming(JoinHandle<Daylight>),
    There(Box<Daylight>),
}

impl Dawning {
    pub(super) fn new(sun: Sun) -> Self {
        let thread = Builder::new().name("daylight".into()).spawn(move || Daylight::new(sun));
        let light = match thread {
            Ok(thread) => Pending::Coming(thread),
            // If no thread can be spawned, this frame takes longer.
            Err(_) => Pending::There(Box::new(Daylight::new(sun))),
        };
        Self { sun, light: Some(light) }
    }

    pub(super) fn has_ended(&self) -> bool {
        !matches!(&self.light, Some(Pending::Coming(thread)) if !thread.is_finished())
    }

    /// The result once the thread has ended; `None` if it panicked.
    pub(super) fn light(&mut self) -> Option<Daylight> {
        match self.light.take()? {
            Pending::Coming(thread) => thread.join().ok(),
            Pending::There(light) => Some(*light),
        }
    }
}
