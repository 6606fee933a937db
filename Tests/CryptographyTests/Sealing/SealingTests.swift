import Cryptography
import TestSupport
import Testing

@Suite struct SealingTests {
  private static func secret(_ hexadecimal: String) -> SecretBytes {
    SecretBytes(bytes(hexadecimal))
  }

  // MARK: XChaCha20-Poly1305

  /// The vector of draft-irtf-cfrg-xchacha-03, A.3.1.
  @Test func `The published vector of XChaCha20-Poly1305 matches`() {
    let message =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    let key = Self.secret("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f")
    let nonce = bytes("404142434445464748494a4b4c4d4e4f5051525354555657")
    let associated = bytes("50515253c0c1c2c3c4c5c6c7")
    let sealed = AuthenticatedEncryption.seal(
      Array(message.utf8), key: key, nonce: nonce, associated: associated)
    #expect(
      hexadecimal(sealed)
        == "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
        + "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
        + "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49")
    #expect(
      AuthenticatedEncryption.open(sealed, key: key, nonce: nonce, associated: associated)
        == Array(message.utf8))
  }

  @Test func `A sealed message with a changed bit does not open`() {
    var generator = SeededGenerator.forTest()
    let key = SecretBytes(SecureRandom.bytes(32))
    let nonce = SecureRandom.bytes(24)
    for length in [0, 1, 15, 16, 17, 64] {
      let message = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let sealed = AuthenticatedEncryption.seal(message, key: key, nonce: nonce, associated: [7])
      #expect(
        AuthenticatedEncryption.open(sealed, key: key, nonce: nonce, associated: [7]) == message)
      for bit in 0..<sealed.count * 8 {
        var changed = sealed
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(
          AuthenticatedEncryption.open(changed, key: key, nonce: nonce, associated: [7]) == nil,
          "\(generator)")
      }
      for shorter in 0..<sealed.count {
        #expect(
          AuthenticatedEncryption.open(
            Array(sealed.prefix(shorter)), key: key, nonce: nonce, associated: [7]) == nil)
      }
      #expect(
        AuthenticatedEncryption.open(sealed + [0], key: key, nonce: nonce, associated: [7]) == nil)
      #expect(AuthenticatedEncryption.open(sealed, key: key, nonce: nonce, associated: [6]) == nil)
      #expect(
        AuthenticatedEncryption.open(sealed, key: key, nonce: nonce.reversed(), associated: [7])
          == nil)
      // A key of another length, and another key of the right length.
      for other in [SecretBytes(nonce), SecretBytes(SecureRandom.bytes(32))] {
        #expect(
          AuthenticatedEncryption.open(sealed, key: other, nonce: nonce, associated: [7]) == nil)
      }
    }
  }

  @Test func `A message that is sealed in place has the same bytes and opens only in its range`() {
    let key = SecretBytes(SecureRandom.bytes(32))
    let nonce = SecureRandom.bytes(24)
    for length in [0, 1, 64, 300] {
      let message = SecureRandom.bytes(length)
      let room = [UInt8](repeating: 0, count: 24)
      var form = [1, 2, 3] + room + message + room.prefix(16)
      AuthenticatedEncryption.seal(&form, from: 3, key: key, nonce: nonce[...], associated: [7])
      let sealed = AuthenticatedEncryption.seal(message, key: key, nonce: nonce, associated: [7])
      #expect(form == [1, 2, 3] + nonce + sealed)
      func open(_ form: [UInt8], _ range: Range<Int>, _ associated: [UInt8] = [7]) -> [UInt8]? {
        AuthenticatedEncryption.open(form, in: range, key: key, associated: associated)
      }
      let (end, other) = (form.count, form + [4])
      #expect(open(other, 3..<end) == message)
      for range in [3..<end + 1, 2..<end, 4..<end, 3..<end - 1, 3..<42, end..<end] {
        #expect(open(other, range) == nil, "\(range)")
      }
      #expect(open(form, 3..<end + 1) == nil && open(form, 3..<end, [6]) == nil)
    }
  }

  // MARK: HKDF

  /// RFC 5869, A.1 and A.3.
  @Test(arguments: [
    (
      "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      "", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ])
  func `The published vectors of HKDF match`(salt: String, purpose: String, expected: String) {
    let secret = SecretBytes([UInt8](repeating: 0x0B, count: 22))
    let key = KeyDerivation.derive(42, from: secret, salt: bytes(salt), purpose: bytes(purpose))
    #expect(hexadecimal(key.bytes) == expected)
  }

  // MARK: X25519 and HPKE

  /// RFC 7748, 6.1.
  @Test func `The published keys of X25519 match`() {
    let alice = AgreementPrivateKey(
      Self.secret("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    #expect(
      hexadecimal(alice.publicKey.bytes)
        == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
  }

  /// RFC 9180, A.2.1, the first message.
  @Test func `The published vector of HPKE matches`() throws {
    let ephemeral = AgreementPrivateKey(
      Self.secret("f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600"))
    let recipient = AgreementPrivateKey(
      Self.secret("8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb"))
    #expect(
      hexadecimal(recipient.publicKey.bytes)
        == "4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a")
    let info = bytes("4f6465206f6e2061204772656369616e2055726e")
    let message = Array("Beauty is truth, truth beauty".utf8)
    let sealed = try #require(
      SealedMessage.seal(
        message, to: recipient.publicKey, info: info, associated: Array("Count-0".utf8),
        ephemeral: ephemeral))
    #expect(
      hexadecimal(sealed)
        == "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a"
        + "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28"
    )
    #expect(
      SealedMessage.open(sealed, with: recipient, info: info, associated: Array("Count-0".utf8))
        == message)
  }

  @Test func `A message sealed to a key opens for that key and purpose alone`() throws {
    let recipient = AgreementPrivateKey(SecretBytes(SecureRandom.bytes(32)))
    let other = AgreementPrivateKey(SecretBytes(SecureRandom.bytes(32)))
    for message in [[], [1], [UInt8](repeating: 9, count: 100)] as [[UInt8]] {
      let ephemeral = AgreementPrivateKey(SecretBytes(SecureRandom.bytes(32)))
      let sealed = try #require(
        SealedMessage.seal(
          message, to: recipient.publicKey, info: [1], associated: [2], ephemeral: ephemeral))
      #expect(SealedMessage.open(sealed, with: recipient, info: [1], associated: [2]) == message)
      #expect(SealedMessage.open(sealed, with: other, info: [1], associated: [2]) == nil)
      #expect(SealedMessage.open(sealed, with: recipient, info: [2], associated: [2]) == nil)
      #expect(SealedMessage.open(sealed, with: recipient, info: [1], associated: [1]) == nil)
      for place in sealed.indices {
        var changed = sealed
        changed[place] ^= 0x80
        #expect(SealedMessage.open(changed, with: recipient, info: [1], associated: [2]) == nil)
      }
      #expect(
        SealedMessage.open(Array(sealed.prefix(47)), with: recipient, info: [1], associated: [2])
          == nil)
    }
  }

  @Test func `Sealing to a low-order key is refused`() throws {
    let zero = try #require(AgreementPublicKey([UInt8](repeating: 0, count: 32)))
    let ephemeral = AgreementPrivateKey(SecretBytes(SecureRandom.bytes(32)))
    #expect(SealedMessage.seal([1], to: zero, info: [], ephemeral: ephemeral) == nil)
    #expect(SealedMessage.open([UInt8](repeating: 0, count: 64), with: ephemeral, info: []) == nil)
    #expect(AgreementPublicKey([1]) == nil)
    #expect(zero.isWeak && !ephemeral.publicKey.isWeak)
  }

  // MARK: Ed25519

  /// RFC 8032, 7.1, tests 1 and 3.
  @Test(arguments: [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    ),
  ])
  func `The published signatures of Ed25519 match`(
    seed: String, message: String, key: String, signature: String
  ) {
    let signer = EdwardsPrivateKey(Self.secret(seed))
    #expect(hexadecimal(signer.publicKey.bytes) == key)
    #expect(hexadecimal(signer.sign(bytes(message))) == signature)
    #expect(signer.publicKey.verifies(bytes(signature), of: bytes(message)))
    #expect(!signer.publicKey.verifies(bytes(signature), of: bytes(message) + [0]))
    #expect(!signer.publicKey.verifies(Array(bytes(signature).dropLast()), of: bytes(message)))
  }

  // MARK: Secrets

  @Test func `Secrets compare by value and are never printed`() {
    let secret = SecretBytes([1, 2, 3])
    #expect(secret == SecretBytes([1, 2, 3]))
    #expect(secret != SecretBytes([1, 2, 4]))
    #expect(secret != SecretBytes([1, 2]))
    #expect(SecretBytes([]) == SecretBytes([]))
    #expect("\(secret)" == "3 secret bytes" && Mirror(reflecting: secret).children.isEmpty)
    var taken: [UInt8] = [4, 5]
    #expect(SecretBytes(taking: &taken).bytes == [4, 5])
    #expect(taken.isEmpty)
  }
}
