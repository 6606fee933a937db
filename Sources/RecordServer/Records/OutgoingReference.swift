import CloudRecords

/// A reference with an action: the source is deleted with the target, or prevents its deletion.
package struct OutgoingReference: Hashable, Sendable {
  var target: String
  var field: String
  var action: RecordReference.Action
}

extension StoredRecord {
  /// The references of the record's fields that have an action.
  ///
  /// If a list references one target with both actions, only the one that prevents the deletion
  /// counts.
  package var outgoing: [OutgoingReference] {
    guard fields.containsLinks else { return [] }
    var found: [OutgoingReference] = []
    for entry in fields {
      switch entry.field.value {
      case .reference(let reference) where reference.action != .none:
        found.append(OutgoingReference(reference, in: entry.name))
      case .list(of: .reference, let members): found.append(members, in: entry.name)
      default: continue
      }
    }
    return found
  }
}

extension OutgoingReference {
  fileprivate init(_ reference: RecordReference, in field: String) {
    self.init(target: reference.recordName, field: field, action: reference.action)
  }
}

extension [OutgoingReference] {
  /// The first of these references that a former version of their record does not have.
  ///
  /// - Parameter former: Lists the references of that version. It is called at most once.
  package func firstAdded(
    to former: () throws -> [OutgoingReference]
  ) rethrows -> OutgoingReference? {
    guard !isEmpty else { return nil }
    let known = Set(try former())
    return first { !known.contains($0) }
  }

  /// Appends the references of a list, each target once.
  fileprivate mutating func append(_ members: [FieldValue], in field: String) {
    var places: [String: Int] = [:]
    for case .reference(let reference) in members where reference.action != .none {
      if let place = places[reference.recordName] {
        if reference.action == .validate { self[place].action = .validate }
      } else {
        places[reference.recordName] = count
        append(OutgoingReference(reference, in: field))
      }
    }
  }
}
