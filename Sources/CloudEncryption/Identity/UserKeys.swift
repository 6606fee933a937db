import BinaryCoding
import CloudRecords
package import Cryptography

/// A user's private keys, which are derived from one secret.
///
/// A device needs them to open what is sealed to the user.
package struct UserKeys: Sendable {
  static let secretByteCount = 32

  /// The secret that is passed to the user's other devices.
  let secret: SecretBytes
  package let identity: PublicIdentity
  private let signingKey: EdwardsPrivateKey
  private let agreementKey: AgreementPrivateKey
  /// Seals the state that the user's devices share.
  let stateKey: SecretBytes

  package init(_ secret: SecretBytes, userRecordName: String) {
    precondition(secret.count == Self.secretByteCount, "The secret of a user has 32 bytes.")
    self.secret = secret
    signingKey = EdwardsPrivateKey(
      KeyDerivation.derive(from: secret, purpose: Array("parhelion.user.signing.1".utf8)))
    agreementKey = AgreementPrivateKey(
      KeyDerivation.derive(from: secret, purpose: Array("parhelion.user.agreement.1".utf8)))
    stateKey = KeyDerivation.derive(
      from: secret, purpose: Array("parhelion.user.device-state.1".utf8))
    identity = PublicIdentity(
      userRecordName: userRecordName, signingKey: signingKey.publicKey,
      agreementKey: agreementKey.publicKey)
  }

  /// Signs a message for one purpose.
  func sign(_ message: [UInt8], purpose: SignaturePurpose) -> [UInt8] {
    signingKey.sign(purpose.framed(message))
  }

  /// Opens a secret that was sealed to the user.
  func open(_ sealed: [UInt8], info: [UInt8]) -> SecretBytes? {
    guard var message = SealedMessage.open(sealed, with: agreementKey, info: info) else {
      return nil
    }
    return SecretBytes(taking: &message)
  }
}

/// The purpose of a signature, which is not valid for any other.
enum SignaturePurpose: String {
  case publicIdentity = "parhelion.signature.public-identity.1"
  case keyRing = "parhelion.signature.key-ring.1"
  case ringAuthority = "parhelion.signature.ring-authority.1"
  case values = "parhelion.signature.values.1"

  func framed(_ message: [UInt8]) -> [UInt8] {
    var form = BinaryWriter(purpose: rawValue)
    form.fixed(message)
    return form.bytes
  }

  func verifies(_ signature: [UInt8], of message: [UInt8], by key: EdwardsPublicKey) -> Bool {
    key.verifies(signature, of: framed(message))
  }
}

/// A source of random bytes for keys, nonces and identifiers.
package typealias RandomBytes = @Sendable (_ count: Int) -> [UInt8]

extension SecretBytes {
  /// Creates a random secret.
  static func make(_ count: Int, _ randomBytes: RandomBytes) -> SecretBytes {
    var bytes = randomBytes(count)
    return SecretBytes(taking: &bytes)
  }
}

extension SealedMessage {
  /// Seals a secret to a public key, with an ephemeral key.
  static func seal(
    _ secret: SecretBytes, to recipient: AgreementPublicKey, info: [UInt8],
    _ randomBytes: RandomBytes
  ) -> [UInt8]? {
    var bytes = secret.bytes
    defer { SecretBytes.wipe(&bytes) }
    let ephemeral = AgreementPrivateKey(.make(AgreementPrivateKey.byteCount, randomBytes))
    return seal(bytes, to: recipient, info: info, ephemeral: ephemeral)
  }
}
