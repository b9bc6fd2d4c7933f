import CCurlShim
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response as the loop's thread hands it over: its head in bytes, and its content when that is complete.
struct ReceivedHead: Sendable {
  let lines: [UInt8]
  let interimLines: [UInt8]
  let trailers: [UInt8]
  let announcedLength: Int64?
  let content: Data?
  /// Whether libcurl dropped the content.
  let isContentMissing: Bool
  let timings: ExchangeInfo.Timings
}

extension ExchangeInfo.Timings {
  init(_ report: netcurl_report) {
    let isReused = report.connections_made == 0
    func moment(_ time: Int64) -> Duration? { isReused || time <= 0 ? nil : .microseconds(time) }
    self.init(
      nameLookup: moment(report.name_lookup), connect: moment(report.connect), tls: moment(report.tls),
      firstByte: .microseconds(report.first_byte), total: .microseconds(report.total), bytesSent: report.sent,
      bytesReceived: report.received, isConnectionReused: isReused,
      remoteAddress: Self.address(of: report), protocolName: Self.name(ofVersion: report.http_version))
  }

  private static func address(of report: netcurl_report) -> String? {
    guard let text = report.address, text.pointee != 0, text.pointee != CChar(UInt8(ascii: "/")) else { return nil }
    let host = String(cString: text)
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(report.port)" : "\(host):\(report.port)"
  }

  /// The name of a `CURL_HTTP_VERSION_…` constant.
  private static func name(ofVersion version: Int) -> String {
    switch version {
    case 1: "HTTP/1.0"
    case 3: "HTTP/2"
    case 30: "HTTP/3"
    default: "HTTP/1.1"
    }
  }
}
