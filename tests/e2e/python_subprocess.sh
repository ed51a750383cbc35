# Python subprocess and multiprocessing: pipes, timeouts, kills, pools by fork and by spawn, shared memory.
# needs: /usr/bin/python3
cat >script.py <<'PY'
import multiprocessing, os, signal, subprocess, sys
from multiprocessing import shared_memory

def square(n):
    return n * n

def scribble(name):
    block = shared_memory.SharedMemory(name)
    block.buf[:5] = b"hello"
    block.close()

if __name__ == "__main__":
    print(subprocess.run(["tr", "a-z", "A-Z"], input="shout", text=True, capture_output=True).stdout)
    first = subprocess.Popen(["seq", "1", "20000"], stdout=subprocess.PIPE)
    second = subprocess.Popen(["tail", "-n", "1"], stdin=first.stdout, stdout=subprocess.PIPE)
    first.stdout.close()
    print(second.communicate()[0], first.wait())
    try:
        subprocess.run(["sleep", "100"], timeout=0.1)
    except subprocess.TimeoutExpired as e:
        print("timeout", e.cmd)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    child.send_signal(signal.SIGKILL)
    print(child.wait())
    print(subprocess.call("exit 9", shell=True, cwd="/", env={"A": "b"}, start_new_session=True))
    try:
        subprocess.run(["/does/not/exist"])
    except FileNotFoundError as e:
        print(e)
    print(os.waitstatus_to_exitcode(os.system("kill -ABRT $$")))
    pid = os.posix_spawn("/bin/true", ["true"], {})
    print(os.waitpid(pid, 0)[1])
    for method in "fork", "spawn":
        with multiprocessing.get_context(method).Pool(3) as pool:
            print(method, sum(pool.map(square, range(500))))
    block = shared_memory.SharedMemory(create=True, size=64)
    p = multiprocessing.Process(target=scribble, args=(block.name,))
    p.start()
    p.join()
    print(bytes(block.buf[:5]), p.exitcode)
    block.close()
    block.unlink()
PY
outcome $R /usr/bin/python3 script.py
