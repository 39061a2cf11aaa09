// This folder is for the meaning of a CSPP entry as a wallet: descriptors, labels, fingerprint,
// spending secret. Callers pass an open entry. Its sealing and its location are not known here.

public import CSPP
public import SecretMemory

/// A wallet's descriptors in the form that Bitcoin Core accepts.
public struct WalletDescriptors: Sendable {
  /// The half of the keys: for watching or spending.
  public var half = ExtendedKey.Expectation.publicKey
  /// The account, for a wallet whose master key is known.
  public var account: UInt32 = 0
  /// The time in Unix seconds from which the chain is searched; 0 for all of it.
  public var timestamp: UInt64 = 0

  /// Selects watch-only descriptors of account 0.
  public init() {}

  /// The JSON for `importdescriptors`.
  ///
  /// - A wallet whose master key is known has the descriptors of BIP-44, -49, -84 and -86.
  /// - An account's key has those that its metadata or version bytes name, or else all four.
  /// - Any other wallet has its own descriptors.
  ///
  /// - Parameters:
  ///   - entry: the wallet.
  ///   - plaintext: its bytes.
  ///   - passphrase: BIP-39's, for a mnemonic; empty for none.
  /// - Returns: the text.
  /// - Throws: ``WalletFormatError``: `noDescriptors`, `onlyPrivateDescriptors`, `noPrivateKeys`,
  ///   `networkUnknown`, `fingerprintDiffers` where words and passphrase are not those of the
  ///   wallet, and errors about the keys.
  public func json(
    of entry: WalletEntry, in plaintext: borrowing SecretBytes, passphrase: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    guard let network = entry.network.flatMap(WalletNetwork.init(csppName:))?.keyNetwork else {
      throw .networkUnknown
    }
    var list = DescriptorListWriter()
    switch entry.secretKind {
    case .mnemonic:
      let master = try Mnemonic(checking: entry.secretText(in: plaintext))
        .masterKey(passphrase: passphrase)
      let computed = try master.fingerprint()
      if let stated = entry.statedFingerprint, stated != computed {
        throw .fingerprintDiffers(stated: stated, computed: computed)
      }
      try append(accountsOf: master, network, to: &list)
    case .xprv:
      let key = try ExtendedKey(
        checking: entry.secretText(in: plaintext), expecting: .privateKey)
      let parsed = try ExtendedPrivateKey(key)
      if key.depth == 0 {
        try append(accountsOf: parsed, network, to: &list)
      } else {
        try append(
          account: parsed.text(half, network: network), key, entry, in: plaintext, to: &list)
      }
    case .descriptor:
      let descriptor = try Descriptor(checking: entry.secretText(in: plaintext))
      switch (half, descriptor.containsPrivateKey) {
      case (.publicKey, true): throw .onlyPrivateDescriptors
      case (.privateKey, false): throw .noPrivateKeys
      default: try list.append(descriptor.text, timestamp: timestamp)
      }
    case .watchOnly, .tapSignerBackup:
      if half == .privateKey { throw .noPrivateKeys }
      try append(watchOnly: entry, in: plaintext, to: &list)
    }
    return list.finish()
  }

  private func append(
    accountsOf master: borrowing ExtendedPrivateKey, _ network: KeyNetwork,
    to list: inout DescriptorListWriter
  ) throws(WalletFormatError) {
    for type in AddressType.allCases {
      let key = try AccountKey(of: master, type, account: account, network: network, half)
      try append(key, type, to: &list)
    }
  }

  private func append(
    _ key: borrowing AccountKey, _ type: AddressType, to list: inout DescriptorListWriter
  ) throws(WalletFormatError) {
    for chain in AccountKey.Chain.allCases {
      try list.append(
        key.descriptor(type, chain), isInternal: chain == .internal, timestamp: timestamp)
    }
  }

  /// Appends the addresses of an account's key, as far as their type is known.
  private func append(
    account text: consuming SecretBytes, _ key: borrowing ExtendedKey, _ entry: WalletEntry,
    in plaintext: borrowing SecretBytes, to list: inout DescriptorListWriter
  ) throws(WalletFormatError) {
    let metadata = WalletMetadata(entry, in: plaintext)
    var origin: AccountKey.Origin?
    if let path = metadata.derivationPath, let fingerprint = metadata.fingerprint,
      path.steps.count == key.depth, path.steps.last == key.childNumber
    {
      origin = AccountKey.Origin(fingerprint: fingerprint, path: path)
    }
    let named = AddressType.allCases.first { type in
      metadata.derivationPath?.steps.first == type.purpose | 0x8000_0000
    }
    let account = AccountKey(text, origin: origin)
    let type = AddressType(key.form) ?? metadata.addressType ?? named
    for type in type.map({ [$0] }) ?? AddressType.allCases {
      try append(account, type, to: &list)
    }
  }

  private func append(
    watchOnly entry: WalletEntry, in plaintext: borrowing SecretBytes,
    to list: inout DescriptorListWriter
  ) throws(WalletFormatError) {
    if let external = entry.externalDescriptor(in: plaintext),
      let change = entry.internalDescriptor(in: plaintext)
    {
      if try Descriptor(checking: external).containsPrivateKey {
        throw .onlyPrivateDescriptors
      }
      if try Descriptor(checking: change).containsPrivateKey { throw .onlyPrivateDescriptors }
      try list.append(external, timestamp: timestamp)
      try list.append(change, isInternal: true, timestamp: timestamp)
      return
    }
    guard let xpub = entry.xpub(in: plaintext) else { throw .noDescriptors }
    let key = try ExtendedKey(checking: xpub, expecting: .publicKey)
    try append(account: key.plainText(), key, entry, in: plaintext, to: &list)
  }
}
