import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPResponse {
  /// The response that `exchange` brought.
  ///
  /// - Throws: `APIError` of kind `transport(.malformed)` for a head or trailers that break the rules.
  init(_ head: ReceivedHead, from exchange: Exchange) throws {
    var parser = HeadParser(head.lines)
    self.init(status: try parser.status(), fields: try parser.fields(), info: try ExchangeInfo(head))
    if head.isContentMissing { fields.remove(.contentLength) }
    let trailers = try HTTPFields(trailerLines: head.trailers)
    let length = fields.contains(.transferEncoding) ? nil : head.announcedLength
    let form = form(of: head, to: exchange.request)
    if form != .plain {
      fields.remove(.contentEncoding)
      fields.remove(.contentLength)
    }
    // One body is made and no more: one that is dropped cancels its source.
    switch (form, head.content) {
    case (.compressed(let format, let limits), let content):
      let source = content.map { DecodedBody.Source.memory($0, trailers: trailers) } ?? .exchange(exchange)
      body = Body(length: nil, source: DecodedBody(source, format: format, limits: limits))
    case (_, let content?):
      body = Body(content, trailers: trailers)
    case (.plain, nil):
      body = Body(length: length, source: exchange)
    case (.decoded, nil):
      body = Body(length: nil, source: exchange)
    }
  }

  /// What the received bytes are.
  private enum Form: Equatable {
    /// The content, or nothing this transport decodes.
    case plain
    /// The content, as libcurl decoded it.
    case decoded
    case compressed(GzipDecoder.Format, CurlTransport.ContentDecoding)
  }

  private func form(of head: ReceivedHead, to request: WireRequest) -> Form {
    guard let decoding = request.decoding, let coding = fields[.contentEncoding], request.method != .head,
      head.content?.isEmpty != true
    else { return .plain }
    switch decoding.decoder {
    case .libcurl: return .decoded
    case .strict: return GzipDecoder.Format(contentCoding: coding).map { .compressed($0, decoding) } ?? .plain
    }
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
