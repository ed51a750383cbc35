# nginx, a master and two workers, under wrk, which checks every response; a reload under load; a graceful end.
# needs: /usr/bin/pgrep /usr/sbin/nginx /usr/bin/wrk /usr/bin/perl
port=$(free_port)
mkdir -p www logs
seq 1 20000 >www/numbers.txt
echo hello >www/index.html
cat >nginx.conf <<CONF
daemon off;
$([ "$(id -u)" != 0 ] || echo 'user root;')
worker_processes 2;
error_log logs/error.log crit;
pid nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  gzip on;
  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  server {
    listen 127.0.0.1:$port;
    root www;
    sendfile on;
    location /moved { return 301 /index.html; }
    location /proxied/ { proxy_pass http://127.0.0.1:$port/; }
  }
}
CONF
$R /usr/sbin/nginx -p . -c nginx.conf -e logs/error.log &
server=$!

fetch() { # PATH: status line and body
  perl -MHTTP::Tiny -e '
    my $r = HTTP::Tiny->new(max_redirect => 0)->get("http://127.0.0.1:$ARGV[0]$ARGV[1]");
    print "$r->{status} $r->{reason}\n$r->{content}"; exit !$r->{success}' "$port" "$1"
}
await fetch /index.html
fetch /index.html
fetch /numbers.txt | sha256sum
fetch /proxied/numbers.txt | sha256sum
fetch /moved | head -n 1
fetch /missing | head -n 1

cat >check.lua <<'LUA'
local size = tonumber(os.getenv("SIZE"))
function response(status, headers, body)
  if status ~= 200 or #body ~= size then wrong = (wrong or 0) + 1 end
  answered = (answered or 0) + 1
end
local all = {}
function setup(thread) table.insert(all, thread) end
function done()
  local w, n = 0, 0
  for _, t in ipairs(all) do w = w + (t:get("wrong") or 0); n = n + (t:get("answered") or 0) end
  print(w .. " wrong answers, " .. (n > 0 and "some" or "none") .. " in all")
end
LUA
SIZE=$(stat -c %s www/numbers.txt)
export SIZE
load() { /usr/bin/wrk -t2 -c16 -d2s -s check.lua "http://127.0.0.1:$port$1" | grep -E 'wrong|Socket errors|Non-2xx'; }
load /numbers.txt
load /proxied/numbers.txt
workers() { pgrep -P "$(cat nginx.pid)" | sort; }
before=$(workers)
kill -HUP "$(cat nginx.pid)"
reloaded() { [ "$(workers | wc -l)" = 2 ] && [ -z "$(comm -12 <(echo "$before") <(workers))" ]; }
await reloaded
load /numbers.txt
fetch /index.html
kill -QUIT "$(cat nginx.pid)"
wait $server
echo "status $?"
cat logs/error.log
