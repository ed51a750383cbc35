# sort with two threads on 50 MB, in memory and through temporary files; uniq, join and comm on its output.
export LC_ALL=C
text 50000000 >input
$R /usr/bin/sort --parallel=2 input | sha256sum
$R /usr/bin/sort --parallel=2 -S 8M -T . -r -k 1.5,1.20 input | sha256sum
head -n 20000 input | cut -c 1-3 >words
$R /usr/bin/sort words | $R /usr/bin/uniq -c | $R /usr/bin/sort -k 1,1nr -k 2 | head -n 5
$R /usr/bin/comm -12 <(sort -u words) <(tail -n 5000 words | sort -u) | wc -l
$R /usr/bin/sort --check input
echo "status $?"
