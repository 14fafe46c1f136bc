//! Tests words that a shell may turn into an option: patterns, expansions, variables of loops.
//!
//! Must not know: rules.

use super::super::{Reading, Uncertainty};

#[test]
fn a_word_that_may_become_an_option_makes_the_program_uncertain() {
    for line in [
        "tar cf a.tar *",
        "tar cf a.tar ?.c",
        "tar cf a.tar [-a]*",
        "git grep {-O'touch x',a}",
        "git grep {a,-Otouch}",
        "git grep {a,$x}",
        "git grep {,-O}touch a",
        "git grep \"${z:--Otouch x}\" a",
        "git grep $x a",
        "git grep -\"$x\" a",
        "git grep --\"$x\" a",
        "git grep --op\"$x\" a",
        "git grep -n\"$x\" a",
        "git $x a",
        "git \"$x\"",
        "sort a$x",
        "for f in *; do tar cf a.tar \"$f\"; done",
        "for f in -Otouch; do git grep \"$f\" a; done",
        "for f in $(ls); do tar cf a.tar \"$f\"; done",
        "for f; do tar cf a.tar \"$f\"; done",
        "tar cf a.tar \"$@\"",
        "x='a -Otouch'; git grep $x",
        "x=-; x+=Otouch; git grep \"$x\"",
        "x=a; read x < f; git grep \"$x\"",
        "y=-Otouch; x=$y; git grep \"$x\"",
        "x=*; tar cf a.tar $x",
        "x=$x; sort $x",
        "x=a$y; y=b$x; sort $y$y",
        "x=a git grep \"$x\"",
        "x=a; x=-Otouch eval 'git grep \"$x\"'",
        "HOME=-Otouch; git grep $HOME a",
        "ls | xargs tar cf a.tar",
        "ls | xargs -I{} git grep {} a",
        "python3 \"$x\"",
        "sed p *",
        "sed \"$x\" p a",
        "gcc *.c",
        "find * -name a",
        "git grep -e -- *",
        "git grep -ne -- *",
        "date() { echo -Otouch; }; git grep $(date) a",
        "a=(-Otouch); git grep \"${a[@]}\"",
        "set -- -Otouch; git grep \"$1\"",
        "env tar cf a.tar *",
        "sh -c 'tar cf a.tar *'",
    ] {
        let found = Reading::of_line(line).uncertainty;
        let is_told = matches!(
            found,
            Some(Uncertainty::Program | Uncertainty::Hidden | Uncertainty::Syntax)
        );
        assert!(is_told, "{line}: {found:?}");
    }
    for line in [
        "ls *",
        "wc -l *.rs",
        "git add src/*.rs",
        "git add *",
        "git add \"$x\"",
        "git log \"$x\"",
        "git commit -m \"$x\"",
        "git checkout $x",
        "git -C \"$x\" status",
        "git grep -e \"$x\" src",
        "git grep -n a -- \"$x\" *",
        "git grep a src/*.rs ./*",
        "git push origin $(git branch --show-current)",
        "tar cf a.tar ./*",
        "tar cf a-$(date +%F).tar src",
        "tar cf a.tar {src,docs}/a",
        "tar cf a.tar '*'",
        "tar -C \"$x\" -xf a.tar",
        "x=src; tar cf a.tar $x \"$x\"/*.c",
        "for f in a b src/*.c; do sort \"$f\"; done",
        "make -j$(nproc)",
        "make -j \"$n\"",
        "rg a \"$HOME/x\" $PWD",
        "python3 a.py \"$x\" *",
        "grep \"$x\" *",
        "cat \"$x\"",
        "awk '{ print }' *",
        "sed -n p a/*",
        "find . -name '*.c' -exec sed -i s/a/b/ {} +",
        "sort $((1 + 2))",
        "tar cf a.tar -- *",
        "b=$(git branch --show-current); git push origin \"$b\"",
        "make DESTDIR=\"$PWD/out\" install",
        "go test ./... -run \"$x\"",
        "find src/* -name '*.c'",
    ] {
        assert_eq!(Reading::of_line(line).uncertainty, None, "{line}");
    }
    let words = ["tar", "cf", "a.tar", "*"].map(str::to_owned);
    assert_eq!(Reading::of_words(&words).uncertainty, None);
}
