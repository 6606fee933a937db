import BinaryCoding
package import CloudRecords
import Cryptography

/// The bags `ZONE` and `SHARE`: a ring, sealed to each of its recipients and signed.
///
/// A bag stays small: a new key for each bag seals all keys of the ring, and only this key is
/// sealed to each recipient. The signature covers the whole bag, so the server cannot insert a key
/// that it knows. An administrator whom the owner has certified may sign instead of the owner.
package enum KeyRingBag {
  /// Creates the bag of a ring.
  package static func bytes(
    of ring: KeyRing, signedBy signer: UserKeys, in container: ContainerAddress,
    _ randomBytes: RandomBytes
  ) throws(EncryptionError) -> [UInt8] {
    let isOwner = signer.identity.userRecordName == ring.scope.zone.ownerName
    let authority =
      isOwner
      ? ring.authority.with(ring.administrators, epoch: ring.epoch).signed(
        by: signer, ring: ring.identifier, of: ring.scope, in: container) : ring.authority
    let context = Context(container, ring.scope, ring.identifier, ring.epoch)
    let bagKey = SecretBytes.make(AuthenticatedEncryption.keyByteCount, randomBytes)
    var form = BinaryWriter(.keyRing)
    form.fixed(context.bytes)
    form.byte((isOwner ? Signer.owner : .administrator).rawValue)
    form.text(signer.identity.userRecordName)
    authority.write(to: &form)
    form.count(ring.recipients.count)
    for recipient in ring.recipients {
      let info = context.info(recipient.userRecordName)
      guard
        let sealed = SealedMessage.seal(bagKey, to: recipient.agreementKey, info: info, randomBytes)
      else {
        throw EncryptionError(
          .forgedBag,
          "The public key of the user “\(recipient.userRecordName)” is weak, so no keys are sealed to it. A device of the user must write it again."
        )
      }
      form.identity(recipient)
      form.data(sealed)
    }
    ring.writers.write(to: &form)
    form.data(seal(ring.keys, bagKey, context, randomBytes))
    form.fixed(signer.sign(form.bytes, purpose: .keyRing))
    return form.bytes
  }

  /// Returns the ring in a bag if its owner or an administrator signed it, and it was sealed to
  /// the reader.
  ///
  /// - Parameter owner: The identity of the zone's owner that this device trusts.
  package static func ring(
    of bytes: [UInt8], scope: KeyScope, in container: ContainerAddress, owner: PublicIdentity,
    reader: UserKeys
  ) throws(EncryptionError) -> KeyRing {
    let parts = try parts(of: bytes, scope: scope, in: container, owner: owner)
    guard let sealedKey = parts.sealedKeys.first(where: { $0.recipient == reader.identity })?.sealed
    else {
      throw EncryptionError(
        .keysNotDelivered,
        "The keys of \(scope.name) are not sealed for “\(reader.identity.userRecordName)” with its current keys. They arrive after a device of the owner next uses the share."
      )
    }
    guard
      let bagKey = reader.open(sealedKey, info: parts.context.info(reader.identity.userRecordName)),
      let keys = open(parts.sealedRing, bagKey, parts.context)
    else { throw forged(scope, "it contains keys that cannot be opened") }
    return KeyRing(
      scope: scope, identifier: parts.context.ring, epoch: parts.context.epoch, keys: keys,
      recipients: parts.sealedKeys.map(\.recipient), authority: parts.authority,
      writers: parts.writers)
  }

  /// The epoch of a bag that the owner or an administrator signed, even if its keys cannot be
  /// opened; nil for any other bag.
  static func signedEpoch(
    of bytes: [UInt8], scope: KeyScope, in container: ContainerAddress, owner: PublicIdentity
  ) -> Int64? {
    try? parts(of: bytes, scope: scope, in: container, owner: owner).context.epoch
  }

  private static func parts(
    of bytes: [UInt8], scope: KeyScope, in container: ContainerAddress, owner: PublicIdentity
  ) throws(EncryptionError) -> Parts {
    do throws(BinaryCodingError) {
      let parts = try Parts(bytes)
      guard parts.context.container == container, parts.context.scope == scope else {
        throw BinaryCodingError(reason: "it belongs to another zone", offset: 0)
      }
      try parts.requireSignature(owner)
      return parts
    } catch {
      throw forged(scope, error.reason)
    }
  }

  private static func forged(_ scope: KeyScope, _ reason: String) -> EncryptionError {
    EncryptionError(
      .forgedBag,
      "The key bag of \(scope.name) is not used: \(reason). A device of the owner with the keys writes it again when it next saves. If no device has them, the owner must reset the zone."
    )
  }

  // MARK: The keys in it

  private static func seal(
    _ keys: [ZoneKey], _ bagKey: SecretBytes, _ context: Context, _ randomBytes: RandomBytes
  ) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(keys.count * ZoneKey.byteCount)
    for key in keys { plain += key.secret.bytes }
    defer { SecretBytes.wipe(&plain) }
    let nonce = randomBytes(AuthenticatedEncryption.nonceByteCount)
    return nonce
      + AuthenticatedEncryption.seal(plain, key: bagKey, nonce: nonce, associated: context.bytes)
  }

  private static func open(_ sealed: [UInt8], _ bagKey: SecretBytes, _ context: Context)
    -> [ZoneKey]?
  {
    let nonce = Array(sealed.prefix(AuthenticatedEncryption.nonceByteCount))
    let opened = AuthenticatedEncryption.open(
      Array(sealed.dropFirst(nonce.count)), key: bagKey, nonce: nonce, associated: context.bytes)
    guard var plain = opened, !plain.isEmpty, plain.count.isMultiple(of: ZoneKey.byteCount) else {
      return nil
    }
    defer { SecretBytes.wipe(&plain) }
    return stride(from: 0, to: plain.count, by: ZoneKey.byteCount).map { start in
      var secret = Array(plain[start..<start + ZoneKey.byteCount])
      return ZoneKey(SecretBytes(taking: &secret))
    }
  }
}

// MARK: - Bytes

extension KeyRingBag {
  /// Identifies the ring and its epoch.
  fileprivate struct Context {
    let container: ContainerAddress
    let scope: KeyScope
    let ring: [UInt8]
    let epoch: Int64

    init(_ container: ContainerAddress, _ scope: KeyScope, _ ring: [UInt8], _ epoch: Int64) {
      self.container = container
      self.scope = scope
      self.ring = ring
      self.epoch = epoch
    }

    init(from form: inout BinaryReader) throws(BinaryCodingError) {
      container = try form.container()
      scope = try form.scope()
      ring = try form.fixed(KeyRing.identifierByteCount)
      epoch = try form.signed()
    }

    var bytes: [UInt8] {
      var form = BinaryWriter()
      form.container(container)
      form.scope(scope)
      form.fixed(ring)
      form.signed(epoch)
      return form.bytes
    }

    func info(_ recipient: String) -> [UInt8] {
      var form = BinaryWriter(purpose: "parhelion.key-ring.1")
      form.data(bytes)
      form.text(recipient)
      return form.bytes
    }
  }

  /// The signer of a bag.
  ///
  /// Other numbers are reserved for keys of devices.
  private enum Signer: UInt8 {
    case owner = 0
    case administrator = 1
  }

  private struct Parts {
    let context: Context
    let signer: Signer
    let signerName: String
    let authority: RingAuthority
    let sealedKeys: [(recipient: PublicIdentity, sealed: [UInt8])]
    let writers: RingWriters
    let sealedRing: [UInt8]
    let signed: [UInt8]
    let signature: [UInt8]

    init(_ bytes: [UInt8]) throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      try form.requireHeading(.keyRing)
      context = try Context(from: &form)
      guard let signer = Signer(rawValue: try form.byte()) else {
        throw form.error("keys of an unknown kind signed it")
      }
      (self.signer, signerName) = (signer, try form.text())
      authority = try RingAuthority(from: &form)
      var sealedKeys: [(PublicIdentity, [UInt8])] = []
      for _ in 0..<(try form.count()) { sealedKeys.append((try form.identity(), try form.data())) }
      self.sealedKeys = sealedKeys
      writers = try RingWriters(from: &form)
      sealedRing = try form.data()
      signed = form.consumed
      signature = try form.fixed(EdwardsPublicKey.signatureByteCount)
      try form.requireEnd()
    }

    func requireSignature(_ owner: PublicIdentity) throws(BinaryCodingError) {
      guard
        let identity = signerIdentity(owner),
        authority.isSigned(
          by: owner, ring: context.ring, of: context.scope, in: context.container),
        SignaturePurpose.keyRing.verifies(signature, of: signed, by: identity.signingKey)
      else {
        throw BinaryCodingError(
          reason: "it is not signed with the trusted keys of the zone's owner", offset: 0)
      }
      guard hasValidRecipients(owner), hasValidEpoch else {
        throw BinaryCodingError(reason: "its recipients or epoch are invalid", offset: 0)
      }
    }

    /// Whether the owner is a recipient under the trusted keys only, and no administrator added a
    /// weak key.
    ///
    /// Nothing can be sealed to a weak key, so the owner could not write the ring again.
    private func hasValidRecipients(_ owner: PublicIdentity) -> Bool {
      let recipients = sealedKeys.map(\.recipient)
      return recipients.contains(owner)
        && recipients.allSatisfy { $0.userRecordName != owner.userRecordName || $0 == owner }
        && (signer == .owner || !recipients.contains(where: \.agreementKey.isWeak))
    }

    /// Whether the epoch is in the range that regular writes can reach.
    ///
    /// Otherwise an administrator could write an epoch that no later write can exceed.
    private var hasValidEpoch: Bool {
      (0..<Limits.ringWrites).contains(context.epoch) && authority.epoch >= 0
        && context.epoch - authority.epoch <= Limits.administratorWrites
    }

    private func signerIdentity(_ owner: PublicIdentity) -> PublicIdentity? {
      switch signer {
      case .owner:
        signerName == owner.userRecordName && authority.epoch == context.epoch ? owner : nil
      case .administrator:
        authority.epoch < context.epoch
          ? authority.administrators.first { $0.userRecordName == signerName } : nil
      }
    }
  }
}

extension BinaryWriter {
  mutating func scope(_ scope: KeyScope) {
    zone(scope.zone)
    text(scope.shareName ?? "")
  }
}

extension BinaryReader {
  mutating func scope() throws(BinaryCodingError) -> KeyScope {
    let zone = try zone()
    let name = try text()
    return KeyScope(zone: zone, shareName: name.isEmpty ? nil : name)
  }
}
