//! Takes the terminal, draws a line, and ends in the way that its argument names.
//!
//! For the tests of the terminal only. Must not know: runs, sessions.

use std::error::Error;
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyCode, KeyModifiers};
use futures_util::StreamExt as _;
use overrule::console::frames::Frames;
use overrule::console::terminal::{Options, Screen, Signal, Signals, install_panic_hook};
use ratatui::widgets::Paragraph;

#[allow(clippy::panic)]
fn fail(how: &str) {
    panic!("probe: {how} \u{1b}[31m");
}

async fn run(how: &str) -> Result<i32, Box<dyn Error>> {
    let mut signals = Signals::new()?;
    let mut screen = Screen::enter(Options {
        mouse: true,
        keyboard: true,
    })?;
    let (mut frames, requester) = Frames::new();
    let mut events = EventStream::new();
    let mut drawn = 0_u32;
    let mut said = "probe".to_owned();
    if how == "task" {
        tokio::spawn(async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            fail("in a task");
        });
    }
    requester.request_draw();
    loop {
        tokio::select! {
            () = frames.due() => {
                drawn += 1;
                let text = format!("{said} ready {drawn}");
                screen.draw(|frame| {
                    if how == "draw" && drawn > 5 {
                        fail("in a drawing");
                    }
                    frame.render_widget(Paragraph::new(text), frame.area());
                })?;
                if how == "main" && drawn > 5 {
                    fail("in main");
                }
                // Draws on and on, so that a drawing after the end would be seen.
                requester.request_draw();
            }
            signal = signals.next() => match signal.exit_code() {
                Some(_) if how == "deaf" && signal == Signal::HangUp => {}
                Some(code) => return Ok(code),
                None => screen.retake()?,
            },
            event = events.next() => match event {
                Some(Ok(Event::Key(key))) if key.code == KeyCode::Char('q') => return Ok(0),
                Some(Ok(Event::Key(key)))
                    if key.code == KeyCode::Char('z') && key.modifiers == KeyModifiers::CONTROL =>
                {
                    drop(events);
                    screen.suspend().await?;
                    events = EventStream::new();
                    "back".clone_into(&mut said);
                }
                Some(Ok(Event::Key(key))) if key.code == KeyCode::Char('e') => {
                    drop(events);
                    let mut editor = tokio::process::Command::new("sh");
                    editor.args(["-c", "stty -a; echo edited"]);
                    screen.lend(editor.status()).await??;
                    events = EventStream::new();
                    "edited".clone_into(&mut said);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => tokio::time::sleep(Duration::from_millis(50)).await,
            },
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let how = std::env::args().nth(1).unwrap_or_default();
    install_panic_hook(|| "resume with: probe\n".to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let code = runtime.block_on(run(&how))?;
    runtime.shutdown_background();
    std::process::exit(code);
}
