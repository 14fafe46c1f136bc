//! Lists the built-in runs and what each starts with.
//!
//! Must not know: how a run is shown or served.

use std::sync::Arc;

use super::exit::{Code, Failure};
use super::run::Begin;
use super::{fit, print};
use overrule_domain::escape::Detector;
use overrule_engine::setup::{ModelSetup, Samples, Setup, Templates};
use overrule_model::scripted::{Playbook, builtin};
use overrule_present as present;
use overrule_present::output::DemoView;
use overrule_resilience::loops::Others;
use overrule_resilience::policy::Policy;
use overrule_resilience::repair::{RawRule, ToolSettings};
use overrule_tools::sample::{self, server};

/// A built-in run.
#[derive(Debug)]
pub struct BuiltIn {
    /// Its name, also of its playbook and its sample tools.
    pub name: &'static str,
    /// The system that it belongs to.
    system: &'static str,
    /// What it shows.
    what: &'static str,
    /// True if it reads the directory that it is started in.
    pub reads_directory: bool,
    /// True if it has a server on this machine.
    serves: bool,
    /// Changes the failure policy where the operator's settings do not.
    fit: fn(&mut Policy),
}

const LOOP: &str = "agent loop";
const EDITS: &str = "edit and resume";
const REPAIR: &str = "repair of arguments";
const ESCAPE: &str = "loops and the escape from them";
const HEALTH: &str = "retries, breakers and routing";

const fn sample(name: &'static str, system: &'static str, what: &'static str) -> BuiltIn {
    BuiltIn {
        name,
        system,
        what,
        reads_directory: false,
        serves: false,
        fit: |_| (),
    }
}

/// All built-in runs, in the order of the list: one system after the other.
pub const ALL: &[BuiltIn] = &[
    sample(
        "weekend",
        LOOP,
        "plans a day out: calls that start early, run together, share a value",
    ),
    BuiltIn {
        reads_directory: true,
        ..sample(
            "audit",
            EDITS,
            "reads this directory with real tools and proposes one report file",
        )
    },
    sample(
        "flights",
        REPAIR,
        "books a flight: a date and class in the wrong form, a number missing",
    ),
    BuiltIn {
        fit: routes,
        ..sample(
            "detour",
            REPAIR,
            "books a flight that does not exist: choose another airport or day",
        )
    },
    sample(
        "office",
        REPAIR,
        "four calls: a wrong date, temperature, telephone number and user",
    ),
    BuiltIn {
        fit: circle,
        ..sample(
            "ring",
            ESCAPE,
            "loops through flaky tools until you or a loop step ends it",
        )
    },
    sample(
        "stubborn",
        ESCAPE,
        "repeats a call for a sealed record until you are asked",
    ),
    BuiltIn {
        serves: true,
        ..sample(
            "limits",
            HEALTH,
            "four requests to a server that answers two in a second: backoff",
        )
    },
    sample(
        "sealed",
        HEALTH,
        "reads an archive with two sealed records: a retry does not help",
    ),
    sample(
        "mirrors",
        HEALTH,
        "three tools for one task: one refuses, one is busy, one is slow",
    ),
    BuiltIn {
        fit: spares,
        ..sample(
            "spare",
            HEALTH,
            "repeats a call to a mirror that refuses, until a substitute is used",
        )
    },
];

/// Prints a line for each, below the name of its system.
pub fn list(json: bool) {
    if json {
        for run in ALL {
            print::out(&present::json(&DemoView {
                name: run.name,
                system: run.system,
                what: run.what,
            }));
        }
        return;
    }
    let width = fit::width();
    for of_one in ALL.chunk_by(|one, next| one.system == next.system) {
        let Some(first) = of_one.first() else { continue };
        print::out(first.system);
        for run in of_one {
            print::out(&lines(run, width).join("\n"));
        }
    }
    print::err("start one: overrule demo NAME (their models are scripted; no network, no key)");
}

/// Formats a run for the list: on one line if there is no width.
fn lines(run: &BuiltIn, width: Option<usize>) -> Vec<String> {
    let name = format!("  {:8} ", run.name);
    match width {
        Some(columns) => fit::hanging(&name, run.what, columns),
        None => vec![name + run.what],
    }
}

/// Returns the built-in run of this name.
pub fn named(name: &str) -> Result<&'static BuiltIn, Failure> {
    ALL.iter().find(|run| run.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|run| run.name).collect();
        Failure::new(
            Code::Usage,
            format!(
                "cannot find the built-in run `{}`; hint: use one of {}",
                overrule_base::text::visible(name),
                names.join(", ")
            ),
        )
    })
}

/// Builds what the run starts with, and starts its server.
pub fn prepare(run: &BuiltIn) -> Result<Begin, Failure> {
    let name = run.name;
    let playbook = builtin::text(name).unwrap_or_default();
    let meta = Playbook::meta(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
    let port = if run.serves { Some(serve(None)?) } else { None };
    let mut task = meta.prompt.unwrap_or_else(|| "Begin.".to_owned());
    if let Some(port) = port {
        task = task.replace("PORT", &port.to_string());
    }
    let has_tools = !sample::of(name).is_empty();
    // Fits on one row of a narrow terminal, above the keys.
    let notice = if has_tools {
        "A built-in run, all of it scripted. Your model: overrule run --model NAME"
    } else {
        "A built-in run, scripted, on real files. Your model: overrule run --model NAME"
    };
    Ok(Begin {
        model: ModelSetup::Scripted {
            name: name.to_owned(),
            playbook: playbook.to_owned(),
            templates: Templates::Jinja,
        },
        task,
        input: "null".to_owned(),
        output_schema: builtin::output_schema(name).map(str::to_owned),
        samples: has_tools.then(|| Samples {
            run: name.to_owned(),
            port,
        }),
        notice: Some(notice.to_owned()),
    })
}

/// True for a built-in run as it is shipped.
pub fn is_built_in(setup: &Setup) -> bool {
    let is_shipped = |model: &ModelSetup| match model {
        ModelSetup::Scripted { name, playbook, .. } => builtin::text(name) == Some(playbook.as_str()),
        ModelSetup::Server { .. } | ModelSetup::Agent { .. } => false,
    };
    setup.samples.is_some() || is_shipped(&setup.model)
}

/// Adds the failure policy of a built-in run for everything that the operator's settings leave open.
pub fn fitted(samples: &Samples, mut policy: Policy) -> Policy {
    if let Some(run) = ALL.iter().find(|run| run.name == samples.run) {
        (run.fit)(&mut policy);
    }
    policy
}

/// Mutes the detector of failing tools, so that the loop is found as a sequence.
fn circle(policy: &mut Policy) {
    let muted = &mut policy.loops.muted;
    if muted.is_empty() {
        muted.push(Detector::Exhausted);
    }
}

/// Tools that can stand in for another one.
fn spares(policy: &mut Policy) {
    let others = Others(["mirror_b", "mirror_c"].map(Arc::from).to_vec());
    policy
        .loops
        .substitutes
        .entry(Arc::from("mirror_a"))
        .or_insert(others);
}

/// Repairs for a flight that does not exist: another route, else another day.
fn routes(policy: &mut Policy) {
    let rule = RawRule {
        codes: vec!["404".into()],
        strategies: vec!["alternative_route_suggestion".into(), "date_adjustment".into()],
        params: ["origin", "destination", "departure_date"]
            .map(String::from)
            .to_vec(),
        priority: Some("low".into()),
        description: Some("no such flight: another route, or another day".into()),
        ..RawRule::default()
    };
    policy
        .repair
        .tools
        .entry("book_flight".into())
        .or_insert_with(|| ToolSettings {
            rules: vec![rule],
            ..ToolSettings::default()
        });
}

/// The notice of a built-in run with a model of the operator.
pub fn with_own_model(run: &BuiltIn) -> String {
    let tools = if sample::of(run.name).is_empty() {
        "its tools and files are real."
    } else {
        "its own tools are samples: they have no effect outside this program."
    };
    format!("This is a built-in run with another model: {tools}")
}

fn serve(port: Option<u16>) -> Result<u16, Failure> {
    server::start(port).map_err(|error| {
        Failure::new(
            Code::Other,
            format!("cannot start the sample server on 127.0.0.1: {error}; hint: try another built-in run"),
        )
    })
}

/// Starts the server of a recorded run again; returns a notice if that fails.
pub fn serve_again(samples: &Samples) -> Option<String> {
    let port = samples.port?;
    let failed = server::start(Some(port)).err()?;
    Some(format!(
        "cannot start the sample server of this run on port {port} again: {failed}. Requests to it fail"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_run_has_a_playbook_with_a_task() {
        for run in ALL {
            let begun = prepare(run).unwrap();
            assert!(begun.task.len() > 20, "{}: {}", run.name, begun.task);
            assert!(!begun.task.contains("PORT"), "{}", begun.task);
            assert_eq!(begun.samples.is_none(), run.name == "audit");
            assert_eq!(
                begun.samples.and_then(|samples| samples.port).is_some(),
                run.serves
            );
            assert_eq!(named(run.name).unwrap().name, run.name);
        }
    }

    #[test]
    fn the_list_is_broken_for_a_terminal_and_whole_for_anything_else() {
        for run in ALL {
            assert_eq!(lines(run, None), [format!("  {:8} {}", run.name, run.what)]);
            for columns in [40, 80, 160] {
                let lines = lines(run, Some(columns));
                assert!(
                    lines.iter().all(|line| line.chars().count() <= columns),
                    "{lines:?}"
                );
                let words = lines.join(" ");
                let words: Vec<&str> = words.split_whitespace().skip(1).collect();
                assert_eq!(words.join(" "), run.what);
            }
        }
    }

    #[test]
    fn spares_of_a_run_are_tools_of_it_and_those_of_the_operator_count_more() {
        let of = |run: &str| Samples {
            run: run.to_owned(),
            port: None,
        };
        for run in ALL {
            let names: Vec<String> = sample::of(run.name)
                .iter()
                .map(|tool| tool.spec().card.name.to_string())
                .collect();
            let policy = fitted(&of(run.name), Policy::default());
            policy.check().unwrap();
            for (tool, others) in &policy.loops.substitutes {
                assert!(names.iter().any(|name| **name == **tool), "{tool}");
                for other in &others.0 {
                    assert!(names.iter().any(|name| **name == **other), "{other}");
                }
            }
            assert_eq!(policy.loops.substitutes.is_empty(), run.name != "spare");
        }
        let mut mine = Policy::default();
        mine.loops
            .substitutes
            .insert("mirror_a".into(), "read_file".into());
        assert_eq!(fitted(&of("spare"), mine.clone()), mine);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let words = named("fligths").unwrap_err().to_string();
        assert!(
            words.contains("fligths") && words.contains("flights, detour"),
            "{words}"
        );
    }
}
