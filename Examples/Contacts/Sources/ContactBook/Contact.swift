import CloudKit

/// Somebody in the book: a record, and what it says.
public struct Contact: Sendable {
  /// The type of the records.
  public static let recordType = "Contact"

  /// The record.
  public let record: CKRecord

  /// What a record says.
  public init(record: CKRecord) { self.record = record }

  /// A contact that was not saved yet.
  public init(name: String, in zoneID: CKRecordZone.ID) {
    record = CKRecord(recordType: Self.recordType, recordID: CKRecord.ID(zoneID: zoneID))
    record["name"] = name
  }

  /// What somebody is called.
  public var name: String {
    get { record["name"] ?? "" }
    nonmutating set { record["name"] = newValue }
  }

  /// Sealed on the device: nobody but those who have the keys can read it.
  public var phoneNumber: String? {
    get { record.encryptedValues["phoneNumber"] as? String }
    nonmutating set { record.encryptedValues["phoneNumber"] = newValue }
  }

  /// What a list says of the contact: its name, its other fields in the order of their names, and
  /// its number.
  public var line: String {
    let others = record.allKeys().filter { $0 != "name" }.sorted().compactMap {
      record[$0] as String?
    }
    return ([name] + others + [phoneNumber].compactMap(\.self)).joined(separator: ", ")
  }

  /// The same as a contact that was not saved yet.
  var anew: Contact {
    let copy = CKRecord(recordType: record.recordType, recordID: record.recordID)
    for key in record.allKeys() { copy[key] = record[key] }
    for key in record.encryptedValues.allKeys() {
      copy.encryptedValues[key] = record.encryptedValues[key]
    }
    return Contact(record: copy)
  }
}

extension CKRecord {
  /// The record with what was changed in another one, encrypted values too.
  func taking(changesOf record: CKRecord) -> CKRecord {
    for key in record.changedKeys() { self[key] = record[key] }
    for key in record.encryptedValues.changedKeys() {
      encryptedValues[key] = record.encryptedValues[key]
    }
    return self
  }
}
