# Python json, re, decimal, zlib and pickle over a large object; generated code by way of compile and eval.
# needs: /usr/bin/python3
cat >script.py <<'PY'
import collections, decimal, hashlib, json, pickle, re, zlib
thing = {
    "list": [i * 1.5 for i in range(20000)],
    "nested": {str(i): {"a": [None, True, i], "b": "é€😀" * (i % 5)} for i in range(3000)},
}
text = json.dumps(thing, indent=1, sort_keys=True)
print(len(text), hashlib.sha256(text.encode()).hexdigest(), json.loads(text) == thing)
packed = zlib.compress(pickle.dumps(thing), 9)
print(pickle.loads(zlib.decompress(packed)) == thing)
print(collections.Counter(re.findall(r"[a-z]+|\d", text)).most_common(4))
decimal.getcontext().prec = 200
print(decimal.Decimal(2).sqrt())
print(eval(compile("sum(x * y for x in range(300) for y in range(300))", "made", "eval")))
try:
    json.loads('{"a": [1, 2,, 3]}')
except json.JSONDecodeError as e:
    print(e)
raise SystemExit(17)
PY
outcome $R /usr/bin/python3 script.py
