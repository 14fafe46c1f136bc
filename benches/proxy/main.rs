//! Measures what the proxy adds to a request of an agent: the time to the first byte of the reply, beside a direct request.
//!
//! Must not know: how the proxy works inside.
//!
//! `cargo bench --bench proxy`. The real program is in front of a server that answers at once. An agent sends its whole
//! history with every request. Each request is sent to the server directly and through the proxy, in turn.
//! `cargo bench --bench proxy -- WORD` measures the parts whose name has the word. `OVERRULE_BENCH_PROGRAM` is the path of
//! another program to measure.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

mod agent;
mod program;
mod server;

use std::time::Duration;

use agent::{Agent, Connection};
use program::Program;
use server::Server;

/// Bytes of a history.
const SIZES: [usize; 4] = [100_000, 1_000_000, 4_000_000, 8_000_000];
/// Bytes of a result in a history of a given size.
const RESULT: usize = 3_000;
/// Bytes of a result in a long conversation: some text, and next to nothing. Without text, the bytes of the history do not
/// hide what each turn before a request costs.
const SHORT: [usize; 2] = [1_000, 0];
/// Turns of a long conversation.
const TURNS: [usize; 4] = [100, 200, 400, 800];
/// Requests of each size.
const TIMES: usize = 60;
/// Processes whose first request is measured.
const PROCESSES: usize = 12;
/// How long a process has before its first request. An agent needs longer to begin.
const START: Duration = Duration::from_millis(500);
/// Requests beside a conversation.
const BESIDE: usize = 12;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .collect();
    let is_full = std::env::args().any(|arg| arg == "--bench");
    let times = |full: usize| if is_full { full } else { 1 };
    let server = Server::begin();
    let parts: [(&str, &dyn Fn()); 4] = [
        ("sizes", &|| sizes(&server, times(TIMES))),
        ("turns", &|| turns(&server, is_full)),
        ("first", &|| first(&server, times(PROCESSES))),
        ("beside", &|| beside(&server, times(BESIDE))),
    ];
    for (name, measure) in parts {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            measure();
        }
    }
}

/// Requests that are each the one before and one turn.
fn sizes(server: &Server, times: usize) {
    for size in SIZES {
        let program = Program::begin(server);
        let mut agent = Agent::new("sizes");
        agent.remember(size, RESULT);
        let mut direct = Connection::open(&server.base());
        let mut through = Connection::open(&program.base);
        // The first one has everything that is new.
        agent.ask(&mut direct, "");
        let first = agent.work(&mut through, RESULT);
        println!(
            "{size} bytes, first request of the conversation: {:.2} ms",
            ms(first)
        );
        let pairs = (0..times).map(|_| {
            let alone = agent.ask(&mut direct, "").0;
            (alone, agent.work(&mut through, RESULT))
        });
        print(&format!("{size} bytes"), pairs.collect());
    }
}

/// Long conversations.
fn turns(server: &Server, is_full: bool) {
    for (result, turns) in SHORT
        .iter()
        .flat_map(|result| TURNS.map(|turns| (*result, turns)))
    {
        let turns = if is_full { turns } else { 2 };
        let program = Program::begin(server);
        let mut agent = Agent::new("turns");
        let mut direct = Connection::open(&server.base());
        let mut through = Connection::open(&program.base);
        let pairs = (0..turns).map(|_| {
            let alone = agent.ask(&mut direct, "").0;
            (alone, agent.work(&mut through, result))
        });
        let pairs: Vec<(Duration, Duration)> = pairs.collect();
        let total = |of: fn(&(Duration, Duration)) -> Duration| ms(pairs.iter().map(of).sum());
        let (direct, through) = (total(|pair| pair.0), total(|pair| pair.1));
        let name = format!("{turns} turns of {result} bytes");
        println!(
            "{name}: in all {direct:.0} ms direct, {through:.0} ms through the proxy, {:.2} ms added to each",
            (through - direct) / turns as f64
        );
        let last = pairs.len().saturating_sub(20);
        print(&format!("{name}, the last 20"), pairs[last..].to_vec());
    }
}

/// The first request of a process, with a history of the least size.
fn first(server: &Server, times: usize) {
    let pairs = (0..times).map(|_| {
        let program = Program::begin(server);
        let mut agent = Agent::new("first");
        agent.remember(SIZES[0], RESULT);
        std::thread::sleep(START);
        let alone = agent.ask(&mut Connection::open(&server.base()), "").0;
        (alone, agent.ask(&mut Connection::open(&program.base), "").0)
    });
    print("first request of a process", pairs.collect());
}

/// Requests with another history and other tools, while the conversation waits for its reply.
fn beside(server: &Server, times: usize) {
    let program = Program::begin(server);
    let mut agent = Agent::new("beside");
    agent.remember(SIZES[0], RESULT);
    let mut through = Connection::open(&program.base);
    agent.work(&mut through, RESULT);
    let mut open = Connection::open(&program.base);
    open.send(&agent.body(), "beside", "x-hold: 1\r\n");
    server.wait_for_held();
    let mut direct = Connection::open(&server.base());
    let pairs = (0..times).map(|number| {
        let other = Agent::beside("beside", number);
        let alone = other.ask(&mut direct, "").0;
        (alone, other.ask(&mut through, "").0)
    });
    print("a request beside the conversation", pairs.collect());
    server.release();
    open.receive();
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Prints the times of direct requests and of those through the proxy.
fn print(name: &str, pairs: Vec<(Duration, Duration)>) {
    let column = |of: &dyn Fn(&(Duration, Duration)) -> f64| {
        let mut times: Vec<f64> = pairs.iter().map(of).collect();
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[((times.len() as f64 * part) as usize).min(times.len() - 1)];
        (at(0.5), at(0.99))
    };
    let direct = column(&|pair| ms(pair.0));
    let through = column(&|pair| ms(pair.1));
    let added = column(&|pair| ms(pair.1) - ms(pair.0));
    println!(
        "{name:<36} direct {:>7.2} ({:>7.2})  proxy {:>7.2} ({:>7.2})  added {:>7.2} ({:>7.2}) ms  ratio {:>6.1}",
        direct.0,
        direct.1,
        through.0,
        through.1,
        added.0,
        added.1,
        through.0 / direct.0
    );
}
