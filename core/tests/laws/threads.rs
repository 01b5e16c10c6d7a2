//! The same bits at any number of threads, for every landscape that comes with the program.

use upland_core::texture::ColourMap;
use upland_core::{Landscape, Preset, Recipe, Work};

/// One thread, as many as a small machine has, as many as don't divide the rows, and as many as a large
/// machine has.
const THREADS: [usize; 5] = [1, 2, 7, 32, 64];

fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Whether two colour maps are the same, and if not, the first texel that isn't.
fn colours(a: &ColourMap, b: &ColourMap) -> Option<String> {
    let differing = a.texels.iter().zip(&b.texels).position(|(a, b)| a != b);
    let place = differing.map(|index| (index % a.width, index / a.width));
    (a != b).then(|| format!("the colours, first at {place:?} of {}×{}", a.width, a.depth))
}

/// The first stage at which a landscape is another than the one made on one thread, None if it is the same.
fn differing(recipe: &Recipe, one: &Landscape, threads: usize) -> Option<String> {
    let other = on(threads, || recipe.build(&Work::new())).unwrap();
    let bits =
        |land: &upland_core::Heightfield| land.heights().iter().map(|h| h.to_bits()).collect::<Vec<_>>();
    if bits(&one.heightfield) != bits(&other.heightfield) {
        // Which step it is is worth a closer look only now.
        let upto = |count: usize| {
            let mut recipe = recipe.clone();
            recipe.steps.truncate(count);
            recipe
        };
        let stage = (1..=recipe.steps.len()).find(|&count| {
            let land = |threads| bits(&on(threads, || upto(count).build_heightfield(&Work::new())).unwrap());
            land(1) != land(threads)
        });
        return Some(match stage {
            Some(count) => format!("step {} ({})", count - 1, recipe.steps[count - 1].name()),
            None => "the heights, now and then".to_owned(),
        });
    }
    if one.rivers != other.rivers {
        return Some("the courses of rivers".to_owned());
    }
    if let Some(place) = colours(&one.colour, &other.colour) {
        return Some(place);
    }
    let shares = |landscape: &Landscape| landscape.cover.as_ref().map(|cover| cover.weights.clone());
    if shares(one) != shares(&other) {
        return Some("the weights of terrain types".to_owned());
    }
    let water = |landscape: &Landscape, threads| on(threads, || landscape.water(&Work::new())).unwrap();
    (water(one, 1) != water(&other, threads)).then(|| "the water".to_owned())
}

#[test]
fn every_preset_has_the_same_bits_on_any_number_of_threads() {
    let mut wrong = Vec::new();
    for preset in Preset::all() {
        let recipe = preset.recipe().unwrap().preview(97);
        let one = on(1, || recipe.build(&Work::new())).unwrap();
        for threads in &THREADS[1..] {
            if let Some(stage) = differing(&recipe, &one, *threads) {
                wrong.push(format!("{}: {stage}, on {threads} threads", preset.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
