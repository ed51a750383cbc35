# node: a script hot enough to be compiled and recompiled, workers on shared memory, child processes, timers.
# needs: /usr/bin/nodejs
cat >script.js <<'JS'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto');

function collatz(limit) {
  let best = 0, longest = 0;
  for (let i = 1; i < limit; i++) {
    let n = i, steps = 0;
    while (n !== 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
    if (steps > longest) { longest = steps; best = i; }
  }
  return [best, longest];
}

// The same function sees integers, then doubles, then strings: its compiled code is thrown away twice.
function add(a, b) { return a + b; }
function polymorphic() {
  let x = 0;
  for (let i = 0; i < 200000; i++) x = add(x, i);
  for (let i = 0; i < 200000; i++) x = add(x, 0.5);
  let s = '';
  for (let i = 0; i < 2000; i++) s = add(s, i);
  return [x, s.length];
}

class Vector {
  constructor(x, y) { this.x = x; this.y = y; }
  plus(o) { return new Vector(this.x + o.x, this.y - o.y); }
}
function garbage() {
  let v = new Vector(0, 0);
  for (let i = 0; i < 2000000; i++) v = v.plus(new Vector(i, 1));
  return v;
}

if (!isMainThread) {
  const shared = new Int32Array(workerData.buffer);
  for (let i = 0; i < 50000; i++) Atomics.add(shared, 0, 1);
  Atomics.notify(shared, 1);
  parentPort.postMessage({ me: workerData.me, answer: collatz(30000 + workerData.me) });
} else {
  console.log(collatz(200000), polymorphic(), garbage());
  const made = new Function('n', 'let r = 1; for (let i = 2; i <= n; i++) r = r * i % 1000003; return r');
  console.log(made(500000));
  const re = /(\w+)@(\w+)\.org/g;
  console.log('a@b.org c@d.org '.repeat(2000).replace(re, '$2 at $1').length);
  const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1,
    3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
  const { add: wadd } = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports;
  let sum = 0;
  for (let i = 0; i < 300000; i++) sum = wadd(sum, i);
  console.log(sum);

  const buffer = new SharedArrayBuffer(8);
  const run = (me) => new Promise((yes, no) => {
    const w = new Worker(__filename, { workerData: { me, buffer } });
    w.on('message', yes);
    w.on('error', no);
  });
  (async () => {
    const answers = await Promise.all([0, 1, 2, 3].map(run));
    console.log(JSON.stringify(answers), new Int32Array(buffer)[0]);
    const hash = await new Promise((yes) =>
      crypto.pbkdf2('secret', 'salt', 20000, 32, 'sha256', (e, key) => yes(key.toString('hex'))));
    console.log(hash);
    console.log(require('child_process').execFileSync('/bin/echo', ['from a child']).toString().trim());
    await new Promise((yes) => setTimeout(yes, 10));
    process.on('SIGUSR2', () => { console.log('signal'); process.exit(6); });
    process.kill(process.pid, 'SIGUSR2');
    setInterval(() => {}, 1000);
  })();
}
JS
outcome $R /usr/bin/nodejs script.js
outcome $R /usr/bin/nodejs -e 'process.abort()' 2>/dev/null
outcome $R /usr/bin/nodejs -e 'throw new Error("uncaught")' 2>&1 | grep -E 'uncaught|exit'
