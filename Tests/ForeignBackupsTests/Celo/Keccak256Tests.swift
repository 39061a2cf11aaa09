import COpenSSL
import SecretMemory
import Testing

@testable import ForeignBackups

struct Keccak256Tests {
  /// ShortMsgKAT_256.txt of the Keccak team, and messages around the size of a block, which
  /// pycryptodome hashes so.
  @Test(
    arguments: [
      ([], "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
      ([0xCC], "eead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a"),
      ([0x41, 0xFB], "a8eaceda4d47b3281a795ad9e1ea2122b407baf9aabcb9e18b5717b7873537d2"),
      (Array("abc".utf8), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
      (a(135), "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446"),
      (a(136), "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e"),
      (a(137), "d869f639c7046b4929fc92a4d988a8b22c55fbadb802c0c66ebcd484f1915f39"),
      (a(1000), "b6a4ac1f51884d71f30fa397a5e155de3099e11fc0edef5d08b646e621e19de9"),
    ] as [([UInt8], String)])
  func `Official answers come out`(message: [UInt8], digest: String) {
    #expect(Hex.string(Keccak256.hash(message)) == digest)
  }

  @Test func `With the padding of SHA3-256 it agrees with OpenSSL at every length up to 3 blocks`()
  {
    for size in 0...408 {
      let message = Randomness.bytes(count: size)
      var digest = [UInt8](repeating: 0, count: 64)
      var written = 0
      let isDone = unsafe EVP_Q_digest(
        nil, "SHA3-256", nil, message, size, &digest, &written)
      #expect(isDone == 1 && written == 32)
      #expect(Keccak256.hash(message, padding: 0x06) == Array(digest.prefix(32)))
    }
  }

  private static func a(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: count) }
}

struct EthereumAddressTests {
  /// The examples of EIP-55.
  @Test(arguments: [
    "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ])
  func `Capitals are EIP-55's`(text: String) throws {
    #expect(EthereumAddress(text)?.text == text)
    let lower = try #require(EthereumAddress(text.lowercased()))
    #expect(lower.text == text && lower == EthereumAddress(text))
  }

  @Test(arguments: [
    "", "0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeda",
    "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg",
  ])
  func `Anything else is no address`(text: String) {
    #expect(EthereumAddress(text) == nil)
  }
}
