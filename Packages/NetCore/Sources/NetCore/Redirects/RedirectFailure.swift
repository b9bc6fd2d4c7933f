/// Why a redirect was not followed, and failed its call.
public enum RedirectFailure: String, Sendable, Hashable {
  /// There were ``RedirectPolicy/maximumCount`` before it.
  case tooMany
  /// It leads to a request of the same call that was answered before, and no cookie was set since.
  case loop
  /// It leads from https to http.
  case downgrade
  /// It leads to a URL that is neither http nor https.
  case unsupportedScheme
  /// Its `Location` has a user name or a password.
  case userInfo
  /// Its `Location` is no URL that can be asked for, or there are several.
  case invalidLocation
  /// The body would have to be sent again, and cannot be.
  case bodySentOnce
}
