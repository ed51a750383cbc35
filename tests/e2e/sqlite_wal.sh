# Two sqlite3 processes on one database with a write-ahead log, whose index they share as a mapped file.
# needs: /usr/bin/sqlite3 /bin/sh
/usr/bin/sqlite3 shared.db 'pragma journal_mode=wal; create table rows(who text, n integer);'
cat >writer.sh <<'SH'
write() {
  for n in 1 2 3 4 5 6; do
    echo "pragma busy_timeout=60000; insert into rows values('$1', $n); select count(*) > 0 from rows where who = '$1';"
  done | /usr/bin/sqlite3 shared.db | sort | uniq -c
}
write one >one.out &
write two >two.out
wait
cat one.out two.out
/usr/bin/sqlite3 shared.db "select who, sum(n) from rows group by who; pragma integrity_check;"
SH
$R /bin/sh writer.sh
echo "status $?"
