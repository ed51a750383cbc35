# Python's own tests of `subprocess` (fork, exec, vfork, pipes, descriptors, process groups): every test's verdict must be the native one.
# needs: /usr/bin/python3 /usr/lib/python3*/test/test_support.py
# Three seconds are what the tests give a Python to start and print. On a stress engine, or a busy machine, that takes longer.
python_tests test_subprocess 'import subprocess
run = subprocess.run
def run_patiently(*words, timeout=None, **more):
    return run(*words, timeout=15 if timeout == 3 else timeout, **more)
subprocess.run = run_patiently'
