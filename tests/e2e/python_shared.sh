# Python's multiprocessing: processes that share values and an array, under a lock and by halves, and a pool that counts.
# needs: /usr/bin/python3
cat >shared.py <<'PYTHON'
import multiprocessing as mp


def count(value, array, rounds, me):
    for i in range(rounds):
        with value.get_lock():
            value.value += 1
        array[me * 8 + i % 8] += i


def square(x):
    return x * x


if __name__ == "__main__":
    mp.set_start_method("fork")
    value, array, done = mp.Value("i", 0), mp.Array("q", 32), mp.Event()
    workers = [mp.Process(target=count, args=(value, array, 100, me)) for me in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(value.value, list(array), [worker.exitcode for worker in workers])
    queue = mp.Queue()
    child = mp.Process(target=lambda: (done.wait(), queue.put(sum(array))))
    child.start()
    done.set()
    print(queue.get())
    child.join()
    with mp.Pool(2) as pool:
        print(sum(pool.map(square, range(200))))
PYTHON
$R /usr/bin/python3 shared.py
echo "status $?"
