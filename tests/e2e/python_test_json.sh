# Python's own tests of `json` (no threads, no signals: the plain interpreter): every test's verdict must be the native one.
# needs: /usr/bin/python3 /usr/lib/python3*/test/test_support.py
python_tests test_json
