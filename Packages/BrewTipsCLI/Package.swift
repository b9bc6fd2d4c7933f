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
  name: "BrewTipsCLI",
  platforms: platforms,
  products: [.executable(name: "brewtips", targets: ["BrewTipsCLI"])],
  dependencies: [
    .package(path: "../BrewTips"), .package(path: "../NetCache"), .package(path: "../NetCore"),
    .package(path: "../NetCurl"), .package(path: "../NetTesting"), .package(path: "../NetURLSession"),
  ],
  targets: [
    .target(
      name: "BrewTipsBackend",
      dependencies: [
        "NetCore", .product(name: "NetLoopback", package: "NetTesting"),
        .product(name: "NetSQLite", package: "NetCache"),
      ],
      resources: [.embedInCode("Resources/tips.json")], swiftSettings: settings),
    .executableTarget(
      name: "BrewTipsCLI",
      dependencies: [
        "BrewTips", "BrewTipsBackend", "NetCore", "NetCache", .product(name: "NetCacheSQLite", package: "NetCache"),
        .product(name: "NetCurl", package: "NetCurl", condition: .when(platforms: [.linux])),
        .product(name: "NetURLSession", package: "NetURLSession", condition: .when(platforms: applePlatforms)),
      ],
      swiftSettings: settings),
  ]
)
