// swift-tools-version: 6.2
import PackageDescription

// The settings every target shares. `Tools/check` proves that all manifests hold this block unchanged.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]
let platforms: [SupportedPlatform] = [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)]

// Not part of the root's build: `Tools/bench` and `Tools/chaos` build it. Linux only.
let package = Package(
  name: "Benchmarks",
  platforms: platforms,
  products: [.library(name: "CountingMalloc", type: .dynamic, targets: ["CountingMalloc"])],
  dependencies: [
    .package(path: "../Packages/NetCache"), .package(path: "../Packages/NetCore"),
    .package(path: "../Packages/NetCurl"),
    .package(path: "../Packages/NetTesting"), .package(path: "../Packages/NetURLSession"),
  ],
  targets: [
    .target(name: "CMeasure"),
    .target(name: "CountingMalloc"),
    .target(name: "BenchSupport", dependencies: ["CMeasure"], swiftSettings: settings),
    .executableTarget(name: "bench-c", dependencies: ["CMeasure"], linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(name: "bench-sqlite", dependencies: ["CMeasure"], linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "bench-cache",
      dependencies: [
        "BenchSupport", .product(name: "NetCache", package: "NetCache"),
        .product(name: "NetCacheSQLite", package: "NetCache"), "NetCore",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "bench-curl", dependencies: ["BenchSupport", "NetCore", "NetCurl"], swiftSettings: settings),
    .executableTarget(
      name: "bench-urlsession", dependencies: ["BenchSupport", "NetCore", "NetURLSession"], swiftSettings: settings),
    .executableTarget(
      name: "chaos",
      dependencies: ["CMeasure", "NetCore", "NetCurl", .product(name: "NetLoopback", package: "NetTesting")],
      swiftSettings: settings),
  ]
)
