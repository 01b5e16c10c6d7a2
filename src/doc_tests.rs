//! The Rust that the README and the pages in docs show, as doc tests: it compiles, and what has a `main`
//! without `no_run` runs.

macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        $(
            #[doc = include_str!($path)]
            mod $name {}
        )+
    };
}

pages! {
    factors: "../docs/factors.md",
    lessons: "../docs/lessons.md",
    levels: "../docs/levels.md",
    meshes: "../docs/meshes.md",
    mistakes: "../docs/mistakes.md",
    plants: "../docs/plants.md",
    compare: "../docs/compare.md",
    plots: "../docs/plots.md",
    viewshed: "../docs/viewshed.md",
}

#[cfg(feature = "bevy")]
pages! {
    agents: "../docs/agents.md",
    diagnostics: "../docs/diagnostics.md",
    embedding: "../docs/embedding.md",
    games: "../docs/games.md",
    planet: "../docs/planet.md",
    queries: "../docs/queries.md",
    readme: "../README.md",
    scatter: "../docs/scatter.md",
    sculpting: "../docs/sculpting.md",
    weather: "../docs/weather.md",
}

#[cfg(feature = "avian")]
pages! {
    physics: "../docs/physics.md",
}

#[cfg(all(feature = "bevy", feature = "world"))]
pages! {
    planned_land: "../docs/planned-land.md",
}
