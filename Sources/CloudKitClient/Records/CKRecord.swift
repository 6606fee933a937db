import CloudRecords
public import Foundation
import Synchronization

// Sendable: the state is under the lock.
/// A record with named values, which is stored in the cloud.
///
/// ```swift
/// let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(zoneID: zone.zoneID))
/// note["title"] = "Milk"
/// note["count"] = 3
/// let title: String? = note["title"]
/// ```
///
/// A record tracks which fields have changed, and saving sends only those. A fetched or saved
/// record has a change tag, by which the server detects that another client has saved the record
/// since.
open class CKRecord: NSObject, NSCopying, NSSecureCoding, CKRecordKeyValueSetting,
  @unchecked Sendable
{
  /// A record type.
  ///
  /// All records of a type have the same fields.
  public typealias RecordType = String
  /// The name of a field.
  public typealias FieldKey = String

  let state: Mutex<RecordState>

  /// Creates a record with a new name in the default zone.
  public convenience init(recordType: RecordType) {
    self.init(recordType: recordType, recordID: CKRecord.ID())
  }

  /// Creates a record with an ID.
  ///
  /// It is not saved yet.
  ///
  /// - Precondition: The type consists of ASCII letters, digits, underscores and dots, and starts
  ///   with a letter.
  public init(recordType: RecordType, recordID: CKRecord.ID) {
    CloudName.recordType.require(recordType, "The record type")
    state = Mutex(RecordState(recordType: recordType, recordID: recordID))
  }

  /// Creates a record with a new name in a zone.
  @available(*, deprecated, message: "Use init(recordType:recordID:) with CKRecord.ID(zoneID:).")
  public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
  }

  init(_ state: RecordState) {
    self.state = Mutex(state)
  }

  // MARK: System fields

  /// The record type.
  open var recordType: RecordType { state.withLock { $0.recordType } }

  /// The record ID.
  open var recordID: CKRecord.ID { state.withLock { $0.recordID } }

  /// The version of the record that was fetched or saved; nil for a new record.
  open var recordChangeTag: String? { state.withLock { $0.changeTag } }

  /// The user who created the record; nil for a new record.
  open var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.created?.user } }

  /// The time when the record was first saved; nil for a new record.
  open var creationDate: Date? { state.withLock { $0.created?.date } }

  /// The user who last saved the record; nil for a new record.
  open var lastModifiedUserRecordID: CKRecord.ID? { state.withLock { $0.modified?.user } }

  /// The time when the record was last saved; nil for a new record.
  open var modificationDate: Date? { state.withLock { $0.modified?.date } }

  // MARK: Fields

  /// The value of a field.
  ///
  /// Setting nil removes the value.
  ///
  /// - Precondition: The value has a type that records support. The name consists of ASCII letters,
  ///   digits, underscores and dots, and starts with a letter.
  open subscript(key: FieldKey) -> (any CKRecordValueProtocol)? {
    get { content(key, isEncrypted: false)?.value }
    set { setValue(newValue, key, isEncrypted: false) }
  }

  /// The names of the fields with values, sorted by their bytes.
  open func allKeys() -> [FieldKey] { keys(isEncrypted: false) }

  /// The names of the fields that were set or removed since the record was created, fetched or
  /// saved.
  open func changedKeys() -> [FieldKey] { changedKeys(isEncrypted: false) }

  /// The words in the record's text fields, by which a full-text search finds it.
  open func allTokens() -> [String] {
    let texts = state.withLock { state in
      state.plain.contents.sorted { $0.key < $1.key }.flatMap { $0.value.texts }
    }
    return texts.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() } }
  }

  /// The fields that are encrypted on this device, so that the server cannot read them.
  ///
  /// They cannot be queried, and the public database does not support them.
  open var encryptedValues: any CKRecordKeyValueSetting { EncryptedValues(record: self) }

  // MARK: Relations

  /// The record's parent in a shared hierarchy, a record of the same zone.
  open var parent: CKRecord.Reference? {
    get { state.withLock { $0.parent } }
    set {
      state.withLock { $0.setParent(newValue) }
    }
  }

  /// Sets the record's parent.
  ///
  /// A share of the parent includes this record.
  open func setParent(_ parent: CKRecord?) { setParent(parent?.recordID) }

  /// Sets or removes the record's parent.
  ///
  /// A share of the parent includes this record.
  open func setParent(_ parent: CKRecord.ID?) {
    self.parent = parent.map { CKRecord.Reference(recordID: $0, action: .none) }
  }

  /// The share whose root is this record.
  open var share: CKRecord.Reference? { state.withLock { $0.share } }

  // MARK: Archives

  /// Creates a record from an archive of a whole record or of its system fields; nil if the archive
  /// contains neither.
  public required init?(coder: NSCoder) {
    guard let state = RecordState(coder: coder) else { return nil }
    self.state = Mutex(state)
  }

  /// Encodes the record into an archive.
  ///
  /// Assets are archived without their files.
  open func encode(with coder: NSCoder) {
    state.withLock { $0 }.encode(with: coder, fields: true)
  }

  /// Encodes the record's system fields, for apps that store the values in their own format.
  ///
  /// ```swift
  /// let archiver = NSKeyedArchiver(requiringSecureCoding: true)
  /// record.encodeSystemFields(with: archiver)
  /// archiver.finishEncoding()
  /// ```
  open func encodeSystemFields(with coder: NSCoder) {
    state.withLock { $0 }.encode(with: coder, fields: false)
  }

  /// Whether the class supports secure coding, which it does.
  open class var supportsSecureCoding: Bool { true }

  /// Returns an independent record with the same ID and values.
  open func copy(with zone: NSZone? = nil) -> Any { CKRecord(state.withLock { $0 }) }

  /// The record type, the ID and the values.
  open override var description: String {
    let state = state.withLock { $0 }
    let fields = state.plain.contents.sorted { $0.key < $1.key }.map {
      "\($0.key)=\($0.value.value)"
    }
    let hidden = state.encrypted.contents.keys.sorted().map { "\($0)=(encrypted)" }
    return
      "<CKRecord: recordType=\(state.recordType), recordID=\(state.recordID), recordChangeTag=\(state.changeTag ?? "nil"), values={\((fields + hidden).joined(separator: ", "))}>"
  }
}

// MARK: Plain and encrypted fields

extension CKRecord {
  final func content(_ key: FieldKey, isEncrypted: Bool) -> FieldContent? {
    state.withLock { $0[isEncrypted: isEncrypted].contents[key] }
  }

  final func setValue(_ value: Any?, _ key: FieldKey, isEncrypted: Bool) {
    let content = value.flatMap(FieldContent.init)
    precondition(
      value == nil || content != nil,
      "The field \(recordType).\(key) cannot hold \(value.map { String(describing: $0).prefix(200) } ?? ""). Fields hold strings, numbers within Int64 and Double, dates, data, references, assets, locations, and lists of one of these."
    )
    let defect = state.withLock { state -> String? in
      // If the field was just set in the other form, plain or encrypted, nothing is left to remove.
      if content == nil, state[isEncrypted: !isEncrypted].hasNewValue(key) { return nil }
      if let defect = state.defect(setting: content, for: key, isEncrypted: isEncrypted) {
        return defect
      }
      state[isEncrypted: !isEncrypted].drop(key)
      state[isEncrypted: isEncrypted].set(content, for: key)
      return nil
    }
    if let defect { preconditionFailure(defect) }
  }

  final func keys(isEncrypted: Bool) -> [FieldKey] {
    state.withLock { $0[isEncrypted: isEncrypted].contents.keys.sorted() }
  }

  final func changedKeys(isEncrypted: Bool) -> [FieldKey] {
    state.withLock { $0[isEncrypted: isEncrypted].changed.sorted() }
  }

  /// Whether encrypted values are missing from the server's record in a conflict, because this
  /// device cannot decrypt them.
  package final var lacksValues: Bool { state.withLock { $0.unopened != nil } }
}

extension FieldContent {
  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .list(let members): members.flatMap(\.texts)
    default: []
    }
  }
}
