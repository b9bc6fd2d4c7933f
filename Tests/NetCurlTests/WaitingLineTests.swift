import NetCore
import Testing

@testable import NetCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct WaitingLineTests {
  private let loop = CurlLoop(CurlTransport.Configuration())

  private static func line(perHost: Int = 2, total: Int = 100) -> WaitingLine {
    var limits = CurlTransport.ConnectionLimits()
    limits.perHost = perHost
    limits.total = total
    return WaitingLine(limits: limits)
  }

  private func exchange(_ url: String = "http://a.example/") throws -> Exchange {
    let request = HTTPRequest(url: try #require(URL(string: url)))
    return Exchange(try WireRequest(request, delivery: .streaming, configuration: loop.configuration), on: loop)
  }

  private func takeAll(_ line: inout WaitingLine) -> [WaitingLine.Place] {
    var places: [WaitingLine.Place] = []
    while let place = line.next() { places.append(place) }
    return places
  }

  @Test func `begins no more with one host than it may, first come, first served`() throws {
    var line = Self.line()
    let exchanges = try (0..<5).map { _ in try exchange() }
    for exchange in exchanges { line.add(exchange, since: .zero) }
    var begun = takeAll(&line)
    var order = begun.map { ObjectIdentifier($0.exchange) }
    #expect(begun.count == 2)
    while let ended = begun.popLast() {
      line.didEnd(ended)
      let next = takeAll(&line)
      #expect(next.count <= 1)
      order += next.map { ObjectIdentifier($0.exchange) }
      begun += next
    }
    #expect(order == exchanges.map { ObjectIdentifier($0) })
    #expect(line.isEmpty)
  }

  @Test func `hosts do not wait for each other, but for the limit of all`() throws {
    var line = Self.line(perHost: 2, total: 3)
    for host in ["a", "b", "c"] {
      for _ in 0..<3 { line.add(try exchange("http://\(host).example/"), since: .zero) }
    }
    var active = takeAll(&line)
    var count = 0
    while !active.isEmpty {
      #expect(active.count <= 3)
      line.didEnd(active.removeFirst())
      count += 1
      active += takeAll(&line)
    }
    #expect(count == 9)
    #expect(line.isEmpty)
  }

  @Test func `one goes ahead to a host that may take many on a connection`() throws {
    var line = Self.line(perHost: 10)
    for _ in 0..<5 { line.add(try exchange("https://a.example/"), since: .zero) }
    let first = takeAll(&line)
    #expect(first.count == 1)
    line.didConnect(first[0])
    #expect(takeAll(&line).count == 4)
  }

  @Test func `the next goes ahead when the first ends without a connection`() throws {
    var line = Self.line(perHost: 10)
    for _ in 0..<2 { line.add(try exchange("https://a.example/"), since: .zero) }
    line.didEnd(takeAll(&line)[0])
    #expect(takeAll(&line).count == 1)
  }

  @Test func `those that were given up, or have waited too long, are passed over`() throws {
    var line = Self.line(perHost: 1)
    let exchanges = try (0..<4).map { _ in try exchange() }
    for (number, exchange) in exchanges.enumerated() { line.add(exchange, since: .seconds(number)) }
    let first = takeAll(&line)
    exchanges[2].cancel()
    #expect(line.oldest == .seconds(1))
    #expect(line.removeLate(since: .seconds(1)).map { ObjectIdentifier($0) } == [ObjectIdentifier(exchanges[1])])
    line.didEnd(first[0])
    #expect(takeAll(&line).map { ObjectIdentifier($0.exchange) } == [ObjectIdentifier(exchanges[3])])
  }
}
