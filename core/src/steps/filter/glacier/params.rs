//! The parameters of a glaciation.

use crate::params::params;

params! {
    /// Glaciers: snow becomes ice, which flows down the valleys and wears them down to broad troughs with
    /// steep walls. It leaves cirques and sharp crests, basins that become lakes, side valleys that end high
    /// above the main one, and moraines where it melted. Where the layer `hardness` is 1, ice wears nothing
    /// away. It writes `wear` and `deposit`, how much lower and how much higher the ground has become,
    /// `debris`, the thickness of the moraines, and `ice`, that of the glaciers that are left: both are part
    /// of the heights.
    pub struct Glacier {
        /// Equilibrium line in the coldest times: above it more snow falls than melts. Glaciers begin there,
        /// and end some hundreds of metres lower.
        pub line: f32 = 800.0, "m" in -12000.0..=12000.0;
        /// How much higher the line lies in the mildest times. Ice is small then, and wears cirques out.
        pub swing: f32 = 300.0, "m" in 0.0..=3000.0;
        /// The most snow that falls in a year, as metres of ice: with more of it, glaciers are thicker,
        /// faster and longer.
        pub snowfall: f32 = 1.5, "m" in 0.05..=10.0;
        /// For how long there is ice. It changes valleys visibly in 20,000 years, and makes troughs in
        /// 100,000.
        pub age: f32 = 100000.0, "years" in 0.0..=2000000.0;
        /// How readily rock is worn away: at 1 by a ten-thousandth of the way that ice slides over it, as
        /// measured under Variegated Glacier. Hard rock has a tenth of that.
        pub strength: f32 = 1.0, "" in 0.0..=20.0;
        /// How much the rock's joints, and with them its wear, vary from place to place. Ice digs basins for
        /// lakes where they are close.
        pub variety: f32 = 0.5, "" in 0.0..=2.0;
        /// Steepest wall that stands where ice has undercut it.
        pub max_slope: f32 = 55.0, "°" in 1.0..=85.0;
        /// Share of what is worn away that lies in moraines; meltwater carries the rest away.
        pub moraines: f32 = 10.0, "%" in 0.0..=50.0;
        /// How much the line has risen since the coldest times. Where land reaches above it still, glaciers
        /// are left.
        pub warming: f32 = 3000.0, "m" in 0.0..=10000.0;
    }
}
