import BinaryCoding
package import CloudRecords
package import Cryptography

/// A sealed value as stored on the server: the identifier of its key, a nonce, and the ciphertext.
///
/// `DESIGN.md` describes the bytes.
package struct SealedValue: Hashable, Sendable {
  /// The share whose key sealed the value, or nil for the zone's key.
  package let shareName: String?
  package let key: KeyIdentifier
  private let nonce: [UInt8]
  private let ciphertext: ArraySlice<UInt8>

  /// Opens the value, and does not check its signature.
  ///
  /// - Parameter key: The key that the value names.
  package func open(
    field: String, of place: BoundPlace, with key: ZoneKey
  ) throws(EncryptionError) -> OpenedValue {
    let associated = place.associated(field, shareName: shareName, key: self.key)
    let plain =
      key.identifier == self.key
      ? AuthenticatedEncryption.open(
        ciphertext, key: key.valueKey, nonce: nonce, associated: associated) : nil
    guard var plain else {
      throw EncryptionError(
        .tampered,
        """
        \(place.name(of: field)) does not contain the value that was sealed for it: it was \
        damaged, or copied from another field. Save the record again from a device that has its \
        values.
        """
      )
    }
    defer { SecretBytes.wipe(&plain) }
    do throws(BinaryCodingError) {
      return try OpenedValue(plain: plain, place: associated)
    } catch {
      throw EncryptionError(
        .unknownVersion,
        """
        The value that was sealed for \(place.name(of: field)) cannot be read: \(error.what). \
        Another version of this library sealed it. Update this one.
        """
      )
    }
  }
}

/// A value of a save, ready to be signed and sealed.
package struct ValueDraft: Sendable {
  package let field: String
  private let content: [UInt8]
  /// The data that is authenticated with the value.
  private let associated: [UInt8]
  private let key: ZoneKey
  private let shareName: String?

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
    (self.field, self.key, self.shareName) = (field, key, shareName)
    self.content = content.bytes
    associated = place.associated(field, shareName: shareName, key: key.identifier)
  }

  /// The hash that the writer signs.
  package var leaf: ShortDigest { .leaf(place: associated, content: content[...]) }

  /// Seals the value.
  ///
  /// - Parameters:
  ///   - signature: The writer's signature of the ``leaf``; nil for none, which readers reject.
  ///   - nonce: 24 bytes that were never used before.
  package func sealed(signature: WriteSignature?, nonce: [UInt8]) -> [UInt8] {
    var plain = BinaryWriter(capacity: content.count + 256)
    plain.byte((signature == nil ? SignatureKind.none : .user).rawValue)
    signature?.write(to: &plain)
    plain.fixed(content)
    var bytes = plain.bytes
    defer { SecretBytes.wipe(&bytes) }
    var header = BinaryWriter(.value)
    SealedValueHeader(shareName: shareName, key: key.identifier.bytes).write(to: &header)
    header.fixed(nonce)
    return AuthenticatedEncryption.seal(
      bytes, key: key.valueKey, nonce: nonce, associated: associated, after: header.bytes)
  }
}

/// The kind of key that signed a value.
///
/// Other numbers are for keys of devices.
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

  fileprivate init(plain: [UInt8], place: [UInt8]) throws(BinaryCodingError) {
    var form = BinaryReader(plain)
    guard let kind = SignatureKind(rawValue: try form.byte()) else {
      throw form.damage("a key of an unknown kind signed it")
    }
    signature = kind == .none ? nil : try WriteSignature(from: &form)
    leaf = signature.map { _ in .leaf(place: place, content: plain[form.offset...]) }
    content = try SealedContent(from: &form)
  }
}

// MARK: - Bytes

extension SealedValue {
  /// Parses the contents of a field.
  package init(_ bytes: [UInt8], field: String, of place: BoundPlace) throws(EncryptionError) {
    var form = BinaryReader(bytes)
    let version: UInt8
    do throws(BinaryCodingError) {
      version = try form.heading(.value)
      let header =
        version == EncodingKind.version
        ? try SealedValueHeader(from: &form) : SealedValueHeader(shareName: nil, key: [])
      (shareName, key) = (header.shareName, KeyIdentifier(unchecked: header.key))
      nonce =
        version == EncodingKind.version
        ? try form.fixed(AuthenticatedEncryption.nonceByteCount) : []
      ciphertext = bytes[form.offset...]
    } catch {
      throw Self.notSealed(field, place, error.what)
    }
    guard version == EncodingKind.version else {
      throw EncryptionError(
        .unknownVersion,
        """
        \(place.name(of: field)) was sealed in format \(version), which this version of the \
        library does not support. Update it.
        """
      )
    }
  }

  /// Whether a value has the form of a sealed value.
  package static func isSealed(_ value: FieldValue) -> Bool {
    guard case .bytes(let bytes) = value else { return false }
    var form = BinaryReader(bytes)
    do throws(BinaryCodingError) {
      // Nothing more is known about other versions.
      guard try form.heading(.value) == EncodingKind.version else { return true }
      _ = try SealedValueHeader(from: &form)
      _ = try form.fixed(AuthenticatedEncryption.nonceByteCount)
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
}
