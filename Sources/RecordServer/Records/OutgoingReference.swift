import CloudRecords

/// A reference that affects its target: the source is deleted with it, or prevents its deletion.
struct OutgoingReference: Hashable {
  var target: String
  var field: String
  var action: RecordReference.Action
}

extension StoredRecord {
  /// The fields' references that affect their targets; the stronger one if a list has both.
  var outgoing: [OutgoingReference] {
    guard fields.haveLinks else { return [] }
    var found: [OutgoingReference] = []
    for entry in fields {
      switch entry.field.value {
      case .reference(let reference): found.append(reference, in: entry.name)
      case .list(of: .reference, let members):
        for case .reference(let reference) in members { found.append(reference, in: entry.name) }
      default: continue
      }
    }
    return found
  }
}

extension [OutgoingReference] {
  fileprivate mutating func append(_ reference: RecordReference, in field: String) {
    guard reference.action != .none else { return }
    if let index = firstIndex(where: { $0.target == reference.recordName && $0.field == field }) {
      if reference.action == .validate { self[index].action = .validate }
    } else {
      append(
        OutgoingReference(target: reference.recordName, field: field, action: reference.action))
    }
  }
}
