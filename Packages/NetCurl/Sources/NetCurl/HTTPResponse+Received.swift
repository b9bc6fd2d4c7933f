import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPResponse {
  /// The response that `exchange` brought.
  ///
  /// - Throws: ``APIError`` of kind `transport(.malformed)` for a head or trailers that break the rules.
  init(_ head: ReceivedHead, from exchange: Exchange) throws {
    var parser = HeadParser(head.lines)
    self.init(status: try parser.status(), fields: try parser.fields(), info: try ExchangeInfo(head))
    if head.isContentMissing { fields.remove(.contentLength) }
    let trailers = try HTTPFields(trailerLines: head.trailers)
    let length = fields.contains(.transferEncoding) ? nil : head.announcedLength
    body = head.content.map { Body($0, trailers: trailers) } ?? Body(length: length, source: exchange)
    guard let decoding = exchange.request.decoding, let coding = fields[.contentEncoding],
      exchange.request.method != .head, head.content?.isEmpty != true
    else { return }
    switch decoding.decoder {
    case .libcurl:
      if head.content == nil { body = Body(length: nil, source: exchange) }
    case .strict:
      guard let format = GzipDecoder.Format(contentCoding: coding) else { return }
      let source = head.content.map { DecodedBody.Source.memory($0, trailers: trailers) } ?? .exchange(exchange)
      body = Body(length: nil, source: DecodedBody(source, format: format, limits: decoding))
    }
    fields.remove(.contentEncoding)
    fields.remove(.contentLength)
  }
}

extension ExchangeInfo {
  fileprivate init(_ head: ReceivedHead) throws(APIError) {
    self.init(timings: head.timings)
    var parser = HeadParser(head.interimLines)
    while !parser.isAtEnd {
      interimResponses.append(InterimResponse(status: try parser.status(), fields: try parser.fields()))
    }
  }
}
