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
    let feed = DatabaseFeed(request, call)
    return try await read(
      call.scope == .private ? call.callerName : nil, inTurnsOf: call.caller,
      from: DatabaseFeed.State?.none
    ) { state, transaction, slice in
      var state = try state ?? feed.begin(transaction)
      guard try feed.find(&state, transaction, slice) else { return .paused(state, bytes: 0) }
      return .done(try feed.page(of: state.places, transaction, limit: request.resultsLimit))
    }
  }
}

/// The feed of a database.
///
/// A token contains the last known position of each zone. So writers of different zones share no
/// state; the price is a token that grows with the number of zones, which is small.
private struct DatabaseFeed: Sendable {
  private let token: String?
  private let call: Call

  init(_ request: ChangesDatabaseRequest, _ call: Call) {
    token = request.syncToken
    self.call = call
  }

  /// The results so far, from one slice to the next.
  struct State: Sendable {
    fileprivate var places: [Place] = []
    /// Memberships whose zones are still to be read; the next one is last.
    fileprivate var memberships: [Membership] = []
    /// The positions that the client knows, by its numbers of the zones.
    fileprivate var known: [UInt64: UInt64] = [:]
  }

  /// A zone, by a number that is local to the client.
  fileprivate struct Place {
    var number: UInt64
    var identifier: RecordZoneIdentifier
    /// Nil for a deleted zone.
    var position: UInt64?
  }

  private var readerName: String { "\(call.scope.name) \(call.callerName)" }

  func page(
    of places: [Place], _ transaction: any StorageReading, limit: Int?
  ) throws -> ChangesDatabaseResponse {
    let limit = try ResultsLimit.count(limit, most: .max)
    let history = try StoreHistory(of: transaction)
    var known = try known(in: history)
    guard Set(places.map(\.number)).isSuperset(of: known.keys) else {
      throw CloudError.tokenExpired()
    }
    let alive = Set(places.filter { $0.position != nil }.map(\.identifier))
    var moves: [ChangesDatabaseResponse.ZoneMove] = []
    var moreComing = false
    for place in places where place.position != known[place.number] {
      // A zone that was created again under its name has changed, and is not deleted.
      if place.position == nil, known[place.number] == nil || alive.contains(place.identifier) {
        known[place.number] = nil
        continue
      }
      if moves.count >= limit {
        moreComing = true
        break
      }
      moves.append(place.position == nil ? .deleted(place.identifier) : .moved(place.identifier))
      known[place.number] = place.position
    }
    let marks = known.sorted { $0.key < $1.key }.map {
      FeedToken.Mark(zone: $0.key, position: $0.value)
    }
    let token = FeedToken(
      feed: .database, realm: call.realm, reader: readerName, marks: marks, history: history)
    return ChangesDatabaseResponse(zones: moves, syncToken: token.text, moreComing: moreComing)
  }

  /// The positions that the client knows, by its numbers of the zones.
  private func known(in history: StoreHistory) throws(CloudError) -> [UInt64: UInt64] {
    guard let token, !token.isEmpty else { return [:] }
    let given = try FeedToken(
      token, feed: .database, realm: call.realm, reader: readerName, in: history)
    guard given.history == history else { throw .tokenExpired() }
    return Dictionary(
      given.marks.map { ($0.zone, $0.position) }, uniquingKeysWith: { first, _ in first })
  }

  func begin(_ transaction: any StorageReading) throws -> State {
    switch call.scope {
    case .private: return State(places: try own(transaction))
    case .shared:
      let memberships = try Memberships(realm: call.realm, user: call.callerName).all(transaction)
      return State(
        memberships: memberships.sorted { $0.number > $1.number },
        known: try known(in: try StoreHistory(of: transaction)))
    case .public: return State()
    }
  }

  /// Finds the zones' positions.
  ///
  /// - Returns: False if the slice ends before all are found.
  func find(_ state: inout State, _ transaction: any StorageReading, _ slice: ReadingSlice) throws
    -> Bool
  {
    let memberships = Memberships(realm: call.realm, user: call.callerName)
    while !slice.isSpent, let membership = state.memberships.popLast() {
      slice.visit()
      // Membership numbers are per user, so they serve as the client's numbers.
      let position = try memberships.lastPosition(
        by: membership, known: state.known[membership.number], transaction)
      state.places.append(
        Place(number: membership.number, identifier: membership.zone, position: position))
    }
    return state.memberships.isEmpty
  }

  private func own(_ transaction: any StorageReading) throws -> [Place] {
    let database = DatabaseKeys(realm: call.realm, owner: call.callerName)
    return try ZoneDirectory(database: database).zones(in: transaction)
      // The default zone has no feed.
      .filter { $0.name != RecordZoneIdentifier.defaultZoneName }
      .map { zone in
        let identifier = RecordZoneIdentifier(zoneName: zone.name, ownerName: call.callerName)
        return Place(
          number: zone.number, identifier: identifier,
          position: zone.deleted == nil ? zone.lastPosition : nil)
      }
  }
}
