package import CloudRecords
import Cryptography

/// The encrypted fields of a save, ready to be signed and sealed.
package struct RecordDraft: Sendable {
  private let fields: RecordFields
  private let values: [ValueDraft]

  /// - Parameters:
  ///   - fields: The fields of the save, encrypted ones and others.
  ///   - removed: The encrypted fields that the save removes.
  ///   - save: Binds the values to each other.
  package init(
    _ fields: RecordFields, removing removed: [String] = [], of place: RecordPlace,
    under ring: KeyRing, in save: SaveBinding
  ) throws(EncryptionError) {
    self.fields = fields
    let place = BoundPlace(place)
    let names = fields.filter(\.field.isEncrypted).map(\.name) + removed
    let known = save.known(for: names)
    var values: [ValueDraft] = []
    values.reserveCapacity(names.count)
    for name in names {
      values.append(
        try ValueDraft(
          SealedContent(
            fields[name]?.value, stamp: save.stamp,
            known: name == known.carrier ? known.all : known.others),
          field: name, of: place, under: ring.newest, shareName: ring.scope.shareName))
    }
    self.values = values
  }

  /// The draft of a save without encrypted fields.
  init(plain fields: RecordFields) { (self.fields, values) = (fields, []) }

  /// Whether the save has no encrypted fields.
  var isEmpty: Bool { values.isEmpty }

  /// Signs the values of several saves together, and seals them.
  ///
  /// - Parameters:
  ///   - writer: The user who writes; nil for no signature, which readers reject.
  ///   - randomBytes: Makes the nonces of all values at once, which is faster.
  /// - Returns: The fields of each save. Other fields are unchanged.
  package static func seal(
    _ drafts: [RecordDraft], signedBy writer: UserKeys?, _ randomBytes: (Int) -> [UInt8]
  ) -> [RecordFields] {
    let signatures = writer.map { writer in
      WriteSignature.sign(drafts.flatMap { $0.values.map(\.leaf) }, by: writer)
    }
    let size = AuthenticatedEncryption.nonceByteCount
    let nonces = randomBytes(size * drafts.reduce(0) { $0 + $1.values.count })
    var next = 0
    return drafts.map { draft in
      var sealed = draft.fields
      for value in draft.values {
        let nonce = Array(nonces[(next * size)..<((next + 1) * size)])
        let bytes = value.sealed(signature: signatures?[next], nonce: nonce)
        sealed[value.field] = Field(.bytes(bytes), isEncrypted: true)
        next += 1
      }
      return sealed
    }
  }
}
