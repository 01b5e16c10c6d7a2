//! A flight over a land whose tiles are made while it flies, in real time, without drawing.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use glam::{DVec2, DVec3, DVec4};

use super::path::{Flight, Path, covers};
use super::processor::{Stopwatch, Times};
use super::report::{Run, Spread};
use crate::background::give_way;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::stream::{
    Arrival, Budget, ChunkPart, Drawn, DrawnChunk, Eye, LandTile, MadeTile, QUADS, Ranges, Residency,
    Surface, TILE_TEXELS, TileSource,
};

/// A picture of 1920 × 1080 with a field of view of 45° from top to bottom.
const PICTURE: DVec2 = DVec2::new(1920.0, 1080.0);
const FIELD_OF_VIEW: f64 = std::f64::consts::FRAC_PI_4;

/// Frames a second.
const RATE: f64 = 60.0;

/// Tiles that the device holds.
const SLOTS: usize = 1024;

/// Seconds over which tiles replace their parents.
const FADE: f64 = 0.25;

/// The range of sight over endless land, metres.
const FAR: f64 = 250_000.0;

/// Where haze leaves 1/e of the contrast of red, metres: the plugin's own sky, for a visibility of 160 km.
const HAZE: f32 = 160_000.0 / (3.912 * 0.72);

/// A tile that is being made: which, after which edit, and how to stop it.
struct Order {
    tile: LandTile,
    edit: u64,
    work: Work,
}

/// A tile that has been made, or the error.
type Made = (LandTile, u64, Result<MadeTile>);

/// Flies for `seconds`, after everything that is visible from the start has arrived.
pub(super) fn fly(flight: &Flight, source: &(dyn TileSource + '_), seconds: f64) -> Result<Run> {
    // One core is left to the thread that is measured.
    let threads = thread::available_parallelism().map_or(1, |count| count.get().saturating_sub(1)).max(1);
    let (orders, ordered) = channel::<Order>();
    let ordered = Arc::new(Mutex::new(ordered));
    let (done, made) = channel::<Made>();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (ordered, done) = (ordered.clone(), done.clone());
            scope.spawn(move || make_tiles(source, &ordered, &done));
        }
        let mut flown = Flown::new(flight, source, threads, orders, made);
        let outcome = flown.run(seconds);
        // Ends the threads, since no more tiles will be ordered.
        flown.stop_all();
        drop(flown.orders);
        drop(flown.made);
        outcome.map(|()| flown.run)
    })
}

fn make_tiles(source: &dyn TileSource, ordered: &Mutex<Receiver<Order>>, done: &Sender<Made>) {
    give_way();
    loop {
        // The lock is held while waiting: the other threads wait for it instead of for the channel.
        let order = ordered.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Order { tile, edit, work }) = order else { return };
        let made = if work.is_cancelled() { Err(Error::Cancelled) } else { source.make(tile, &work) };
        if done.send((tile, edit, made)).is_err() {
            return;
        }
    }
}

/// A flight in progress.
struct Flown<'a> {
    flight: &'a Flight,
    residency: Residency,
    orders: Sender<Order>,
    made: Receiver<Made>,
    /// Tiles that are being made.
    working: HashMap<LandTile, Work>,
    start: Instant,
    path: Path,
    run: Run,
    systems: Vec<f64>,
    /// The part of these on the processor; empty where that cannot be known.
    systems_cpu: Vec<f64>,
    frames: Vec<f64>,
    latencies: Vec<f64>,
    bytes_of_slot: usize,
}

impl<'a> Flown<'a> {
    fn new(
        flight: &'a Flight,
        source: &dyn TileSource,
        threads: usize,
        orders: Sender<Order>,
        made: Receiver<Made>,
    ) -> Self {
        let shape = source.shape();
        let texel = 12 + 4 * source.weight_layers();
        Self {
            flight,
            // One more than threads, so that none waits for the next frame.
            residency: Residency::new(shape, Budget { slots: SLOTS, jobs: threads + 1, fade: FADE }),
            orders,
            made,
            working: HashMap::new(),
            start: Instant::now(),
            path: Path::new(&shape),
            run: Run { name: flight.name.clone(), device: "none".to_owned(), ..Run::default() },
            systems: Vec::new(),
            systems_cpu: Vec::new(),
            frames: Vec::new(),
            latencies: Vec::new(),
            bytes_of_slot: texel * TILE_TEXELS * TILE_TEXELS,
        }
    }

    fn run(&mut self, seconds: f64) -> Result<()> {
        // Until everything that is visible from the start is resident.
        let patience = Instant::now() + Duration::from_secs(120);
        while !(self.residency.is_settled() && self.path.is_settled(&self.residency, self.flight.altitude))
            && Instant::now() < patience
        {
            self.frame(0.0)?;
            self.path.settle(&self.residency, self.flight.altitude);
            thread::sleep(Duration::from_millis(2));
        }
        // Tiles that have arrived before the start do not belong to the flight.
        self.latencies.clear();
        let before = self.start.elapsed().as_secs_f64();
        let mut edits = 0.0;
        let mut number = 0;
        loop {
            let begun = Instant::now();
            let flown = self.start.elapsed().as_secs_f64() - before;
            if flown > seconds {
                break;
            }
            if self.flight.edits && flown > edits + 1.0 {
                edits = flown;
                self.residency.edit();
            }
            let systems = self.frame(self.flight.speed)?;
            self.systems.push(systems.passed);
            self.systems_cpu.extend(systems.processor);
            self.frames.push(begun.elapsed().as_secs_f64() * 1e3);
            number += 1;
            self.count(number);
            // In real time: a frame moves the camera by a 60th of a second, and tiles are made meanwhile.
            let next = Duration::from_secs_f64(1.0 / RATE).saturating_sub(begun.elapsed());
            thread::sleep(next);
        }
        self.run.frames = self.systems.len();
        self.run.systems = Spread::of(&mut self.systems);
        self.run.systems_cpu = (!self.systems_cpu.is_empty()).then(|| Spread::of(&mut self.systems_cpu));
        self.run.frame = Spread::of(&mut self.frames);
        self.run.latency = Spread::of(&mut self.latencies);
        Ok(())
    }

    /// The work of the terrain's systems in a frame, and its time. All of it is done by this thread; the
    /// threads that make tiles are not included.
    fn frame(&mut self, speed: f64) -> Result<Times> {
        let now = self.start.elapsed().as_secs_f64();
        self.path.move_on(&self.residency, self.flight.altitude, speed / RATE);
        let eye = self.eye(speed);
        // The camera's own movement is not work of the terrain.
        let begun = Stopwatch::start();
        while let Ok((tile, edit, made)) = self.made.try_recv() {
            self.working.remove(&tile);
            match made {
                Ok(made) => self.arrive(made, edit, now),
                Err(Error::Cancelled) => {}
                Err(error) => return Err(error),
            }
        }
        while let Some((made, edit)) = self.residency.take_early() {
            self.arrive(made, edit, now);
        }
        self.residency.fade(now);
        let plan = self.residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, now);
        for tile in plan.stop {
            if let Some(work) = self.working.remove(&tile) {
                work.cancel();
            }
        }
        for tile in plan.start {
            let work = Work::new();
            self.working.insert(tile, work.clone());
            let _ = self.orders.send(Order { tile, edit: self.residency.edits(), work });
        }
        let chunks = self.residency.select(&eye, Drawn::TRUE);
        // Uploading is left out, but what is uploaded has to be taken, or it would add up.
        self.residency.table_mut().take_changes();
        let systems = begun.stop();

        let seen = chunks.iter().filter(|(drawn, known)| {
            let (north_west, south_east) = drawn.rectangle(self.residency.shape().cell);
            let (low, high) = Drawn::TRUE.range(known.low, known.high);
            let corner = |p: DVec2, height: f64| DVec3::new(p.x, height, p.y);
            eye.sees(corner(north_west, low), corner(south_east, high))
        });
        let parts: Vec<ChunkPart> = seen.map(|(drawn, _)| drawn.part).collect();
        let triangles = parts.iter().map(|part| part.triangles()).sum();
        self.run.triangles_max = self.run.triangles_max.max(triangles);
        // A mesh for each part of a chunk, and one material.
        let draws = parts.into_iter().collect::<HashSet<_>>().len();
        self.run.draws_max = self.run.draws_max.max(draws);
        let place = DVec2::new(eye.position.x, eye.position.z);
        let all = chunks.iter().map(|(drawn, _)| *drawn).collect();
        if speed > 0.0 && !covers(self.residency.shape(), place, eye.far, &all) {
            self.run.holes += 1;
        }
        Ok(systems)
    }

    fn arrive(&mut self, made: MadeTile, edit: u64, now: f64) {
        if let Arrival::Shown { latency, .. } = self.residency.arrive(made, edit, now) {
            self.latencies.push(latency * 1e3);
        }
    }

    /// Every few frames, measures values that are expensive to compute.
    fn count(&mut self, number: usize) {
        let table =
            size_of_val(self.residency.table().entries()) + size_of_val(self.residency.table().errors());
        self.run.gpu_bytes_max = SLOTS * self.bytes_of_slot + table;
        self.run.cpu_bytes_max = self.run.cpu_bytes_max.max(self.residency.bytes());
        self.run.pressure_max = self.run.pressure_max.max(self.residency.pressure());
        self.run.tiles_max = self.run.tiles_max.max(self.residency.resident());
        if number.is_multiple_of(30) {
            let eye = self.eye(self.flight.speed);
            let surface = Surface::new(&self.residency, &eye, Drawn::TRUE);
            let chunks = self.residency.select(&eye, Drawn::TRUE);
            let is_whole = chunks.iter().all(|(DrawnChunk { chunk, .. }, _)| {
                [(0, 0), (QUADS, 0), (0, QUADS), (QUADS, QUADS)]
                    .into_iter()
                    .all(|vertex| surface.displace(*chunk, vertex).is_some())
            });
            if !is_whole {
                self.run.holes += 1;
            }
        }
    }

    fn eye(&self, speed: f64) -> Eye {
        let (ahead, position) = (Path::AHEAD, self.path.position());
        let pixels = 0.5 * PICTURE.y / (0.5 * FIELD_OF_VIEW).tan();
        Eye {
            position,
            velocity: ahead * speed,
            pixels,
            is_orthographic: false,
            sides: sides(position, ahead),
            far: FAR,
            texel_pixels: 3.0,
            // The settings of high quality.
            ranges: Ranges::new(pixels as f32, 1.5, 7.7, 61.6).in_haze(HAZE),
        }
    }

    fn stop_all(&mut self) {
        for work in self.working.values() {
            work.cancel();
        }
    }
}

/// The four sides and the front of the view from a place, looking ahead.
fn sides(place: DVec3, ahead: DVec3) -> Vec<DVec4> {
    let right = ahead.cross(DVec3::Y).normalize();
    let up = right.cross(ahead);
    let half = (0.5 * FIELD_OF_VIEW).tan();
    let wide = half * PICTURE.x / PICTURE.y;
    let normals = [ahead * wide - right, ahead * wide + right, ahead * half - up, ahead * half + up, ahead]
        .map(DVec3::normalize);
    normals.map(|normal| normal.extend(-normal.dot(place))).to_vec()
}
