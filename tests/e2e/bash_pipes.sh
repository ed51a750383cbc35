# Bash: pipelines, process and command substitution, here-documents, subshells, coprocesses, arithmetic.
# needs: /bin/bash
cat >script <<'SCRIPT'
set -o pipefail
seq 1 5000 | grep 7 | sort -rn | tee copy | tail -n 3
echo "pipe status ${PIPESTATUS[*]}"
wc -l <copy
false | true | cat
echo "pipefail $?"
diff <(seq 1 10) <(seq 1 2 10 | cat) | grep -c '^<'
total=0
while read -r n; do ((total += n)); done < <(seq 1 1000)
echo "total $total"
(cd / && pwd; exit 7)
echo "subshell $?"
cat <<END
$(for i in {1..5}; do printf '%03d ' $((i ** 5)); done)
END
coproc CALC { while read -r line; do echo "$((line))"; done; }
calc=$CALC_PID # bash forgets it as soon as the coprocess has ended
echo '6*7' >&"${CALC[1]}"
read -r answer <&"${CALC[0]}"
echo "answer $answer"
eval "exec ${CALC[1]}>&-"
wait "$calc"
echo "coprocess $?"
declare -A words
for w in the cat and the dog and the bird; do ((words[$w]++)); done
for w in "${!words[@]}"; do echo "$w ${words[$w]}"; done | sort
for i in {1..40}; do echo "$i" | cat | (read -r x; echo $((x * x))) & done | sort -n | tail -n 1
wait
printf '%s\n' {a..e}{1..3} | xargs -n 5 -P 2 echo | sort
no_such_command_anywhere
echo "not found $?"
SCRIPT
outcome $R /bin/bash script
