/// Merges an object that waits to be sent with the server's record, field by field.
///
/// No copy of their common ancestor is needed: a mask says what was changed locally, and the rest
/// is the server's. Digests of what the server had before tell what was changed there; where there
/// is none, it counts as changed.
///
/// | the property was | and the record | then |
/// |---|---|---|
/// | changed locally | has what that encodes to | nothing: both are the same |
/// | changed locally | has what it had before | ours is sent |
/// | changed locally | has something else | ours is sent, theirs goes to the journal |
/// | sent, unanswered | has something else, or had ours between | theirs stays; ours is journaled |
/// | sent by the last request only, unanswered | is as before | ours is sent: an earlier one arrived |
/// | left alone | has what the object has, encoded | nothing: the exact local bits stay |
/// | left alone | has something else | theirs is written locally |
/// | left alone | has no use, or was not fetched | the local value stays |
///
/// An order that both changed is ours, with theirs put in. A deletion wins over any change.
///
/// A record that the server had lost, and that another device has made again, may come from a
/// former version of the program, or from one that had not heard of the latest values:
///
/// | the property was | and the record made again | then |
/// |---|---|---|
/// | left alone | has nothing of it | ours is sent |
/// | left alone | has something else | theirs is written locally, ours goes to the journal |
package enum FieldMerge {
  /// What becomes of both sides.
  ///
  /// - Parameters:
  ///   - changed: The properties that were changed since the server last acknowledged the object;
  ///     nil for all, of a new object.
  ///   - unanswered: Those of them that were sent and not answered, and were not changed since.
  ///   - earlier: Those of them of which requests before the latest one had the same value; nil
  ///     where there are no such requests.
  ///   - former: The digests of what the server had before, as far as they are known.
  ///   - isLost: Whether the server had lost the record, which a device made again.
  ///   - server: The record that the server has.
  /// - Throws: What reading files throws, where long values are compared.
  package static func merge(
    local: ObjectContent, changed: Set<String>?, unanswered: Set<String> = [],
    earlier: Set<String>? = nil,
    former: [String: UInt64] = [:], isLost: Bool = false, server: DecodedObject
  ) throws -> MergeOutcome {
    var outcome = MergeOutcome(content: local)
    let absent = isLost ? server.absentProperties : []
    let received = server.toldProperties.subtracting(absent)
    let digests = former.isEmpty ? [:] : server.entity.digests(of: received, in: server.content)
    // A record is saved whole or not at all: where one of the values of a request has arrived, all
    // have. That something is cleared proves nothing: others clear the same, as where what a
    // relationship led to is deleted.
    func isAny(of properties: Set<String>) throws -> Bool {
      try properties.contains { property in
        guard received.contains(property), local.has(property), let before = former[property],
          before != digests[property]
        else { return false }
        return try server.isSame(property, local)
      }
    }
    let hasArrived = try isAny(of: unanswered)
    // Of several requests one alone arrives. Each has what those before it had: what only the
    // latest one has came with that one.
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
          unanswered.contains(property) && former[property] != nil && (isThere || !isUnchanged)
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

  /// The object was deleted here, and changed there: the deletion is sent again.
  ///
  /// - Returns: What the server's record had.
  package static func deletedHere(server: DecodedObject) -> MergeJournalEntry {
    MergeJournalEntry(
      entity: server.content.entity, recordName: server.content.recordName, property: nil,
      kept: nil,
      overwritten: server.content, winner: .local, serverUser: server.modifiedBy,
      serverDate: server.modified)
  }

  /// The record was deleted there, and the object changed here: the object goes.
  ///
  /// - Returns: All that the object had here, so that it can be made again.
  package static func deletedThere(local: ObjectContent) -> MergeJournalEntry {
    MergeJournalEntry(
      entity: local.entity, recordName: local.recordName, property: nil, kept: nil,
      overwritten: local,
      winner: .server)
  }
}

/// What becomes of an object that was changed here and there.
package struct MergeOutcome: Sendable {
  /// The object as it is to be everywhere: encode it, with `send`, into the server's record.
  package var content: ObjectContent
  /// The properties to write into the server's record; none where it has all already.
  package var send: Set<String> = []
  /// The properties to write into the local object, of `content`.
  package var write: Set<String> = []
  /// The server's properties whose bytes must be fetched before they can be written locally.
  package var unfetched: Set<String> = []
  /// What was overwritten, in the order of the properties.
  package var journal: [MergeJournalEntry] = []

  /// Takes what was saved over ours.
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

  /// Keeps what was changed locally.
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
