#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One download: asks for what is missing until all of it is there, checks it, and puts it in its place.
struct Download<Client: HTTPStreaming, Request: APIRequest> {
  private let client: Client
  private let request: Request
  private let place: DownloadPlace
  private let options: DownloadOptions
  /// The SHA-256 that the caller named.
  private let expected: Data?
  private let feed: ProgressFeed?
  private let partial: PartialFile

  /// What is known about the content; `nil` when nothing of it is there.
  private var metadata: PartialMetadata?
  /// How many bytes are there.
  private var offset: Int64 = 0
  /// The digest so far of the bytes that are there; `nil` when nobody wants it, or it has to be made anew.
  private var hash: SHA256?
  /// Whether what was there was replaced.
  private var hasBegun = false
  /// Whether what is there came in more than one response.
  private var isPieced = false
  private var hasStartedOver = false
  /// Where the last response came from.
  private var url: URL?
  private var fields: HTTPFields = [:]
  private var requests = 0
  /// The bytes that were there at the beginning and still count.
  private var resumedSize: Int64 = 0
  private var patience: DownloadPatience

  init(
    client: Client, request: Request, place: DownloadPlace, options: DownloadOptions, expected: Data?,
    feed: ProgressFeed?
  ) async throws {
    self.client = client
    self.request = request
    self.place = place
    self.options = options
    self.expected = expected
    self.feed = feed
    patience = DownloadPatience(maximumFailures: options.maximumFailures, backoff: options.backoff)
    partial = try await PartialFile.open(place)
  }

  mutating func run() async throws -> DownloadedFile {
    try await restore()
    do {
      return try await download()
    } catch {
      // What no next run can go on with is of no use; what another request has left here may be.
      await partial.clean(keepsContent: !hasBegun || metadata?.continuation(after: offset) != nil)
      throw complete(error)
    }
  }

  /// What is known about the request, in an error that came after its response.
  private func complete(_ error: any Error) -> any Error {
    guard var error = error as? APIError, error.request == nil, let url else { return error }
    error.request = APIError.FailedRequest(
      endpointName: request.endpointName, method: request.method, url: Redactor.standard.redact(url))
    error.attempts = requests
    return error
  }

  private mutating func restore() async throws {
    guard let (metadata, size) = try await partial.restore(),
      let continuation = metadata.continuation(after: size)
    else { return }
    (self.metadata, offset) = (metadata, continuation.offset)
    resumedSize = offset
    patience.brought(upTo: offset)
  }

  private mutating func download() async throws -> DownloadedFile {
    while true {
      do {
        if try await attempt(), try await isIntact() { return try await finish() }
      } catch let error as APIError {
        guard let wait = patience.wait(after: error, upTo: offset, now: options.timeSource.now) else { throw error }
        try Task.checkCancellation()
        try await options.timeSource.sleep(until: options.timeSource.elapsed + wait)
      }
    }
  }

  /// Asks for what is missing, and keeps what comes.
  ///
  /// - Returns: Whether all is there.
  private mutating func attempt() async throws -> Bool {
    let continuation = metadata?.continuation(after: offset)
    var asking = TransferRequest(base: request, moreFields: Self.fields(for: continuation))
    asking.ownRetry = .never
    requests += 1
    let response = try await client.open(asking)
    (url, fields) = (response.url, response.fields)
    switch DownloadDecision(
      status: response.status, fields: fields, bodyLength: response.body.length, asked: continuation)
    {
    case .begin:
      try await begin(response)
      try await receive(response.body, upTo: metadata?.total)
    case .goOn(let end, let total):
      try await goOn(at: continuation?.offset ?? 0, total: total, response)
      try await receive(response.body, upTo: end)
    case .startOver:
      response.body.discard()
      try await forget()
      return false
    case .refuse:
      throw await Self.refusal(of: response)
    }
    guard let total = metadata?.total, offset < total else { return true }
    throw APIError.transport(.truncated)
  }

  /// Ranges are counted in coded content, so only content that is not coded can be gone on with.
  private static func fields(for continuation: DownloadDecision.Continuation?) -> HTTPFields {
    var fields: HTTPFields = [.acceptEncoding: "identity"]
    if let continuation {
      fields.append(.range, "bytes=\(continuation.offset)-")
      fields.append(.ifRange, continuation.validator)
    }
    return fields
  }

  private static func refusal(of response: HTTPResponse) async -> any Error {
    do {
      let body = try await response.body.collect(upTo: APIError.FailedResponse.maximumBodySize)
      let collected = CollectedResponse(
        status: response.status, fields: response.fields, body: body, url: response.url)
      return APIError.badStatus(
        collected, message: ServerMessageReader.standard.message(in: collected, coders: .json))
    } catch {
      return Task.isCancelled ? CancellationError() : APIError.badStatus(response.status)
    }
  }
}

// MARK: What comes

extension Download {
  /// The longest time that bytes wait to be written.
  private static var batchTime: Duration { .seconds(1) }

  private mutating func begin(_ response: HTTPResponse) async throws {
    let metadata = PartialMetadata(response, to: place.identity, now: options.timeSource.now)
    try checkSize(metadata.total)
    self.metadata = nil
    (offset, resumedSize, hasBegun, isPieced) = (0, 0, true, false)
    hash = expected != nil || metadata.sha256 != nil ? SHA256() : nil
    try await partial.begin(metadata)
    self.metadata = metadata
    if let total = metadata.total { try await partial.checkSpace(for: total) }
    feed?.begin(at: 0, total: metadata.total)
  }

  private mutating func goOn(at offset: Int64, total: Int64, _ response: HTTPResponse) async throws {
    try checkSize(total)
    if offset != self.offset { hash = nil }
    (self.offset, isPieced) = (offset, true)
    metadata?.total = total
    if metadata?.sha256 == nil { metadata?.sha256 = response.fields[.reprDigest].flatMap(ReprDigest.sha256) }
    try await partial.checkSpace(for: total - offset)
    if hash == nil, expected != nil || metadata?.sha256 != nil { hash = try await partial.hash(upTo: offset) }
    feed?.begin(at: offset, total: total)
  }

  private func checkSize(_ size: Int64?) throws {
    guard let limit = options.maximumSize, let size, size > limit else { return }
    throw APIError(
      .tooLarge, reason: "The file has \(size) bytes, more than the maximumSize of \(limit): raise it.")
  }

  /// Keeps what comes, also of a body that breaks off.
  private mutating func receive(_ body: HTTPResponse.Body, upTo end: Int64?) async throws {
    var batch = Batch(now: options.timeSource.elapsed)
    do {
      for try await chunk in body {
        try check(offset + batch.size + Int64(chunk.count), end)
        batch.append(chunk)
        feed?.add(chunk.count)
        let now = options.timeSource.elapsed
        if batch.isFull || now - batch.began >= Self.batchTime { try await write(&batch, now: now) }
      }
    } catch {
      body.discard()
      try await write(&batch, now: .zero)
      throw error
    }
    try await write(&batch, now: .zero)
  }

  private func check(_ size: Int64, _ end: Int64?) throws {
    guard size <= end ?? .max else {
      throw APIError(.transport(.malformed), reason: "More bytes came than the \(end ?? 0) that the server announced.")
    }
    try checkSize(size)
  }

  private mutating func write(_ batch: inout Batch, now: Duration) async throws {
    let chunks = batch.chunks
    let size = batch.size
    batch = Batch(now: now)
    guard !chunks.isEmpty else { return }
    hash = try await partial.write(chunks, at: offset, into: hash)
    offset += size
  }

  /// Chunks that wait to be written.
  private struct Batch {
    var chunks: [Data] = []
    var size: Int64 = 0
    let began: Duration

    init(now: Duration) {
      began = now
    }

    /// Small chunks may hold large buffers, so that their number counts too.
    var isFull: Bool { size >= 1 << 20 || chunks.count >= 256 }

    mutating func append(_ chunk: Data) {
      chunks.append(chunk)
      size += Int64(chunk.count)
    }
  }
}

// MARK: The end

extension Download {
  /// Whether what is there has the digests it should have. Bytes of an earlier attempt may be the wrong ones: those are thrown
  /// away, and all is asked for again, once.
  ///
  /// - Throws: ``APIError`` of kind `transfer(.digestMismatch)` when that cannot be the reason.
  private mutating func isIntact() async throws -> Bool {
    let digest = hash?.digest()
    let isIntact = [expected, metadata?.sha256].allSatisfy { $0 == nil || $0 == digest }
    guard !isIntact else { return true }
    let mayStartOver = isPieced && !hasStartedOver
    hasStartedOver = true
    try await forget()
    guard mayStartOver else {
      throw APIError(
        .transfer(.digestMismatch),
        reason: "The content has not the SHA-256 that was named: it was thrown away, and the target is as it was.")
    }
    return false
  }

  /// Throws away what is there.
  private mutating func forget() async throws {
    (metadata, offset, hash, resumedSize, hasBegun) = (nil, 0, nil, 0, true)
    try await partial.empty()
  }

  private func finish() async throws -> DownloadedFile {
    try Task.checkCancellation()
    let path = try await partial.finish(name: metadata?.filename)
    return DownloadedFile(
      url: URL(filePath: path), size: offset, resumedSize: resumedSize, requests: requests, fields: fields)
  }
}
