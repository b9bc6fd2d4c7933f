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

let applePlatforms: [Platform] = [.iOS, .macOS, .tvOS, .watchOS, .visionOS]

let package = Package(
  name: "swift-net-kits",
  platforms: platforms,
  products: [
    .library(name: "NetCore", targets: ["NetCore"]),
    .library(name: "NetCache", targets: ["NetCache"]),
    .library(name: "NetCacheSQLite", targets: ["NetCacheSQLite"]),
    .library(name: "NetURLSession", targets: ["NetURLSession"]),
    .library(name: "NetCurl", targets: ["NetCurl"]),
    .library(name: "NetGzip", targets: ["NetGzip"]),
    .library(name: "NetTesting", targets: ["NetTesting"]),
    .library(name: "NetLoopback", targets: ["NetLoopback"]),
    .library(name: "BrewTips", targets: ["BrewTips"]),
    .executable(name: "brewtips", targets: ["BrewTipsCLI"]),
  ],
  targets: [
    .target(name: "NetCore", path: "Packages/NetCore/Sources/NetCore", swiftSettings: settings),
    .target(
      name: "NetCache", dependencies: ["NetCore"], path: "Packages/NetCache/Sources/NetCache", swiftSettings: settings),
    .systemLibrary(
      name: "CSQLite", path: "Packages/NetCache/Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(
      name: "NetSQLite", dependencies: ["CSQLite"], path: "Packages/NetCache/Sources/NetSQLite",
      swiftSettings: settings),
    .target(
      name: "NetCacheSQLite", dependencies: ["NetCache", "NetCore", "NetSQLite"],
      path: "Packages/NetCache/Sources/NetCacheSQLite", swiftSettings: settings),
    .target(
      name: "NetURLSession", dependencies: ["NetCore"],
      path: "Packages/NetURLSession/Sources/NetURLSession", swiftSettings: settings),
    .systemLibrary(
      name: "CCurl", path: "Packages/NetCurl/Sources/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CZlib", path: "Packages/NetCurl/Sources/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CCurlShim", dependencies: ["CCurl"], path: "Packages/NetCurl/Sources/CCurlShim"),
    .target(
      name: "NetCurl", dependencies: ["CCurl", "CCurlShim", "CZlib", "NetCore"],
      path: "Packages/NetCurl/Sources/NetCurl", swiftSettings: settings),
    .target(
      name: "NetGzip", dependencies: ["CZlib", "NetCore"],
      path: "Packages/NetCurl/Sources/NetGzip", swiftSettings: settings),
    .target(
      name: "NetLoopback", dependencies: ["NetCore"],
      path: "Packages/NetTesting/Sources/NetLoopback", swiftSettings: settings),
    .target(
      name: "NetTesting", dependencies: ["NetCore", "NetURLSession", "NetLoopback"],
      path: "Packages/NetTesting/Sources/NetTesting", swiftSettings: settings),
    .target(
      name: "BrewTips", dependencies: ["NetCore"],
      path: "Packages/BrewTips/Sources/BrewTips", swiftSettings: settings),
    .target(
      name: "BrewTipsBackend", dependencies: ["NetCore", "NetLoopback", "NetSQLite"],
      path: "Packages/BrewTipsCLI/Sources/BrewTipsBackend", resources: [.embedInCode("Resources/tips.json")],
      swiftSettings: settings),
    .executableTarget(
      name: "BrewTipsCLI",
      dependencies: [
        "BrewTips", "BrewTipsBackend", "NetCache", "NetCacheSQLite", "NetCore",
        .target(name: "NetCurl", condition: .when(platforms: [.linux])),
        .target(name: "NetURLSession", condition: .when(platforms: applePlatforms)),
      ],
      path: "Packages/BrewTipsCLI/Sources/BrewTipsCLI", swiftSettings: settings),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "NetCoreTests", dependencies: ["NetCore", "NetTesting", "TestSupport"], swiftSettings: settings),
    // A process that the tests kill while it writes.
    .executableTarget(
      name: "CacheProcess", dependencies: ["NetCache", "NetCacheSQLite", "NetCore"], path: "Tests/CacheProcess",
      swiftSettings: settings),
    .testTarget(
      name: "NetCacheTests",
      dependencies: [
        "CacheProcess", "NetCache", "NetCacheSQLite", "NetCore", "NetCurl", "NetLoopback", "NetSQLite", "NetTesting",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "NetURLSessionTests", dependencies: ["NetCore", "NetLoopback", "NetTesting", "NetURLSession"],
      swiftSettings: settings),
    .testTarget(
      name: "NetCurlTests", dependencies: ["CZlib", "NetCore", "NetCurl", "NetLoopback", "NetTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "NetGzipTests",
      dependencies: ["NetCore", "NetCurl", "NetGzip", "NetLoopback", "NetTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "NetTestingTests",
      dependencies: ["NetCore", "NetLoopback", "NetTesting", "NetURLSession", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "BrewTipsTests", dependencies: ["BrewTips", "NetCore", "NetTesting", "TestSupport"], swiftSettings: settings
    ),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "BrewTips", "BrewTipsBackend", "BrewTipsCLI", "NetCore", "NetCurl", "NetLoopback", "NetTesting",
        "NetURLSession", "TestSupport",
      ],
      swiftSettings: settings),
  ]
)
