# Python threads: locks, queues, executors, barriers, thread-local data, timers.
# needs: /usr/bin/python3
cat >script.py <<'PY'
import concurrent.futures, hashlib, queue, sys, threading, time

counter = 0
lock = threading.Lock()
local = threading.local()
barrier = threading.Barrier(8)
results = []

def work(n):
    global counter
    local.mine = n
    barrier.wait()
    for _ in range(2000):
        with lock:
            counter += 1
    assert local.mine == n
    results.append(n)

threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(counter, sorted(results))

q = queue.Queue(maxsize=4)
def consume(out):
    while (item := q.get()) is not None:
        out.append(item * item)
outs = [[] for _ in range(3)]
consumers = [threading.Thread(target=consume, args=(o,)) for o in outs]
for t in consumers: t.start()
for i in range(1000): q.put(i)
for _ in consumers: q.put(None)
for t in consumers: t.join()
print(sum(map(sum, outs)), sum(map(len, outs)))

# hashlib lets go of the interpreter lock: these really run at the same time.
data = bytes(range(256)) * 8192
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    digests = list(pool.map(lambda i: hashlib.sha256(data * (i + 1)).hexdigest(), range(8)))
print(hashlib.md5("".join(digests).encode()).hexdigest())

event = threading.Event()
threading.Timer(0.05, event.set).start()
print(event.wait(60))
condition = threading.Condition()
turn = 0
def player(me):
    global turn
    for _ in range(200):
        with condition:
            condition.wait_for(lambda: turn % 2 == me)
            turn += 1
            condition.notify_all()
players = [threading.Thread(target=player, args=(i,)) for i in (0, 1)]
for t in players: t.start()
for t in players: t.join()
print(turn)
try:
    threading.Thread(target=lambda: sys.exit(3)).start()
    bad = threading.Thread(target=lambda: 1 / 0, name="bad")
    bad.start()
    bad.join()
finally:
    print("done")
PY
outcome $R /usr/bin/python3 script.py
