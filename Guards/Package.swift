// swift-tools-version: 6.2
import PackageDescription

// The guards: the server, and the program that asks servers. A package of its own, so that `keybackup`
// depends on none of the libraries that servers need (docs/decisions/0067-guards-are-a-package.md).

/// Strict settings for every Swift target: data-race safety, visible `any`,
/// imports that stay internal, `unsafe` written where memory is touched by hand.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

/// What lies above this folder.
func keybackup(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "keybackup") }
}

/// The packages on which those below are built, with exact versions.
///
/// Nothing here imports them. They are named so that they do not change by themselves.
let indirect: [(url: String, exact: Version, product: String)] = [
  (url: "https://github.com/apple/swift-algorithms", exact: "1.2.1", "Algorithms"),
  (url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4", "AsyncAlgorithms"),
  (url: "https://github.com/apple/swift-atomics", exact: "1.3.0", "Atomics"),
  (url: "https://github.com/apple/swift-collections", exact: "1.6.0", "DequeModule"),
  (url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3", "Tracing"),
  (
    url: "https://github.com/apple/swift-http-structured-headers", exact: "1.7.0",
    "StructuredFieldValues"
  ),
  (url: "https://github.com/apple/swift-metrics", exact: "2.13.0", "Metrics"),
  (url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0", "NIOHTTP2"),
  (
    url: "https://github.com/apple/swift-nio-transport-services", exact: "1.28.0",
    "NIOTransportServices"
  ),
  (url: "https://github.com/apple/swift-numerics", exact: "1.1.1", "RealModule"),
  (url: "https://github.com/apple/swift-service-context", exact: "1.5.1", "ServiceContextModule"),
  (url: "https://github.com/apple/swift-system", exact: "1.8.1", "SystemPackage"),
]

/// A product whose package has its version here.
///
/// It is built only where another package needs it: there is no such platform.
func named(_ package: (url: String, exact: Version, product: String)) -> Target.Dependency {
  .product(
    name: package.product, package: String(package.url.split(separator: "/").last ?? ""),
    condition: .when(platforms: [.custom("none")]))
}

let package = Package(
  name: "keybackup-guards",
  products: [
    .executable(name: "keybackup-guard", targets: ["GuardTool"])
  ],
  dependencies: [
    .package(name: "keybackup", path: ".."),
    // Exact: what is built does not change by itself (CONTRIBUTING.md, Swift packages).
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
    // The server, the client that asks, and what both store and check.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
  ] + indirect.map { .package(url: $0.url, exact: $0.exact) },
  targets: [
    // A system module: a module map and a shim.h, no Swift.
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

    // `keybackup` links none of these: it starts the program as a child.
    .target(
      name: "GuardService",
      dependencies: keybackup(
        "CLinux", "CommandSupport", "CSPP", "GuardProtocol", "RistrettoVOPRF", "SecretMemory")
        + [
          "CPostgreSQL",
          .product(name: "AsyncHTTPClient", package: "async-http-client"),
          .product(
            name: "Configuration", package: "swift-configuration",
            condition: .when(platforms: [.custom("none")])),
          .product(name: "GRDB", package: "GRDB.swift"),
          .product(name: "HTTPTypes", package: "swift-http-types"),
          .product(name: "Hummingbird", package: "hummingbird"),
          .product(name: "HummingbirdCore", package: "hummingbird"),
          .product(name: "JWTKit", package: "jwt-kit"),
          .product(name: "Logging", package: "swift-log"),
          .product(name: "NIOCore", package: "swift-nio"),
          .product(name: "NIOHTTP1", package: "swift-nio"),
          .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
          .product(name: "NIOPosix", package: "swift-nio"),
          .product(name: "NIOSSL", package: "swift-nio-ssl"),
          .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
          .product(name: "SwiftASN1", package: "swift-asn1"),
          .product(name: "UnixSignals", package: "swift-service-lifecycle"),
          .product(name: "X509", package: "swift-certificates"), crypto,
        ] + indirect.map(named),
      swiftSettings: strict),
    .target(
      name: "GuardClient",
      dependencies: keybackup("CLinux", "CSPP", "GuardProtocol", "SecretMemory") + [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "GuardTool",
      dependencies: keybackup(
        "CLinux", "CommandSupport", "CSPP", "GuardProtocol", "HelpPages", "SecretMemory")
        + [
          "GuardClient", "GuardService",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
      swiftSettings: strict),

    // A guard that answers the requests of a file, for tests to kill.
    .executableTarget(
      name: "guard-probe",
      dependencies: keybackup("CSPP", "GuardProtocol", "SecretMemory") + ["GuardService"],
      path: "Tests/GuardProbe", swiftSettings: strict),
    .testTarget(
      name: "GuardServiceTests",
      dependencies: keybackup(
        "crash-at", "CSPP", "GuardProtocol", "GuardTestSupport", "RistrettoVOPRF",
        "SecretMemory", "TestSupport")
        + [
          "GuardService", "GuardTool", "guard-probe", crypto,
          .product(name: "AsyncHTTPClient", package: "async-http-client"),
          .product(name: "CryptoExtras", package: "swift-crypto"),
          .product(name: "GRDB", package: "GRDB.swift"),
          .product(name: "HTTPTypes", package: "swift-http-types"),
          .product(name: "Hummingbird", package: "hummingbird"),
          .product(name: "HummingbirdCore", package: "hummingbird"),
          .product(name: "HummingbirdTesting", package: "hummingbird"),
          .product(name: "NIOCore", package: "swift-nio"),
          .product(name: "NIOHTTP1", package: "swift-nio"),
          .product(name: "NIOPosix", package: "swift-nio"),
          .product(name: "NIOSSL", package: "swift-nio-ssl"),
        ],
      swiftSettings: strict),
    .testTarget(
      name: "GuardClientTests",
      dependencies: keybackup(
        "CSPP", "GuardProtocol", "GuardTestSupport", "RistrettoVOPRF", "SecretMemory",
        "TestSupport")
        + [
          "GuardClient", "GuardService", "GuardTool",
          .product(name: "Hummingbird", package: "hummingbird"),
          .product(name: "HummingbirdTesting", package: "hummingbird"),
        ],
      swiftSettings: strict),
  ]
)
