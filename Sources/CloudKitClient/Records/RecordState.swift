import CloudRecords
import Foundation

/// The state of a record, which `CKRecord` keeps under a lock.
struct RecordState: Sendable {
  /// Fields by name, and which of them changed since the record was created, fetched or saved.
  struct Fields: Sendable {
    var contents: [String: FieldContent] = [:]
    var changed: Set<String> = []
    /// The original values of the changed fields.
    var before: [String: FieldContent] = [:]

    /// Whether a field has a value that was not fetched or saved yet.
    func hasNewValue(_ key: String) -> Bool { contents[key] != nil && changed.contains(key) }

    /// Sets or removes a field.
    mutating func set(_ content: FieldContent?, for key: String) {
      if changed.insert(key).inserted { before[key] = contents[key] }
      contents[key] = content
    }

    /// Removes a field that has not changed, without recording a change.
    mutating func drop(_ key: String) {
      if !changed.contains(key) { contents[key] = nil }
    }

    /// The fields with their original values.
    var unchanged: Fields {
      var fields = self
      for key in changed { fields.contents[key] = before[key] }
      fields.forget(changed)
      return fields
    }

    /// Marks fields as unchanged.
    mutating func forget(_ keys: Set<String>) {
      changed.subtract(keys)
      for key in keys { before[key] = nil }
    }
  }

  /// A user and a time, for the record's creation or modification.
  struct Stamp: Sendable {
    var user: CKRecord.ID
    var date: Date
  }

  /// Encrypted fields that cannot be read, and the error that fetching the record throws.
  struct Unopened: Sendable {
    let fields: Set<String>
    let error: any Error
  }

  let recordType: CKRecord.RecordType
  let recordID: CKRecord.ID
  var changeTag: String?
  var created: Stamp?
  var modified: Stamp?
  var plain = Fields()
  var encrypted = Fields()
  /// The stamps of the encrypted fields' last known saves.
  var seals = SealStamps()
  /// The encrypted fields of the server's record, in a conflict, that cannot be read.
  var unopened: Unopened?
  var parent: CKRecord.Reference?
  var isParentChanged = false
  /// The original parent, if it was changed.
  var formerParent: CKRecord.Reference?
  var share: CKRecord.Reference?
  /// The details of a share; nil for ordinary records.
  var sharing: Sharing?

  init(recordType: CKRecord.RecordType, recordID: CKRecord.ID) {
    self.recordType = recordType
    self.recordID = recordID
  }

  /// The plain or the encrypted fields.
  subscript(isEncrypted isEncrypted: Bool) -> Fields {
    get { isEncrypted ? encrypted : plain }
    set { if isEncrypted { encrypted = newValue } else { plain = newValue } }
  }

  /// The record with its original values, as it was fetched or saved.
  var unchanged: RecordState {
    var state = self
    state.plain = plain.unchanged
    state.encrypted = encrypted.unchanged
    if isParentChanged {
      (state.parent, state.isParentChanged, state.formerParent) = (formerParent, false, nil)
    }
    state.sharing = sharing?.unchanged
    return state
  }

  /// Sets or removes the parent.
  mutating func setParent(_ parent: CKRecord.Reference?) {
    if !isParentChanged { (isParentChanged, formerParent) = (true, self.parent) }
    self.parent = parent
  }

  /// Marks the parent as saved, unless it was changed after the request was sent.
  mutating func settleParent(_ saved: CKRecord.Reference?, sent: CKRecord.Reference?) {
    let isNew = isParentChanged && parent != sent && parent != saved
    if !isNew { parent = saved }
    (isParentChanged, formerParent) = (isNew, isNew ? saved : nil)
  }

  /// Says in a sentence why a field cannot be set; nil if it can.
  func defect(setting content: FieldContent?, for key: String, isEncrypted: Bool) -> String? {
    if let defect = CloudName.fieldName.defect(in: key) {
      return "The field name “\(key.prefix(80))” \(defect)."
    }
    // Only a value that the app has set counts. A value from the server must not stop the app.
    if self[isEncrypted: !isEncrypted].hasNewValue(key) {
      return
        "The field \(recordType).\(key) has \(isEncrypted ? "a plain" : "an encrypted") value. Remove it first, or use another field."
    }
    guard isEncrypted, let content, !content.canBeEncrypted else { return nil }
    return
      "The field \(recordType).\(key) cannot be encrypted, because references and assets cannot. The server stores an asset's file unencrypted, so encrypt secret files yourself."
  }
}

extension FieldContent {
  /// Whether the value can be encrypted on the device.
  fileprivate var canBeEncrypted: Bool {
    switch self {
    case .reference, .asset: false
    case .list(let members): members.first?.canBeEncrypted ?? true
    default: true
    }
  }
}
