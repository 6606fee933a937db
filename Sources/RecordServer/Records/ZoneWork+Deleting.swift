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
        .accessDenied, "The record of a user is the server's to delete: it goes with the account. Change it instead.")
    }
    if let share = try record.shareName.flatMap({ try draft.record($0) }) { try end(share) }
    try cascade(from: record)
  }

  /// Whether a record is the one that the server made for a user, which stays for as long as the account.
  private func isOfUser(_ record: StoredRecord) -> Bool {
    access.isPublic && record.recordType == SystemType.users.rawValue
  }

  func remove(_ record: StoredRecord) throws {
    try quota.take(-draft.bytesUsed(of: record.recordName), of: access.keys.database)
    draft.delete(record.recordName)
    events.append(RecordEvent(event: .delete, record: record))
  }

  /// Deletes a record, and those that refer to it so that they go with it.
  func cascade(from first: StoredRecord) throws {
    var queue = [first]
    var count = 0
    try remove(first)
    while let record = queue.popLast() {
      let sources = try draft.references(to: record.recordName).filter { $0.action == .deleteSelf }
      guard sources.count <= batch.limits.cascadesPerTarget else {
        throw CloudError(
          .badRequest,
          "\(sources.count) records refer to “\(record.recordName)” and go with it; \(batch.limits.cascadesPerTarget) is the most. Delete them in several requests first.",
          extension: .limitExceeded)
      }
      try draft.load(sources.map(\.source))
      for source in sources {
        guard let next = try draft.record(source.source), !isOfUser(next) else { continue }
        try remove(next)
        queue.append(next)
        count += 1
      }
    }
  }

  /// Looks whether what an operation needs is there, now that the whole batch was carried out.
  func checkLinks(of item: RecordBatch.Item) throws {
    let name = item.identifier.recordName
    if let record = try draft.record(name) {
      guard draft.isChanged(name) else { return }
      try checkTargets(of: record)
      if record.share != nil { try tieToRoot(record, item.operation.record) }
    } else if draft.isChanged(name) {
      try checkNothingIsLeft(behind: name)
    }
  }

  func checkTargets(of record: StoredRecord) throws {
    if let parent = record.parentName {
      guard try draft.record(parent) != nil else {
        throw CloudError(
          .validatingReferenceError,
          "The parent “\(parent)” of “\(record.recordName)” does not exist. Save it in the same request or before.")
      }
      try checkAncestors(of: record)
    }
    for entry in record.fields { try checkZone(of: entry.field.value, in: entry.name, record) }
    for link in record.outgoing where link.action == .validate {
      guard try draft.record(link.target) == nil else { continue }
      throw CloudError(
        .validatingReferenceError,
        "The field \(link.field) of “\(record.recordName)” refers to “\(link.target)”, which does not exist.")
    }
  }

  func checkAncestors(of record: StoredRecord) throws {
    var seen: Set<String> = [record.recordName]
    var next = record.parentName
    while let name = next {
      guard seen.insert(name).inserted else {
        throw CloudError(.badRequest, "The record “\(record.recordName)” would be its own ancestor.")
      }
      next = try draft.record(name)?.parentName
    }
  }

  func checkZone(of value: FieldValue, in field: String, _ record: StoredRecord) throws(CloudError) {
    switch value {
    case .reference(let reference):
      guard let zone = reference.zone, zone.zoneName != access.identifier.zoneName else { return }
      throw CloudError(
        .badRequest,
        "The field \(field) of “\(record.recordName)” refers to the zone “\(zone.zoneName)”. References stay within their zone."
      )
    case .list(of: .reference, let members):
      for member in members { try checkZone(of: member, in: field, record) }
    default: return
    }
  }

  func checkNothingIsLeft(behind name: String) throws {
    if let child = try draft.children(of: name).first {
      throw CloudError(
        .validatingReferenceError,
        "“\(name)” is the parent of “\(child)”. Delete its children in the same request or before.")
    }
    if let source = try draft.references(to: name).first(where: { $0.action == .validate }) {
      throw CloudError(
        .validatingReferenceError,
        "The field \(source.field) of “\(source.source)” refers to “\(name)” and forbids its deletion.")
    }
  }
}
