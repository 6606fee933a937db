import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

extension ZoneWork {
  func delete(_ record: StoredRecord) throws {
    if record.share != nil { return try endOrLeave(record) }
    try allow(.deleteRecord, on: subject(of: record))
    guard !isOfUser(record) else {
      throw CloudError(
        .accessDenied,
        "A user record is deleted by the server, together with the account. Change it instead."
      )
    }
    try cascade(from: record)
  }

  /// Whether a record is a user record created by the server, which stays as long as the account.
  private func isOfUser(_ record: StoredRecord) -> Bool {
    access.isPublic && record.recordType == SystemType.users.rawValue
  }

  /// Deletes a record, its share, and the records whose references cascade.
  ///
  /// Only outlines of cascaded records are kept in memory.
  func cascade(from first: StoredRecord) throws {
    var queue = [first.recordName]
    // Several paths may lead to one record.
    var going = Set(queue)
    var gone: [StoredRecord] = []
    var optional: [String] = []
    while let name = queue.popLast() {
      guard let record = try draft.outline(of: name) else { continue }
      try remove(record)
      gone.append(record)
      // Nothing prevents the deletion of a share.
      let sources = try sources(of: record, areOptional: record.share != nil)
      queue += try (share(of: record) + sources.required).filter { going.insert($0).inserted }
      optional += sources.optional
      guard going.count - 1 <= cascades.left else { throw cascades.exceeded }
    }
    try cascadeOptionally(to: optional, going: &going, gone: &gone)
    self.gone[first.recordName] = gone
    cascades.take(gone.count - 1)
  }

  /// Deletes records whose cascades are optional.
  ///
  /// A record stays if the limit is reached, or if a child or a reference prevents its deletion.
  private func cascadeOptionally(
    to names: [String], going: inout Set<String>, gone: inout [StoredRecord]
  ) throws {
    var queue = Array(names.reversed())
    while let name = queue.popLast() {
      guard going.count - 1 < cascades.left else { return }
      guard !going.contains(name), let record = try draft.outline(of: name),
        try draft.child(of: name) == nil, try holder(of: record) == nil
      else {
        continue
      }
      going.insert(name)
      try remove(record)
      gone.append(record)
      let sources = try sources(of: record, areOptional: true)
      queue += sources.optional.reversed()
    }
  }

  private func remove(_ record: StoredRecord) throws {
    if record.share != nil, let share = try draft.uncached(record.recordName)?.share {
      try end(share, named: record.recordName)
    }
    try quota.take(draft.count(0, of: record.recordName), of: access.keys.database)
    draft.delete(record.recordName)
    events.append(RecordEvent(event: .delete, record: record))
  }

  /// The share of which a record is the root.
  private func share(of record: StoredRecord) throws -> [String] {
    guard let share = record.shareName, try draft.outline(of: share) != nil else { return [] }
    return [share]
  }

  /// The records that reference a record with a cascade: those that must be deleted with it, and
  /// those that may stay.
  ///
  /// - Parameter areOptional: Whether all of them may stay.
  private func sources(
    of record: StoredRecord, areOptional: Bool = false
  ) throws -> (required: [String], optional: [String]) {
    let most = batch.limits.cascadesPerTarget
    let found = try draft.sources(
      referringTo: record.recordName, .deleteSelf,
      most: access.isPublic ? maximumCheckedReferences : most + 1)
    try draft.loadOutlines(access.isPublic ? found : Array(found.prefix(most)))
    var (required, optional): ([String], [String]) = ([], [])
    for name in found {
      guard let source = try draft.outline(of: name), !isOfUser(source) else { continue }
      if try !areOptional && constrains(source, record) {
        required.append(name)
      } else {
        optional.append(name)
      }
    }
    guard required.count <= most else {
      throw CloudError(
        .badRequest,
        "More than \(most) records refer to \(try called(record, "one that goes along")) and would be deleted with it. Delete them in several requests first.",
        extension: .limitExceeded)
    }
    return (required, Array(optional.prefix(most - (areOptional ? 0 : required.count))))
  }

  /// Whether a record was already deleted with another one of the batch, as far as the caller may
  /// know.
  func isAlreadyDeleted(_ name: String) -> Bool {
    gone.values.contains { $0.contains { $0.recordName == name && isVisible($0) } }
  }

  /// Checks the links of an operation's records after the whole batch was carried out.
  ///
  /// Links are parents, references, and the root of a share.
  func checkLinks(of item: RecordBatch.Item) throws {
    let name = item.identifier.recordName
    if let record = try draft.record(name) {
      guard draft.isChanged(name) else { return }
      try checkTargets(of: record)
      if record.share != nil { try tieToRoot(record, item.operation.record) }
    } else if draft.isChanged(name) {
      for record in gone[name] ?? [] where try draft.outline(of: record.recordName) == nil {
        try checkNothingIsLeft(after: record)
      }
    }
  }

  func checkTargets(of record: StoredRecord) throws {
    if let parent = record.parentName {
      guard let known = try target(parent) else {
        throw CloudError(
          .validatingReferenceError,
          "The parent “\(parent)” of “\(record.recordName)” does not exist. Save it in the same request or before."
        )
      }
      // A share's children would not be shared with it.
      guard known.share == nil else {
        throw CloudError(
          .badRequest,
          "The parent “\(parent)” of “\(record.recordName)” is a share. Use the share's root.")
      }
      try checkAncestors(of: record)
    }
    try checkReferences(of: record)
  }

  /// Throws if a reference names no record, or one that is a share or invisible to the caller.
  ///
  /// An unchanged reference may name any existing record. The first wrong reference is reported, so
  /// that the error does not reveal whether a record exists.
  private func checkReferences(of record: StoredRecord) throws {
    var unseen: [OutgoingReference] = []
    var missing: OutgoingReference?
    for link in record.outgoing where needsTarget(link) {
      guard let known = try target(link.target) else {
        missing = link
        break
      }
      if try known.share != nil || !isVisible(asItWillBe: known) { unseen.append(link) }
    }
    let added = try unseen.firstAdded {
      guard case .record(let before)? = try draft.stored(record.recordName) else { return [] }
      return before.outgoing
    }
    if let wrong = added ?? missing { throw invalid(wrong, in: record) }
  }

  private func invalid(_ link: OutgoingReference, in record: StoredRecord) -> CloudError {
    CloudError(
      .validatingReferenceError,
      "The field \(link.field) of “\(record.recordName)” refers to “\(link.target)”, which does not exist or is a share."
    )
  }

  /// Whether a reference needs its target to exist.
  ///
  /// A validating reference does. So does a cascading reference from a participant, who could
  /// otherwise prevent the owner from deleting a record that the participant does not see.
  private func needsTarget(_ link: OutgoingReference) -> Bool {
    link.action == .validate || (link.action == .deleteSelf && !access.seesAll)
  }

  /// A record in the draft, unless the operation that creates it has failed.
  private func target(_ name: String) throws -> StoredRecord? {
    failedCreations.contains(name) ? nil : try draft.record(name)
  }

  /// Treats the record of a failed operation as missing if the draft creates it.
  ///
  /// - Returns: The records that may depend on it.
  func failCreation(of name: String) throws -> [String] {
    if case .record? = try draft.stored(name) { return [] }
    failedCreations.insert(name)
    return draft.changedNames(dependingOn: name)
  }

  /// Whether the caller may see a record after the batch.
  private func isVisible(asItWillBe record: StoredRecord) throws -> Bool {
    guard !access.isPublic else { return isVisible(record) }
    guard !access.seesAll else { return true }
    var covered = record
    covered.coveringShareName = try draft.covering(record)
    return isVisible(covered)
  }

  /// Throws if a record would be its own ancestor.
  ///
  /// A cycle consists of new records only, or it has a stored record whose parent changed. So
  /// stored ancestors are visited only from such a stored record.
  private func checkAncestors(of record: StoredRecord) throws {
    let before = try draft.stored(record.recordName)
    if case .record(let known)? = before, known.parentName == record.parentName { return }
    var seen: Set<String> = [record.recordName]
    var next = record.parentName
    while let name = next, before != nil || draft.isChanged(name) {
      guard seen.insert(name).inserted else {
        throw CloudError(
          .badRequest, "The record “\(record.recordName)” would be its own ancestor.")
      }
      next = try draft.outline(of: name)?.parentName
    }
  }

  func checkNothingIsLeft(after record: StoredRecord) throws {
    // Nothing that refers to a share prevents its deletion.
    guard record.share == nil else { return }
    if let child = try draft.child(of: record.recordName).flatMap({ try draft.outline(of: $0) }) {
      throw CloudError(
        .validatingReferenceError,
        "\(try called(record, "The record")) is the parent of \(try called(child, "another")). Delete its children in the same request or before."
      )
    }
    if let source = try holder(of: record) {
      throw CloudError(
        .validatingReferenceError,
        "A field of \(try called(source, "another record")) refers to \(try called(record, "the record")) and prevents its deletion."
      )
    }
  }

  /// A record with a reference that prevents a deletion; nil if there is none.
  private func holder(of record: StoredRecord) throws -> StoredRecord? {
    let most = access.isPublic ? maximumCheckedReferences : 1
    for name in try draft.sources(referringTo: record.recordName, .validate, most: most) {
      if let source = try draft.outline(of: name), try constrains(source, record) { return source }
    }
    return nil
  }

  /// The maximum number of checked references to a public record, in the order of record names.
  private var maximumCheckedReferences: Int { batch.limits.cascadesPerRequest }

  /// A record's description in an error, which conceals a record that the caller may not see.
  private func called(_ record: StoredRecord, _ unknown: String) throws -> String {
    let isKnown = try isVisible(record) || isVisible(asItWillBe: record)
    return isKnown ? "“\(record.recordName)”" : unknown
  }
}
