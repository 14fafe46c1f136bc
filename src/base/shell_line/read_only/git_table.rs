//! The commands of git that only read.
//!
//! Must not know: how a line is read, what the settings of a repository name.

use super::table::Operands::{None, Text, TextThenTree, Tree};
use super::table::{Row, row};

/// Options that all commands of git have that show differences (git-diff(1), diff options).
pub(super) const GIT_DIFF: &str = "patch no-patch unified= stat shortstat numstat dirstat summary name-only name-status raw \
    word-diff word-diff-regex= color no-color color-words color-moved minimal patience histogram diff-algorithm= \
    no-renames find-renames find-copies diff-filter= ignore-all-space ignore-space-change ignore-blank-lines \
    ignore-space-at-eol function-context full-index abbrev binary relative no-ext-diff no-textconv inter-hunk-context= \
    exit-code quiet src-prefix= dst-prefix= no-prefix pickaxe-regex pickaxe-all text check";

/// Options of commands of git that show commits (git-log(1)).
pub(super) const GIT_COMMITS: &str = "oneline graph all branches tags remotes decorate no-decorate abbrev-commit \
    no-abbrev-commit follow reverse merges no-merges first-parent date= format= pretty since= until= after= before= \
    author= committer= grep= max-count= skip= topo-order date-order author-date-order left-right cherry-pick cherry-mark \
    no-walk ancestry-path boundary full-history simplify-merges parents children source relative-date root \
    invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp no-notes use-mailmap no-mailmap";

/// The commands.
pub(super) const ROWS: &[Row] = &[
    row(
        "git/status",
        "bsuvznormal",
        "",
        "short branch show-stash porcelain long verbose untracked-files ignored ahead-behind no-ahead-behind \
        renames no-renames find-renames column no-column null",
        Tree,
        "git-status(1)",
    ),
    row(
        "git/log git/show",
        "#cEFgimMCBDpPrstuUwz",
        "nSG",
        "@diff @commits",
        Tree,
        "git-log(1)",
    ),
    row(
        "git/diff",
        "#bBCDMpPRstuUwz",
        "SG",
        "@diff cached staged merge-base",
        Tree,
        "git-diff(1)",
    ),
    row(
        "git/blame git/annotate",
        "beflnpstwcMC",
        "L",
        "date= porcelain line-porcelain incremental show-name show-number show-email \
        root reverse first-parent abbrev= color-lines color-by-age",
        Tree,
        "git-blame(1)",
    ),
    row(
        "git/ls-files",
        "cdikmostuvz",
        "x",
        "cached deleted others ignored stage unmerged killed modified directory \
        exclude-standard error-unmatch full-name abbrev deduplicate exclude= eol",
        Tree,
        "git-ls-files(1)",
    ),
    row(
        "git/ls-tree",
        "drtlz",
        "",
        "long name-only name-status object-only full-name full-tree abbrev",
        Tree,
        "git-ls-tree(1)",
    ),
    row(
        "git/grep",
        "#acEFGhHIilLnopPqvwz",
        "ABCem",
        "cached untracked no-exclude-standard exclude-standard text ignore-case word-regexp \
        invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column \
        files-with-matches name-only files-without-match count color no-color break heading show-function function-context \
        max-depth= context= after-context= before-context= and or not all-match quiet only-matching",
        TextThenTree,
        "git-grep(1)",
    ),
    row(
        "git/branch",
        "arv",
        "",
        "list all remotes verbose show-current contains= no-contains= merged= no-merged= sort= color no-color \
        points-at= column no-column abbrev ignore-case",
        None,
        "git-branch(1)",
    ),
    row(
        "git/tag",
        "#ln",
        "",
        "list sort= contains= no-contains= merged= no-merged= points-at= column no-column ignore-case",
        None,
        "git-tag(1)",
    ),
    row("git/remote", "v", "", "verbose", None, "git-remote(1)"),
    row(
        "git/reflog",
        "#",
        "n",
        "max-count= date= oneline all",
        None,
        "git-reflog(1)",
    ),
    row(
        "git/rev-parse",
        "q",
        "",
        "verify quiet short abbrev-ref symbolic symbolic-full-name all branches tags remotes \
        show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree \
        is-inside-git-dir is-bare-repository show-superproject-working-tree",
        Text,
        "git-rev-parse(1)",
    ),
    row(
        "git/rev-list",
        "#",
        "n",
        "count @commits",
        Tree,
        "git-rev-list(1)",
    ),
    row(
        "git/merge-base",
        "a",
        "",
        "all is-ancestor fork-point octopus independent",
        Text,
        "git-merge-base(1)",
    ),
    row(
        "git/describe",
        "",
        "",
        "all tags long always contains abbrev candidates= exact-match match= exclude= first-parent",
        Text,
        "git-describe(1)",
    ),
    row("git/cat-file", "epst", "", "", Text, "git-cat-file(1)"),
    row(
        "git/shortlog",
        "#censw",
        "",
        "numbered summary email @commits",
        Tree,
        "git-shortlog(1)",
    ),
    row(
        "git/check-ignore",
        "nqvz",
        "",
        "quiet verbose non-matching no-index",
        Tree,
        "git-check-ignore(1)",
    ),
];
