/// Merges a pending object with the server's record, field by field.
///
/// It needs no copy of a common ancestor. A mask names the locally changed properties. Digests of
/// the server's former values show which properties changed there; without a digest, a property
/// counts as changed. *Ours* is the local value, *theirs* the server's.
///
/// | the property was | and the record | then |
/// |---|---|---|
/// | changed locally | has the same, encoded | nothing: both are equal |
/// | changed locally | has its former value | ours is sent |
/// | changed locally | has another value | ours is sent, theirs is journaled |
/// | sent, unanswered | has another value, or once had ours | theirs stays, ours is journaled |
/// | sent when the record was created | has another value | theirs stays, ours is journaled |
/// | unanswered, in the last request only | is as before | ours is sent: it did not arrive |
/// | unchanged locally | has the same, encoded | nothing: the exact local bits stay |
/// | unchanged locally | has another value | theirs is written locally |
/// | unchanged locally | is invalid, or was not fetched | the local value stays |
///
/// If both changed an order, ours stays and adopts their members. A deletion wins over any change.
///
/// If the server lost a record, the device that made it again may have had an older version of the
/// program or older values:
///
/// | the property was | and the new record | then |
/// |---|---|---|
/// | unchanged locally | has no value | ours is sent |
/// | unchanged locally | has another value | theirs is written locally, ours is journaled |
package enum FieldMerge {
  /// Merges both sides.
  ///
  /// - Parameters:
  ///   - changed: The properties that changed since the server last acknowledged the object; nil
  ///     for all of a new object.
  ///   - unanswered: The changed properties that were sent, not answered, and not changed since.
  ///   - earlier: The unanswered properties that requests before the latest one sent with the same
  ///     value; nil if there were none.
  ///   - former: The known digests of the server's former values.
  ///   - isLost: Whether the server had lost the record, and a device made it again.
  ///   - isNew: Whether this device knew no version of the record, so that one of its requests
  ///     created it.
  ///   - server: The server's record.
  /// - Throws: An error of reading a file, when long values are compared.
  package static func merge(
    local: ObjectContent, changed: Set<String>?, unanswered: Set<String> = [],
    earlier: Set<String>? = nil, former: [String: UInt64] = [:], isLost: Bool = false,
    isNew: Bool = false, server: DecodedObject
  ) throws -> MergeOutcome {
    var outcome = MergeOutcome(content: local)
    let absent = isLost ? server.absentProperties : []
    let received = server.determinedProperties.subtracting(absent)
    let digests = former.isEmpty ? [:] : server.entity.digests(of: received, in: server.content)
    // A record is saved whole or not at all: if one value of a request arrived, all did. A cleared
    // property proves nothing, because others may clear it by deleting the target.
    func isAny(of properties: Set<String>) throws -> Bool {
      try properties.contains { property in
        guard received.contains(property), local.has(property),
          isNew || former[property].map({ $0 != digests[property] }) ?? false
        else { return false }
        return try server.isSame(property, local)
      }
    }
    let hasArrived = try isNew || isAny(of: unanswered)
    // Only one of several requests arrives. Each includes the changes of the earlier ones. If the
    // server has a value that only the latest request sent, the latest request arrived.
    let hasLatest = try earlier.map { try isAny(of: unanswered.subtracting($0)) } ?? hasArrived
    for property in server.entity.sentProperties.sorted() {
      let isOurs = changed?.contains(property) ?? true
      if received.contains(property) || absent.contains(property),
        try server.isSame(property, local)
      {
        continue
      }
      if isOurs {
        let isUnchanged = former[property] != nil && former[property] == digests[property]
        let isThere = earlier?.contains(property) ?? true ? hasArrived : hasLatest
        let isNewer =
          unanswered.contains(property)
          && (isNew ? isThere : former[property] != nil && (isThere || !isUnchanged))
        if isNewer, received.contains(property) {
          outcome.yield(property, local, server)
        } else {
          outcome.keep(property, local, server, isTold: received.contains(property) && !isUnchanged)
        }
      } else if absent.contains(property) {
        outcome.send.insert(property)
      } else if received.contains(property), isLost {
        outcome.yield(property, local, server)
      } else if received.contains(property) {
        outcome.content.take(property, from: server.content)
        outcome.write.insert(property)
      } else if server.unfetched.contains(property) {
        outcome.unfetched.insert(property)
      }
    }
    return outcome
  }

  /// Journals the server's values of an object that was deleted here and changed there.
  ///
  /// The deletion is sent again.
  package static func deletedHere(server: DecodedObject) -> MergeJournalEntry {
    MergeJournalEntry(
      entity: server.content.entity, recordName: server.content.recordName, property: nil,
      kept: nil, overwritten: server.content, winner: .local, serverUser: server.modifiedBy,
      serverDate: server.modified)
  }

  /// Journals an object that was changed here and whose record was deleted there.
  ///
  /// The object is deleted. The entry has all its values, so that it can be created again.
  package static func deletedThere(local: ObjectContent) -> MergeJournalEntry {
    MergeJournalEntry(
      entity: local.entity, recordName: local.recordName, property: nil, kept: nil,
      overwritten: local, winner: .server)
  }
}

/// The result of a merge.
package struct MergeOutcome: Sendable {
  /// The merged object: encode it, with `send`, into the server's record.
  package var content: ObjectContent
  /// The properties to write into the server's record; empty if it has all values.
  package var send: Set<String> = []
  /// The properties of `content` to write into the local object.
  package var write: Set<String> = []
  /// The server's properties whose bytes must be fetched before they can be written locally.
  package var unfetched: Set<String> = []
  /// The overwritten values, in the order of the properties.
  package var journal: [MergeJournalEntry] = []

  /// Overwrites a local value with the server's.
  fileprivate mutating func yield(
    _ property: String, _ local: ObjectContent, _ server: DecodedObject
  ) {
    content.take(property, from: server.content)
    write.insert(property)
    journal.append(
      MergeJournalEntry(
        entity: local.entity, recordName: local.recordName, property: property,
        kept: server.content.part([property]), overwritten: local.part([property]), winner: .server,
        serverUser: server.modifiedBy, serverDate: server.modified))
  }

  /// Keeps a local value, and journals the server's if it changed.
  fileprivate mutating func keep(
    _ property: String, _ local: ObjectContent, _ server: DecodedObject, isTold: Bool
  ) {
    send.insert(property)
    guard isTold else { return }
    if server.entity.order(property) != nil {
      let (ours, theirs) = (local.orders[property] ?? [], server.content.orders[property] ?? [])
      let merged = MemberOrder.merge(local: ours, server: theirs)
      content.orders[property] = merged.isEmpty ? nil : merged
      if merged != ours { write.insert(property) }
      if merged == theirs { send.remove(property) }
      if MemberOrder.agree(ours, theirs) { return }
    }
    journal.append(
      MergeJournalEntry(
        entity: local.entity, recordName: local.recordName, property: property,
        kept: content.part([property]), overwritten: server.content.part([property]),
        winner: .local, serverUser: server.modifiedBy, serverDate: server.modified))
  }
}
