import CCurl

/// The list of header lines that a transfer sends: memory that libcurl reads until the transfer has ended, used again for
/// the next one.
final class HeaderList {
  private var text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 1024)
  private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 32)

  deinit {
    text.deallocate()
    nodes.deallocate()
  }

  /// Replaces the list with `lines`; `nil` for none.
  func load(_ lines: HeaderLines) -> UnsafeMutablePointer<curl_slist>? {
    guard lines.count > 0 else { return nil }
    reserve(bytes: lines.bytes.count, lines: lines.count)
    lines.bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(text).copyMemory(from: $0) }
    var start = 0
    for index in 0..<lines.count {
      let next = index + 1 < lines.count ? nodes.baseAddress! + index + 1 : nil
      nodes.initializeElement(at: index, to: curl_slist(data: text.baseAddress! + start, next: next))
      while text[start] != 0 { start += 1 }
      start += 1
    }
    return nodes.baseAddress
  }

  private func reserve(bytes: Int, lines: Int) {
    if bytes > text.count {
      text.deallocate()
      text = .allocate(capacity: bytes)
    }
    if lines > nodes.count {
      nodes.deallocate()
      nodes = .allocate(capacity: lines)
    }
  }
}
