#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CurlTransport {
  /// The way a transport's requests take.
  public enum Proxy: Sendable, Hashable {
    /// Straight to the server, whatever the environment says.
    case none
    /// As the environment's `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and their like say.
    case environment
    /// Through this proxy.
    case server(Server)

    /// A proxy.
    public struct Server: Sendable, Hashable {
      /// The proxy, with its port: `http`, `https`, `socks5` or `socks5h` (which resolves names itself).
      public var url: URL
      /// The user's name and password for it; `nil` for none.
      public var credentials: Credentials?
      /// Hosts and domains that are reached straight, as in `NO_PROXY`. Default: none.
      public var exceptions: [String]

      /// A proxy.
      public init(_ url: URL, credentials: Credentials? = nil, exceptions: [String] = []) {
        self.url = url
        self.credentials = credentials
        self.exceptions = exceptions
      }
    }

    /// A name and a password.
    public struct Credentials: Sendable, Hashable {
      /// The user's name.
      public var user: String
      /// The password.
      public var password: String

      /// A name and a password.
      public init(user: String, password: String) {
        self.user = user
        self.password = password
      }
    }
  }
}

extension CurlTransport.Proxy.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of either.
  public var description: String { "(hidden)" }

  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
