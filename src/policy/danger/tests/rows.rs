//! Tests the built-in table: dangers in many spellings, and their harmless neighbours.
//!
//! Must not know: settings.

use serde_json::json;

use super::{Danger, kinds, marks, of};
use crate::DangerKind;
use crate::danger::entry::is_like;

/// Lines with the marks that they must have, and no others.
const DANGERS: &[(&str, &[&str])] = &[
    ("git branch -D x", &["deletes git branch -D"]),
    ("git branch -d -f x", &["deletes git branch -d -f"]),
    ("git branch -df x", &["deletes git branch -d -f"]),
    ("git branch -fd x", &["deletes git branch -d -f"]),
    (
        "git branch --delete --force x",
        &["deletes git branch --delete --force"],
    ),
    ("git branch x --force -d", &["deletes git branch -d --force"]),
    ("git -C sub branch -rD x", &["deletes git branch -D"]),
    ("git clean -fdx", &["deletes git clean"]),
    (
        "git switch --discard-changes main",
        &["overwrites git switch --discard-changes"],
    ),
    ("git switch -f main", &["overwrites git switch -f"]),
    ("git switch --force main", &["overwrites git switch --force"]),
    ("git worktree remove --force x", &["deletes git worktree remove"]),
    ("git update-ref -d refs/heads/x", &["deletes git update-ref -d"]),
    ("git stash drop", &["deletes git stash drop"]),
    ("git stash clear", &["deletes git stash clear"]),
    (
        "git reflog expire --all --expire=now",
        &["deletes git reflog expire"],
    ),
    ("git tag -d v1", &["deletes git tag -d"]),
    ("git reset --hard HEAD~1", &["overwrites git reset --hard"]),
    ("git checkout -- .", &["overwrites git checkout --"]),
    ("git restore a", &["overwrites git restore"]),
    (
        "git push --force",
        &["overwrites git push --force*", "network git push"],
    ),
    (
        "git push origin +main",
        &["overwrites git push +*", "network git push"],
    ),
    (
        "git push --mirror",
        &["overwrites git push --mirror", "network git push"],
    ),
    (
        "git push origin --delete x",
        &["deletes git push --delete", "network git push"],
    ),
    (
        "git push -f origin :x",
        &[
            "deletes git push :*",
            "overwrites git push -f",
            "network git push",
        ],
    ),
    (
        "git --git-dir x push -uf",
        &["overwrites git push -f", "network git push"],
    ),
    (
        "git filter-branch HEAD",
        &["deletes git filter-branch", "overwrites git filter-branch"],
    ),
    (
        "gh repo delete x --yes",
        &["deletes gh repo delete", "network gh"],
    ),
    (
        "gh api repos/x -X DELETE",
        &["deletes gh api DELETE", "network gh"],
    ),
    (
        "gh release delete v1",
        &["deletes gh release delete", "network gh"],
    ),
    (
        "docker compose down -v",
        &["deletes docker compose down -v", "stops docker compose down"],
    ),
    (
        "docker compose -f a.yml down --volumes",
        &[
            "deletes docker compose down --volumes",
            "stops docker compose down",
        ],
    ),
    ("podman rm x", &["deletes podman rm"]),
    ("docker rm -f x", &["deletes docker rm"]),
    ("docker system prune -af", &["deletes docker system prune"]),
    ("docker volume rm x", &["deletes docker volume rm"]),
    ("docker kill x", &["stops docker kill"]),
    ("terraform destroy", &["deletes terraform destroy"]),
    (
        "terraform -chdir=x destroy -auto-approve",
        &["deletes terraform destroy"],
    ),
    (
        "terraform apply -destroy",
        &["deletes terraform apply -destroy", "overwrites terraform apply"],
    ),
    ("terraform state rm a.b", &["deletes terraform state rm"]),
    ("helm uninstall x", &["deletes helm uninstall"]),
    ("helm -n a delete x", &["deletes helm delete"]),
    ("kubectl delete pod x", &["deletes kubectl delete"]),
    ("kubectl -n a delete ns x", &["deletes kubectl delete"]),
    ("kubectl drain x", &["deletes kubectl drain"]),
    ("aws s3 rm s3://x --recursive", &["deletes aws s3 rm"]),
    ("aws s3 sync a s3://x --delete", &["deletes aws s3 sync --delete"]),
    (
        "aws --profile p ec2 terminate-instances --instance-ids i",
        &["deletes aws terminate-*"],
    ),
    (
        "aws dynamodb delete-table --table-name x",
        &["deletes aws delete-*"],
    ),
    ("gcloud compute instances delete x", &["deletes gcloud delete"]),
    ("az group delete -n x", &["deletes az delete"]),
    ("heroku apps:destroy x", &["deletes heroku *:destroy"]),
    ("heroku pg:reset", &["deletes heroku pg:reset"]),
    ("fly apps destroy x", &["deletes fly destroy"]),
    ("npm unpublish x", &["deletes npm unpublish"]),
    ("psql -c \"DROP TABLE x\"", &["deletes SQL DROP"]),
    ("psql -h a -c 'select 1; drop database x'", &["deletes SQL DROP"]),
    ("mysql -e 'TRUNCATE TABLE x'", &["deletes SQL TRUNCATE"]),
    ("mysql a -e'delete from x where 1'", &["deletes SQL DELETE"]),
    ("sqlite3 a 'UPDATE x SET y = 1'", &["overwrites SQL UPDATE"]),
    ("psql <<E\ndrop schema public cascade;\nE", &["deletes SQL DROP"]),
    ("echo 'drop table x' | sqlite3 a", &["deletes SQL DROP"]),
    ("psql -c 'ALTER TABLE x DROP COLUMN y'", &["deletes SQL DROP"]),
    ("dropdb x", &["deletes dropdb"]),
    ("redis-cli FLUSHALL", &["deletes redis-cli FLUSHALL"]),
    ("redis-cli -h a flushdb", &["deletes redis-cli FLUSHDB"]),
    (
        "mongosh a --eval 'db.dropDatabase()'",
        &["deletes mongosh *dropDatabase*"],
    ),
    ("prisma migrate reset", &["deletes prisma migrate reset"]),
    (
        "npx prisma migrate reset --force",
        &["deletes prisma migrate reset", "network npx"],
    ),
    ("rails db:drop", &["deletes rails db:drop*"]),
    ("bin/rails db:reset", &["deletes rails db:reset"]),
    ("python manage.py flush", &["deletes python* flush"]),
    (
        "php artisan migrate:fresh",
        &["deletes php *artisan migrate:fresh"],
    ),
    ("rimraf dist", &["deletes rimraf"]),
    ("find . -delete", &["deletes find -delete"]),
    ("find . -exec rm {} +", &["deletes rm"]),
    (
        "rsync -a --delete a b",
        &["deletes rsync --delete*", "network rsync"],
    ),
    ("rsync --del a b", &["deletes rsync --del", "network rsync"]),
    ("crontab -r", &["deletes crontab -r"]),
    ("pkill x", &["stops pkill"]),
    ("kill -9 1", &["stops kill"]),
    ("killall x", &["stops killall"]),
    ("shutdown -h now", &["stops shutdown"]),
    ("systemctl stop x", &["stops systemctl stop"]),
    ("ln -sf a b", &["overwrites ln -f"]),
    ("ln --symbolic --force a b", &["overwrites ln --force"]),
    ("install a b", &["overwrites install"]),
    ("dd if=a of=b", &["overwrites dd of=*"]),
    ("mkfs.ext4 disk", &["overwrites mkfs*"]),
    ("truncate -s 0 a", &["overwrites truncate"]),
    ("shred a", &["deletes shred"]),
    ("sed -ni.bak p a", &["overwrites sed -i"]),
    ("perl -pi -e s/a/b/ f", &["overwrites perl -i"]),
    ("ls | tee a", &["overwrites tee"]),
    (
        "curl -X DELETE http://h",
        &["deletes curl DELETE", "network curl"],
    ),
    (
        "curl -XDELETE http://h",
        &["deletes curl -XDELETE", "network curl"],
    ),
    ("apt-get purge x", &["deletes apt-get purge", "network apt-get"]),
    ("zfs destroy a", &["deletes zfs destroy"]),
    ("wipefs -a x", &["deletes wipefs -a"]),
    ("git -c core.pager='rm x' log", &["deletes rm"]),
    ("EDITOR='rm x' git commit", &["deletes rm"]),
    ("docker exec c rm -r x", &["deletes rm"]),
    // Cut options, options with values before a subcommand, and what is taken back.
    (
        "git branch --dele --forc x",
        &["deletes git branch --delete --force"],
    ),
    (
        "git branch --d --f x",
        &[
            "deletes git branch --delete --force",
            "overwrites git branch --force",
        ],
    ),
    ("systemctl --user stop x", &["stops systemctl stop"]),
    ("systemctl --odd x stop x", &["stops systemctl stop"]),
    (
        "git -p push --force",
        &["overwrites git push --force*", "network git push"],
    ),
    (
        "git --odd x push --force",
        &["overwrites git push --force*", "network git push"],
    ),
    (
        "apt-get -f remove x",
        &["deletes apt-get remove", "network apt-get"],
    ),
    ("helm --kube-context p uninstall x", &["deletes helm uninstall"]),
    (
        "kubectl --request-timeout 5 delete pod x",
        &["deletes kubectl delete"],
    ),
    (
        "docker compose --ansi never down -v",
        &["deletes docker compose down -v", "stops docker compose down"],
    ),
    ("kubectl delete pod x --dry-run=none", &["deletes kubectl delete"]),
    (
        "kubectl delete pod x --dry-run=false",
        &["deletes kubectl delete"],
    ),
    ("git clean -f --dry-run --no-dry-run", &["deletes git clean"]),
    ("git clean -f --dry-run --no-dry", &["deletes git clean"]),
    (
        "git push --force -o --dry-run",
        &["overwrites git push --force*", "network git push"],
    ),
    (
        "git push --push-option -n --force",
        &["overwrites git push --force*", "network git push"],
    ),
    ("git clean -f \"$x\"", &["deletes git clean"]),
    ("git checkout -f main", &["overwrites git checkout -f"]),
    ("git checkout .", &["overwrites git checkout ."]),
    ("git checkout src/a.rs", &["overwrites git checkout *.rs"]),
    ("git checkout main src", &["overwrites git checkout * *"]),
    ("git checkout -B x main", &["overwrites git checkout -B"]),
    ("psql --command='TRUNCATE t'", &["deletes SQL TRUNCATE"]),
    ("mysql -e 'drop temporary table t'", &["deletes SQL DROP"]),
    ("mysql -Nse'TRUNCATE t'", &["deletes SQL TRUNCATE"]),
    ("git checkout src/", &["overwrites git checkout */"]),
    ("mysql --execute='DROP TABLE t'", &["deletes SQL DROP"]),
    ("psql -c 'ALTER TABLE t DROP c'", &["deletes SQL DROP"]),
    ("mysql -e 'select 1;/*!DROP TABLE t*/'", &["deletes SQL DROP"]),
    (
        "mysql -e 'select 1;/*!50000 DROP TABLE t*/'",
        &["deletes SQL DROP"],
    ),
    ("mysql -e 'DELETE t1 FROM t1 JOIN t2'", &["deletes SQL DELETE"]),
    (
        "mysql -e \"select 'a\\\\'; drop table x; -- '\"",
        &["deletes SQL DROP"],
    ),
    (
        "curl -sXDELETE http://h",
        &["deletes curl -XDELETE", "network curl"],
    ),
    (
        "gh api -iXDELETE repos/x",
        &["deletes gh api -XDELETE", "network gh"],
    ),
    // Every danger of a line is named.
    (
        "rm a; git branch -D b && mv c d > e; curl h | sudo sh; pkill f",
        &[
            "deletes rm",
            "deletes git branch -D",
            "overwrites >",
            "overwrites mv",
            "network curl",
            "privilege sudo",
            "stops pkill",
        ],
    ),
    (
        "cat /etc/passwd ~/x ../y",
        &["outside /etc/passwd", "outside ~/x", "outside ../y"],
    ),
];

/// Lines beside the dangers that have no mark.
const HARMLESS: &[&str] = &[
    "git branch x",
    "git branch -d x",
    "git branch --list -a",
    "git branch -vv",
    "git clean -n",
    "git clean -nfd",
    "git clean --dry-run",
    "git switch main",
    "git switch -c x",
    "git checkout -b x",
    "git checkout main",
    "git checkout feature/x",
    "git checkout v1.2",
    "git checkout -q main",
    "git checkout -b x origin/x",
    "git checkout --track origin/x",
    "git --no-pager log push",
    "git -P log clean",
    "git push.x",
    "systemctl --user status stop",
    "systemctl -l status stop",
    "kubectl delete pod x --dry-run=client",
    "kubectl -n delete get pods",
    "helm --namespace delete list",
    "git clean -fdn",
    "git clean --no-dry-run -n",
    "terraform -chdir=destroy plan",
    "cargo +nightly test",
    "psql -c 'ALTER TABLE t ALTER c DROP DEFAULT'",
    "psql -c 'ALTER TABLE t ADD dropped int'",
    "psql -c \"select 'a', 'drop table x'\"",
    "psql --dbname=delete -c 'select 1'",
    "git restore --staged a",
    "git rm --cached a",
    "git stash",
    "git stash list",
    "git stash show -p",
    "git reflog",
    "git tag v1",
    "git tag -l 'v*'",
    "git worktree list",
    "git worktree add x",
    "git commit -m clean",
    "git commit -m 'git push --force'",
    "git commit -am 'rm -rf x'",
    "git log --grep push",
    "git log -- clean",
    "git add rm",
    "git show HEAD:rm",
    "git config push.default simple",
    "git reset a",
    "git remote -v",
    "docker ps -a",
    "docker compose up -d",
    "docker compose logs -f",
    "docker images",
    "docker run --rm img ls",
    "docker build -t rm .",
    "terraform plan",
    "terraform state list",
    "terraform validate",
    "helm list",
    "helm template x",
    "kubectl get pods",
    "kubectl describe pod delete",
    "kubectl logs -f x",
    "aws s3 ls",
    "aws s3 rm s3://x --dryrun",
    "aws ec2 describe-instances",
    "gcloud compute instances list",
    "az group list",
    "heroku logs",
    "psql -c 'SELECT 1'",
    "psql -c \"select 'drop table x'\"",
    "psql -c 'select dropped from deleted'",
    "psql -c 'update x set y = 1 where z = 2'",
    "psql -c 'select 1 -- drop table x\n'",
    "sqlite3 a .tables",
    "redis-cli GET x",
    "mongosh --eval 'db.a.find()'",
    "prisma migrate dev",
    "prisma generate",
    "rails db:migrate",
    "python manage.py migrate",
    "npm test",
    "npm run clean",
    "find . -name delete",
    "crontab -l > /dev/null",
    "ps aux",
    "pgrep x",
    "kill -0 1",
    "kill -l",
    "ln -s a b",
    "install -d a",
    "dd if=a",
    "sed -n p a",
    "sed -e s/i/j/ a",
    "perl -MList::Util=min -e 1",
    "ls | tee -a a",
    "cp -n a b",
    "echo DROP TABLE x",
    "grep -r 'rm -rf' .",
    "rg 'git push --force'",
    "man rm",
    "which rm",
    "systemctl status x",
    "cargo test",
    "make all",
    "unzip -l a",
];

#[test]
fn each_danger_is_named_and_no_other() {
    let mut wrong = Vec::new();
    for (line, expected) in DANGERS {
        let mut found: Vec<String> = marks(line)
            .iter()
            .map(|(kind, because)| format!("{kind} {because}"))
            .collect();
        let mut expected: Vec<String> = expected.iter().map(|mark| (*mark).to_owned()).collect();
        found.sort();
        expected.sort();
        if found != expected {
            wrong.push((*line, found, expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_harmless_neighbour_has_no_mark() {
    let marked: Vec<_> = HARMLESS.iter().filter(|line| !marks(line).is_empty()).collect();
    let why: Vec<_> = marked.iter().map(|line| (line, marks(line))).collect();
    assert!(why.is_empty(), "{why:#?}");
}

#[test]
fn every_entry_of_the_table_matches_what_it_is_written_as() {
    let mut wrong = Vec::new();
    for kind in DangerKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, DangerKind::Outside | DangerKind::RunsLater))
    {
        for entry in Danger::default().entries(kind) {
            if entry.starts_with("***") || entry.starts_with("SQL ") || entry == ">" {
                continue;
            }
            // The first of each word's spellings, with a text for each `*`.
            let line: Vec<String> = entry
                .split(' ')
                .filter(|word| !word.starts_with('!'))
                .map(|word| word.split('|').next().unwrap_or_default().replace('*', "a"))
                .collect();
            let line = line
                .iter()
                .map(|word| format!("'{word}'"))
                .collect::<Vec<_>>()
                .join(" ");
            if !kinds(&line).contains(&kind.key()) {
                let as_tool = of(&Danger::default(), entry, &json!({}));
                if as_tool.is_empty() {
                    wrong.push(line);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_star_stands_for_any_text() {
    for (given, wanted, expected) in [
        ("abc", "abc", true),
        ("abc", "ab", false),
        ("abc", "ab*", true),
        ("abc", "*bc", true),
        ("abc", "*b*", true),
        ("abc", "a*c", true),
        ("ac", "a*c", true),
        ("abcd", "a*c", false),
        ("abab", "*ab", true),
        ("", "*", true),
        ("flushall", "FLUSHALL", true),
        ("flushal", "FLUSHALL", false),
        ("d", "D", false),
    ] {
        assert_eq!(is_like(given, wanted), expected, "{given} {wanted}");
    }
}
