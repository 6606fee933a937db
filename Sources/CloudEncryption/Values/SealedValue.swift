import BinaryCoding
package import CloudRecords
package import Cryptography

/// A sealed value as stored on the server: the identifier of its key, a nonce, the ciphertext, and
/// the writer's signature.
///
/// `DESIGN.md` describes the bytes.
package struct SealedValue: Hashable, Sendable {
  /// The share whose key sealed the value, or nil for the zone's key.
  package let shareName: String?
  package let key: KeyIdentifier
  private let bytes: [UInt8]
  /// The range of the nonce and the ciphertext, which the signature follows.
  private let sealed: Range<Int>

  /// Opens the value, and does not check its signature.
  ///
  /// - Parameter key: The key that the value names.
  package func open(
    field: String, of place: BoundPlace, with key: ZoneKey, _ hasher: inout ShortHasher
  ) throws(EncryptionError) -> OpenedValue {
    let associated = place.associated(field, shareName: shareName, key: self.key)
    let plain =
      key.identifier == self.key
      ? AuthenticatedEncryption.open(
        bytes, in: sealed, key: key.valueKey, associated: associated) : nil
    guard var plain else { throw Self.tampered(field, place) }
    defer { SecretBytes.wipe(&plain) }
    let signature = try signature(field, place)
    do throws(BinaryCodingError) {
      var form = BinaryReader(plain)
      let content = try SealedContent(from: &form)
      try form.requireEnd()
      let leaf = signature.map { _ in hasher.leaf(place: associated, content: plain[...]) }
      return OpenedValue(content: content, signature: signature, leaf: leaf)
    } catch {
      throw EncryptionError(
        .unknownVersion,
        """
        The value that was sealed for \(place.name(of: field)) cannot be read: \(error.reason). \
        Another version of this library sealed it. Update this one.
        """
      )
    }
  }

  /// Reads the signature; nil for a value without one.
  private func signature(
    _ field: String, _ place: BoundPlace
  ) throws(EncryptionError) -> WriteSignature? {
    let (kind, signature): (SignatureKind?, WriteSignature?)
    do throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      try form.skip(sealed.upperBound)
      kind = SignatureKind(rawValue: try form.byte())
      signature = kind == .user ? try WriteSignature(from: &form, of: bytes) : nil
      if kind != nil { try form.requireEnd() }
    } catch {
      throw Self.tampered(field, place)
    }
    guard kind != nil else { throw Self.ofLaterVersion(field, place) }
    return signature
  }
}

/// A value of a save, ready to be signed and sealed.
package struct ValueDraft: Sendable {
  package let field: String
  /// The header, room for the nonce, and the content.
  private var form: [UInt8]
  /// The offset of the nonce, which follows the byte with the length of the signature.
  private let nonce: Int
  /// The data that is authenticated with the value.
  private let associated: [UInt8]
  private let key: SecretBytes

  package init(
    _ content: SealedContent, field: String, of place: BoundPlace, under key: ZoneKey,
    shareName: String?
  ) throws(EncryptionError) {
    guard content.value?.type.canBeEncrypted ?? true else {
      throw EncryptionError(
        .cannotBeSealed,
        """
        \(place.name(of: field)) holds a reference or an asset, and neither can be encrypted: set \
        it without encryptedValues.
        """
      )
    }
    (self.field, self.key) = (field, key.valueKey)
    associated = place.associated(field, shareName: shareName, key: key.identifier)
    // The capacity suffices for everything that is appended, so the array never reallocates.
    var form = BinaryWriter(
      capacity: Limits.sealingBytes + (shareName?.utf8.count ?? 0) + content.capacity)
    form.heading(.value)
    SealedValueHeader(shareName: shareName, key: key.identifier).write(to: &form)
    form.byte(0)
    nonce = form.bytes.count
    form.zeros(AuthenticatedEncryption.nonceByteCount)
    content.write(to: &form)
    self.form = form.finish()
  }

  /// The hash that the writer signs.
  package func leaf(_ hasher: inout ShortHasher) -> ShortDigest {
    let start = nonce + AuthenticatedEncryption.nonceByteCount
    return hasher.leaf(place: associated, content: form[start...])
  }

  /// Seals the value.
  ///
  /// - Parameters:
  ///   - signature: The writer's signature of the leaf; nil for none, which readers reject.
  ///   - nonce: 24 bytes that were never used before.
  package func sealed(signature: WriteSignature?, nonce: [UInt8]) -> [UInt8] {
    var draft = self
    return draft.takeSealed(signature: signature, nonce: nonce[...])
  }

  /// Seals the value, in the memory of the draft, which is empty afterwards.
  mutating func takeSealed(signature: WriteSignature?, nonce: ArraySlice<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    swap(&plain, &form)
    plain.append(contentsOf: repeatElement(0, count: AuthenticatedEncryption.tagByteCount))
    AuthenticatedEncryption.seal(
      &plain, from: self.nonce, key: key, nonce: nonce, associated: associated)
    let end = plain.count
    var form = BinaryWriter(continuing: plain)
    form.byte((signature == nil ? SignatureKind.none : .user).rawValue)
    signature?.write(to: &form)
    var bytes = form.finish()
    bytes[self.nonce - 1] = UInt8(bytes.count - end)
    return bytes
  }
}

/// The kind of key that signed a value.
///
/// Other numbers are reserved for keys of devices.
private enum SignatureKind: UInt8 {
  case none = 0
  case user = 1
}

/// A value after opening.
package struct OpenedValue: Sendable {
  package let content: SealedContent
  /// The signature, which is not verified yet.
  package let signature: WriteSignature?
  /// The hash that the writer has signed; nil without a signature.
  package let leaf: ShortDigest?
}

// MARK: - Bytes

extension SealedValue {
  /// Parses the contents of a field.
  package init(_ bytes: [UInt8], field: String, of place: BoundPlace) throws(EncryptionError) {
    let beginning: (header: SealedValueHeader, sealed: Range<Int>)?
    do throws(BinaryCodingError) { beginning = try Self.beginning(of: bytes) } catch {
      throw Self.notSealed(field, place, error.reason)
    }
    guard let (header, sealed) = beginning else { throw Self.ofLaterVersion(field, place) }
    (shareName, key) = (header.shareName, header.key)
    (self.bytes, self.sealed) = (bytes, sealed)
  }

  /// Reads the header, and the place of the nonce and the ciphertext.
  ///
  /// - Returns: Nil in a later version, of which nothing more is known.
  private static func beginning(
    of bytes: [UInt8]
  ) throws(BinaryCodingError) -> (header: SealedValueHeader, sealed: Range<Int>)? {
    var form = BinaryReader(bytes)
    guard try form.heading(.value) == EncodingKind.version else { return nil }
    let header = try SealedValueHeader(from: &form)
    let length = Int(try form.byte())
    let start = form.offset
    try form.skip(AuthenticatedEncryption.nonceByteCount + length)
    return (header, start..<bytes.count - length)
  }

  /// Whether a value has the form of a sealed value.
  package static func isSealed(_ value: FieldValue) -> Bool {
    guard case .bytes(let bytes) = value else { return false }
    do throws(BinaryCodingError) {
      // Nothing more is known about later versions.
      _ = try beginning(of: bytes)
      return true
    } catch {
      return false
    }
  }

  static func notSealed(
    _ field: String, _ place: BoundPlace, _ reason: String
  ) -> EncryptionError {
    EncryptionError(
      .notSealed,
      """
      \(place.name(of: field)) is marked as encrypted, but was not sealed on a device \
      (\(reason)): a client saved it as plain text or damaged it. Save the field again.
      """
    )
  }

  private static func ofLaterVersion(_ field: String, _ place: BoundPlace) -> EncryptionError {
    EncryptionError(
      .unknownVersion,
      """
      The value of \(place.name(of: field)) was sealed by a later version of this library. Update \
      this one.
      """
    )
  }

  private static func tampered(_ field: String, _ place: BoundPlace) -> EncryptionError {
    EncryptionError(
      .tampered,
      """
      \(place.name(of: field)) does not contain the value that was sealed for it: it was damaged, \
      or copied from another field. Save the record again from a device that has its values.
      """
    )
  }
}
