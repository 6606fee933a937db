import Cryptography
import Foundation
import TestSupport
import Testing

@Suite struct SignatureTests {
  /// The key and signature of RFC 6979, A.2.5 (P-256, SHA-256, message "sample"), as
  /// SubjectPublicKeyInfo and DER.
  private static let publishedKey = bytes(
    "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
      + "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
      + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
  private static let publishedSignature = bytes(
    "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
      + "022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")

  @Test func `A published signature verifies`() throws {
    let key = try SignaturePublicKey(encoded: Self.publishedKey)
    #expect(key.encoded == Self.publishedKey)
    #expect(key.verifies(Self.publishedSignature, of: Array("sample".utf8)))
    #expect(!key.verifies(Self.publishedSignature, of: Array("test".utf8)))
  }

  @Test func `A signature verifies its message and fails after any changed bit`() throws {
    var generator = SeededGenerator.forTest()
    let signer = SignaturePrivateKey()
    let key = try SignaturePublicKey(pem: signer.publicPEM)
    let message = Array("2026-01-01T00:00:00Z:hash:/database/1/path".utf8)
    let signature = signer.sign(message)
    #expect(key.verifies(signature, of: message))
    for _ in 0..<60 {
      var (otherMessage, otherSignature) = (message, signature)
      otherMessage[Int.random(in: message.indices, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
      otherSignature[Int.random(in: signature.indices, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
      #expect(!key.verifies(signature, of: otherMessage), "\(generator)")
      #expect(!key.verifies(otherSignature, of: message), "\(generator)")
    }
  }

  @Test func `A signature belongs to one key`() throws {
    let message = Array("message".utf8)
    let other = try SignaturePublicKey(pem: SignaturePrivateKey().publicPEM)
    #expect(!other.verifies(SignaturePrivateKey().sign(message), of: message))
  }

  @Test func `Invalid DER is not a signature`() throws {
    let signer = SignaturePrivateKey()
    let key = try SignaturePublicKey(pem: signer.publicPEM)
    let signature = signer.sign([1])
    #expect(!key.verifies([], of: [1]))
    #expect(!key.verifies(signature + [0], of: [1]))
    #expect(!key.verifies(Array(signature.dropLast()), of: [1]))
    #expect(!key.verifies(Array(repeating: 0, count: 64), of: [1]))
    #expect(!key.verifies([0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00], of: [1]))
  }

  @Test func `A key is read back from its texts`() throws {
    let signer = SignaturePrivateKey()
    let again = try #require(SignaturePrivateKey(pem: signer.pem))
    #expect(again.publicPEM == signer.publicPEM)
    let key = try SignaturePublicKey(pem: signer.publicPEM)
    #expect(try SignaturePublicKey(encoded: key.encoded).verifies(again.sign([7]), of: [7]))
    #expect(SignaturePrivateKey(pem: signer.publicPEM) == nil)
    #expect(SignaturePrivateKey(pem: "") == nil)
  }

  @Test func `An invalid public key is refused with a reason`() throws {
    #expect(throws: SignaturePublicKey.DecodingError.isPrivate) {
      try SignaturePublicKey(pem: SignaturePrivateKey().pem)
    }
    for text in ["", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
      #expect(throws: SignaturePublicKey.DecodingError.unreadable, "\(text)") {
        try SignaturePublicKey(pem: text)
      }
    }
    let good = Self.publishedKey
    #expect(throws: SignaturePublicKey.DecodingError.unreadable) {
      try SignaturePublicKey(encoded: [])
    }
    #expect(throws: SignaturePublicKey.DecodingError.unreadable) {
      try SignaturePublicKey(encoded: good + [0])
    }
    #expect(throws: SignaturePublicKey.DecodingError.unreadable) {
      try SignaturePublicKey(encoded: Array(good.dropLast()))
    }
    var offCurve = good
    offCurve[good.count - 1] ^= 1
    #expect(throws: SignaturePublicKey.DecodingError.unreadable) {
      try SignaturePublicKey(encoded: offCurve)
    }
  }

  @Test func `A key of another algorithm is refused`() {
    // The Ed25519 key of RFC 8410.
    let body = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
    #expect(throws: SignaturePublicKey.DecodingError.otherCurve) {
      try SignaturePublicKey(pem: "-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n")
    }
  }

  // MARK: Interoperability with the openssl tool

  private static let openSSL = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.openSSL))
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test(.enabled(if: openSSL != nil))
  func `Signatures of the openssl tool and ours verify each other`() throws {
    try withTemporaryDirectory { (folder: URL) throws in
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      try Data("a message\n".utf8).write(to: URL(fileURLWithPath: path("message")))
      #expect(
        try run(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("key")]) == 0)
      #expect(try run(["ec", "-in", path("key"), "-pubout", "-out", path("public")]) == 0)
      #expect(
        try run([
          "dgst", "-sha256", "-sign", path("key"), "-out", path("signature"), path("message"),
        ]) == 0)
      let key = try SignaturePublicKey(pem: String(contentsOfFile: path("public"), encoding: .utf8))
      let theirs = try Data(contentsOf: URL(fileURLWithPath: path("signature")))
      #expect(key.verifies(Array(theirs), of: Array("a message\n".utf8)))

      let signer = try #require(
        SignaturePrivateKey(pem: String(contentsOfFile: path("key"), encoding: .utf8)))
      try Data(signer.sign(Array("a message\n".utf8))).write(to: URL(fileURLWithPath: path("ours")))
      #expect(
        try run([
          "dgst", "-sha256", "-verify", path("public"), "-signature", path("ours"), path("message"),
        ]) == 0)
    }
  }

  @Test(.enabled(if: openSSL != nil))
  func `The openssl tool's key of another curve is refused`() throws {
    try withTemporaryDirectory { (folder: URL) throws in
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      #expect(
        try run(["ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", path("key")]) == 0)
      #expect(try run(["ec", "-in", path("key"), "-pubout", "-out", path("public")]) == 0)
      #expect(throws: SignaturePublicKey.DecodingError.otherCurve) {
        try SignaturePublicKey(pem: String(contentsOfFile: path("public"), encoding: .utf8))
      }
    }
  }

  @Test(
    .enabled(if: openSSL != nil),
    arguments: [
      ["ecparam", "-name", "secp384r1", "-genkey", "-noout"],
      ["ecparam", "-name", "secp256k1", "-genkey", "-noout"],
      ["genpkey", "-algorithm", "RSA"],
      ["genpkey", "-algorithm", "ED25519"],
      [
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes256", "-pass",
        "pass:secret",
      ],
    ])
  func `A private key of another kind or with a password is refused`(_ command: [String]) throws {
    try withTemporaryDirectory { (folder: URL) throws in
      let path = folder.appendingPathComponent("key").path
      #expect(try run(command + ["-out", path]) == 0)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(SignaturePrivateKey(pem: text) == nil)
    }
  }
}

func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.utf8.map { UInt8($0 > 0x60 ? $0 - 0x57 : $0 - 0x30) }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
