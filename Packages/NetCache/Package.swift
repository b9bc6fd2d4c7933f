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

let package = Package(
  name: "NetCache",
  platforms: platforms,
  products: [
    .library(name: "NetCache", targets: ["NetCache"]),
    .library(name: "NetCacheSQLite", targets: ["NetCacheSQLite"]),
    .library(name: "NetSQLite", targets: ["NetSQLite"]),  // for the kits here alone: the root's manifest has it not
  ],
  dependencies: [.package(path: "../NetCore")],
  targets: [
    .target(name: "NetCache", dependencies: ["NetCore"], swiftSettings: settings),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(name: "NetSQLite", dependencies: ["CSQLite"], swiftSettings: settings),
    .target(name: "NetCacheSQLite", dependencies: ["NetCache", "NetCore", "NetSQLite"], swiftSettings: settings),
  ]
)
