//! One generic function for features of static and of dynamic dimension, in f32 and f64.
//!
//! `cargo run --release --example dynamic_dimension`

use nalgebra::{Const, Dyn};
use sporadic::Real;
use sporadic::dim::{Dimensional, FeatureDim};
use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures};
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::ActionSequence;

/// The only bounds a user writes: a scalar and a dimension. No allocators.
fn continuation<T: Real, D: FeatureDim>(
    model: &Tabular<T>,
    phi: OneHot<D>,
    sequence: &ActionSequence,
) -> Result<T, Box<dyn std::error::Error>> {
    let psi = Psi::new(phi, Dynamics::one_hot(model, phi))?;
    let features = psi.psi(&0, sequence);
    let d = phi.dim().value();
    // The continuation half sums to half the discounted chance of being seen at all.
    Ok(features.iter().skip(d).fold(T::zero(), |sum, &x| sum + T::of(2.0) * x))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sequence: ActionSequence = "111(01)".parse()?;
    let double = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    let single = gallery::river_swim::<f32>(6, 0.1, 0.99)?;
    let fixed = OneHot::with_dim(6, 2, Const::<12>)?;
    let free: OneHot<Dyn> = OneHot::new(6, 2);

    println!("discounted chance of a sighting, {sequence} from s1 of RiverSwim");
    println!("f64, Const<12>  {:.6}", continuation(&double, fixed, &sequence)?);
    println!("f64, Dyn        {:.6}", continuation(&double, free, &sequence)?);
    println!("f32, Const<12>  {:.6}", continuation(&single, fixed, &sequence)?);
    // gamma beta / (1 - gamma (1 - beta)), whatever the sequence, because beta is uniform.
    println!("closed form     {:.6}", 0.099 / (1.0 - 0.891));
    Ok(())
}
