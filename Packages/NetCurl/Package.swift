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
  name: "NetCurl",
  platforms: platforms,
  products: [
    .library(name: "NetCurl", targets: ["NetCurl"]),
    .library(name: "NetGzip", targets: ["NetGzip"]),
  ],
  dependencies: [.package(path: "../NetCore")],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CCurlShim", dependencies: ["CCurl"]),
    .target(name: "NetCurl", dependencies: ["CCurl", "CCurlShim", "CZlib", "NetCore"], swiftSettings: settings),
    .target(name: "NetGzip", dependencies: ["CZlib", "NetCore"], swiftSettings: settings),
  ]
)
