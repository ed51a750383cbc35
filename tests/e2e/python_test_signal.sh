# Python's own tests of `signal` (handlers, masks, timers, wakeup descriptors): every test's verdict must be the native one.
# needs: /usr/bin/python3 /usr/lib/python3*/test/test_support.py
# One is left out: it wants at least one of its signals to meet the handler that a loop sets and unsets, which is a matter of luck, and
# the less often threads take turns the more so.
python_tests test_signal StressTest.test_stress_modifying_handlers
