import Foundation
import TestSupport
import Testing

@testable import NetCore

@Suite struct OriginTests {
  @Test(
    arguments: [
      ("https://api.example.com/v1?q=1", "https://api.example.com"),
      ("https://api.example.com", "https://api.example.com"),
      ("https://api.example.com?q", "https://api.example.com"),
      ("https://api.example.com#f", "https://api.example.com"),
      ("https://api.example.com:443/", "https://api.example.com"),
      ("https://api.example.com:80/", "https://api.example.com:80"),
      ("http://api.example.com:80/", "http://api.example.com"),
      ("http://127.0.0.1:8080/a:b@c", "http://127.0.0.1:8080"),
      ("http://127.0.0.1:08080/", "http://127.0.0.1:8080"),
      ("https://api.example.com:/", "https://api.example.com"),
      ("HTTPS://API.Example.com/", "https://api.example.com"),
      ("https://ann:secret@api.example.com/", "https://api.example.com"),
      ("https://ann@api.example.com:8443/", "https://api.example.com:8443"),
      ("http://[::1]:8080/", "http://[::1]:8080"), ("http://[::1]/", "http://[::1]"),
      ("https://a-b.example/", "https://a-b.example"),
    ])
  func `an origin has one spelling`(url: String, spelling: String) throws {
    let origin = Origin(try #require(URL(string: url)))
    #expect("\(origin)" == spelling)
    #expect(origin == Origin(try #require(URL(string: spelling + "/other"))))
    #expect(origin.detached == origin)
    #expect(origin.detached.hashValue == origin.hashValue)
  }

  @Test func `origins are equal when RFC 6454 says so`() throws {
    let texts = [
      "https://a.example/", "https://a.example:443/x", "https://A.example", "http://a.example/", "http://a.example:80",
      "https://a.example:8443/", "https://b.example/", "https://a.example.b/", "https://u@a.example/",
    ]
    let urls = texts.map { URL(string: $0)! }
    for one in urls {
      for other in urls { #expect((Origin(one) == Origin(other)) == one.hasSameOrigin(as: other), "\(one) \(other)") }
    }
  }
}

@Suite struct OriginTableTests {
  private struct Visit: OriginState {
    var isInUse = false
    var end = Duration.zero
    func isIdle(at moment: Duration) -> Bool { end <= moment }
  }

  private func origin(_ number: Int) -> Origin { Origin(URL(string: "https://h\(number).example/")!) }

  @Test func `origins without number do not fill the memory`() {
    var table = OriginTable(capacity: 100, Visit())
    for number in 0..<10_000 { table.update(origin(number)) { $0.end = .seconds(1) } }
    #expect(table.count <= 100)
    #expect(table[origin(9_999)] != nil)
  }

  @Test func `those with nothing to remember go first, then those not used for longest`() {
    var table = OriginTable(capacity: 4, Visit())
    for number in 0..<4 { table.update(origin(number)) { $0.end = .seconds(number == 2 ? 1 : 9) } }
    table.update(origin(4), at: .seconds(5)) { $0.end = .seconds(9) }
    #expect((0...4).filter { table[origin($0)] != nil } == [0, 1, 3, 4])
    table.update(origin(0)) { _ in }
    table.update(origin(5), at: .seconds(5)) { $0.end = .seconds(9) }
    #expect((0...5).filter { table[origin($0)] != nil } == [0, 4, 5])
  }

  @Test func `what is in use stays, however much it is`() {
    var table = OriginTable(capacity: 10, Visit())
    for number in 0..<1_000 { table.update(origin(number)) { $0.isInUse = true } }
    #expect(table.count == 1_000)
    for number in 0..<1_000 { table.update(origin(number)) { $0.isInUse = false } }
    for number in 1_000..<3_000 { table.update(origin(number)) { _ in } }
    #expect(table.count < 1_100)
  }
}

@Suite struct WaitingLineTests {
  @Test func `it does what an array does, whoever joins, is called or leaves`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var (line, model, next) = (WaitingLine<Int>(), [Int](), 0)
      for _ in 0..<300 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          next += 1
          line.append(next * 10, number: next)
          model.append(next)
        case 2:
          let (called, first) = (line.popFirst(), model.isEmpty ? nil : model.removeFirst() * 10)
          #expect(called == first)
        default:
          let number = Int.random(in: 0...(next + 1), using: &random)
          let place = model.firstIndex(of: number)
          if let place { model.remove(at: place) }
          let wasWaiting = line.remove(number)
          #expect(wasWaiting == (place != nil))
        }
        #expect(line.count == model.count && line.firstNumber == model.first)
      }
    }
  }

  @Test func `who comes and leaves behind one who stays takes no memory`() {
    var line = WaitingLine<Int>()
    line.append(0, number: 0)
    for number in 1...100_000 {
      line.append(number, number: number)
      let wasWaiting = line.remove(number)
      #expect(wasWaiting)
    }
    #expect(line.places <= 100)
    let first = line.popFirst()
    #expect(first == 0)
  }
}
