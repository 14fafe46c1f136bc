//! Writes a decision as a row of CSV that no spreadsheet interprets as a formula.
//!
//! Must not know: where rows go.

use overrule_base::text::visible;
use overrule_present::audit::{AuditView, Who};

/// The first row.
pub const HEADER: &str = "seq,time,who,via,action,node,revision,tool,waited_ms,digest,shown,unread_bytes,rule,reason,detail,why,\
original,changed,executed,executions,outcome";

/// Characters at the beginning of a cell that make a spreadsheet calculate it, and their full-width forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns a decision as a row in the order of [`HEADER`]. Text is in its visible form, so a row is one line.
pub fn row(entry: &AuditView, time: &str) -> String {
    let number = |number: Option<u64>| number.map(|one| one.to_string()).unwrap_or_default();
    let shown = entry.shown.as_ref();
    let ran = entry.executed.last();
    let via = match &entry.who {
        Who::Operator(_, Some(via)) => via.label(),
        Who::Approver(_) => "approver",
        Who::Operator(..) | Who::Policy | Who::Engine => "",
    };
    let digest = shown.and_then(|shown| shown.digest.as_ref());
    let cells = [
        entry.seq.0.to_string(),
        time.to_owned(),
        cell(entry.who.name()),
        via.to_owned(),
        entry.action.to_owned(),
        entry.node.map(|node| node.to_string()).unwrap_or_default(),
        number(entry.rev.map(|rev| rev.0.into())),
        cell(entry.tool.as_deref().unwrap_or_default()),
        number(entry.waited),
        cell(digest.map_or("", |digest| &*digest.0)),
        cell(shown.map_or("", |shown| &*shown.args)),
        number(shown.and_then(|shown| shown.unread)),
        cell(entry.rule.as_deref().unwrap_or_default()),
        cell(entry.reason.as_deref().unwrap_or_default()),
        cell(entry.detail.as_deref().unwrap_or_default()),
        cell(entry.why.as_deref().unwrap_or_default()),
        cell(entry.original.as_deref().unwrap_or_default()),
        cell(entry.changed.as_deref().unwrap_or_default()),
        cell(ran.map_or("", |ran| &*ran.args)),
        number(ran.map(|_| entry.executed.len() as u64)),
        cell(ran.map_or("", |ran| &*ran.outcome)),
    ];
    cells.join(",")
}

/// Returns untrusted text as a quoted cell.
fn cell(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let shown = visible(text);
    // What a program skips before it looks for a formula does not hide one.
    let first = shown.chars().find(|c| !c.is_whitespace());
    let guard = if first.is_some_and(|c| FORMULA.contains(&c)) {
        "'"
    } else {
        ""
    };
    format!("\"{guard}{}\"", shown.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_taken_for_a_formula_or_ends_before_its_end() {
        for (text, is) in [
            ("", ""),
            ("plain", "\"plain\""),
            ("a,b\"c", "\"a,b\"\"c\""),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            (" =cmd|'/c calc'!A1", "\"' =cmd|'/c calc'!A1\""),
            ("＝1", "\"'＝1\""),
            ("a\nb", "\"a⟨LF⟩b\""),
            ("\u{1b}[31m\u{202e}", "\"⟨U+001B⟩[31m⟨U+202E⟩\""),
        ] {
            assert_eq!(cell(text), is, "{text:?}");
        }
        assert!(!cell("\t=1").contains('\t'));
        assert!(!cell("\r=1").contains('\r'));
    }
}
