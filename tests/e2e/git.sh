# git on a generated repository: commit, clone, branch, merge, log -p, blame, gc, fsck.
# needs: /usr/bin/git
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat GIT_ADVICE=0
/usr/bin/git init -q -b main source

# 300 commits over 20 files; the history is the same every time.
for i in {1..300}; do
  echo "commit refs/heads/main"
  echo "committer C <c@example.org> $((1577836800 + i * 60)) +0000"
  echo "data <<END"
  echo "Change $i"
  echo END
  echo "M 100644 inline dir$((i % 4))/file$((i % 20)).txt"
  echo "data <<END"
  seq "$i" 3 $((i + 900))
  echo END
done >history
$R /usr/bin/git -C source fast-import --quiet <history
$R /usr/bin/git -C source checkout -q main
$R /usr/bin/git clone -q source copy 2>&1
cd copy || exit
$R /usr/bin/git log -p | sha256sum
$R /usr/bin/git log --oneline --stat -n 3
$R /usr/bin/git checkout -q -b topic HEAD~5
echo topic >topic.txt
$R /usr/bin/git add topic.txt
$R /usr/bin/git commit -q -m 'Add topic'
$R /usr/bin/git checkout -q main
$R /usr/bin/git merge -q --no-edit topic
$R /usr/bin/git rev-parse HEAD
$R /usr/bin/git blame dir1/file1.txt | sha256sum
$R /usr/bin/git grep -c 77 | head -n 3
$R /usr/bin/git gc -q
$R /usr/bin/git count-objects -v | grep -v size
$R /usr/bin/git fsck --full 2>&1 | grep -v '^Checking'
$R /usr/bin/git status --short
$R /usr/bin/git checkout no-such-branch
echo "status $?"
