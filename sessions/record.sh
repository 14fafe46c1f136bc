#!/usr/bin/env bash
# Records the sample sessions of this directory anew, with the program itself. The models are scripted;
# the tools and the files that they work on are real.
#   sessions/record.sh [path of the program; default: target/debug/overrule]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
overrule=$(realpath "${1:-$here/../target/debug/overrule}")
place=/tmp/overrule-sample
rm -rf "$place"
mkdir -p "$place/garden/notes" "$place/yard" "$place/workshop" "$place/empty" "$here/demos"
export USER=operator XDG_CONFIG_HOME="$place/config" XDG_STATE_HOME="$place/state"
cd "$place/garden"
printf '# Garden\n\nA small program that waters plants.\n\nTODO: say how often\n' > README.md
printf 'fn water(plant: &str) {\n    // FIXME: measures the soil twice\n    println!("{plant}");\n}\n\nfn unsafe_valve() {\n    // opens without a check\n}\n' > water.rs
printf 'ask Ada about the valve\n' > notes/ada.txt

run() { "$overrule" --sessions "$place/sessions" "$@"; }
keep() {
    run sessions verify last > /dev/null
    cp "$place/sessions/$(ls "$place/sessions" | sort | tail -n 1)/journal.jsonl" "$here/$1.jsonl"
    chmod 644 "$here/$1.jsonl"
    echo "recorded $1"
}

# 1. A thought in the middle is rewritten: only what followed from it is done again.
run --headless --policy auto > /dev/null 2>&1
thought=$(run graph last | grep -o 't[0-9]* *I see' | grep -o 't[0-9]*')
run edit last "$thought" --reason "the valve worries me more" --resume --headless --policy auto \
    --text 'I will look for `unsafe` instead.' > /dev/null 2>&1
run sessions name last "rewritten thought" > /dev/null
keep rewritten-thought

# 2. A call that nobody approved is replaced by another tool, and the run goes on from there.
cd "$place/yard"
printf 'rake\n' > tools.txt
printf 'leaves\n' > heap.txt
run run --model scripted --playbook "$here/playbooks/replaced-call.toml" --policy supervised --headless \
    "Tell me what is in this directory." > /dev/null 2>&1
call=$(run graph last | grep -o 'c[0-9]* *listing = shell' | grep -o 'c[0-9]*')
run replace last "$call" list_dir --args '{"_as":"listing","path":"."}' --reason "a look is enough" \
    --resume --headless > /dev/null 2>&1
run sessions name last "replaced call" > /dev/null
keep replaced-call

# 3. The agent repairs a file.
cd "$place/workshop"
printf '#include <stdio.h>\n\nint main(void) {\n    puts("hello")\n    return 0;\n}\n' > greet.c
run run --model scripted --playbook "$here/playbooks/repaired-file.toml" --policy auto --headless \
    "The build fails with a missing semicolon in greet.c. Repair it." > /dev/null 2>&1
run sessions name last "repaired file" > /dev/null
keep repaired-file

# 4. The built-in runs, once with every call allowed and once with nobody who could be asked. What checks for circles
# is measured on them; only in `ring`, `spare` and `stubborn` does the model go round.
cd "$place/empty"
for name in weekend flights office limits ring sealed mirrors; do
    run demo "$name" --headless --policy auto > /dev/null 2>&1
    keep "demos/$name"
    run demo "$name" --headless --policy guarded > /dev/null 2>&1
    keep "demos/$name-unattended"
done
# The next two are there for their repetition. By default `exhausted` acts on the first failure, before one.
mkdir -p "$XDG_CONFIG_HOME/overrule"
printf '[resilience.loops]\nmuted = ["exhausted"]\n' > "$XDG_CONFIG_HOME/overrule/config.toml"
# Its calls only look: without an operator it takes the same way.
run demo spare --headless --policy auto > /dev/null 2>&1
keep demos/spare
# It ends where the operator is asked, and goes on with his word.
run demo stubborn --headless --policy auto > /dev/null 2>&1 || true
run guide last "Try the minutes." --resume --headless > /dev/null 2>&1
keep demos/stubborn
rm "$XDG_CONFIG_HOME/overrule/config.toml"
# Without an operator no other route is chosen: it says why nothing was booked.
run demo detour --headless --policy auto > /dev/null 2>&1
keep demos/detour
cd "$place/garden"
run demo audit --headless --policy auto > /dev/null 2>&1
keep demos/audit
rm -rf "$place"
