# Python's own tests of `threading` (locks, conditions, daemon threads, fork from threads): every test's verdict must be the native one.
# needs: /usr/bin/python3 /usr/lib/python3*/test/test_support.py
python_tests test_threading
