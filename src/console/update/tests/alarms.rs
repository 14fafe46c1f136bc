//! Tests the alarms of the proxy: banner, alert, page, and that one which was seen or taken back is gone.
//!
//! Must not know: what an alarm is about.

use crate::kernel::msg::{Msg, Out};
use crate::run::link::{Alarm, Update};
use crate::testing::Stage;

fn alarm(words: &str) -> Alarm {
    Alarm {
        words: words.to_owned(),
        is_seen: false,
    }
}

fn set(stage: &mut Stage, alarms: &[Alarm]) -> Vec<Out> {
    stage.out.clear();
    stage.send(Msg::Run(Update::Alarms(alarms.into())));
    stage.draw();
    std::mem::take(&mut stage.out)
}

fn banner(stage: &mut Stage) -> String {
    stage.text().lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn an_alarm_stands_until_its_page_was_open() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    assert_eq!(set(&mut stage, &[]), []);
    let one = alarm("refused POST /x\u{1b}[2J: it names tools");
    let alert = [Out::Alert("alarm of the proxy".to_owned())];
    assert_eq!(set(&mut stage, std::slice::from_ref(&one)), alert);
    let line = banner(&mut stage);
    let expected = "ALARM: refused POST /x⟨U+001B⟩[2J: it names tools; W: all of it";
    assert!(line.contains(expected), "{line}");
    // Keys and notices do not remove it.
    stage.send(Msg::Run(Update::Notice("c4 still runs".to_owned())));
    stage.press("j");
    stage.draw();
    assert!(banner(&mut stage).contains("ALARM"), "{}", banner(&mut stage));
    let two = alarm("refused PUT /y");
    assert_eq!(set(&mut stage, &[one.clone(), two.clone()]), alert);
    let line = banner(&mut stage);
    assert!(line.contains("2 ALARMS: refused PUT /y"), "{line}");

    stage.out.clear();
    stage.press("W");
    stage.draw();
    assert_eq!(stage.out, [Out::AlarmsSeen]);
    let text = stage.text();
    assert!(
        text.contains("refused POST /x") && text.contains("refused PUT /y"),
        "{text}"
    );
    let seen = [one, two].map(|alarm| Alarm {
        is_seen: true,
        ..alarm
    });
    assert_eq!(set(&mut stage, &seen), [], "no alert for what was seen");
    stage.press("esc");
    stage.draw();
    assert!(!banner(&mut stage).contains("ALARM"), "{}", banner(&mut stage));
    stage.out.clear();
    stage.press("W");
    assert_eq!(stage.out, [], "there is nothing new to see");
}

#[test]
fn an_alarm_that_was_false_is_gone() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    set(&mut stage, &[alarm("no request arrived")]);
    assert!(banner(&mut stage).contains("ALARM"));
    assert_eq!(set(&mut stage, &[]), []);
    assert!(!banner(&mut stage).contains("ALARM"), "{}", banner(&mut stage));
    stage.press("W");
    stage.draw();
    assert!(!stage.text().contains("no request arrived"), "{}", stage.text());
}
