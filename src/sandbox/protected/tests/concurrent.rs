//! Tests what counts while several change protected paths: calls that overlap, the operator, this program.

use super::*;

#[test]
fn calls_that_overlap_never_restore_the_change_of_another() {
    let fixture = Fixture::new();
    fixture.write(".envrc", "mine");
    let mut watches = Watches::new(&fixture.store);
    assert!(watches.end().is_empty());
    watches.begin(&Protected::find(&fixture.workspace));
    fixture.write(".mcp.json", "evil");
    fixture.write(".envrc", "evil");
    watches.begin(&Protected::find(&fixture.workspace));
    assert_eq!(
        changes_of(&watches.end()),
        ["changed .envrc", "created .mcp.json"]
    );
    assert!(watches.end().is_empty());
    assert!(!fixture.at(".mcp.json").exists());
    assert_eq!(fixture.text(".envrc"), "mine");
    // Between two calls, a change is the operator's.
    fixture.write(".envrc", "new");
    watches.begin(&Protected::find(&fixture.workspace));
    assert!(watches.end().is_empty());
    assert_eq!(fixture.text(".envrc"), "new");
}

#[test]
fn what_the_operator_approved_meanwhile_stays() {
    let fixture = Fixture::new();
    fixture.write(".envrc", "mine");
    let mut watches = Watches::new(&fixture.store);
    watches.begin(&Protected::find(&fixture.workspace));
    watches.approved(&fixture.at(".envrc"), || fixture.write(".envrc", "approved"));
    watches.approved(&fixture.at(".mcp.json"), || {
        fixture.write(".mcp.json", "approved")
    });
    watches.approved(&fixture.at(".vscode/tasks.json"), || {
        fixture.write(".vscode/tasks.json", "approved");
    });
    watches.approved(&fixture.at(".overrule.new"), || {
        fixture.write(".overrule.new", "approved")
    });
    fixture.write(".bashrc", "evil");
    assert_eq!(changes_of(&watches.end()), ["created .bashrc"]);
    for path in [".envrc", ".mcp.json", ".vscode/tasks.json", ".overrule.new"] {
        assert_eq!(fixture.text(path), "approved", "{path}");
    }
    // A later change of the same path by the call is not approved.
    watches.begin(&Protected::find(&fixture.workspace));
    fixture.write(".envrc", "evil");
    assert_eq!(changes_of(&watches.end()), ["changed .envrc"]);
    assert_eq!(fixture.text(".envrc"), "approved");
}

#[test]
fn a_file_that_this_program_is_writing_is_left_alone() {
    let fixture = Fixture::new();
    let mut watches = Watches::new(&fixture.store);
    watches.begin(&Protected::find(&fixture.workspace));
    fixture.write(".overrule-12-0.tmp", "half");
    fixture.write(".overrule-policy.toml", "evil");
    assert_eq!(changes_of(&watches.end()), ["created .overrule-policy.toml"]);
    assert_eq!(fixture.text(".overrule-12-0.tmp"), "half");
}
