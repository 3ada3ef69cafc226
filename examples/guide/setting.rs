use sporadic::Fault;
use sporadic::agents::FixedPolicy;
use sporadic::model::gallery;
use sporadic::planning::Stationary;
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Observation, Observer, Simulation, Step, Streams};

/// Prints every round: on the left what happens, on the right what the agent is told.
struct Print;

impl Observer<usize, f64> for Print {
    fn step(&mut self, step: &Step<'_, usize, f64>) {
        let told = match step.observation {
            Observation::Hidden => "nothing".into(),
            Observation::Burst { state, reward } => {
                format!(
                    "the state is s{}, since the last sighting it earned {reward:.1}",
                    state + 1
                )
            }
            Observation::Terminated { reward } => {
                format!("the episode is over, since the last sighting it earned {reward:.1}")
            }
        };
        let (before, after) = (step.state + 1, step.next + 1);
        println!("{:>5}  s{before} -> s{after}  action {}  {told}", step.round, step.action);
    }
}

pub(crate) fn main() -> Result<(), Fault> {
    // Six states in a row; only moves across the middle pay, and a current pulls away from it. Each
    // action reveals the next state with probability 0.3; an episode has 10 rounds on average.
    let river = gallery::river_balance::<f64>(6, 0.3, 0.9)?;
    // At a sighting in the left half the agent commits to right, right, left, right, left, ..., in the
    // right half to the opposite.
    let [right, left] = ["1(10)", "0(01)"].map(str::parse::<ActionSequence>);
    let (right, left) = (right?, left?);
    let policy = [&right, &right, &right, &left, &left, &left].map(ActionSequence::clone);
    let mut agent = FixedPolicy::new(Stationary::new(policy.to_vec()));
    println!("round  what happens        what the agent is told");
    Simulation::new(&river, Streams::new(4)).run(0..1, &mut agent, &mut Print)?;
    Ok(())
}
