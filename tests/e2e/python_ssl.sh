# Python ssl: a TLS server and four clients, threads of one process, over loopback.
# needs: /usr/bin/python3 /usr/bin/openssl
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 3650 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost 2>/dev/null
cat >script.py <<'PY'
import hashlib, socket, ssl, threading
server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
server.load_cert_chain("cert.pem", "key.pem")
listener = socket.create_server(("127.0.0.1", 0))

def serve():
    for _ in range(4):
        raw, _ = listener.accept()
        with server.wrap_socket(raw, server_side=True) as conn:
            digest = hashlib.sha256()
            left = int(conn.recv(16))
            conn.sendall(b"go")
            while left:
                chunk = conn.recv(65536)
                digest.update(chunk)
                left -= len(chunk)
            conn.sendall(digest.digest())

thread = threading.Thread(target=serve)
thread.start()
client = ssl.create_default_context(cafile="cert.pem")
for i in range(1, 5):
    data = bytes([i]) * (1 << 20)
    with client.wrap_socket(socket.create_connection(listener.getsockname()), server_hostname="localhost") as conn:
        conn.sendall(str(len(data)).encode())
        conn.recv(2)
        conn.sendall(data)
        got = b""
        while len(got) < 32:
            got += conn.recv(32)
        print(conn.version(), conn.cipher()[0], got == hashlib.sha256(data).digest())
thread.join()
try:
    strict = ssl.create_default_context()
    a, b = socket.socketpair()
    strict.wrap_socket(a, server_hostname="localhost", do_handshake_on_connect=False).close()
    print(ssl.RAND_status(), hashlib.scrypt(b"x", salt=b"salt", n=1024, r=8, p=1).hex())
except ssl.SSLError as e:
    print(e)
PY
outcome $R /usr/bin/python3 script.py
