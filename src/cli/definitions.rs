//! Accepts or refuses the changed definitions of MCP servers (`overrule tools accept|refuse`).
//!
//! Must not know: how definitions are compared or stored.

use super::args::ToolsWhat;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::operator;
use super::{control, print, record};
use overrule_base::text::visible;
use overrule_control::protocol::{Asks, ServerRequest};
use overrule_control::{Answer, Error as ControlError};
use overrule_journal as journal;
use overrule_tools::sources::mcp::pins::{self, Pinned};
use overrule_tools::sources::mcp::{Definition, ServerView, drift};

/// Shows how the definitions of a server differ from the accepted ones, or accepts those with this hash.
pub fn accept(
    context: &AppContext,
    servers: &[ServerView],
    name: &str,
    hash: Option<&str>,
) -> Result<(), Failure> {
    let missing = |why: &str| {
        Failure::new(
            Code::Usage,
            format!("cannot accept the definitions of {}: {why}", visible(name)),
        )
    };
    let config = context.settings.servers.iter().find(|server| server.name == name);
    let config = config.ok_or_else(|| missing("there is no such server; hint: run `overrule tools list`"))?;
    let view = servers
        .iter()
        .find(|server| server.name == visible(name) && server.state == "ready");
    let view = view.ok_or_else(|| missing("it is not ready; hint: run `overrule tools list`"))?;
    let dir = context
        .pins()
        .ok_or_else(|| missing("there is no directory for the program's state"))?;
    let tools: Vec<Definition> = view.tools.iter().map(|tool| tool.definition.clone()).collect();
    let now = Pinned::new(config, &tools);
    let accepted = pins::accepted(&dir, config).map_err(|error| Failure::new(Code::Other, error))?;
    let difference = accepted
        .as_ref()
        .map(|accepted| drift::difference(accepted, &now, drift::Values::Whole))
        .unwrap_or_default();
    match hash {
        None if difference.is_empty() => {
            print::out("no difference");
        }
        None => {
            for line in difference {
                print::out(&line);
            }
            print::out(&format!(
                "\nhint: `overrule tools accept {} --hash {}` accepts them",
                visible(name),
                now.hash()
            ));
        }
        Some(hash) if hash == now.hash() => {
            operator::only_the_operator(&context.env, "accept the definitions")?;
            pins::accept(&dir, config, &now).map_err(|error| Failure::new(Code::Other, error))?;
            print::out(&format!(
                "accepted {} tools of {}",
                now.tools.len(),
                visible(name)
            ));
        }
        Some(_) => {
            return Err(missing(
                "they changed again; hint: look at the difference without --hash",
            ));
        }
    }
    Ok(())
}

/// Carries out an action on a server of a run in progress, in the process that runs it. False for other actions.
pub fn in_run(context: &AppContext, what: &ToolsWhat) -> Result<bool, Failure> {
    let (id, server, request) = match what {
        ToolsWhat::Accept {
            server,
            hash,
            run: Some(id),
        } => {
            let server = server.clone();
            let request = match hash.clone() {
                None => ServerRequest::Show {
                    server: server.clone(),
                },
                Some(hash) => ServerRequest::Accept {
                    server: server.clone(),
                    hash,
                },
            };
            (id, server, request)
        }
        ToolsWhat::Refuse { server, run } => (
            run,
            server.clone(),
            ServerRequest::Refuse {
                server: server.clone(),
            },
        ),
        _ => return Ok(false),
    };
    let name = visible(&server);
    let refuses = matches!(request, ServerRequest::Refuse { .. });
    if !matches!(request, ServerRequest::Show { .. }) {
        operator::only_the_operator(&context.env, "decide about the definitions")?;
    }
    let place = context.find(id)?;
    if !journal::is_held(&place) {
        return Err(Failure::new(
            Code::Session,
            format!(
                "no process runs {}; hint: without --run the server is started to look at its definitions",
                visible(id)
            ),
        ));
    }
    let holder = journal::holder(&place);
    let answer = match control::hand_over(context, &place, holder, Asks::Server(request)) {
        Ok(answer) => answer,
        Err(ControlError::NoSocket) => return Err(record::locked(context, &place, holder)),
        Err(error) => return Err(Failure::new(Code::Session, error)),
    };
    let words = match answer {
        Answer::Refused(refusal) => return Err(refusal.into()),
        Answer::Shown(shown) if shown.difference.is_empty() => "no difference".to_owned(),
        Answer::Shown(shown) => format!(
            "{}\n\nhint: `overrule tools accept {name} --run {} --hash {}` accepts them",
            print::safe_text(&shown.difference),
            context.address(&place.id()),
            visible(&shown.hash)
        ),
        Answer::Recorded(_) | Answer::Done if refuses => format!("refused {name} until the run is resumed"),
        Answer::Recorded(_) | Answer::Done => format!("accepted the definitions of {name}"),
    };
    print::out(&words);
    Ok(true)
}
