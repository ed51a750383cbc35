# redis-server under redis-benchmark: the data it holds afterwards, a script, a snapshot by fork, a clean end.
# needs: /usr/bin/redis-server /usr/bin/redis-cli /usr/bin/redis-benchmark
redis() { /usr/bin/redis-cli -s ./socket "$@"; }
$R /usr/bin/redis-server --port 0 --unixsocket ./socket --save '' --io-threads 2 --dir . >server.log 2>&1 &
server=$!
await redis ping
redis ping

# The first column names the command; the rest are rates and times.
/usr/bin/redis-benchmark -s ./socket -n 20000 -c 20 -P 8 --csv -t set,get,incr,lpush,sadd,hset,zadd,mset |
  cut -d , -f 1
for key in key:__rand_int__ counter:__rand_int__; do redis get $key; done
redis llen mylist
redis scard myset
redis dbsize

redis mset a 1 b 2 c 3
redis mget a b c d
for i in 5 3 9 1; do redis zadd scores $i "member$i"; done
redis zrange scores 0 -1 withscores
redis eval 'local t = 0; for i = 1, 100000 do t = t + i % 7 end; return {t, redis.call("get", KEYS[1])}' 1 a
redis incr mylist
printf 'multi\nincr a\nincr a\nexec\n' | redis
redis setrange long 100000 x
redis strlen long
redis bgsave
snapshot_done() { redis info persistence | grep -q rdb_bgsave_in_progress:0; }
await snapshot_done
redis info persistence | grep -E 'rdb_last_bgsave_status|rdb_saves' | tr -d '\r'
redis debug no-such-thing
redis shutdown nosave
wait $server
echo "status $?"
[ -s dump.rdb ] && echo snapshot
