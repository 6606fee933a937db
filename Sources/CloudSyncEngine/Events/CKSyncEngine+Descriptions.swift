import CloudKitClient

/// Descriptions for logs and tests. Their format is not stable.
extension CKSyncEngine: CustomStringConvertible {
  /// The database of the engine.
  public var description: String { "<CKSyncEngine: \(database)>" }
}

extension CKSyncEngine.SyncReason: CustomStringConvertible {
  /// The reason in one word.
  public var description: String { self == .manual ? "manual" : "scheduled" }
}

extension CKSyncEngine.PendingRecordZoneChange: CustomStringConvertible {
  /// The kind of the change and its record.
  public var description: String { "\(item.kind.rawValue) \(item.name.text)" }
}

extension CKSyncEngine.PendingDatabaseChange: CustomStringConvertible {
  /// The kind of the change and its zone.
  public var description: String { "\(item.kind.rawValue) \(item.name)" }
}

extension CKSyncEngine.Event: CustomStringConvertible {
  /// The event in one line.
  public var description: String {
    switch self {
    case .stateUpdate: "stateUpdate"
    case .accountChange(let event): "accountChange \(event.changeType)"
    case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges\(event.text)"
    case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges\(event.text)"
    case .sentDatabaseChanges(let event): "sentDatabaseChanges\(event.text)"
    case .sentRecordZoneChanges(let event): "sentRecordZoneChanges\(event.text)"
    case .willFetchChanges(let event): "willFetchChanges \(event.context.reason)"
    case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges \(event.zoneID)"
    case .didFetchRecordZoneChanges(let event):
      "didFetchRecordZoneChanges \(event.zoneID)\(event.error.map { " \($0.code)" } ?? "")\(event.recordIDsInZone == nil ? "" : " whole")"
    case .didFetchChanges(let event): "didFetchChanges \(event.context.reason)"
    case .willSendChanges(let event): "willSendChanges \(event.context.reason)"
    case .didSendChanges(let event): "didSendChanges \(event.context.reason)"
    }
  }
}

extension CKSyncEngine.Event.AccountChange.ChangeType: CustomStringConvertible {
  /// The change and its users.
  public var description: String {
    switch self {
    case .signIn(let user): "signIn \(user.recordName)"
    case .signOut(let user): "signOut \(user.recordName)"
    case .switchAccounts(let previous, let current):
      "switch \(previous.recordName) to \(current.recordName)"
    }
  }
}

extension CKSyncEngine.Event.FetchedDatabaseChanges {
  fileprivate var text: String {
    list("changed", modifications.map { "\($0.zoneID)" })
      + list(
        "gone",
        deletions.map { $0.reason == .deleted ? "\($0.zoneID)" : "\($0.zoneID) (\($0.reason))" })
  }
}

extension CKSyncEngine.Event.FetchedRecordZoneChanges {
  fileprivate var text: String {
    list("changed", modifications.map(\.record.recordID.text))
      + list("gone", deletions.map(\.recordID.text))
  }
}

extension CKSyncEngine.Event.SentDatabaseChanges {
  fileprivate var text: String {
    let failed =
      failedZoneSaves.map { ("\($0.zone.zoneID)", $0.error) }
      + failedZoneDeletes.map { ("\($0.key)", $0.value) }
    return list("saved", savedZones.map { "\($0.zoneID)" })
      + list("deleted", deletedZoneIDs.map { "\($0)" })
      + list("failed", failures(failed))
  }
}

extension CKSyncEngine.Event.SentRecordZoneChanges {
  fileprivate var text: String {
    let failed =
      failedRecordSaves.map { ($0.record.recordID.text, $0.error) }
      + failedRecordDeletes.map { ($0.key.text, $0.value) }
    return list("saved", savedRecords.map(\.recordID.text))
      + list("deleted", deletedRecordIDs.map(\.text))
      + list("failed", failures(failed))
  }
}

extension CKRecord.ID {
  /// The names of the zone and the record.
  fileprivate var text: String { "\(zoneID.zoneName)/\(recordName)" }
}

private func list(_ what: String, _ texts: [String]) -> String {
  texts.isEmpty ? "" : " \(what): \(texts.joined(separator: ", "))"
}

private func failures(_ failures: [(text: String, error: CKError)]) -> [String] {
  failures.sorted { $0.text < $1.text }.map { "\($0.text) (\($0.error.code))" }
}
