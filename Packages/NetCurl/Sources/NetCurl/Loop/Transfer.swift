import CCurl
import CCurlShim
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An exchange as libcurl sees it: an easy handle, and what it has sent and received. Lives on its loop's thread, and is
/// used for one exchange after the other.
final class Transfer {
  let easy: UnsafeMutableRawPointer
  /// The exchange under way, with its place in the line.
  private(set) var place: WaitingLine.Place?
  private var exchange: Exchange? { place?.exchange }
  private unowned let engine: CurlEngine
  private let headerList = HeaderList()
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var received: ReceiveBuffer
  private var progress = Progress()

  /// What has happened in the exchange under way.
  private struct Progress {
    var started = Duration.zero
    /// When the last byte went or came, or the reader took the last chunk.
    var lastByte = Duration.zero
    var requestsSent = 0
    /// Whether libcurl's words are about an earlier connection: it keeps the first it says in a transfer.
    var isErrorTextOld = false
    var head = HeadReader()
    var isHeadBrought = false
    var isReceivingPaused = false
    var isSendingPaused = false
    var isTouched = false
    /// How many bytes of a body in memory have gone.
    var bytesSent = 0
    /// The bytes of content that libcurl has decoded.
    var decodedSize: Int64 = 0
    /// Why a callback ended the transfer.
    var failure: (any Error)?
  }

  init(engine: CurlEngine) throws {
    guard let easy = curl_easy_init() else { throw Libcurl.outOfMemory }
    self.easy = easy
    self.engine = engine
    received = ReceiveBuffer(pool: engine.bufferPool)
    errorText.initialize(to: 0)
    try Libcurl.check(netcurl_set_callbacks(easy, Self.callbacks, Unmanaged.passUnretained(self).toOpaque()))
    try setPointer(CURLOPT_ERRORBUFFER, errorText)
    try configure(engine.configuration)
  }

  deinit {
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }

  /// The transfer behind the context libcurl was given.
  static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Makes the handle ready for an exchange.
  func prepare(_ place: WaitingLine.Place) throws {
    let exchange = place.exchange
    self.place = place
    progress = Progress()
    progress.head = HeadReader(maximumSize: engine.configuration.maximumHeadSize)
    progress.started = place.since
    progress.lastByte = engine.now
    errorText.pointee = 0
    try configure(exchange.request, headers: headerList.load(exchange.request.lines))
    if case .feed(let feed, _) = exchange.request.content { feed.start { exchange.proceed() } }
  }

  /// Forgets the exchange. The handle must not be in use.
  func reset() {
    if case .feed(let feed, _) = exchange?.request.content { feed.stop() }
    // Frees the content. While it is there, libcurl does not go back to the start of a later one that it asks for piece by
    // piece, and sends only the rest of it when it sends it again.
    _ = netcurl_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
    place = nil
    received.clear()
  }

  // MARK: Time

  /// When a limit of time will have passed, if nothing happens until then.
  var deadline: Duration? { nextLimit?.deadline }

  private var nextLimit: (deadline: Duration, phase: TransportFailure.Phase)? {
    let limits = engine.configuration.limits
    let phase: (Duration?, TransportFailure.Phase, since: Duration)? =
      if progress.requestsSent == 0 {
        (limits.connect, .connect, progress.started)
      } else if progress.isReceivingPaused || progress.isSendingPaused {
        nil
      } else if progress.head.isEmpty {
        (limits.firstByte, .firstByte, progress.lastByte)
      } else {
        (limits.idle, .idle, progress.lastByte)
      }
    let attempt = limits.attempt.map { (deadline: progress.started + $0, phase: TransportFailure.Phase.attempt) }
    guard let (limit, name, since) = phase, let limit else { return attempt }
    let inner = (deadline: since + limit, phase: name)
    return attempt.map { $0.deadline <= inner.deadline ? $0 : inner } ?? inner
  }

  // MARK: The body's way to the reader

  /// Goes on after a chunk was taken, or when there is something to send.
  func proceed() {
    flush()
    if place != nil, progress.isSendingPaused { unpause() }
  }

  /// Hands over what has been received, as far as it is wanted now.
  func flush() {
    progress.isTouched = false
    guard let exchange, progress.head.isComplete else { return }
    if !progress.isHeadBrought {
      guard !isHeldBack else { return }
      bringHead()
    }
    if received.count > 0, !exchange.bring({ received.take() }) { return }
    if progress.isReceivingPaused { unpause() }
  }

  /// Whether head and body are held until they are complete, for which there is room yet.
  private var isHeldBack: Bool {
    guard let exchange, !progress.isReceivingPaused else { return false }
    return exchange.request.collectionLimit.map { received.count <= $0 } ?? isExpectationRefused
  }

  /// Whether libcurl is about to send the request again, because the server refused its `Expect`.
  private var isExpectationRefused: Bool {
    exchange?.request.expectsContinue == true && progress.head.isExpectationFailed
  }

  /// Goes on in both directions; what still cannot pauses again.
  private func unpause() {
    progress.isReceivingPaused = false
    progress.isSendingPaused = false
    progress.lastByte = engine.now
    // It hands over what lay here, in which a callback may find an end.
    let code = curl_easy_pause(easy, CURLPAUSE_CONT)
    if code != CURLE_OK { engine.end(self, with: code) }
  }

  private func bringHead(content: Data? = nil) {
    progress.isHeadBrought = true
    exchange?.bring(receivedHead(content: content))
  }

  private func receivedHead(content: Data?) -> ReceivedHead {
    ReceivedHead(
      lines: progress.head.lines, interimLines: progress.head.interimLines, trailers: progress.head.trailers,
      announcedLength: progress.head.announcedLength,
      content: content, isContentMissing: isExpectationRefused && content?.isEmpty == true,
      timings: ExchangeInfo.Timings(netcurl_get_report(easy)))
  }

  private func touch() {
    guard !progress.isTouched else { return }
    progress.isTouched = true
    engine.touch(self)
  }

  // MARK: The end

  /// Ends the exchange with libcurl's verdict.
  func end(_ code: CURLcode) {
    if let failure = failure(for: code) { return fail(failure) }
    if progress.isHeadBrought {
      exchange?.end(.complete(trailers: progress.head.trailers), last: received.count > 0 ? received.take() : nil)
    } else {
      bringHead(content: received.take())
    }
  }

  /// Ends the exchange because a limit of time passed.
  func endLate() {
    guard let phase = nextLimit?.phase else { return }
    fail(APIError.timedOut(phase, afterRequest: progress.requestsSent > 0))
  }

  /// A response whose head was complete is handed over with what there is of its body, which then ends with `error`: so
  /// that whoever reads it knows which response failed.
  private func fail(_ error: any Error) {
    if progress.head.isComplete, !progress.isHeadBrought { bringHead() }
    exchange?.end(.failed(error), last: received.count > 0 ? received.take() : nil)
  }

  private func failure(for code: CURLcode) -> (any Error)? {
    if let failure = progress.failure { return failure }
    if code == CURLE_OK { return progress.head.failureAtEnd }
    // libcurl dropped the content, and was kept from sending the request again: the response is the refusal.
    if code == CURLE_ABORTED_BY_CALLBACK, isExpectationRefused { return nil }
    return CurlFailure(
      code: code, text: progress.isErrorTextOld ? "" : String(cString: errorText), easy: easy,
      wasRequestSent: progress.requestsSent > 0, isHeadEmpty: progress.head.isEmpty,
      isHeadComplete: progress.head.isComplete
    ).error
  }
}

// MARK: What libcurl calls

extension Transfer {
  private static let callbacks = netcurl_callbacks(
    header: { bytes, _, count, context in
      Transfer.of(context).receive(headLine: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    },
    write: { bytes, _, count, context in
      Transfer.of(context).receive(body: UnsafeRawBufferPointer(start: bytes, count: count))
    },
    read: { bytes, size, count, context in
      Transfer.of(context).send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    },
    seek: { context, offset, _ in
      Transfer.of(context).rewind(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    },
    before_request: { context, _, _, _, _ in
      Transfer.of(context).mayRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    })

  /// Whether the request may go out: libcurl sends it again by itself when a reused connection turns out to be dead.
  private func mayRequest() -> Bool {
    progress.requestsSent += 1
    progress.lastByte = engine.now
    guard progress.requestsSent > 1 else {
      if let place { engine.didConnect(place) }
      return true
    }
    progress.isErrorTextOld = errorText.pointee != 0
    // libcurl has gone back to the content's start by itself. If ever it had not, the server would wait for the rest of what
    // the head announces, and take the connection's next request for it.
    return exchange?.request.mayBeRepeated == true && !progress.head.isComplete && rewind(to: 0)
  }

  private func receive(headLine line: UnsafeRawBufferPointer) -> Bool {
    progress.lastByte = engine.now
    do {
      try progress.head.read(line)
    } catch {
      progress.failure = error
      return false
    }
    if progress.head.isComplete { touch() }
    return true
  }

  private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    progress.lastByte = engine.now
    guard progress.head.isComplete else {
      progress.failure = APIError(
        .notHTTP, reason: "What answers does not speak HTTP: its first line is no status line.")
      return 0
    }
    touch()
    let room = progress.isHeadBrought ? engine.configuration.bufferSize : collectionRoom
    if received.count > 0, received.count + bytes.count > room {
      progress.isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    do {
      try countDecoded(bytes.count)
    } catch {
      progress.failure = error
      return 0
    }
    received.append(bytes, expecting: received.count == 0 ? expectedSize(within: room) : 0)
    return bytes.count
  }

  /// Keeps content that libcurl decodes within the limits.
  private func countDecoded(_ count: Int) throws(APIError) {
    guard let decoding = exchange?.request.decoding, decoding.decoder == .libcurl else { return }
    progress.decodedSize += Int64(count)
    try decoding.check(
      decoded: progress.decodedSize, encoded: netcurl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
  }

  /// How much of the body will lie here at a time: all of it, when its length was announced and fits.
  private func expectedSize(within room: Int) -> Int {
    let announced = netcurl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    if progress.isHeadBrought { return announced < 0 ? room : Int(clamping: min(announced, Int64(room))) }
    return Int(clamping: min(announced, Int64(room), Self.largestReservation))
  }

  /// A server's announcement is not believed for more than this; past it the buffer doubles.
  private static let largestReservation: Int64 = 16 << 20

  private var collectionRoom: Int {
    exchange?.request.collectionLimit ?? engine.configuration.bufferSize
  }

  private func send(into room: UnsafeMutableRawBufferPointer) -> Int {
    progress.lastByte = engine.now
    switch exchange?.request.content {
    case .memory(let bytes): return send(bytes, into: room)
    case .feed(let feed, _): return send(from: feed, into: room)
    default: return 0
    }
  }

  private func send(_ bytes: Data, into room: UnsafeMutableRawBufferPointer) -> Int {
    let rest = bytes.dropFirst(progress.bytesSent).prefix(room.count)
    rest.copyBytes(to: room)
    progress.bytesSent += rest.count
    return rest.count
  }

  private func send(from feed: BodyFeed, into room: UnsafeMutableRawBufferPointer) -> Int {
    switch feed.take(into: room) {
    case .bytes(let count):
      return count
    case .waiting:
      progress.isSendingPaused = true
      return Int(CURL_READFUNC_PAUSE)
    case .failed(let error):
      progress.failure = error
      return Int(CURL_READFUNC_ABORT)
    }
  }

  private func rewind(to offset: Int64) -> Bool {
    if case .feed(let feed, _) = exchange?.request.content { return feed.canRewind(to: offset) }
    progress.bytesSent = Int(offset)
    return true
  }
}
