//! Takes the terminal, draws a line, and ends in the way that its argument names.
//!
//! Must not know: runs, sessions.
//!
//! For the tests of the terminal only.

#![allow(clippy::panic, reason = "it shows what a panic leaves of the terminal")]

use std::error::Error;
use std::time::Duration;

use overrule::console::app::typed::Typed;
use overrule::console::ground::key::Key;
use overrule::console::ground::term_msg::TermMsg;
use overrule::console::ground::terminal::{
    Options, Screen, Signal, Signals, Stops, install_panic_hook, restore,
};
use overrule::console::run::frames::Frames;
use ratatui::widgets::Paragraph;
use tokio::time::Instant;

fn fail(how: &str) {
    panic!("probe: {how} \u{1b}[31m");
}

/// The key that suspends a program.
const CTRL_Z: Key = Key {
    ctrl: true,
    ..Key::char('z')
};

/// Panics again while the first panic is on its way.
struct Twice;

impl Drop for Twice {
    fn drop(&mut self) {
        fail("in a drop");
    }
}

/// Ways to end that begin immediately, outside the loop.
fn begin(how: &str) {
    let soon = Duration::from_millis(300);
    match how {
        "task" => drop(tokio::spawn(async move {
            tokio::time::sleep(soon).await;
            fail("in a task");
        })),
        "blocking" => drop(tokio::task::spawn_blocking(move || {
            std::thread::sleep(soon);
            fail("in a blocking task");
        })),
        "edit-task" => drop(tokio::task::spawn_blocking(move || {
            // Long enough for an editor to have the terminal.
            std::thread::sleep(Duration::from_secs(3));
            fail("while an editor has the terminal");
        })),
        "thread" | "double" | "hook" | "payload" | "long" => {
            let both = std::sync::Arc::new(std::sync::Barrier::new(if how == "double" { 2 } else { 1 }));
            for _ in 0..if how == "double" { 2 } else { 1 } {
                let (both, how) = (both.clone(), how.to_owned());
                std::thread::spawn(move || {
                    std::thread::sleep(soon);
                    both.wait();
                    match how.as_str() {
                        "payload" => std::panic::panic_any(7),
                        "long" => fail(&"x".repeat(100_000)),
                        _ => fail("in a thread"),
                    }
                });
            }
        }
        _ => {}
    }
}

async fn run(how: &str) -> Result<i32, Box<dyn Error>> {
    let mut signals = Signals::new()?;
    // All that can be asked of a terminal, or nothing of it.
    let all = how != "bare";
    let mut screen = Screen::enter(Options {
        mouse: all,
        keyboard: all,
        title: all,
        size: (None, None),
    })?;
    let (mut frames, requester) = Frames::new();
    let start = Instant::now();
    let mut typed = Typed::new(start)?;
    let mut drawn = 0_u32;
    let mut output = "probe".to_owned();
    begin(how);
    requester.request_draw();
    loop {
        tokio::select! {
            () = frames.due() => {
                drawn += 1;
                let text = format!("{output} ready {drawn}");
                screen.draw(|frame| {
                    if how == "draw" && drawn > 5 {
                        fail("in a drawing");
                    }
                    frame.render_widget(Paragraph::new(text), frame.area());
                })?;
                match how {
                    "main" if drawn > 5 => fail("in main"),
                    "drop" if drawn > 5 => {
                        let _twice = Twice;
                        fail("in main");
                    }
                    "error" if drawn > 5 => return Err("the loop has an error".into()),
                    "hang" if drawn > 5 => {
                        std::thread::spawn(|| {
                            std::thread::sleep(Duration::from_millis(300));
                            restore();
                            std::process::exit(143);
                        });
                        loop {
                            std::thread::sleep(Duration::from_secs(60));
                        }
                    }
                    _ => {}
                }
                // Draws on and on, so that a drawing after the end would be seen.
                requester.request_draw();
            }
            signal = signals.next() => match signal.exit_code() {
                Some(_) if how == "deaf" && signal == Signal::HangUp => {}
                Some(code) => return Ok(code),
                None if signal == Signal::Stop => {
                    typed.stop();
                    screen.suspend(Stops::Own, &mut signals).await?;
                    typed = Typed::new(start)?;
                    "back".clone_into(&mut output);
                }
                None => screen.retake()?,
            },
            message = typed.next() => match message {
                Some(TermMsg::Key { key, .. }) if key == Key::char('q') => return Ok(0),
                Some(TermMsg::Key { key, .. }) if key == CTRL_Z => {
                    typed.stop();
                    screen.suspend(Stops::Group, &mut signals).await?;
                    typed = Typed::new(start)?;
                    "back".clone_into(&mut output);
                }
                Some(TermMsg::Key { key, .. }) if key == Key::char('e') => {
                    typed.stop();
                    let mut editor = tokio::process::Command::new("sh");
                    let code = match how {
                        "edit-fails" => "exit 3",
                        "edit-killed" => "kill -9 $$",
                        _ => "",
                    };
                    editor.args(["-c", &format!("stty -a; echo in the editor; read line; {code}")]);
                    screen.hand_over(|| editor.status()).await??;
                    // What interrupted the editor was not meant for the program, a request to end was.
                    signals.another_ended();
                    typed = Typed::new(start)?;
                    "edited".clone_into(&mut output);
                }
                Some(TermMsg::Key { key, .. }) if key == Key::char('m') => {
                    let on = screen.has_mouse();
                    screen.set_mouse(!on)?;
                }
                Some(_) => {}
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            },
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let how = std::env::args().nth(1).unwrap_or_default();
    let fails = how == "hook";
    install_panic_hook(move || {
        if fails {
            fail("in the last words");
        }
        "resume with: probe\n".to_owned()
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let code = runtime.block_on(run(&how))?;
    runtime.shutdown_background();
    std::process::exit(code);
}
