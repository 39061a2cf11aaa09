import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

/// Compares random wallets with the Bitcoin Development Kit's: a second opinion that shares no
/// code.
@Suite struct BDKTests {
  @Test func `Random wallets have bdk's descriptors and fingerprints`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let process = Process()
    process.executableURL = root.appending(path: ".build-python/bin/python")
    process.arguments = ["-B", root.appending(path: "Tests/interop/bdk.py").path]
    var lines = Data()
    for number in 0..<200 { lines.append(try wallet(number) + Data([10])) }
    let file = FileManager.default.temporaryDirectory.appending(path: "bdk-\(UUID())")
    try lines.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: printed, as: UTF8.self) == "200\n")
  }

  private struct Wallet: Encodable {
    let mnemonic, passphrase, network, type, fingerprint: String
    let account: UInt32
    let descriptors, `private`: [String]
  }

  private func wallet(_ number: Int) throws -> Data {
    var generator = SeededGenerator(seed: TestSeed.value &+ UInt64(number))
    let entropy = generator.bytes(number % 2 == 0 ? 16 : 32)
    let mnemonic = try SeedQR.mnemonic(from: unsafe SecretBytes(copying: entropy.span.bytes))
    let passphrase = number % 3 == 0 ? "passphrase \(number)!" : ""
    let network: KeyNetwork = number % 5 == 0 ? .testnet : .mainnet
    let type = AddressType.allCases[number % 4]
    let account = number % 7 == 0 ? UInt32(number) : 0
    let master = try mnemonic.masterKey(passphrase: secret(passphrase))
    let watching = try AccountKey(of: master, type, account: account, network: network, .publicKey)
    let spending = try AccountKey(of: master, type, account: account, network: network, .privateKey)
    return try JSONEncoder().encode(
      Wallet(
        mnemonic: text(mnemonic.phrase), passphrase: passphrase,
        network: network == .mainnet ? "mainnet" : "testnet", type: type.rawValue,
        fingerprint: master.fingerprint().description, account: account,
        descriptors: [
          text(watching.descriptor(type, .external)), text(watching.descriptor(type, .internal)),
        ],
        private: [
          text(spending.descriptor(type, .external)), text(spending.descriptor(type, .internal)),
        ]))
  }
}
