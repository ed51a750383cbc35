# Python's own tests of `signal` (handlers, masks, timers, wakeup descriptors): every test's verdict must be the native one.
# needs: /usr/bin/python3 /usr/lib/python3*/test/test_support.py
python_tests test_signal
