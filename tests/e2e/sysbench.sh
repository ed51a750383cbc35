# sysbench with four threads: a fixed number of events, so that all but the times is the same.
# needs: /usr/bin/sysbench
stable() { grep -E 'Number of threads|Threads started|Prime|Block size|Total operations|total number of events|WARN|FATAL' |
  sed -E 's/ \(.* per second\)//'; }
$R /usr/bin/sysbench cpu --threads=4 --events=2000 --time=0 --cpu-max-prime=5000 run 2>&1 | stable
$R /usr/bin/sysbench threads --threads=4 --events=2000 --time=0 --thread-yields=50 --thread-locks=4 run 2>&1 | stable
$R /usr/bin/sysbench mutex --threads=4 --mutex-num=8 --mutex-locks=20000 --mutex-loops=100 run 2>&1 | stable
$R /usr/bin/sysbench memory --threads=4 --memory-total-size=1G --memory-block-size=4K --time=0 run 2>&1 | stable
$R /usr/bin/sysbench no-such-test run 2>&1 | tail -n 1
echo "status ${PIPESTATUS[0]}"
