//! Tests of the proxy: an agent that executes its own tools, the real engine, and a scripted model over every format.
//!
//! Must not know: how it works inside.

use crate::support::{live, server, world};

mod agent;
mod beside;
mod call_forms;
mod confined;
mod continuation;
mod course;
mod files;
mod forms;
mod given_up;
mod hung_up;
mod inserted;
mod named;
mod overlay;
mod passing;
mod paused;
mod program;
mod reading;
mod real;
mod real_confined;
mod restart;
mod results;
mod rewritten;
mod several;
mod several_programs;
mod side_requests;
mod stage;
mod status;
mod stopped;
mod sub_agents;
mod superseded;
mod task;
mod unasked;
mod unread;
mod window;
