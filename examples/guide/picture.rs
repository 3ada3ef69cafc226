//! Draws the episode of the first chapter as SVG, on standard output.

use std::fmt::Write;

use sporadic::Fault;
use sporadic::agents::FixedPolicy;
use sporadic::model::gallery;
use sporadic::planning::Stationary;
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Observation, Observer, Simulation, Step, Streams};

#[derive(Default)]
struct Rounds(Vec<(usize, usize, usize, Seen)>);

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Nothing,
    State(f64),
    End(f64),
}

impl Observer<usize, f64> for Rounds {
    fn step(&mut self, step: &Step<'_, usize, f64>) {
        let seen = match step.observation {
            Observation::Hidden => Seen::Nothing,
            Observation::Burst { reward, .. } => Seen::State(reward),
            Observation::Terminated { reward } => Seen::End(reward),
        };
        self.0.push((*step.state, step.action, *step.next, seen));
    }
}

const LEFT: usize = 100;
const DX: usize = 56;
const DY: usize = 30;

fn at(round: usize, state: usize) -> (usize, usize) {
    (LEFT + DX * round, 50 + DY * (5 - state))
}

pub(crate) fn main() -> Result<(), Fault> {
    let river = gallery::river_balance::<f64>(6, 0.3, 0.9)?;
    let [right, left] = ["1(10)", "0(01)"].map(str::parse::<ActionSequence>);
    let (right, left) = (right?, left?);
    let policy = [&right, &right, &right, &left, &left, &left].map(ActionSequence::clone);
    let mut agent = FixedPolicy::new(Stationary::new(policy.to_vec()));
    let mut rounds = Rounds::default();
    Simulation::new(&river, Streams::new(4)).run(0..1, &mut agent, &mut rounds)?;
    print!("{}", draw(&rounds.0)?);
    Ok(())
}

fn draw(rounds: &[(usize, usize, usize, Seen)]) -> Result<String, std::fmt::Error> {
    let (width, height) = (LEFT + 40 + DX * rounds.len(), 300);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\" style=\"max-width: {width}px; background: white\" role=\"img\" aria-label=\"An episode: \
         the latent state over the rounds, and the rounds in which it is seen\">\n"
    );
    for state in 0..6 {
        let (x, y) = at(0, state);
        let end = at(rounds.len(), state).0;
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#444\">s{}</text>",
            x - 22,
            y + 5,
            state + 1
        )?;
        writeln!(svg, "<line x1=\"{x}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\" stroke=\"#ddd\"/>")?;
    }
    let (mut from, bottom) = (0, 50 + DY * 5);
    for (round, &(state, action, next, seen)) in rounds.iter().enumerate() {
        let ((x, y), (to, down)) = (at(round, state), at(round + 1, next));
        writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{to}\" y2=\"{down}\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>"
        )?;
        let middle = (x + to) / 2;
        writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{action}</text>",
            bottom + 30
        )?;
        if seen != Seen::Nothing {
            // A bracket below the actions of the segment, with what is told at its end.
            let (left, right, y) = (at(from, 0).0 + 6, to - 6, bottom + 40);
            writeln!(
                svg,
                "<path d=\"M{left} {y} v6 H{right} v-6\" fill=\"none\" stroke=\"#0072b2\"/>"
            )?;
            let (Seen::State(reward) | Seen::End(reward)) = seen else { continue };
            let told = if matches!(seen, Seen::State(_)) {
                format!("s{}", next + 1)
            } else {
                "end".into()
            };
            let x = (left + right) / 2;
            for (text, y) in [(format!("{reward:.1}"), y + 24), (told, y + 44)] {
                writeln!(
                    svg,
                    "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#0072b2\">{text}</text>"
                )?;
            }
            from = round + 1;
        }
    }
    let states = rounds.iter().map(|round| round.0).chain(rounds.last().map(|round| round.2));
    for (i, state) in states.enumerate() {
        let (x, y) = at(i, state);
        let is_seen = i == 0 || matches!(rounds[i - 1].3, Seen::State(_));
        let (fill, stroke) = if is_seen { ("#0072b2", "#0072b2") } else { ("white", "#888") };
        writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"7\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
        )?;
    }
    let (x, y) = (LEFT, 22);
    writeln!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"#0072b2\"/><text x=\"{}\" y=\"{}\">seen by the agent</text>",
        x + 12,
        y + 5
    )?;
    writeln!(
        svg,
        "<circle cx=\"{}\" cy=\"{y}\" r=\"6\" fill=\"white\" stroke=\"#888\" stroke-width=\"1.5\"/><text x=\"{}\" y=\"{}\">hidden</text>",
        x + 150,
        x + 162,
        y + 5
    )?;
    for (text, y) in [("action", 30), ("reward told", 64), ("state told", 84)] {
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#444\">{text}</text>",
            LEFT - 12,
            bottom + y
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
