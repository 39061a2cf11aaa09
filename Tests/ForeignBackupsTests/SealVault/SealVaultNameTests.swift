import Testing

@testable import ForeignBackups

struct SealVaultNameTests {
  static let text =
    "sealvault_backup_v1_ios_1672054688_B92B17B9-24A0-48FC-9709-281B15639BD8_7.zip"

  @Test func `A name is read and written`() throws {
    let name = try #require(SealVaultName(Self.text))
    #expect(name.scheme == "v1" && name.operatingSystem == "ios" && name.version == 7)
    #expect(name.timestamp == 1_672_054_688)
    #expect(name.deviceID == "B92B17B9-24A0-48FC-9709-281B15639BD8")
    #expect(name.text == Self.text)
  }

  @Test(arguments: [
    "sealvault_backup_v1_ios_1_A_7.zip.icloud", ".sealvault_backup_v1_ios_1_A_7.zip",
    "sealvault_backup_v1_ios_1_A_7 (1).zip", "sealvault_backup_v1_ios_1_A_07.zip",
    "sealvault_backup_v1_ios_+1_A_7.zip", "sealvault_backup_v1_ios_1_A_B_7.zip",
    "sealvault_backup_v1_ios_1_Ä_7.zip", "sealvault_backup_v1_ios_1__7.zip",
    "sealvault_backup_v1_ios_99999999999999999999_A_7.zip", "sealvault_backup_v1_ios_1_A_-7.zip",
    "sealvault_backup_v1_ios_1_../x_7.zip",
  ])
  func `Other names are not read`(_ name: String) { #expect(SealVaultName(name) == nil) }

  @Test func `The newest comes first as SealVault sorts them`() throws {
    let names = try ["5_A_1", "5_A_2", "5_B_2", "4_Z_9"].map {
      try #require(SealVaultName("sealvault_backup_v1_ios_\($0).zip"))
    }
    let sorted = names.sorted { $0.isNewer(than: $1) }
    #expect(sorted.map(\.deviceID) == ["B", "A", "A", "Z"])
    #expect(sorted.map(\.version) == [2, 2, 1, 9])
  }
}
