package import CloudRecords
import Cryptography

/// The encrypted fields of a save, ready to be signed and sealed.
package struct RecordDraft: Sendable {
  private var fields: RecordFields
  private var values: [ValueDraft]

  /// - Parameters:
  ///   - fields: The fields of the save, encrypted ones and others.
  ///   - removed: The encrypted fields that the save removes.
  ///   - save: Binds the values to each other.
  package init(
    _ fields: RecordFields, removing removed: [String] = [], of place: RecordPlace,
    under ring: KeyRing, in save: SaveBinding
  ) throws(EncryptionError) {
    self.fields = fields
    let (place, key) = (BoundPlace(place), ring.newest)
    var sealed: [(name: String, value: FieldValue?)] = removed.map { ($0, nil) }
    sealed.reserveCapacity(removed.count + fields.count)
    for entry in fields where entry.field.isEncrypted {
      sealed.append((entry.name, entry.field.value))
    }
    let known = save.known(for: sealed.map(\.name))
    values = []
    values.reserveCapacity(sealed.count)
    for (name, value) in sealed {
      let content = SealedContent(
        value, stamp: save.stamp, known: name == known.carrier ? known.all : known.others)
      values.append(
        try ValueDraft(
          content, field: name, of: place, under: key, shareName: ring.scope.shareName))
    }
  }

  /// The draft of a save without encrypted fields.
  init(plain fields: RecordFields) { (self.fields, values) = (fields, []) }

  /// Whether the save has no encrypted fields.
  var isEmpty: Bool { values.isEmpty }

  /// Signs the values of several saves together, and seals them.
  ///
  /// - Parameters:
  ///   - drafts: The saves; the sealed values reuse their memory.
  ///   - writer: The user who writes; nil for no signature, which readers reject.
  ///   - randomBytes: Makes the nonces of all values at once, which is faster.
  /// - Returns: The fields of each save, the encrypted ones sealed and the others unchanged.
  package static func seal(
    _ drafts: consuming [RecordDraft], signedBy writer: UserKeys?, _ randomBytes: (Int) -> [UInt8]
  ) -> [RecordFields] {
    var drafts = drafts
    let count = drafts.reduce(0) { $0 + $1.values.count }
    let signatures = writer.map { writer in
      var hasher = ShortHasher()
      var leaves: [ShortDigest] = []
      leaves.reserveCapacity(count)
      for draft in drafts { for value in draft.values { leaves.append(value.leaf(&hasher)) } }
      return WriteSignature.sign(leaves, by: writer, &hasher)
    }
    var nonces = randomBytes(AuthenticatedEncryption.nonceByteCount * count)[...]
    var next = 0
    for draft in drafts.indices {
      for value in drafts[draft].values.indices {
        let nonce = nonces.prefix(AuthenticatedEncryption.nonceByteCount)
        nonces = nonces.dropFirst(AuthenticatedEncryption.nonceByteCount)
        drafts[draft].seal(value, signature: signatures?[next], nonce: nonce)
        next += 1
      }
    }
    return drafts.map(\.fields)
  }

  private mutating func seal(
    _ value: Int, signature: WriteSignature?, nonce: ArraySlice<UInt8>
  ) {
    let bytes = values[value].takeSealed(signature: signature, nonce: nonce)
    fields[values[value].field] = Field(.bytes(bytes), isEncrypted: true)
  }
}
