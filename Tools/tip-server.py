#!/usr/bin/env python3
"""An independent little server for trying the client: today's tip, and users kept in memory.

usage: Tools/tip-server.py [--port N]    (default 0: any free port)

Prints its URL on standard output once it accepts connections, logs to standard error, and stops on
SIGINT or SIGTERM. Errors are problem details (RFC 9457).
"""
import argparse
import json
import signal
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TIP = "Rinse the paper filter with hot water first: it washes out the papery taste and warms the brewer."
USERS = [
    {"id": 1, "name": "Ada Lovelace", "email": "ada@example.com"},
    {"id": 2, "name": "Alan Turing", "email": "alan@example.com"},
]
LOCK = threading.Lock()
LARGEST_BODY = 1_000_000


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes
    timeout = 60

    def respond(self):
        body = self.read_body()
        if body is None:
            return
        method = "GET" if self.command == "HEAD" else self.command
        path = self.path.partition("?")[0]
        if method == "GET" and path == "/tips/today":
            self.reply(200, {"tip": TIP})
        elif method == "GET" and path == "/users":
            self.reply(200, USERS)
        elif method == "GET" and path.startswith("/users/"):
            found = [user for user in USERS if path == f"/users/{user['id']}"]
            self.reply(200, found[0]) if found else self.problem(404, "There is no such user.")
        elif method == "POST" and path == "/users":
            self.create_user(body)
        else:
            self.problem(404, "There is nothing here.")

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = respond

    def create_user(self, body):
        try:
            sent = json.loads(body.decode())
            fields = {key: sent[key] for key in ("name", "email")}
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.problem(400, 'Send JSON such as {"name": "Ada", "email": "ada@example.com"}.')
        if not all(isinstance(value, str) and value.strip() for value in fields.values()):
            return self.problem(400, "Both name and email must be text, and not empty.")
        with LOCK:
            user = {"id": len(USERS) + 1, **fields}
            USERS.append(user)
        self.reply(201, user, Location=f"/users/{user['id']}")

    def read_body(self):
        """The request's body, or None when it was refused. What is not read would be taken for the next request."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers:
            self.problem(411, "Send a Content-Length.", close=True)
        elif not (length.isascii() and length.isdigit()):
            self.problem(400, "The Content-Length is not a number.", close=True)
        elif len(length) > 9 or int(length) > LARGEST_BODY:
            self.problem(413, f"A body may have {LARGEST_BODY} bytes.", close=True)
        else:
            body = self.rfile.read(int(length))
            if len(body) == int(length):
                return body
            self.problem(400, "The body ended early.", close=True)
        return None

    def problem(self, status, detail, close=False):
        problem = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
        headers = {"Connection": "close"} if close else {}
        self.reply(status, problem, "application/problem+json", **headers)

    def reply(self, status, value, content_type="application/json", **headers):
        body = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, text in {"Content-Type": content_type, "Content-Length": len(body), **headers}.items():
            self.send_header(name, str(text))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code, message=None, explain=None):
        """What http.server says about a request that it cannot read."""
        self.problem(code, message or HTTPStatus(code).phrase, close=True)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        print(f"{client_address[0]} went away: {sys.exc_info()[1]!r}", file=sys.stderr)


def port(text):
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=port, default=0, help="the port to listen on; 0, the default, takes a free one")
    number = parser.parse_args().port
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: sys.exit(0))
    try:
        server = Server(("127.0.0.1", number), Handler)
    except OSError as error:
        sys.exit(f"tip-server: cannot listen on port {number}: {error.strerror}")
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


main()
