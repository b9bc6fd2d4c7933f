import Foundation
import TestSupport
import Testing

/// Certificates made by OpenSSL for one test: an authority, and what it has signed.
final class Certificates: Sendable {
  enum Kind: String, CaseIterable {
    case good, expired, otherHost, client
  }

  private let directory: TemporaryFolder

  init(_ kinds: [Kind]) async throws {
    directory = try TemporaryFolder()
    for authority in kinds == [.good] ? ["authority"] : ["authority", "stranger"] {
      try await openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=\(authority)", "-keyout", path(authority, "key"), "-out", path(authority, "pem"))
    }
    for kind in kinds { try await sign(kind) }
  }

  private func sign(_ kind: Kind) async throws {
    let request = directory.path("\(kind).csr")
    let names = kind == .otherHost ? "DNS:other.example" : "IP:127.0.0.1,DNS:localhost"
    let extensions = try directory.write("subjectAltName=\(names)\n", to: "\(kind).ext")
    try await openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(kind)",
      "-keyout", key(kind), "-out", request)
    try await openssl(
      "x509", "-req", "-in", request, "-CA", authority, "-CAkey", path("authority", "key"),
      "-CAcreateserial", "-days", kind == .expired ? "-1" : "2", "-extfile", extensions, "-out", certificate(kind))
  }

  @discardableResult
  private func openssl(_ arguments: String...) async throws -> Data {
    let outcome = try await ChildProcess.run(["openssl"] + arguments)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  private func path(_ name: String, _ suffix: String) -> String { directory.path("\(name).\(suffix)") }

  /// The authority that signed the others.
  var authority: String { path("authority", "pem") }
  /// An authority that signed none of them.
  var stranger: String { path("stranger", "pem") }

  func certificate(_ kind: Kind) -> String { path(kind.rawValue, "pem") }
  func key(_ kind: Kind) -> String { path(kind.rawValue, "key") }

  /// The pin of a certificate's key, made by OpenSSL.
  func pin(_ kind: Kind) async throws -> String {
    let publicKey = path(kind.rawValue, "pub")
    try await openssl("x509", "-in", certificate(kind), "-pubkey", "-noout", "-out", publicKey)
    let der = path(kind.rawValue, "der")
    try await openssl("pkey", "-pubin", "-in", publicKey, "-outform", "DER", "-out", der)
    return "sha256/" + (try await openssl("dgst", "-sha256", "-binary", der)).base64EncodedString()
  }

  /// A server, written in Python, that answers every request with `hello` and the name in the client's certificate, or
  /// redirects it.
  func serve(
    _ kind: Kind, wantsClientCertificate: Bool = false, maximumVersion: String = "TLSv1_3",
    redirectingTo location: String = ""
  ) async throws -> TLSServer {
    let script = try directory.write(Self.script, to: "server.py")
    let process = try ChildProcess(
      [
        "python3", script, certificate(kind), key(kind), maximumVersion, wantsClientCertificate ? authority : "",
        location,
      ], output: .lines)
    let port = try #require(Int(await process.nextLine() ?? ""), "the server did not start")
    return TLSServer(process: process, url: try #require(URL(string: "https://127.0.0.1:\(port)/")))
  }

  private static let script = """
    import socket, ssl, sys, threading
    certificate, key, version, authority, location = sys.argv[1:6]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = getattr(ssl.TLSVersion, version)
    context.load_cert_chain(certificate, key)
    if authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(authority)

    def serve(plain):
        try:
            with context.wrap_socket(plain, server_side=True) as connection:
                request = connection.recv(65536)
                if not request: return
                name = dict(part[0] for part in connection.getpeercert()["subject"])["commonName"] if authority else ""
                body = ("hello " + name).encode()
                status = b"302 Found\\r\\nLocation: " + location.encode() if location else b"200 OK"
                connection.sendall(b"HTTP/1.1 " + status + b"\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
        except OSError:
            plain.close()

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}

struct TLSServer {
  let process: ChildProcess
  let url: URL
}
