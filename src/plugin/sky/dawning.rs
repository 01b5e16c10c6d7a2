//! Computing the light of a sky beside the frames.

use std::thread::{Builder, JoinHandle};

use bevy::prelude::*;

#[cfg(doc)]
use super::Sky;
use crate::{Daylight, Sun};

/// The light of a [`Sky`] that is being computed.
///
/// On a thread of its own: on the task pool it would wait behind the build of a land, for minutes where
/// the pool has one thread.
#[derive(Component)]
pub(crate) struct Dawning {
    pub(super) sun: Sun,
    light: Option<Light>,
}

enum Light {
    Coming(JoinHandle<Daylight>),
    There(Box<Daylight>),
}

impl Dawning {
    pub(super) fn new(sun: Sun) -> Self {
        let thread = Builder::new().name("daylight".into()).spawn(move || Daylight::new(sun));
        let light = match thread {
            Ok(thread) => Light::Coming(thread),
            // Where there are no threads to be had, a frame may take longer.
            Err(_) => Light::There(Box::new(Daylight::new(sun))),
        };
        Self { sun, light: Some(light) }
    }

    pub(super) fn has_ended(&self) -> bool {
        !matches!(&self.light, Some(Light::Coming(thread)) if !thread.is_finished())
    }

    /// The light, once it has ended; `None` if computing it panicked.
    pub(super) fn light(&mut self) -> Option<Daylight> {
        match self.light.take()? {
            Light::Coming(thread) => thread.join().ok(),
            Light::There(light) => Some(*light),
        }
    }
}
