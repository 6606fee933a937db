import CloudRecords
import Foundation

/// What a record holds: a value that `CKRecord` keeps under a lock.
struct RecordState: Sendable {
  /// Fields by name, and which of them were set since the record was made, fetched or saved.
  struct Fields: Sendable {
    var contents: [String: FieldContent] = [:]
    var changed: Set<String> = []
    /// Of fields that were set: what they were before, where they had a value.
    var before: [String: FieldContent] = [:]

    /// Sets a field, or takes it away.
    mutating func set(_ content: FieldContent?, for key: String) {
      if changed.insert(key).inserted { before[key] = contents[key] }
      contents[key] = content
    }

    /// The fields as they were before anything was set.
    var unchanged: Fields {
      var fields = self
      for key in changed { fields.contents[key] = before[key] }
      fields.forget(changed)
      return fields
    }

    /// Takes fields for unchanged.
    mutating func forget(_ keys: Set<String>) {
      changed.subtract(keys)
      for key in keys { before[key] = nil }
    }
  }

  /// Who did something to the record, and when.
  struct Stamp: Sendable {
    var user: CKRecord.ID
    var date: Date
  }

  let recordType: CKRecord.RecordType
  let recordID: CKRecord.ID
  var changeTag: String?
  var created: Stamp?
  var modified: Stamp?
  var plain = Fields()
  var encrypted = Fields()
  /// Encrypted fields that the server's record has and that could not be opened: it is told of a
  /// conflict without them.
  var unopened: Set<String> = []
  var parent: CKRecord.Reference?
  var isParentChanged = false
  /// The parent as it was fetched or saved, where another was set since.
  var formerParent: CKRecord.Reference?
  var share: CKRecord.Reference?
  /// What makes the record a share.
  var sharing: Sharing?

  init(recordType: CKRecord.RecordType, recordID: CKRecord.ID) {
    self.recordType = recordType
    self.recordID = recordID
  }

  /// The fields of one of the two kinds.
  subscript(isEncrypted isEncrypted: Bool) -> Fields {
    get { isEncrypted ? encrypted : plain }
    set { if isEncrypted { encrypted = newValue } else { plain = newValue } }
  }

  /// The record as it was fetched or saved, before anything was set.
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

  /// Puts the record under another, or under none.
  mutating func setParent(_ parent: CKRecord.Reference?) {
    if !isParentChanged { (isParentChanged, formerParent) = (true, self.parent) }
    self.parent = parent
  }

  /// Takes the parent for saved, unless another was set since it was sent.
  mutating func settleParent(_ saved: CKRecord.Reference?, sent: CKRecord.Reference?) {
    let isNew = isParentChanged && parent != sent && parent != saved
    if !isNew { parent = saved }
    (isParentChanged, formerParent) = (isNew, isNew ? saved : nil)
  }

  /// What is wrong with setting a field, as a sentence; nil if nothing is.
  func fault(setting content: FieldContent?, for key: String, isEncrypted: Bool) -> String? {
    if let fault = CloudName.fieldName.fault(in: key) {
      return "The name of a field “\(key.prefix(80))” \(fault)."
    }
    if self[isEncrypted: !isEncrypted].contents[key] != nil {
      return
        "The field \(recordType).\(key) has \(isEncrypted ? "a plain" : "an encrypted") value. Take it away first, or use another field."
    }
    guard isEncrypted, let content, !content.canBeEncrypted else { return nil }
    return
      "The field \(recordType).\(key) cannot be encrypted: references and assets cannot. The file of an asset lies on the server as it is: encrypt what is secret in it before."
  }
}

extension FieldContent {
  /// Whether the value can be sealed on the device.
  fileprivate var canBeEncrypted: Bool {
    switch self {
    case .reference, .asset: false
    case .list(let members): members.first?.canBeEncrypted ?? true
    default: true
    }
  }
}
