import BinaryCoding
package import CloudRecords
import Cryptography

/// A sealed value as stored on the server: the identifier of its key, a nonce, and the ciphertext.
///
/// `DESIGN.md` describes the bytes.
package struct SealedValue: Hashable, Sendable {
  /// The share whose key sealed the value, or nil for the zone's key.
  package let shareName: String?
  package let key: KeyIdentifier
  private let nonce: [UInt8]
  private let ciphertext: [UInt8]

  /// Seals a value for one field of one record.
  ///
  /// - Parameter nonce: 24 bytes that were never used before.
  package init(
    sealing content: SealedContent, field: String, of place: RecordPlace, under key: ZoneKey,
    shareName: String?,
    nonce: [UInt8]
  ) throws(EncryptionError) {
    guard content.value.type.canBeEncrypted else {
      throw EncryptionError(
        .cannotBeSealed,
        "\(place.name(of: field)) holds a reference or an asset, and neither can be encrypted: set it without encryptedValues."
      )
    }
    var plain = content.bytes
    defer { SecretBytes.wipe(&plain) }
    self.shareName = shareName
    self.key = key.identifier
    self.nonce = nonce
    ciphertext = AuthenticatedEncryption.seal(
      plain, key: key.valueKey, nonce: nonce,
      associated: Self.associated(field, place, shareName: shareName, key: key.identifier))
  }

  /// Opens the value.
  ///
  /// - Parameter key: The key that the value names.
  package func open(field: String, of place: RecordPlace, with key: ZoneKey) throws(EncryptionError)
    -> SealedContent
  {
    let associated = Self.associated(field, place, shareName: shareName, key: self.key)
    let plain =
      key.identifier == self.key
      ? AuthenticatedEncryption.open(
        ciphertext, key: key.valueKey, nonce: nonce, associated: associated) : nil
    guard var plain else {
      throw EncryptionError(
        .tampered,
        "\(place.name(of: field)) does not contain the value that was sealed for it: it was damaged, or copied from another field. Save the record again from a device that has its values."
      )
    }
    defer { SecretBytes.wipe(&plain) }
    do throws(BinaryCodingError) { return try SealedContent(bytes: plain) } catch {
      throw EncryptionError(
        .unknownVersion,
        "The value that was sealed for \(place.name(of: field)) cannot be read: \(error.what). Another version of this library sealed it. Update this one."
      )
    }
  }

  /// The data that is authenticated with the value.
  private static func associated(
    _ field: String, _ place: RecordPlace, shareName: String?, key: KeyIdentifier
  ) -> [UInt8] {
    var form = BinaryWriter(purpose: "parhelion.value.1")
    form.container(place.container)
    form.zone(place.record.zone)
    form.text(place.record.recordName)
    form.text(place.recordType)
    form.text(field)
    form.text(shareName ?? "")
    form.fixed(key.bytes)
    return form.bytes
  }
}

/// A value before sealing, with what binds it to others of its record.
package struct SealedContent: Hashable, Sendable {
  package let value: FieldValue
  /// The save in which the value was sealed.
  package let stamp: SealStamp
  /// The saves of other fields that the device knew.
  package let known: [String: SealStamp]

  /// Other numbers are for signatures, of users and devices.
  private static let unsigned: UInt8 = 0

  package init(_ value: FieldValue, stamp: SealStamp, known: [String: SealStamp] = [:]) {
    self.value = value
    self.stamp = stamp
    self.known = known
  }

  fileprivate var bytes: [UInt8] {
    var form = BinaryWriter()
    form.byte(Self.unsigned)
    form.stamp(stamp)
    form.stamps(known)
    ValueEncoding.write(value, to: &form)
    return form.bytes
  }

  fileprivate init(bytes: [UInt8]) throws(BinaryCodingError) {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.unsigned else { throw form.damage("it is signed") }
    let (stamp, known) = (try form.stamp(), try form.stamps())
    self.init(try ValueEncoding.value(from: &form), stamp: stamp, known: known)
  }
}

// MARK: - Bytes

extension SealedValue {
  package var bytes: [UInt8] {
    var form = BinaryWriter(.value)
    SealedValueHeader(shareName: shareName, key: key.bytes).write(to: &form)
    form.fixed(nonce)
    form.fixed(ciphertext)
    return form.bytes
  }

  /// Parses the contents of a field.
  package init(_ bytes: [UInt8], field: String, of place: RecordPlace) throws(EncryptionError) {
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
      ciphertext = try form.fixed(bytes.count - form.offset)
    } catch {
      throw Self.notSealed(field, place, error.what)
    }
    guard version == EncodingKind.version else {
      throw EncryptionError(
        .unknownVersion,
        "\(place.name(of: field)) was sealed in format \(version), which this version of the library does not support. Update it."
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

  static func notSealed(_ field: String, _ place: RecordPlace, _ reason: String) -> EncryptionError
  {
    EncryptionError(
      .notSealed,
      "\(place.name(of: field)) is marked as encrypted, but was not sealed on a device (\(reason)): a client saved it as plain text or damaged it. Save the field again."
    )
  }
}
