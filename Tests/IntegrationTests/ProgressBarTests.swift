import NetCore
import Testing

@testable import BrewTipsCLI

@Suite struct ProgressBarTests {
  private static let half = TransferProgress(completed: 13_550_000, total: 27_100_000, bytesPerSecond: 4_500_000)

  @Test(arguments: [60, 70, 79, 120]) func `the bar takes the room there is`(_ width: Int) {
    let drawn = ProgressBar.line(Self.half, width: width)
    #expect(drawn.count <= width)
    #expect(drawn.hasSuffix("50 %  13.6 of 27.1 MB  4.5 MB/s  0:04 left"))
    #expect(drawn.hasPrefix("[#"))
    let bar = drawn.dropFirst().prefix { $0 != "]" }
    #expect(bar.count { $0 == "#" } == bar.count / 2)
  }

  @Test(arguments: [
    (TransferProgress(completed: 0, total: nil), "0 B"),
    (TransferProgress(completed: 1_234, total: nil, bytesPerSecond: 999), "1.2 kB  999 B/s"),
    (TransferProgress(completed: 0, total: 0), "100 %  0 of 0 B  0:00 left"),
    (TransferProgress(completed: 999_949, total: 999_949), "100 %  999.9 of 999.9 kB  0:00 left"),
    (TransferProgress(completed: 0, total: 4_000_000_000), "  0 %  0.0 of 4.0 GB"),
    (TransferProgress(completed: 0, total: 3_723, bytesPerSecond: 1), "  0 %  0.0 of 3.7 kB  1 B/s  1:02:03 left"),
    (TransferProgress(completed: 0, total: 1 << 60, bytesPerSecond: 1), "  0 %  0.0 of 1152921.5 TB  1 B/s"),
  ]) func `what it says`(_ progress: TransferProgress, _ text: String) {
    let line = ProgressBar.line(progress, width: 200)
    #expect(line.drop { "[#-]".contains($0) } == (progress.fraction == nil ? "" : "  ") + text)
  }

  @Test(arguments: 0...120) func `a narrow terminal cuts it`(_ width: Int) {
    #expect(ProgressBar.line(Self.half, width: width).count <= width)
  }
}
