import CloudKit

/// A contact, which wraps a record.
public struct Contact: Sendable {
  /// The type of the records.
  public static let recordType = "Contact"

  /// The contact's record.
  public let record: CKRecord

  /// Creates a contact from a record.
  public init(record: CKRecord) { self.record = record }

  /// Creates a contact that is not saved yet.
  public init(name: String, in zoneID: CKRecordZone.ID) {
    record = CKRecord(recordType: Self.recordType, recordID: CKRecord.ID(zoneID: zoneID))
    record["name"] = name
  }

  /// The contact's name.
  public var name: String {
    get { record["name"] ?? "" }
    nonmutating set { record["name"] = newValue }
  }

  /// The phone number, which the device encrypts.
  ///
  /// Only holders of the keys can read it.
  public var phoneNumber: String? {
    get { record.encryptedValues["phoneNumber"] as? String }
    nonmutating set { record.encryptedValues["phoneNumber"] = newValue }
  }

  /// The contact in one line: its name, its other text fields sorted by key, and its phone number.
  public var line: String {
    let others = record.allKeys().filter { $0 != "name" }.sorted().compactMap {
      record[$0] as String?
    }
    return ([name] + others + [phoneNumber].compactMap(\.self)).joined(separator: ", ")
  }

  /// An unsaved copy of the contact with the same record ID.
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
  /// Applies the unsaved changes of another record, including encrypted values, and returns this
  /// record.
  func taking(changesOf record: CKRecord) -> CKRecord {
    for key in record.changedKeys() { self[key] = record[key] }
    for key in record.encryptedValues.changedKeys() {
      encryptedValues[key] = record.encryptedValues[key]
    }
    return self
  }
}
