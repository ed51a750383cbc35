# Python signal handling: handlers, masks, timers, sigwait, wakeup descriptors, interrupted calls, death by signal.
# needs: /usr/bin/python3
cat >script.py <<'PY'
import errno, os, select, signal, socket, threading, time

seen = []
def note(number, frame):
    seen.append(signal.Signals(number).name)
for s in signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGRTMIN:
    signal.signal(s, note)

os.kill(os.getpid(), signal.SIGUSR1)
signal.raise_signal(signal.SIGUSR2)
print(seen)

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigpending(), len(seen))
print(signal.sigwait({signal.SIGUSR1}))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})

signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
deadline = time.monotonic() + 60
while seen.count("SIGALRM") < 5 and time.monotonic() < deadline:
    sum(range(1000))
signal.setitimer(signal.ITIMER_REAL, 0)
print(seen.count("SIGALRM") >= 5)

r, w = socket.socketpair()
w.setblocking(False)
signal.set_wakeup_fd(w.fileno())
os.kill(os.getpid(), signal.SIGRTMIN)
print(select.select([r], [], [], 60)[0] == [r], r.recv(1))
signal.set_wakeup_fd(-1)

# Before there are threads: a newer Python warns of a fork beside them.
pid = os.fork()
if pid == 0:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pause()
os.kill(pid, signal.SIGTERM)
print(os.waitpid(pid, 0)[1])

# A signal in the middle of a blocking read, which is then taken up again.
a, b = os.pipe()
def later():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
    os.write(b, b"after the signal")
threading.Timer(0.05, later).start()
print(os.read(a, 100), seen.count("SIGUSR1"))

class Stop(Exception):
    pass
def stop(number, frame):
    raise Stop
signal.signal(signal.SIGINT, stop)
try:
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    time.sleep(60)
except Stop:
    print("stopped")

signal.signal(signal.SIGXCPU, signal.SIG_DFL)
print("last words", flush=True)
os.kill(os.getpid(), signal.SIGXCPU)
PY
outcome $R /usr/bin/python3 script.py
