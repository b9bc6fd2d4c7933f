extension CurlTransport {
  /// Whom a transport trusts, and who it is.
  public struct TLS: Sendable, Hashable {
    /// Where trust in a server's certificate begins.
    public enum TrustRoots: Sendable, Hashable {
      /// The system's certificate authorities.
      case system
      /// The certificates in a PEM file, and none beside.
      case file(path: String)
    }

    /// How a server is checked.
    public enum Verification: Sendable, Hashable {
      /// The certificate's chain, its dates and its host name.
      case full
      /// Nothing: anybody on the way can read and change everything. For experiments on a machine of one's own. Pins
      /// still hold.
      case dangerouslyDisabled
    }

    /// The least version of TLS.
    public enum Version: Sendable, Hashable {
      /// TLS 1.2 (RFC 5246).
      case tls12
      /// TLS 1.3 (RFC 8446).
      case tls13
    }

    /// A client's certificate with its key.
    public struct Identity: Sendable, Hashable {
      /// The path of the certificate, with its chain, in PEM.
      public var certificate: String
      /// The path of the private key in PEM.
      public var key: String
      /// The key's password; `nil` for a key that has none.
      public var password: String?

      /// An identity from two files.
      public init(certificate: String, key: String, password: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.password = password
      }
    }

    /// Where trust begins. Default: with the system.
    public var trustRoots = TrustRoots.system
    /// How servers are checked. Default: in full.
    public var verification = Verification.full
    /// The least version. Default: TLS 1.2.
    public var minimumVersion = Version.tls12
    /// The client's certificate, for servers that ask for one. Default: none.
    public var identity: Identity?
    /// The public keys one of which a server must have, each as `sha256/` with the Base64 of the SHA-256 of its
    /// `SubjectPublicKeyInfo` (RFC 7469, section 2.4). They are checked beside the chain, not instead. Default: none,
    /// which allows every key.
    public var pins: [String] = []

    /// The defaults.
    public init() {}
  }
}

extension CurlTransport.TLS.Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The paths, without the password.
  public var description: String { "\(certificate) with \(key)" }

  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
