"""An nginx of the benchmark's own, with one worker, and a server behind it that counts what is uploaded."""
import contextlib
import http.server
import os
import signal
import socket
import subprocess
import threading
import time

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 600s;
  keepalive_requests 100000000;
  client_max_body_size 0;
  types {{ application/json json; application/octet-stream bin; }}
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl http2;
    server_name localhost;
    ssl_certificate {folder}/certificate.pem;
    ssl_certificate_key {folder}/key.pem;
    root {folder}/content;
    location = /upload {{
      proxy_pass http://127.0.0.1:{sink_port};
      proxy_http_version 1.1;
      proxy_request_buffering off;
    }}
  }}
}}
"""

SMALL = b'{"size":62,"tip":"Rinse the filter with clear water, please."}'


class Server:
    """Where things are: `plain` and `tls` are URLs without a path."""

    def __init__(self, folder):
        self.folder = folder
        self.ca_file = f"{folder}/certificate.pem"
        self.ports = free_ports(2)
        self.plain = f"http://127.0.0.1:{self.ports[0]}"
        self.tls = f"https://localhost:{self.ports[1]}"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def user_list():
    """98.9 kB of JSON."""
    users = [
        f'{{"id":{n},"name":"User Number {n:04}","email":"user{n:04}@example.com","city":"Gothenburg","active":true}}'
        for n in range(1000, 1951)
    ]
    return ("[" + ",\n".join(users) + "]\n").encode()


def make_content(folder):
    os.mkdir(folder)
    for name, content in [("small.json", SMALL), ("list.json", user_list())]:
        with open(f"{folder}/{name}", "wb") as file:
            file.write(content)
    for name, megabytes in [("big.bin", 256), ("huge.bin", 1024)]:
        with open(f"{folder}/{name}", "wb") as file:
            file.truncate(megabytes << 20)


def make_certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )


class Sink(http.server.BaseHTTPRequestHandler):
    """Reads what is sent, and answers with how many bytes that was."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        room = bytearray(1 << 20)
        rest = int(self.headers["Content-Length"])
        size = 0
        while size < rest:
            count = self.rfile.readinto1(memoryview(room)[: min(len(room), rest - size)])
            if not count:
                break
            size += count
        answer = str(size).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def running(folder):
    """An nginx in `folder`, until the block is left."""
    os.chmod(folder, 0o711)  # so that a worker of another user finds the content
    make_content(f"{folder}/content")
    make_certificate(folder)
    sink = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=sink.serve_forever, daemon=True).start()
    server = Server(folder)
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(
            CONFIGURATION.format(
                folder=folder, port=server.ports[0], tls_port=server.ports[1], sink_port=sink.server_address[1]
            )
        )
    with open(f"{folder}/output.log", "wb") as log:
        nginx = subprocess.Popen(
            [find_nginx(), "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )
    try:
        wait_for(nginx, server.ports, folder)
        yield server
    finally:
        nginx.send_signal(signal.SIGTERM)
        try:
            nginx.wait(10)
        except subprocess.TimeoutExpired:
            nginx.kill()
            nginx.wait()
        sink.shutdown()
        sink.server_close()


def find_nginx():
    places = os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/usr/local/sbin"]
    return next((f"{place}/nginx" for place in places if os.access(f"{place}/nginx", os.X_OK)), "nginx")


def wait_for(nginx, ports, folder):
    limit = time.monotonic() + 10
    while nginx.poll() is None and time.monotonic() < limit:
        try:
            for port in ports:
                socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    with open(f"{folder}/error.log", encoding="utf-8") as log:
        raise SystemExit(f"nginx did not start: {log.read()}")
