use sporadic::Fault;
use sporadic::agents::FixedSequence;
use sporadic::features::{LinearModel, SequenceFeatures, TabularPsi};
use sporadic::model::gallery;
use sporadic::planning::{Stationary, class_optimum, evaluate, sequence_values};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Returns, Simulation, Streams};

pub(crate) fn main() -> Result<(), Fault> {
    let river = gallery::river_balance::<f64>(6, 0.1, 0.99)?;
    let sequence: ActionSequence = "1(10)".parse()?;
    println!("{sequence} starts with {:?}", sequence.iter().take(8).collect::<Vec<_>>());

    // The value of playing it at every sighting, whatever is seen: one linear system.
    let v = evaluate(&river, &Stationary::new(vec![sequence.clone(); 6]))?;
    println!("exact value from s1              {:.4}", v[0]);

    // K(s, a) = R(s, a) + PV(s, a): the reward until the next sighting and the value there.
    println!("K(s1, a), with V as above        {:.4}", sequence_values(&river, &sequence, &v)?[0]);

    // The same number is an inner product of 2d = 24 features with weights that hold rewards and V.
    let psi = TabularPsi::new(river.clone());
    let weights = LinearModel::one_hot(&river).value_vector(0.99, |&s| v[s]);
    println!("<psi(s1, a), weights>            {:.4}", psi.psi(&0, &sequence).dot(&weights));

    // And it is what the agent earns on average.
    let (mut agent, mut returns) = (FixedSequence::new(sequence), Returns::new());
    Simulation::new(&river, Streams::new(1)).run(0..50_000, &mut agent, &mut returns)?;
    println!("mean return of 50,000 episodes   {:.2}", returns.mean().unwrap_or(f64::NAN));

    // The best policy that chooses among the paper's 1012 sequences at each sighting.
    let best = class_optimum(&river, &runs(2, 5, 10).collect::<Vec<_>>())?;
    println!("best of 1012 sequences           {:.4}", best.values[0]);
    println!("on seeing s1 it plays            {}", best.policy.sequences()[0]);
    Ok(())
}
