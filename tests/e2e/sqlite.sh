# sqlite3: a large import, indexes, window functions, a write-ahead log shared by two processes, an error.
# needs: /usr/bin/sqlite3
cat >script.sql <<'SQL'
PRAGMA journal_mode = WAL;
CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
INSERT INTO t SELECT i, (i * 7919) % 10007, printf('%08x', i * 2654435761 % 4294967296) FROM n;
CREATE INDEX ta ON t (a, b);
SELECT count(*), sum(a), min(b), max(b) FROM t;
SELECT a, count(*) AS c FROM t GROUP BY a ORDER BY c DESC, a LIMIT 3;
SELECT id, a, sum(a) OVER (ORDER BY id ROWS 3 PRECEDING) FROM t WHERE id % 50000 = 0;
SELECT count(*) FROM t x JOIN t y ON x.a = y.id WHERE y.b LIKE '%ff%';
UPDATE t SET b = upper(b) WHERE a BETWEEN 100 AND 900;
DELETE FROM t WHERE id % 3 = 0;
VACUUM;
PRAGMA integrity_check;
SELECT count(*), total(length(b)) FROM t;
SELECT json_group_array(id) FROM (SELECT id FROM t LIMIT 5);
SQL
$R /usr/bin/sqlite3 data.db <script.sql
# Both in one recording: they share memory.
cat >writers <<'SCRIPT'
for who in 1 2; do
  for i in {1..20}; do echo "INSERT INTO t (a, b) VALUES ($i, 'writer $who');"; done |
    /usr/bin/sqlite3 -cmd '.timeout 60000' data.db &
done
wait
SCRIPT
$R /bin/bash writers
$R /usr/bin/sqlite3 data.db "SELECT b, count(*), sum(a) FROM t WHERE b LIKE 'writer%' GROUP BY b"
$R /usr/bin/sqlite3 data.db 'SELECT * FROM missing'
echo "status $?"
