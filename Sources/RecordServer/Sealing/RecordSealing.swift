import BinaryCoding
import CloudRecords

/// Seals and opens the values of a zone's records.
///
/// A sealed value is bound to its container, database, zone, record, field and type, and does not
/// open anywhere else.
struct RecordSealing {
  let sealer: ValueSealer
  let keys: ZoneKeys

  init(_ sealer: ValueSealer, in keys: ZoneKeys) {
    self.sealer = sealer
    self.keys = keys
  }

  /// Seals the fields that are marked as encrypted.
  func sealMarked(in record: inout StoredRecord) throws(CloudError) {
    guard record.fields.entries.contains(where: \.field.isEncrypted) else { return }
    var sealed = record.sealed
    for entry in record.fields where entry.field.isEncrypted {
      sealed.set(try seal(entry.field, named: entry.name, of: record.recordName))
    }
    record.fields = RecordFields(sorted: record.fields.entries.filter { !$0.field.isEncrypted })
    record.sealed = sealed
  }

  private func seal(_ field: Field, named name: String, of record: String) throws(CloudError)
    -> SealedField
  {
    let value = field.value
    let sealed = sealer.seal(
      value.binaryForm, at: place(of: name, value.type, of: record))
    guard let sealed else {
      throw CloudError(
        .internalError, "This process has no key for the encrypted field “\(name)” of “\(record)”.")
    }
    return SealedField(
      name: name, type: value.type, isOpaqueCiphertext: field.isOpaqueCiphertext, bytes: sealed)
  }

  /// A sealed field as clients see it.
  func opened(_ field: SealedField, of record: String) throws(CloudError) -> Field {
    Field(
      try open(field, of: record), isEncrypted: true, isOpaqueCiphertext: field.isOpaqueCiphertext)
  }

  /// Opens the value of a sealed field.
  ///
  /// - Throws: If the value cannot be opened, an error with the remedy for the operator.
  func open(_ field: SealedField, of record: String) throws(CloudError) -> FieldValue {
    do throws(SealError) {
      let form = try sealer.open(field.bytes, at: place(of: field.name, field.type, of: record))
      guard let value = FieldValue(field.type, binaryForm: form) else { throw .damage }
      return value
    } catch {
      throw cloudError(error, field.name, of: record)
    }
  }

  /// All fields of a record as clients see them.
  func opened(_ record: StoredRecord) throws(CloudError) -> RecordFields {
    var fields = record.fields
    for field in record.sealed {
      fields[field.name] = try opened(field, of: record.recordName)
    }
    return fields
  }

  /// Checks that the server has the keys of a record's sealed values, before it reports that the
  /// record was saved.
  func checkKeys(of record: StoredRecord) throws(CloudError) {
    for field in record.sealed {
      guard let key = ValueSealer.key(of: field.bytes) else {
        throw cloudError(.damage, field.name, of: record.recordName)
      }
      guard sealer.has(key) else {
        throw cloudError(.missingKey(key), field.name, of: record.recordName)
      }
    }
  }

  private func cloudError(_ error: SealError, _ field: String, of record: String) -> CloudError {
    let what = "The encrypted field “\(field)” of “\(record)” cannot be opened: "
    return switch error {
    case .missingKey(let identifier):
      CloudError(
        .internalError,
        what
          + "the server does not have the key \(Hexadecimal.text(identifier)). Its operator can start it with a file that also has that key (--sealing-key-file)."
      )
    case .damage:
      CloudError(
        .internalError,
        what
          + "the stored value is damaged. The server's operator gets the details from “parhelion check”; save the field again, or restore a backup."
      )
    }
  }

  private func place(of field: String, _ type: FieldType, of record: String) -> [UInt8] {
    var form = BinaryWriter(capacity: 96)
    form.text("parhelion value")
    form.number(keys.database.realm.number)
    form.text(keys.database.owner)
    form.number(keys.number)
    form.text(record)
    form.text(field)
    form.byte(type.rawValue)
    return form.bytes
  }
}
