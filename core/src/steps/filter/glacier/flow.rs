//! How readily ice flows and slides, and what a year adds to it or melts of it.

/// How ice flows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Γ = 2A(ρg)³/5, per metre³ and year.
    pub(super) deformation: f64,
    /// Σ, per metre and year.
    pub(super) sliding: f64,
    /// The speed that ice never reaches, metres a year: on steep ground what lies above and below holds it,
    /// which the shallow-ice approximation neglects.
    pub(super) fastest: f64,
}

impl Flow {
    /// Temperate ice: A = 2.4e-24 Pa⁻³ s⁻¹ (Cuffey and Paterson 2010), ρ = 910 kg/m³, and sliding by
    /// 5.7e-20 Pa⁻³ m² s⁻¹ (Budd, Keage and Blundy 1979).
    pub(super) const TEMPERATE: Self = Self { deformation: 2.16e-5, sliding: 1.28, fastest: 100.0 };

    /// The speed at which ice slides over its bed, metres a year.
    pub(super) fn sliding_speed(&self, thickness: f64, slope: f64) -> f64 {
        (self.sliding * thickness * thickness * slope * slope * slope).min(self.fastest)
    }
}

/// What the climate adds to the ice, or melts of it, at a height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance {
    /// The equilibrium line, metres: above it more snow falls than melts.
    pub(super) line: f64,
    /// Gain or loss for each metre above or below the line, per year.
    pub(super) gradient: f64,
    /// The most that a year adds, metres of ice.
    pub(super) most: f64,
}

impl Balance {
    /// Metres of ice a year that the surface at this height gains, or loses if negative.
    pub(super) fn at(&self, surface: f64) -> f64 {
        (self.gradient * (surface - self.line)).clamp(-MOST_MELT, self.most)
    }
}

/// The most that melts in a year, metres of ice.
const MOST_MELT: f64 = 12.0;
