// swift-tools-version: 6.2
import PackageDescription

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

/// The same for what the tests run again and again.
///
/// `make test` has it optimised in the debug build too, with every check left in.
let optimised: [SwiftSetting] =
  Context.environment["KEYBACKUP_OPTIMISED"] == nil
  ? strict
  : strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// The commands, which are most of the program and none of its work: small before fast
/// (docs/decisions/0034-quick-start.md).
let small = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// The Swift runtime as an archive, in the debug build too: a program starts quicker with it
/// (docs/decisions/0056-what-the-tests-build.md).
///
/// Tests do not name such a program as a dependency, or this would hold for them too. Whoever builds
/// tests builds every program.
let selfContained: LinkerSetting = .unsafeFlags(
  ["-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims"],
  .when(configuration: .debug))

let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// A program that the dynamic loader has little to do with (docs/decisions/0034): few symbols
/// to be found, relocations in a table of bits, nothing for others to find in the program, and
/// the C++ runtime as an archive, where scripts/release-build has put it.
let quickStart: LinkerSetting = .unsafeFlags(
  [
    "-use-ld=lld", "-Xclang-linker", "-static-libgcc",
    "-L\(Context.packageDirectory)/.build/static", "-Xlinker", "--no-export-dynamic",
    "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
  ], .when(configuration: .release))

let package = Package(
  name: "keybackup",
  products: [
    .executable(name: "keybackup", targets: ["KeyBackupTool"]),
    // What `keybackup foreign`, `nostr` and `guard` run in their place.
    .executable(name: "keybackup-foreign", targets: ["ForeignTool"]),
    .executable(name: "keybackup-nostr", targets: ["NostrTool"]),
    .executable(name: "keybackup-guard-commands", targets: ["GuardCommandsTool"]),
    // The parts, for other programs (docs/libraries.md); Examples/ and Benchmarks/ are such.
    .library(name: "SecretMemory", targets: ["SecretMemory"]),
    .library(name: "PRFDevice", targets: ["PRFDevice"]),
    .library(name: "CSPP", targets: ["CSPP"]),
    .library(name: "BackupFolder", targets: ["BackupFolder"]),
    .library(name: "WalletFormats", targets: ["WalletFormats"]),
    // The simulated security key, for tests of other programs. Nothing of `keybackup` knows it.
    .executable(name: "virtual-key", targets: ["virtual-key"]),
    .library(name: "VirtualKey", targets: ["VirtualKey"]),
    // For Guards/ alone, the package of the guards' server and client.
    .library(name: "CLinux", targets: ["CLinux"]),
    .library(name: "CommandSupport", targets: ["CommandSupport"]),
    .library(name: "GuardProtocol", targets: ["GuardProtocol"]),
    .library(name: "HelpPages", targets: ["HelpPages"]),
    .library(name: "RistrettoVOPRF", targets: ["RistrettoVOPRF"]),
    .executable(name: "crash-at", targets: ["crash-at"]),
    .library(name: "GuardTestSupport", targets: ["GuardTestSupport"]),
    .library(name: "TestSupport", targets: ["TestSupport"]),
  ],
  dependencies: [
    // Exact: what is built does not change by itself (CONTRIBUTING.md, Swift packages).
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    // System modules: a module map and a shim.h, no Swift. Only COpenSSL's map names its
    // library: so libcrypto comes first, where the loader finds its 3,600 own symbols soonest.
    .systemLibrary(name: "CFido2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .systemLibrary(name: "CPCSC", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
    .systemLibrary(
      name: "CSecp256k1", pkgConfig: "libsecp256k1", providers: [.apt(["libsecp256k1-dev"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    // Its functions are looked up when they are used: nothing is linked.
    .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CZip", providers: [.apt(["libzip-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CArchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CCBOR", providers: [.apt(["libcbor-dev"])]),
    .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),

    // The one part in C: a forked process may make system calls and nothing else.
    .target(name: "CReadingProcess"),

    // The product.
    .target(
      name: "SecretMemory", dependencies: ["COpenSSL", "CSodium", "CLinux"],
      swiftSettings: optimised),
    .target(
      name: "PRFDevice", dependencies: ["CFido2", "CPCSC", "CUdev", "CLinux", "SecretMemory"],
      swiftSettings: strict),
    .target(name: "CSPP", dependencies: ["SecretMemory"], swiftSettings: optimised),
    .target(
      name: "BackupFolder", dependencies: ["CSPP", "SecretMemory", "CLinux", "CReadingProcess"],
      swiftSettings: optimised),
    // The meaning of a folder: pure, from the operations to what is live.
    .target(name: "LogState", dependencies: ["CSPP", "SecretMemory"], swiftSettings: optimised),
    // A backup on these rules: its operations, one commit.
    .target(
      name: "Repository", dependencies: ["CSPP", "LogState", "SecretMemory"],
      swiftSettings: optimised),
    // What both commands have: their version, their service manager, and safe words for a shell.
    .target(name: "CommandSupport", swiftSettings: strict),
    // Where this computer may keep a secret for a while.
    .target(
      name: "SecretStores", dependencies: ["SecretMemory", "CLinux", "CSystemd"],
      swiftSettings: strict),
    .target(
      name: "BlindedCurve", dependencies: ["CSecp256k1", "SecretMemory"], swiftSettings: strict),
    .target(
      name: "WalletFormats",
      dependencies: ["BlindedCurve", "COpenSSL", "CSecp256k1", "CZstd", "CSPP", "SecretMemory"],
      swiftSettings: strict),
    .target(
      name: "Nostr", dependencies: ["BlindedCurve", "CSecp256k1", "CSPP", "SecretMemory"],
      swiftSettings: strict),
    // What SealVault, World App and Celo's encrypted backup wrote. The core does not know it.
    .target(
      name: "ForeignBackups",
      dependencies: [
        "BlindedCurve", "CArchive", "CArgon2", "CCBOR", "COpenSSL", "CSPP", "CSQLite",
        "CSecp256k1", "CZip", "CZlib", "SecretMemory",
      ],
      swiftSettings: strict),
    // Guards: a PIN or a login as a way in. Pure: no files, no clock, no network. Their server, and the
    // program that asks servers, are the package Guards/: `keybackup` starts the second as a child.
    .target(
      name: "RistrettoVOPRF", dependencies: ["CSodium", "SecretMemory"], swiftSettings: optimised),
    .target(
      name: "GuardProtocol", dependencies: ["CSPP", "RistrettoVOPRF", "SecretMemory"],
      swiftSettings: optimised),
    // What --help says; `make man` asks for it.
    .target(name: "HelpPages", swiftSettings: strict),
    // The command, by its parts. Each knows those above it alone.
    // What every command has: options, settings, messages, the terminal. No backup is opened here.
    .target(
      name: "CommandKit",
      dependencies: [
        "BackupFolder", "CommandSupport", "CSPP", "HelpPages", "PRFDevice", "SecretMemory",
        "WalletFormats", "CLinux", "CQREncode", arguments,
      ],
      swiftSettings: small),
    // Where synchronised folders are, and what their programs say.
    .target(
      name: "SyncFolders",
      dependencies: ["BackupFolder", "CommandKit", "CommandSupport", "CSPP", "CLinux", arguments],
      swiftSettings: small),
    // The conversation with a security key and its owner.
    .target(
      name: "SecurityKeys",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "CSPP", "PRFDevice", "SecretMemory",
        arguments,
      ],
      swiftSettings: small),
    // From a folder to an opened backup: key sources, recovery codes, guards.
    .target(
      name: "Unlocking",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "CSPP", "GuardProtocol", "PRFDevice",
        "RistrettoVOPRF", "SecretMemory", "SecretStores", "SecurityKeys", "SyncFolders", arguments,
      ],
      swiftSettings: small),
    .target(
      name: "FileCommands",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "CSPP", "PRFDevice", "SecretMemory",
        "SecurityKeys", "SyncFolders", "Unlocking", "CLinux", arguments,
      ],
      swiftSettings: small),
    .target(
      name: "WalletCommands",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "CSPP", "FileCommands", "SecretMemory",
        "SyncFolders", "Unlocking", "WalletFormats", arguments,
      ],
      swiftSettings: small),
    // init, restore, status, key, recovery-kit, rotate and what else is about the whole.
    .target(
      name: "BackupCommands",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "CSPP", "FileCommands", "PRFDevice",
        "SecretMemory", "SecretStores", "SecurityKeys", "SyncFolders", "Unlocking",
        "WalletCommands", "WalletFormats", "CLinux", arguments,
      ],
      swiftSettings: small),
    .target(
      name: "GuardCommands",
      dependencies: [
        "BackupCommands", "BackupFolder", "CommandKit", "CSPP", "GuardProtocol",
        "SecretMemory", "SecurityKeys", "SyncFolders", "Unlocking", arguments,
      ],
      swiftSettings: small),
    .target(
      name: "ForeignCommands",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "CSPP", "FileCommands", "ForeignBackups",
        "PRFDevice", "SecretMemory", "SecretStores", "SecurityKeys", "SyncFolders", "Unlocking",
        "WalletCommands", "WalletFormats", arguments,
      ],
      swiftSettings: small),
    .target(
      name: "NostrCommands",
      dependencies: [
        "BackupFolder", "CommandKit", "CommandSupport", "Nostr", "PRFDevice",
        "SecretMemory", "SecurityKeys", "SyncFolders", "Unlocking", arguments,
      ],
      swiftSettings: small),
    // The list of commands, and the programs. Those of `foreign`, `nostr` and `guard` are found and
    // started when they are wanted: `keybackup` does not link their commands.
    .target(
      name: "CommandTree",
      dependencies: [
        "BackupCommands", "CommandKit", "CommandSupport", "FileCommands", "SecurityKeys",
        "WalletCommands", arguments,
      ],
      swiftSettings: small),
    .executableTarget(
      name: "KeyBackupTool",
      dependencies: ["BackupCommands", "CommandKit", "CommandTree", "Unlocking"],
      swiftSettings: small, linkerSettings: [quickStart]),
    .executableTarget(
      name: "ForeignTool",
      dependencies: ["CommandKit", "CommandSupport", "ForeignCommands", "Unlocking", arguments],
      swiftSettings: small, linkerSettings: [quickStart]),
    .executableTarget(
      name: "NostrTool",
      dependencies: ["CommandKit", "CommandSupport", "NostrCommands", "Unlocking", arguments],
      swiftSettings: small, linkerSettings: [quickStart]),
    .executableTarget(
      name: "GuardCommandsTool",
      dependencies: ["CommandKit", "CommandSupport", "GuardCommands", "Unlocking", arguments],
      swiftSettings: small, linkerSettings: [quickStart]),
    // All commands in one program, for the manual pages, the completions and tests; not installed.
    .executableTarget(
      name: "all-commands",
      dependencies: [
        "CommandKit", "CommandTree", "ForeignCommands", "GuardCommands", "NostrCommands",
        "Unlocking", arguments,
      ],
      path: "Sources/AllCommands", swiftSettings: strict),

    // The simulated security key and the tests. Nothing above knows of these.
    .systemLibrary(
      name: "CUmockdev", path: "Tests/CUmockdev", pkgConfig: "umockdev-1.0",
      providers: [.apt(["libumockdev-dev"])]),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    // A file system that fails, for tests of the backup folder; C, on libfuse3.
    .executableTarget(
      name: "failing-fs", path: "Tests/FailingFileSystem",
      linkerSettings: [.linkedLibrary("fuse3")]),
    // Kills a program at its Nth system call, or lets that one fail; C.
    .executableTarget(name: "crash-at", path: "Tests/CrashAt"),
    .executableTarget(
      name: "folder-probe", dependencies: ["BackupFolder", "CSPP", "SecretMemory"],
      path: "Tests/FolderProbe", swiftSettings: strict),
    .target(
      name: "OpenSSLCrypto", dependencies: ["COpenSSL"], path: "Tests/OpenSSLCrypto",
      swiftSettings: optimised),
    .target(
      name: "VirtualKey", dependencies: ["OpenSSLCrypto"], path: "Tests/VirtualKey",
      swiftSettings: optimised),
    .executableTarget(
      name: "virtual-key", dependencies: ["VirtualKey", "CPCSC", "CUmockdev", arguments],
      path: "Tests/VirtualKeyTool", swiftSettings: strict, linkerSettings: [selfContained]),
    .testTarget(
      name: "VirtualKeyTests", dependencies: ["VirtualKey", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SecretMemoryTests", dependencies: ["SecretMemory", "TestSupport", "OpenSSLCrypto"],
      swiftSettings: strict),
    .executableTarget(
      name: "device-probe", dependencies: ["PRFDevice", "SecretMemory"],
      path: "Tests/DeviceProbe", swiftSettings: strict),
    // The same behaviours of the device layer on every way to a key.
    .target(
      name: "DeviceSuite",
      dependencies: ["PRFDevice", "SecretMemory", "TestSupport", "VirtualKey"],
      path: "Tests/DeviceSuite", swiftSettings: strict),
    .executableTarget(
      name: "device-suite",
      dependencies: ["DeviceSuite", "PRFDevice", "SecretMemory", arguments],
      path: "Tests/DeviceSuiteTool", swiftSettings: strict),
    .testTarget(
      name: "DeviceSuiteTests", dependencies: ["DeviceSuite", "device-suite"],
      swiftSettings: strict),
    .testTarget(
      name: "VMTests",
      dependencies: ["DeviceSuite", "device-suite", "KeyBackupTool"],
      swiftSettings: strict),
    .testTarget(
      name: "PRFDeviceTests",
      dependencies: [
        "PRFDevice", "SecretMemory", "VirtualKey", "CFido2", "device-probe",
        "client-fuzz",
        "DeviceSuite", "TestSupport",
      ],
      swiftSettings: strict),
    // Fuzzing: `make fuzz` builds client-fuzz with libFuzzer and the sanitizers.
    .target(name: "CFuzzCounters", path: "Tests/CFuzzCounters"),
    .target(name: "FuzzSupport", path: "Tests/FuzzSupport", swiftSettings: strict),
    .target(
      name: "ClientFuzz",
      dependencies: ["CFido2", "CFuzzCounters", "PRFDevice", "SecretMemory", "VirtualKey"],
      path: "Tests/ClientFuzz", swiftSettings: strict),
    .executableTarget(
      name: "client-fuzz", dependencies: ["ClientFuzz", "FuzzSupport", "SecretMemory"],
      path: "Tests/ClientFuzzTool", swiftSettings: strict),
    // `make fuzz-formats`: the decoders of what lies in a backup folder.
    .target(name: "CPlainMemory", path: "Tests/CPlainMemory"),
    .executableTarget(
      name: "format-fuzz",
      dependencies: [
        "BackupFolder", "CSPP", "ForeignBackups", "FuzzSupport", "GuardProtocol", "SecretMemory",
        "WalletFormats", "CPlainMemory",
      ],
      path: "Tests/FormatFuzz", swiftSettings: strict),
    .testTarget(
      name: "CSPPTests", dependencies: ["CSPP", "SecretMemory", "TestSupport", "OpenSSLCrypto"],
      swiftSettings: strict),
    // Random histories of computers that share a folder, with the real code.
    .target(name: "CFileChanges", path: "Tests/CFileChanges"),
    .target(
      name: "FolderModel",
      dependencies: ["BackupFolder", "CSPP", "SecretMemory", "CFileChanges", "TestSupport"],
      path: "Tests/FolderModel", swiftSettings: optimised),
    .target(
      name: "HistoryOptions", dependencies: ["TestSupport", arguments],
      path: "Tests/HistoryOptions", swiftSettings: strict),
    .executableTarget(
      name: "folder-model", dependencies: ["FolderModel", "HistoryOptions", arguments],
      path: "Tests/FolderModelTool", swiftSettings: strict),
    // Compares LogState with the rules in Python (Tests/fold/compare.py).
    .executableTarget(
      name: "log-state-check", dependencies: ["CSPP", "LogState"], path: "Tests/LogStateCheck",
      swiftSettings: optimised),
    .testTarget(
      name: "RepositoryTests", dependencies: ["CSPP", "LogState", "Repository", "SecretMemory"],
      swiftSettings: strict),
    .testTarget(
      name: "LogStateTests", dependencies: ["CSPP", "LogState", "TestSupport"],
      swiftSettings: strict),
    // Files and silent writers: the rules of reading them, in memory, without the product's code.
    .target(
      name: "SilentWriterModel", dependencies: ["TestSupport"], path: "Tests/SilentWriterModel",
      swiftSettings: strict),
    .executableTarget(
      name: "silent-writer-model",
      dependencies: ["SilentWriterModel", "HistoryOptions", arguments],
      path: "Tests/SilentWriterModelTool", swiftSettings: strict),
    .testTarget(
      name: "SilentWriterModelTests", dependencies: ["SilentWriterModel", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "BackupFolderTests",
      dependencies: [
        "BackupFolder", "CSPP", "SecretMemory", "TestSupport", "failing-fs", "FolderModel",
        "crash-at", "folder-probe", "CFileChanges", "CLinux",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SecretStoresTests", dependencies: ["SecretStores", "SecretMemory", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "WalletFormatsTests",
      dependencies: ["WalletFormats", "SecretMemory", "TestSupport", "format-fuzz"],
      swiftSettings: strict),
    .testTarget(
      name: "ForeignBackupsTests",
      dependencies: ["COpenSSL", "ForeignBackups", "SecretMemory", "TestSupport"],
      swiftSettings: strict),
    .target(
      name: "GuardTestSupport", dependencies: ["SecretMemory", "TestSupport"],
      path: "Tests/GuardTestSupport", swiftSettings: strict),
    .testTarget(
      name: "RistrettoVOPRFTests",
      dependencies: ["RistrettoVOPRF", "SecretMemory", "GuardTestSupport", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "GuardProtocolTests",
      dependencies: [
        "GuardProtocol", "CSPP", "RistrettoVOPRF", "SecretMemory", "GuardTestSupport",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NostrTests", dependencies: ["Nostr", "SecretMemory", "TestSupport", "OpenSSLCrypto"],
      swiftSettings: strict),
    .testTarget(
      name: "KeyBackupToolTests",
      dependencies: [
        "CommandTree",
        "BackupCommands", "CommandKit", "CommandSupport", "FileCommands",
        "ForeignCommands", "GuardCommands", "HelpPages", "NostrCommands", "SecurityKeys",
        "SyncFolders", "Unlocking", "WalletCommands", "all-commands", "device-suite",
        "SecretMemory",
        "CSPP", "BackupFolder", "GuardProtocol", "PRFDevice", "SecretStores", "TestSupport",
        "failing-fs", "crash-at", "DeviceSuite", "VirtualKey",
      ],
      swiftSettings: strict),
  ]
)
