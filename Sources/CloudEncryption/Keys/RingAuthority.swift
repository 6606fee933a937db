import BinaryCoding
import CloudRecords

/// The administrators who may change a ring, as the owner signed them in one write.
///
/// Each write by the owner has a new authority. Readers that have seen it reject the bag of a
/// former administrator, because that bag has an earlier authority.
struct RingAuthority: Hashable, Sendable {
  /// The epoch of the owner's write.
  let epoch: Int64
  /// The administrators, by name.
  let administrators: [PublicIdentity]
  /// The owner's signature; empty for an authority that was not written yet.
  let signature: [UInt8]

  /// The authority of a ring before its first write.
  static let unwritten = RingAuthority(epoch: -1, administrators: [], signature: [])

  private init(epoch: Int64, administrators: [PublicIdentity], signature: [UInt8]) {
    (self.epoch, self.administrators) = (epoch, administrators)
    self.signature = signature
  }

  /// Returns the unsigned authority of a write with these administrators.
  func with(_ administrators: [PublicIdentity], epoch: Int64) -> RingAuthority {
    RingAuthority(epoch: epoch, administrators: administrators, signature: [])
  }

  func signed(by owner: UserKeys, ring: [UInt8], of scope: KeyScope, in container: ContainerAddress)
    -> RingAuthority
  {
    RingAuthority(
      epoch: epoch, administrators: administrators,
      signature: owner.sign(
        Self.message(epoch, administrators, ring, scope, container), purpose: .ringAuthority))
  }

  func isSigned(
    by owner: PublicIdentity, ring: [UInt8], of scope: KeyScope, in container: ContainerAddress
  ) -> Bool {
    SignaturePurpose.ringAuthority.verifies(
      signature, of: Self.message(epoch, administrators, ring, scope, container),
      by: owner.signingKey)
  }

  private static func message(
    _ epoch: Int64, _ administrators: [PublicIdentity], _ ring: [UInt8], _ scope: KeyScope,
    _ container: ContainerAddress
  ) -> [UInt8] {
    var form = BinaryWriter()
    form.container(container)
    form.scope(scope)
    form.fixed(ring)
    form.signed(epoch)
    form.count(administrators.count)
    for administrator in administrators { form.identity(administrator) }
    return form.bytes
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.signed(epoch)
    form.count(administrators.count)
    for administrator in administrators { form.identity(administrator) }
    form.data(signature)
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    self.init(
      epoch: try form.signed(),
      administrators: try form.list { (form) throws(BinaryCodingError) in try form.identity() },
      signature: try form.data())
  }
}
