import CloudRecords

/// A reference that matters to its target: one that is deleted with it, or forbids its deletion.
struct OutgoingReference: Hashable {
  var target: String
  var field: String
  var action: RecordReference.Action
}

extension StoredRecord {
  /// The references of the record's fields that matter to their targets, the stronger one where a
  /// list has both.
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
