//! Numbers that are known from elsewhere, for the paper's models with six states and gamma = 0.99.
//!
//! Those of the family are computed by an independent implementation (`tests/reference`) too.

/// (1 - gamma) V* of RiverSwim at s1 to s6, whatever beta is: (1) is optimal, and in the family.
pub(crate) const RIVER_SWIM: [f64; 6] =
    [0.378_547, 0.384_920, 0.396_939, 0.410_112, 0.423_829, 0.438_021];

/// By beta, (1 - gamma) V of RiverBalance at s1 to s3, and at s6 to s4: the best of 1012 candidates.
pub(crate) const RIVER_BALANCE: [(f64, [f64; 3]); 4] = [
    (0.05, [0.311_563, 0.316_242, 0.320_878]),
    (0.1, [0.384_052, 0.390_331, 0.400_464]),
    (0.2, [0.557_294, 0.566_373, 0.576_620]),
    (0.5, [0.799_949, 0.809_900, 0.820_501]),
];

/// (1 - gamma) V* of RiverBalance at s1 to s6 with beta = 1.
pub(crate) const RIVER_BALANCE_SEEN: [f64; 6] =
    [0.976_650, 0.988_256, 1.0, 1.0, 0.988_256, 0.976_650];

/// By beta, bounds on V* of RiverBalance at s1, to four digits: general solvers of partially observed
/// problems, run for a long time.
pub(crate) const RIVER_BALANCE_OPTIMUM: [(f64, f64, f64); 4] = [
    (0.05, 37.356, 37.365),
    (0.1, 44.7503, 44.7503),
    (0.2, 57.4989, 57.4999),
    (0.5, 80.0031, 80.0041),
];

/// Asserts that 0.01 V is the known number to its six digits.
pub(crate) fn assert_known(value: f64, known: f64) {
    assert!((0.01 * value - known).abs() < 6e-7, "{} and not {known}", 0.01 * value);
}
