// swift-tools-version: 6.2
import PackageDescription

// Three small programs that use the libraries of keybackup, as another program would: from a
// package of its own. `make examples` builds them, the tests run them (docs/libraries.md).
let package = Package(
  name: "keybackup-examples",
  dependencies: [
    // In a package of yours: .package(url: "<this repository>", exact: "0.1.0")
    .package(name: "keybackup", path: "..")
  ],
  targets: [
    .executableTarget(
      name: "DeriveKey",
      dependencies: [
        "Surroundings",
        .product(name: "PRFDevice", package: "keybackup"),
        .product(name: "SecretMemory", package: "keybackup"),
      ]),
    .executableTarget(
      name: "ReadBackup",
      dependencies: [
        "Surroundings",
        .product(name: "BackupFolder", package: "keybackup"),
        .product(name: "CSPP", package: "keybackup"),
        .product(name: "SecretMemory", package: "keybackup"),
      ]),
    .executableTarget(
      name: "WriteWallet",
      dependencies: [
        "Surroundings",
        .product(name: "BackupFolder", package: "keybackup"),
        .product(name: "CSPP", package: "keybackup"),
        .product(name: "SecretMemory", package: "keybackup"),
        .product(name: "WalletFormats", package: "keybackup"),
      ]),
    // What the three share: a PIN from standard input, and opening a backup.
    .target(
      name: "Surroundings",
      dependencies: [
        .product(name: "BackupFolder", package: "keybackup"),
        .product(name: "CSPP", package: "keybackup"),
        .product(name: "PRFDevice", package: "keybackup"),
        .product(name: "SecretMemory", package: "keybackup"),
      ]),
  ]
)

// Only `make docs` needs the plugin that builds the documentation.
if Context.environment["KEYBACKUP_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
}
