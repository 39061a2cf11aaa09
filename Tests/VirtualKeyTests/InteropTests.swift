import FoundationEssentials
import Testing

/// Shows that the simulated key is worth testing against.
///
/// Programs that were never written for it agree with it and with each other. The cases are in
/// Tests/interop/agree.py.
@Suite struct InteropTests {
  @Test(arguments: [1, 2], [(1, false), (1, true), (2, false), (2, true)])
  func `FIDO tools and python agree`(protocolNumber: Int, variant: (salts: Int, pin: Bool)) throws {
    for discoverable in [false, true] {
      var arguments = [
        Repository.path("Tests/interop/agree.py"), "--virtual-key", Repository.virtualKey,
        "--protocol", "\(protocolNumber)", "--salts", "\(variant.salts)",
      ]
      if variant.pin { arguments.append("--with-pin") }
      if discoverable { arguments.append("--discoverable") }
      let result = try Program.run(try Repository.python(), arguments)
      #expect(result.status == 0, "\(result.output)")
      #expect(result.output.hasSuffix("agree\n"))
    }
  }

  /// Sets, changes and locks a PIN, resets the key, and lists and deletes credentials, all with
  /// fido2-token.
  ///
  /// See Tests/interop/manage.py.
  @Test(arguments: [1, 2])
  func `Debian's fido2-token manages the key`(protocolNumber: Int) throws {
    let result = try Program.run(
      try Repository.python(),
      [
        Repository.path("Tests/interop/manage.py"), "--virtual-key", Repository.virtualKey,
        "--protocol", "\(protocolNumber)",
      ])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.hasSuffix("managed\n"))
  }
}
