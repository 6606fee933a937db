import BinaryCoding
package import CloudRecords
package import Cryptography

/// The public keys with which others seal values to a user and verify the user's signatures.
package struct PublicIdentity: Hashable, Sendable {
  package let userRecordName: String
  package let signingKey: EdwardsPublicKey
  package let agreementKey: AgreementPublicKey

  init(userRecordName: String, signingKey: EdwardsPublicKey, agreementKey: AgreementPublicKey) {
    self.userRecordName = userRecordName
    self.signingKey = signingKey
    self.agreementKey = agreementKey
  }
}

extension BinaryWriter {
  mutating func identity(_ identity: PublicIdentity) {
    text(identity.userRecordName)
    fixed(identity.signingKey.bytes)
    fixed(identity.agreementKey.bytes)
  }
}

extension BinaryReader {
  mutating func identity() throws(BinaryCodingError) -> PublicIdentity {
    let name = try text()
    guard let signingKey = EdwardsPublicKey(try fixed(EdwardsPublicKey.byteCount)),
      let agreementKey = AgreementPublicKey(try fixed(AgreementPublicKey.byteCount))
    else { throw error("keys have a wrong length") }
    return PublicIdentity(userRecordName: name, signingKey: signingKey, agreementKey: agreementKey)
  }
}

// MARK: - The public key bag

/// The bag `USER_PUBLIC`: a self-signed public identity, so that keys of different users or
/// containers cannot be mixed up.
enum PublicIdentityBag {
  static func bytes(of keys: UserKeys, in container: ContainerAddress) -> [UInt8] {
    var form = BinaryWriter(.publicIdentity)
    form.container(container)
    form.identity(keys.identity)
    form.fixed(keys.sign(form.bytes, purpose: .publicIdentity))
    return form.bytes
  }

  /// Reads the bag of a user.
  static func identity(
    of bytes: [UInt8], user: String, in container: ContainerAddress
  ) throws(EncryptionError) -> PublicIdentity {
    let what = "The public key bag of the user “\(user)”"
    do throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      try form.requireHeading(.publicIdentity)
      let (place, identity) = (try form.container(), try form.identity())
      let signed = form.consumed
      let signature = try form.fixed(EdwardsPublicKey.signatureByteCount)
      try form.requireEnd()
      guard place == container, identity.userRecordName == user else {
        throw form.error("it belongs to another user")
      }
      guard SignaturePurpose.publicIdentity.verifies(signature, of: signed, by: identity.signingKey)
      else {
        throw form.error("its signature is wrong")
      }
      guard !identity.agreementKey.isWeak else { throw form.error("its agreement key is weak") }
      return identity
    } catch {
      throw EncryptionError(
        .forgedBag,
        "\(what) is not used: \(error.reason). Nothing can be sealed for the user until a device of the user writes it again."
      )
    }
  }
}

extension UserKeys {
  /// The bag `USER_PUBLIC` of these keys.
  package func publicBag(in container: ContainerAddress) -> [UInt8] {
    PublicIdentityBag.bytes(of: self, in: container)
  }
}

// MARK: - Comparing

/// Digits that two users compare to detect a server that gave them false keys of each other.
package enum SafetyNumber {
  /// Twelve groups of five digits, the same for both users.
  package static func text(of one: PublicIdentity, and other: PublicIdentity) -> String {
    let parts = [one, other].map { identity in
      var form = BinaryWriter(purpose: "parhelion.safety-number.1")
      form.identity(identity)
      return form.bytes
    }
    let ordered = parts[0].lexicographicallyPrecedes(parts[1]) ? parts : parts.reversed()
    var digest = Digest(.sha512)
    for part in ordered { digest.update(part) }
    let bytes = digest.finish()
    let groups = stride(from: 0, to: 60, by: 5).map { start in
      let number = bytes[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
      return Digits.text(number, count: 5)
    }
    return groups.joined(separator: " ")
  }
}

/// Decimal digits of numbers, with leading zeros.
enum Digits {
  static func text(_ number: UInt64, count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// The digits of a typed text, of any script and in any grouping.
  static func typed(_ text: String) -> [Int] {
    text.compactMap(\.wholeNumberValue).filter { (0...9).contains($0) }
  }
}
