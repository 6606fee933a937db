import BinaryCoding
import CloudRecords
import RecordStorage

/// A user's participation in another user's zone, as stored in the user's own database.
///
/// The owner's share is authoritative. The membership stays stored after the share ended or the
/// owner removed the user.
struct Membership: Hashable {
  var zone: RecordZoneIdentifier
  /// The zone's number in its owner's database, which distinguishes it from a later zone of the
  /// same name.
  var zoneNumber: UInt64
  /// A number that increases with each new membership of the user.
  ///
  /// A user who lost access to the zone and joins again gets a new number.
  var number: UInt64
  var shareNames: [String]

  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 96)
    form.byte(Self.version)
    form.text(zone.ownerName)
    form.text(zone.zoneName)
    form.number(zoneNumber)
    form.number(number)
    form.count(shareNames.count)
    for name in shareNames { form.text(name) }
    return form.bytes
  }

  init(zone: RecordZoneIdentifier, zoneNumber: UInt64, number: UInt64, shareNames: [String]) {
    self.zone = zone
    self.zoneNumber = zoneNumber
    self.number = number
    self.shareNames = shareNames
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of membership")
    }
    let owner = try form.text()
    zone = RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
    zoneNumber = try form.number()
    number = try form.number()
    shareNames = []
    for _ in 0..<(try form.count()) { shareNames.append(try form.text()) }
  }
}

/// The memberships of one user.
struct Memberships {
  let realm: Realm
  let user: String

  private var database: DatabaseKeys { DatabaseKeys(realm: realm, owner: user) }

  private func key(_ zone: RecordZoneIdentifier) -> StorageKey {
    var key = database.key(.sharedZone)
    key.append(text: zone.ownerName)
    key.append(text: zone.zoneName)
    return key
  }

  func membership(
    in zone: RecordZoneIdentifier, _ transaction: any StorageReading
  ) throws -> Membership? {
    try transaction.value(of: key(zone)).map { try Membership(bytes: $0) }
  }

  /// All memberships, ordered by owner and zone.
  func all(_ transaction: any StorageReading) throws -> [Membership] {
    try transaction.entries(in: StorageRange(prefix: database.key(.sharedZone))).map {
      try Membership(bytes: $0.value)
    }
  }

  /// The owners of the zones, in order.
  ///
  /// The method reads only the first zones of an owner with many zones.
  func owners(_ transaction: any StorageReading) throws -> [String] {
    let all = StorageRange(prefix: database.key(.sharedZone))
    var (range, owners): (StorageRange, [String]) = (all, [])
    while true {
      let page = try transaction.entries(in: range, limit: ServerLimits.membershipsAtOnce)
      for entry in page {
        let owner = try ZoneKeys.texts(1, of: entry.key.bytes.span, after: all)[0]
        if owners.last != owner { owners.append(owner) }
      }
      guard page.count == ServerLimits.membershipsAtOnce, let last = owners.last else {
        return owners
      }
      var zones = database.key(.sharedZone)
      zones.append(text: last)
      guard let end = StorageRange(prefix: zones).upper else { return owners }
      range = StorageRange(from: end, to: all.upper)
    }
  }

  /// Throws if joining another zone would exceed the user's limit.
  ///
  /// Ended memberships do not count.
  func checkRoom(
    for zone: RecordZoneIdentifier, number zoneNumber: UInt64, _ limits: ServiceLimits,
    _ transaction: any StorageReading
  ) throws {
    let known = try membership(in: zone, transaction)
    if let known, known.zoneNumber == zoneNumber, try access(by: known, transaction) != nil {
      return
    }
    let all = try all(transaction)
    guard !Self.listed(all).hasRoom(for: zone, limits) else { return }
    let listed = Self.listed(try all.filter { try access(by: $0, transaction) != nil })
    guard !listed.hasRoom(for: zone, limits) else { return }
    throw CloudError(
      .quotaExceeded,
      "The user participates in \(listed.count) zones of others, which is the maximum (the limits “zones” and “answer-bytes”: one answer lists all). Leave some first.",
      extension: .limitExceeded)
  }

  private static func listed(_ memberships: [Membership]) -> ListedZones {
    var listed = ListedZones()
    for membership in memberships { listed.add(membership.zone) }
    return listed
  }

  /// Records that the user joined a share.
  func join(
    _ shareName: String, in zone: RecordZoneIdentifier, number zoneNumber: UInt64,
    _ limits: ServiceLimits,
    _ transaction: any StorageWriting
  ) throws {
    let known = try membership(in: zone, transaction)
    if var known, known.zoneNumber == zoneNumber, let access = try access(by: known, transaction) {
      guard !known.shareNames.contains(shareName) else { return }
      // Shares that the user can no longer see are dropped too.
      known.shareNames = known.shareNames.filter(access.shareNames.contains) + [shareName]
      return try transaction.set(known.bytes, for: key(zone))
    }
    let all = try all(transaction)
    let last = all.map(\.number).max() ?? 0
    let membership = Membership(
      zone: zone, zoneNumber: zoneNumber, number: last + 1, shareNames: [shareName])
    try transaction.set(membership.bytes, for: key(zone))
    try forgetEnded(among: all.filter { $0.zone != zone }, limits, transaction)
  }

  /// Removes the oldest ended memberships if all memberships exceed twice the limit of active ones.
  ///
  /// An ended membership does not count towards a limit. While it is stored, the feed can report
  /// its end to the user's devices. A removal makes all devices read the database from its start,
  /// because some may not know of the end yet.
  private func forgetEnded(
    among all: [Membership], _ limits: ServiceLimits, _ transaction: any StorageWriting
  ) throws {
    let most = 2 * limits.zonesPerDatabase
    guard all.count > most else { return }
    // A few more than needed are removed, so that not every join searches for ended memberships.
    var surplus = all.count - most + most / 20
    for membership in all.sorted(by: { $0.number < $1.number }) where surplus > 0 {
      guard try access(by: membership, transaction) == nil else { continue }
      try transaction.remove(key(membership.zone))
      surplus -= 1
    }
    var form = BinaryWriter(capacity: 10)
    form.number(try forgotten(transaction) + 1)
    try transaction.set(form.bytes, for: database.key(.forgottenMemberships))
  }

  /// The number of times that ended memberships were removed.
  func forgotten(_ transaction: any StorageReading) throws -> UInt64 {
    guard let bytes = try transaction.value(of: database.key(.forgottenMemberships)) else {
      return 0
    }
    var form = BinaryReader(bytes)
    return try form.number()
  }

  /// The zone as the owner's shares show it to the user now; nil if none does.
  func access(by membership: Membership, _ transaction: any StorageReading) throws -> ZoneAccess? {
    let owner = DatabaseKeys(realm: realm, owner: membership.zone.ownerName)
    guard let bytes = try transaction.value(of: owner.zone(membership.zoneNumber)) else {
      return nil
    }
    let zone = try StoredZone(bytes: bytes)
    guard zone.deleted == nil else { return nil }
    let keys = ZoneKeys(database: owner, number: zone.number)
    let draft = ZoneDraft(zone: zone, keys: keys, transaction: transaction)
    try draft.load(membership.shareNames)
    let views = try membership.shareNames.compactMap { name -> ZoneAccess.SharedView? in
      try draft.record(name)?.share.flatMap {
        view(of: $0, named: name, coversZone: zone.zoneShareName == name)
      }
    }
    guard !views.isEmpty else { return nil }
    return ZoneAccess(
      identifier: membership.zone, keys: keys, zone: zone, view: .shared(views),
      generation: membership.number << 32 | UInt64(views.fingerprint))
  }

  /// The user's view through a share; nil if the user is not a participant.
  private func view(of share: ShareDetails, named name: String, coversZone: Bool) -> ZoneAccess
    .SharedView?
  {
    let standing = ShareRules.standing(of: user, in: share)
    guard case .participant = standing else { return nil }
    let begun = share.participants.first { $0.identity.userRecordName == user }?.visibleSince
    let subject = Subject.others(standing, coversZone ? .wholeZone : .inTree)
    return ZoneAccess.SharedView(
      shareName: name, identifier: share.participants.first { $0.role == .owner }?.identifier ?? "",
      coversZone: coversZone, standing: standing,
      showsRecords: Permission.decide(.readRecord, by: .user(user), on: subject) == .allowed,
      begun: begun ?? 0)
  }
}
