import CloudRecords
public import Foundation
import Synchronization

// Sendable: the state is read and changed under the lock.
/// A record: named values that travel to the cloud and back.
///
/// ```swift
/// let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(zoneID: zone.zoneID))
/// note["title"] = "Milk"
/// note["count"] = 3
/// let title: String? = note["title"]
/// ```
///
/// A record knows which of its fields were set; saving sends these alone. What was fetched or saved
/// has a change tag, by which the server notices that somebody else has saved since.
open class CKRecord: NSObject, NSCopying, NSSecureCoding, CKRecordKeyValueSetting,
  @unchecked Sendable
{
  /// The name of what records are: they of one type have fields of the same types.
  public typealias RecordType = String
  /// The name of a field.
  public typealias FieldKey = String

  let state: Mutex<RecordState>

  /// A record with a new name in the default zone.
  public convenience init(recordType: RecordType) {
    self.init(recordType: recordType, recordID: CKRecord.ID())
  }

  /// A record that was not saved yet.
  ///
  /// - Precondition: The type is of ASCII letters, digits and underscores, and begins with a
  ///   letter.
  public init(recordType: RecordType, recordID: CKRecord.ID) {
    CloudName.recordType.require(recordType, "The type of a record")
    state = Mutex(RecordState(recordType: recordType, recordID: recordID))
  }

  /// A record with a new name in a zone.
  @available(*, deprecated, message: "Use init(recordType:recordID:) with CKRecord.ID(zoneID:).")
  public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
  }

  init(_ state: RecordState) {
    self.state = Mutex(state)
  }

  // MARK: What the server knows

  /// The type of the record.
  open var recordType: RecordType { state.withLock { $0.recordType } }

  /// The name of the record and of its zone.
  open var recordID: CKRecord.ID { state.withLock { $0.recordID } }

  /// The version of the record that was fetched or saved; nil for a record that was neither.
  open var recordChangeTag: String? { state.withLock { $0.changeTag } }

  /// Who made the record; nil while it was not saved.
  open var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.created?.user } }

  /// When the record was first saved; nil while it was not.
  open var creationDate: Date? { state.withLock { $0.created?.date } }

  /// Who saved the record last; nil while it was not saved.
  open var lastModifiedUserRecordID: CKRecord.ID? { state.withLock { $0.modified?.user } }

  /// When the record was last saved; nil while it was not.
  open var modificationDate: Date? { state.withLock { $0.modified?.date } }

  // MARK: Fields

  /// The value of a field; setting nil takes it away.
  ///
  /// - Precondition: A value that is set is of a type that records can hold, and the name of ASCII
  ///   letters, digits and underscores.
  open subscript(key: FieldKey) -> (any CKRecordValueProtocol)? {
    get { content(key, isEncrypted: false)?.value }
    set { setValue(newValue, key, isEncrypted: false) }
  }

  /// The names of the fields that have values, in the order of their bytes.
  open func allKeys() -> [FieldKey] { keys(isEncrypted: false) }

  /// The names of the fields that were set or taken away since the record was made, fetched or
  /// saved.
  open func changedKeys() -> [FieldKey] { changedKeys(isEncrypted: false) }

  /// Words of the record's texts, by which a search finds it.
  open func allTokens() -> [String] {
    let texts = state.withLock { state in
      state.plain.contents.sorted { $0.key < $1.key }.flatMap { $0.value.texts }
    }
    return texts.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() } }
  }

  /// Fields whose values are sealed on this device: the server has no key to them.
  ///
  /// They cannot be asked for in queries, and are not in the public database.
  open var encryptedValues: any CKRecordKeyValueSetting { EncryptedValues(record: self) }

  // MARK: Relations

  /// The record under which this one is shared.
  open var parent: CKRecord.Reference? {
    get { state.withLock { $0.parent } }
    set {
      state.withLock { $0.setParent(newValue) }
    }
  }

  /// Puts the record under another, with which it is shared.
  open func setParent(_ parent: CKRecord?) { setParent(parent?.recordID) }

  /// Puts the record under another, with which it is shared, or under none.
  open func setParent(_ parent: CKRecord.ID?) {
    self.parent = parent.map { CKRecord.Reference(recordID: $0, action: .none) }
  }

  /// The share of which the record is the root.
  open var share: CKRecord.Reference? { state.withLock { $0.share } }

  // MARK: Archives

  /// Reads a record, or the system fields of one, from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let state = RecordState(coder: coder) else { return nil }
    self.state = Mutex(state)
  }

  /// Writes the record into an archive; of assets their places alone.
  open func encode(with coder: NSCoder) {
    state.withLock { $0 }.encode(with: coder, fields: true)
  }

  /// Writes all of the record but its fields into an archive: what a program keeps beside its own
  /// copy of the values.
  ///
  /// ```swift
  /// let archiver = NSKeyedArchiver(requiringSecureCoding: true)
  /// record.encodeSystemFields(with: archiver)
  /// archiver.finishEncoding()
  /// ```
  open func encodeSystemFields(with coder: NSCoder) {
    state.withLock { $0 }.encode(with: coder, fields: false)
  }

  /// True: records can be read from archives that are not trusted.
  open class var supportsSecureCoding: Bool { true }

  /// A record with the same name and values, which can be changed by itself.
  open func copy(with zone: NSZone? = nil) -> Any { CKRecord(state.withLock { $0 }) }

  /// The type, the name and the values.
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

// MARK: The fields of both kinds

extension CKRecord {
  final func content(_ key: FieldKey, isEncrypted: Bool) -> FieldContent? {
    state.withLock { $0[isEncrypted: isEncrypted].contents[key] }
  }

  final func setValue(_ value: Any?, _ key: FieldKey, isEncrypted: Bool) {
    let content = value.flatMap(FieldContent.init)
    precondition(
      value == nil || content != nil,
      "The field \(recordType).\(key) cannot hold \(value.map { String(describing: $0).prefix(200) } ?? ""). Fields hold texts, numbers within Int64 and Double, dates, data, references, assets, locations, and lists of one of these."
    )
    let fault = state.withLock { state in
      let fault = state.fault(setting: content, for: key, isEncrypted: isEncrypted)
      if fault == nil { state[isEncrypted: isEncrypted].set(content, for: key) }
      return fault
    }
    if let fault { preconditionFailure(fault) }
  }

  final func keys(isEncrypted: Bool) -> [FieldKey] {
    state.withLock { $0[isEncrypted: isEncrypted].contents.keys.sorted() }
  }

  final func changedKeys(isEncrypted: Bool) -> [FieldKey] {
    state.withLock { $0[isEncrypted: isEncrypted].changed.sorted() }
  }

  /// Whether it is a conflict's record that came without encrypted values, since they cannot be
  /// opened here.
  package final var lacksValues: Bool { state.withLock { !$0.unopened.isEmpty } }
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
