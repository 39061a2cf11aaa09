import SecretMemory
import Testing

@testable import ForeignBackups

struct SealVaultKeysTests {
  private let known = SealVaultVector.known

  @Test(arguments: 0..<2)
  func `Keys equal the known ones`(_ number: Int) throws {
    let one = known.cases[number]
    let keys = try SealVaultKeys(
      password: known.password(), secret: known.kdfSecret, nonce: known.kdfNonce,
      cost: Argon2Library.Cost(memoryKiB: one.mKib, passes: one.t))
    #expect(Hex.string(plain(keys.database)) == one.dbBk)
    #expect(Hex.string(plain(keys.dataKey)) == one.skBk)
  }

  @Test func `What SealVault uses is the costly case`() throws {
    let keys = try SealVaultKeys(
      password: known.password(), secret: known.kdfSecret, nonce: known.kdfNonce)
    #expect(Hex.string(plain(keys.database)) == known.cases[0].dbBk)
  }

  @Test func `The data key is unwrapped, and not when a byte is changed`() throws {
    let keys = try SealVaultKeys(
      password: known.password(), secret: known.kdfSecret, nonce: known.kdfNonce)
    let wrapped = bytes(known.skDekWrappedBySkBk.storedNonceCtTag)
    #expect(Hex.string(plain(try keys.unwrap(wrapped))) == known.skDekWrappedBySkBk.skDek)
    let failed = ForeignBackupError.damaged(part: "the data key inside the database")
    for place in wrapped.indices {
      var changed = wrapped
      changed[place] ^= 1
      #expect(throws: failed) { try keys.unwrap(changed).count }
    }
    #expect(throws: failed) { try keys.unwrap(Array(wrapped.dropLast())).count }
    #expect(throws: failed) { try keys.unwrap(wrapped + [0]).count }
  }

  @Test(arguments: [0, 31, 33])
  func `A KDF secret of another size is refused`(_ count: Int) throws {
    #expect(throws: ForeignBackupError.self) {
      _ = try SealVaultKeys(
        password: known.password(), secret: SecretBytes(zeroed: count), nonce: known.kdfNonce)
    }
  }

  @Test func `Passwords are read as SealVault reads them`() throws {
    for typed in known.passwordParsing {
      let input = secret(Array(typed.in.utf8))
      guard let out = typed.out else {
        #expect(throws: ForeignBackupError.self) { _ = try SealVaultPassword(parsing: input) }
        continue
      }
      let password = try SealVaultPassword(parsing: input)
      #expect(plain(password.letters) == Array(out.utf8))
    }
  }

  @Test func `A new password is shown in four groups and read again`() throws {
    let password = SealVaultPassword.generate()
    let shown = String(decoding: plain(password.display), as: UTF8.self)
    #expect(shown.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}/) != nil)
    let again = try SealVaultPassword(parsing: password.display)
    #expect(plain(again.letters) == plain(password.letters))
    #expect(plain(SealVaultPassword.generate().letters) != plain(password.letters))
  }

  @Test func `Only too little memory is called so`() {
    #expect(
      throws: ForeignBackupError.unusable(
        part: "libargon2", reason: "it refuses what the key is derived from")
    ) {
      try Argon2Library.deriveKey(
        password: secret([1]), secret: secret([2]), salt: [1, 2, 3, 4],
        cost: Argon2Library.Cost(memoryKiB: 64, passes: 1)
      ).count
    }
  }

  @Test func `A library that is missing is none`() {
    #expect(ZipLibrary.open("libzip-of-nobody.so.0") == nil)
    #expect(Argon2Library.open("libargon2-of-nobody.so.0") == nil)
    #expect(SQLiteDatabase.open("libsqlite3-of-nobody.so.0") == nil)
    // It is there, and lacks the functions.
    #expect(ZipLibrary.open("libc.so.6") == nil)
  }
}
