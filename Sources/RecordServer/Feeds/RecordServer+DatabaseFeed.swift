package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `changes/database` and `zones/changes`: the zones that changed or were deleted since a
  /// position.
  package func databaseChanges(
    _ request: ChangesDatabaseRequest, _ call: Call
  ) async throws(CloudError) -> ChangesDatabaseResponse {
    try refuseFeedsOfPublic(call)
    if let error = Permission.decide(.seeZone, by: call.caller, on: .own(.customZone))
      .error(hiding: CloudError(.accessDenied, "This database is not the caller's."))
    {
      throw error
    }
    let limit = try ResultsLimit.count(request.resultsLimit, most: .max)
    guard call.scope == .shared else {
      let feed = OwnDatabaseFeed(call: call, token: request.syncToken, limit: limit)
      return try await read(call.callerName, inTurnsOf: call.caller, from: 0) {
        _, transaction, _ in .done(try feed.page(transaction))
      }
    }
    let feed = SharedDatabaseFeed(call: call, token: request.syncToken, limit: limit)
    return try await read(nil, inTurnsOf: call.caller, from: nil) { try feed.step($0, $1, $2) }
  }
}

/// The feed of a user's own database.
///
/// A token contains the last known position of each zone. So writers of different zones share no
/// state; the price is a token that grows with the number of zones. A token also contains the
/// number of the newest zone. The client may have created later zones itself, so the feed reports
/// their deletion as long as their tombstones exist.
private struct OwnDatabaseFeed: Sendable {
  let call: Call
  let token: String?
  let limit: Int

  private var readerName: String { "\(call.scope.name) \(call.callerName)" }

  func page(_ transaction: any StorageReading) throws -> ChangesDatabaseResponse {
    let history = try StoreHistory(of: transaction)
    let zones = try zones(transaction)
    var known = try known(in: history)
    var newest = known.removeValue(forKey: Self.newestZone) ?? zones.last?.number ?? 0
    guard Set(zones.map(\.number)).isSuperset(of: known.keys) else {
      throw CloudError.tokenExpired()
    }
    let present = Dictionary(zones.lazy.map { ($0.name, $0.number) }, uniquingKeysWith: max)
    var changes: [ChangesDatabaseResponse.ZoneChange] = []
    var moreComing = false
    for zone in zones {
      let position = zone.deleted == nil ? zone.lastPosition : nil
      let isUnknown = known[zone.number] == nil && zone.number <= newest
      if position == nil, isUnknown || present[zone.name] != zone.number {
        // The client does not know the deleted zone, or a newer zone of the same name is reported.
        known[zone.number] = nil
      } else if position != known[zone.number] || position == nil {
        if changes.count >= limit {
          moreComing = true
          break
        }
        let identifier = RecordZoneIdentifier(zoneName: zone.name, ownerName: call.callerName)
        changes.append(position == nil ? .deleted(identifier) : .changed(identifier))
        known[zone.number] = position
      }
      newest = max(newest, zone.number)
    }
    known[Self.newestZone] = newest
    let marks = known.sorted { $0.key < $1.key }.map {
      FeedToken.Mark(zone: $0.key, position: $0.value)
    }
    let token = FeedToken(
      feed: .database, realm: call.realm, reader: readerName, marks: marks, history: history)
    return ChangesDatabaseResponse(zones: changes, syncToken: token.text, moreComing: moreComing)
  }

  /// The key of a token's newest zone; no stored zone has this number.
  private static let newestZone: UInt64 = 0

  /// The positions that the client knows, by the numbers of the zones.
  private func known(in history: StoreHistory) throws(CloudError) -> [UInt64: UInt64] {
    guard let token, !token.isEmpty else { return [:] }
    let given = try FeedToken(
      token, feed: .database, realm: call.realm, reader: readerName, in: history)
    guard given.history == history else { throw .tokenExpired() }
    return Dictionary(
      given.marks.map { ($0.zone, $0.position) }, uniquingKeysWith: { first, _ in first })
  }

  /// All zones, deleted ones too, in the order of creation; the default zone has no feed.
  private func zones(_ transaction: any StorageReading) throws -> [StoredZone] {
    try ZoneDirectory(database: DatabaseKeys(realm: call.realm, owner: call.callerName))
      .zones(in: transaction)
      .filter { $0.name != RecordZoneIdentifier.defaultZoneName }
  }
}
