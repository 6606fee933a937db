import CloudKitClient
import CloudMirroring
import CloudRecords
import Foundation
import MirrorModel

/// The users of a world who share objects with each other.
///
///     an act of a user ── share, invite, accept, …, with all faults of the device
///     any event        ── the server's zones are observed:
///                           objects ──▶ in some zone          OwnersObjects, ZoneCheck
///                           texts   ──▶ who may read them     AccessTable ◀── received texts
///
/// Rejections are expected: a failed act is recorded in the trace, and the checks decide whether it
/// lost anything.
final class People {
  private unowned let world: World
  private(set) var access = AccessTable()
  private(set) var objects = OwnersObjects()
  /// The keys and texts that users wrote.
  private var written: Set<String> = []
  /// The records of each account's zones, as last observed.
  private var records: [String: [CKRecord]] = [:]
  /// The keys of the objects that the server had at the last observation.
  private var present: Set<String> = []

  init(_ world: World) { self.world = world }

  // MARK: Saves

  /// Records the effects of a save.
  ///
  /// - Parameter areOfOthers: Whether the objects are in the store of objects that others share.
  func note(_ effects: [Effect], by device: SimulatedDevice, areOfOthers: Bool) {
    for effect in effects {
      switch effect {
      case .inserted(let key):
        write(key, by: device)
        if !areOfOthers { objects.insert(key, by: device.owner) }
      case .deleted(let key): objects.delete(key, by: device.owner)
      case .wrote(let place, let text, _) where ["title", "body"].contains(place.property):
        write(text, by: device)
      case .wrote, .arranged: break
      }
    }
  }

  private func write(_ text: String, by device: SimulatedDevice) {
    written.insert(text)
    access.write(text, by: device.owner)
  }

  /// Whether a rule of sharing rejected a save, so that nothing was stored.
  func isRefusal(_ error: any Error) -> Bool {
    (error as NSError).userInfo["ParhelionZoneIDs"] != nil
  }

  // MARK: The beginning

  /// Gives each user folders with notes, and shares an object of the first user with other users,
  /// without faults.
  func begin() async throws {
    var number = SimulationLimits.firstNumberOfBeginning
    for account in world.plan.accounts {
      guard let device = world.devices.first(where: { $0.owner == account }) else { continue }
      for kind in [Change.Kind.addFolder, .fileNote, .fileNote, .addFolder, .fileNote] {
        number += 1
        let change = Change(
          kind, number: number, author: device.name, date: device.now, part: 0, &world.generator)
        let effects = try await device.save(change)
        world.note(effects, by: device)
        note(effects, by: device, areOfOthers: false)
      }
      try await device.runAllSteps()
    }
    let owner = world.devices[0]
    world.note("\(owner.name) share \(try await perform(.share, owner, picks()))")
    try await owner.runAllSteps()
    try await observe()
    for account in world.plan.accounts.dropFirst() {
      world.note("\(owner.name) invite \(try await perform(.invite, owner, picks()))")
      try await observe()
      guard let guest = world.devices.first(where: { $0.owner == account }) else { continue }
      // The invitation may be for another user.
      do { world.note("\(guest.name) accept \(try await perform(.accept, guest, picks()))") } catch
      {
        world.note("\(guest.name) accepts nothing")
      }
      try await owner.runAllSteps()
      try await observe()
    }
    world.push(toAllBut: nil)
  }

  private func picks() -> [Int] {
    var picks: [Int] = []
    for _ in 0..<4 { picks.append(world.generator.below(1_000)) }
    return picks
  }

  /// The number of the store in which a user changes something.
  func part(of device: SimulatedDevice) async throws -> Int {
    let hasOthers = try await !device.contents().othersKeys.isEmpty
    return world.generator.isOnce(in: 2) && hasOthers ? 1 : 0
  }

  // MARK: Acts

  /// Performs an act of a device's user with shares.
  func act(on device: SimulatedDevice) async throws {
    // Known issue 200: two devices of a user must not share related objects at once.
    let shares = world.devices.first { $0.owner == device.owner } === device
    let possible = try SharingAct.weighted.filter { act in
      guard act != .share || shares else { return false }
      return try act.needsOwnShare.map { try !device.shares(areOwn: $0).isEmpty } ?? true
    }
    let act = possible[world.generator.below(possible.count)]
    let picks = picks()
    var result = ""
    // The act may delete a zone, so the record names in it are saved first.
    world.namesEverSeen.formUnion(try await world.allNames())
    try await world.withFaults(device) {
      device.network.begin(act.operation)
      defer { device.network.begin(nil) }
      do { result = try await perform(act, device, picks) } catch {
        result = "fails: \((error as NSError).domain) \((error as NSError).code)"
      }
    }
    world.push(toAllBut: device)
    world.note("\(device.name) \(act.rawValue) \(result)")
  }

  private func perform(_ act: SharingAct, _ device: SimulatedDevice, _ picks: [Int]) async throws
    -> String
  {
    switch act {
    case .share: return try await share(device, picks)
    case .ask, .accept: return try await join(act, device, picks)
    case .leave:
      guard let share = pick(try device.shares(areOwn: false), picks[0]) else { return "nothing" }
      let zone = try zone(of: share)
      objects.lower([device.owner])
      if world.plan.mutation != .keepMembership {
        try await device.purge(share, isOwn: false)
      }
      access.leave(zone, by: device.owner)
      return zone.name
    case .invite, .remove, .open, .stop, .purge, .answer:
      guard let share = pick(try device.shares(areOwn: true), picks[0]) else { return "nothing" }
      let zone = AccessTable.Zone(owner: device.owner, name: share.recordID.zoneID.zoneName)
      return try await manage(act, share, zone, device, picks) + " " + zone.name
    }
  }

  private func share(_ device: SimulatedDevice, _ picks: [Int]) async throws -> String {
    let contents = try await device.contents()
    let keys = Set(contents.objects.keys).subtracting(contents.othersKeys)
    guard let key = pick(keys.sorted(), picks[0]), let object = contents.identifiers[key] else {
      return "nothing"
    }
    let shares = try device.shares(areOwn: true)
    let existing = picks[1] % 3 == 0 ? pick(shares, picks[2]) : nil
    let share = try await device.share(object, to: existing)
    return "\(key) in \(share.recordID.zoneID.zoneName)"
  }

  private func join(_ act: SharingAct, _ device: SimulatedDevice, _ picks: [Int]) async throws
    -> String
  {
    let shares = records.filter { $0.key != device.owner }.sorted { $0.key < $1.key }.flatMap {
      owner, records in records.compactMap { $0 as? CKShare }.map { (owner: owner, share: $0) }
    }
    let name = try userRecordName(of: device.owner)
    // Usually, a user accepts a share with an invitation, and asks for access to one without.
    let isInvited = { (share: CKShare) in
      share.publicPermission != .none
        || share.participants.contains { $0.userIdentity.userRecordID?.recordName == name }
    }
    let usual = shares.filter { isInvited($0.share) == (act == .accept) }
    let some = picks[1] % 5 > 0 && !usual.isEmpty ? usual : shares
    guard let (owner, share) = pick(some, picks[0]), let url = share.url else { return "nothing" }
    if act == .ask {
      try await device.requestAccess(to: url)
    } else {
      access.join(
        AccessTable.Zone(owner: owner, name: share.recordID.zoneID.zoneName), by: device.owner)
      try await device.accept(url)
    }
    return share.recordID.zoneID.zoneName
  }

  private func manage(
    _ act: SharingAct, _ share: CKShare, _ zone: AccessTable.Zone, _ device: SimulatedDevice,
    _ picks: [Int]
  ) async throws -> String {
    switch act {
    case .invite:
      let others = world.plan.accounts.filter { $0 != device.owner }
      return try await invite(others[picks[1] % others.count], to: share, zone, device, picks)
    case .remove:
      guard let guest = pick(guests(of: share), picks[1]) else { return "no one" }
      let user = try account(of: guest)
      objects.lower([user])
      if world.plan.mutation != .keepRemoved {
        share.removeParticipant(guest)
        try await device.persist(share)
      }
      if share.publicPermission == .none { access.remove(user, from: zone) }
      return user
    case .open: return try await open(share, zone, device, picks)
    case .answer: return try await answer(share, zone, device, picks)
    case .stop:
      objects.lower(try guests(of: share).map(account))
      try await device.stop(share)
      return "all"
    case .purge:
      objects.lower(try guests(of: share).map(account))
      let known = try device.zones(of: try await device.contents(), areOwn: true)
      objects.purge(known.filter { $0.value == zone.name }.keys)
      objects.purge(keys(of: device.owner, in: zone.name))
      try await device.purge(share, isOwn: true)
      return "all"
    case .share, .accept, .leave, .ask: return ""
    }
  }

  /// Invites a user, or changes the permission of a participant.
  private func invite(
    _ user: String, to share: CKShare, _ zone: AccessTable.Zone, _ device: SimulatedDevice,
    _ picks: [Int]
  ) async throws -> String {
    guard share.publicPermission == .none else { return "no one: all may take part" }
    let info = CKUserIdentity.LookupInfo(
      userRecordID: CKRecord.ID(recordName: try userRecordName(of: user)))
    guard let participant = try await device.participant(info) else { return "no one" }
    participant.permission = picks[2] % 3 == 0 ? .readOnly : .readWrite
    if participant.permission == .readOnly { objects.lower([user]) }
    share.addParticipant(participant)
    access.admit(user, to: zone)
    try await device.persist(share)
    return "\(user) \(participant.permission == .readOnly ? "to read" : "to write")"
  }

  /// Opens a share to all users with its link, closes it, or allows requests.
  private func open(
    _ share: CKShare, _ zone: AccessTable.Zone, _ device: SimulatedDevice, _ picks: [Int]
  ) async throws -> String {
    if picks[1] % 2 == 0 {
      share.allowsAccessRequests = true
      try await device.persist(share)
      return "to requests"
    }
    let isOpen = share.publicPermission != .none
    share.publicPermission = isOpen ? .none : picks[2] % 3 == 0 ? .readOnly : .readWrite
    // Closing removes participants, and a lower permission may apply to all of them.
    objects.lower(world.plan.accounts.filter { $0 != device.owner })
    if !isOpen { for user in world.plan.accounts { access.admit(user, to: zone) } }
    try await device.persist(share)
    return isOpen ? "no more" : "to all"
  }

  /// Answers a request for access.
  private func answer(
    _ share: CKShare, _ zone: AccessTable.Zone, _ device: SimulatedDevice, _ picks: [Int]
  ) async throws -> String {
    guard let requester = pick(share.requesters, picks[1]) else {
      guard let blocked = pick(share.blockedIdentities, picks[1]) else { return "no one" }
      share.unblockIdentities([blocked])
      try await device.persist(share)
      return "by unblocking"
    }
    let user = requester.userIdentity.userRecordID.flatMap { name in
      world.views.first { $0.view.userRecordName == name.recordName }?.account
    }
    guard let user else { return "no one" }
    let isApproval = picks[2] % 3 == 0
    guard !isApproval || share.publicPermission == .none else { return "no one" }
    if isApproval || world.plan.mutation == .approveDenied {
      guard let participant = try await device.participant(requester.participantLookupInfo) else {
        return "no one"
      }
      participant.permission = .readWrite
      share.addParticipant(participant)
    } else if picks[2] % 3 == 1 {
      share.denyRequesters([requester])
    } else {
      share.blockRequesters([requester])
    }
    if isApproval { access.admit(user, to: zone) } else { objects.lower([user]) }
    try await device.persist(share)
    if !isApproval, share.publicPermission == .none { access.remove(user, from: zone) }
    return "\(user) \(isApproval ? "with yes" : "with no")"
  }

  // MARK: Choosing

  private func pick<Element>(_ elements: [Element], _ number: Int) -> Element? {
    elements.isEmpty ? nil : elements[number % elements.count]
  }

  private func guests(of share: CKShare) -> [CKShare.Participant] {
    share.participants.filter { $0.role != .owner && $0.userIdentity.userRecordID != nil }
  }

  private func userRecordName(of account: String) throws -> String {
    guard let name = try world.view(of: account).userRecordName else {
      throw DeviceIsOff(name: account)
    }
    return name
  }

  private func account(of participant: CKShare.Participant) throws -> String {
    try account(of: participant.userIdentity.userRecordID?.recordName ?? "")
  }

  private func account(of userRecordName: String) throws -> String {
    guard
      let account = world.views.first(where: { $0.view.userRecordName == userRecordName })?.account
    else { throw DeviceIsOff(name: userRecordName) }
    return account
  }

  private func zone(of share: CKShare) throws -> AccessTable.Zone {
    AccessTable.Zone(
      owner: try account(of: share.recordID.zoneID.ownerName),
      name: share.recordID.zoneID.zoneName)
  }

  private func keys(of owner: String, in zone: String) -> [String] {
    records[owner, default: []].filter { $0.recordID.zoneID.zoneName == zone }.compactMap(\.key)
  }

  // MARK: Observing

  /// Records that a user has deleted the home zone, with the objects in it.
  func noteDeletedHomeZone() { present = [] }

  /// Reads the server's zones, and checks the texts that devices received since the last call.
  func observe() async throws {
    var keys: Set<String> = []
    for (account, view) in world.views {
      let found = try await view.records()
      records[account] = found
      access.observe(try participants(in: found), of: account)
      for record in found {
        let zone = AccessTable.Zone(owner: account, name: record.recordID.zoneID.zoneName)
        access.observe(record.texts, in: zone)
        guard let key = record.key else { continue }
        keys.insert(key)
        objects.observe(key, in: zone.name)
      }
    }
    for key in present.subtracting(keys).subtracting(objects.purged).sorted()
    where !world.acknowledged.deleted.contains(key) {
      world.violate(.zones, "\(key) is in no zone, although no user deleted it.")
    }
    present = keys
    for device in world.devices {
      let received = device.network.takeReceivedTexts().intersection(written)
      for text in access.unknown(received, to: device.owner) {
        world.violate(.secrecy, "\(device.name) received \"\(text)\" without permission.")
      }
    }
  }

  /// The participants of the shares among records, by the names of their zones.
  private func participants(in records: [CKRecord]) throws -> [String: AccessTable.Participants] {
    var zones: [String: AccessTable.Participants] = [:]
    for case let share as CKShare in records {
      for guest in guests(of: share) where guest.acceptanceStatus == .accepted {
        zones[share.recordID.zoneID.zoneName, default: [:]][try account(of: guest)] =
          guest.permission == .readWrite
      }
    }
    return zones
  }

  // MARK: The end

  /// The names of the records that a user's devices must have: the user's own, and those in the
  /// shares of others.
  func names(of account: String) -> Set<String> {
    let others = access.zones(of: account).flatMap { zone in
      records[zone.owner, default: []].filter { $0.recordID.zoneID.zoneName == zone.name }
    }
    return Set(
      (records[account, default: []] + others).filter {
        $0.recordType != MirrorNames.joinType && !($0 is CKShare)
      }.map(\.recordID.recordName))
  }

  /// Checks what all users have in the end.
  func compare(_ truths: [(owner: String, contents: DeviceContents)]) async throws {
    try await observe()
    let own = truths.map { ($0.owner, contents: $0.contents.without($0.contents.othersKeys)) }
    let truth = DeviceContents(own) { _, _ in true }
    for (owner, contents) in own { try await checkZones(of: owner, contents) }
    for (owner, contents) in truths { checkCopies(of: owner, contents, truth) }
    for device in world.devices { try await checkPermissions(device) }
    checkObjects(own, truth)
    for line in truth.lines { world.note("has \(line)") }
  }

  private func checkZones(of owner: String, _ contents: DeviceContents) async throws {
    var check = ZoneCheck(
      records: records[owner, default: []].filter { !($0 is CKShare) }.map { record in
        ZoneCheck.Record(
          name: record.recordID.recordName, zone: record.recordID.zoneID.zoneName,
          key: record.key, members: record.members)
      }, homeZone: MirrorNames.zone)
    for (key, texts) in contents.objects.sorted(by: { $0.key < $1.key }) {
      for (property, text) in texts.sorted(by: { $0.key < $1.key })
      where DeviceContents.relationships.contains(property) {
        check.relations += text.split(separator: ",").map { (key, String($0)) }
      }
    }
    for device in world.devices where device.owner == owner {
      check.stores.append(
        (device.name, try device.zones(of: try await device.contents(), areOwn: true)))
    }
    world.add(check.violations)
  }

  /// Checks that a participant's objects equal those of their owners.
  private func checkCopies(of user: String, _ contents: DeviceContents, _ truth: DeviceContents) {
    for key in contents.othersKeys.sorted() where contents.objects[key] != truth.objects[key] {
      world.violate(.convergence, "\(key) of \(user) is not as its owner has it.")
    }
  }

  /// Checks that a device knows which objects its user may change.
  private func checkPermissions(_ device: SimulatedDevice) async throws {
    let contents = try await device.contents()
    for share in try device.shares(areOwn: false) {
      let zone = try zone(of: share)
      let keys = try device.zones(of: contents, areOwn: false).filter { $0.value == zone.name }
      for key in keys.keys.sorted() {
        guard let objectID = contents.identifiers[key],
          try device.mayChange(objectID) != access.mayWrite(device.owner, in: zone)
        else { continue }
        world.violate(.secrecy, "\(device.name) misjudges whether its user may change \(key).")
      }
    }
  }

  private func checkObjects(
    _ own: [(String, contents: DeviceContents)], _ truth: DeviceContents
  ) {
    world.add(
      objects.lost(
        Dictionary(
          own.map { ($0.0, Set($0.contents.objects.keys)) }, uniquingKeysWith: { one, _ in one })))
    let isHarmless = world.plan.faults.isSubset(of: .harmless)
    guard isHarmless || !world.plan.faults.contains(.zone) else { return }
    let owners = Dictionary(
      world.devices.map { ($0.name, $0.owner) }, uniquingKeysWith: { one, _ in one })
    world.add(
      world.acknowledged.wrongValues(in: truth, isStrict: isHarmless) { place in
        objects.isCertain(
          place.key,
          texts: world.acknowledged.texts(at: place) + [place.member].compactMap(\.self),
          writers: world.acknowledged.writers(of: place, owners),
          owner: own.first { $0.contents.objects[place.key] != nil }?.0)
      })
    guard isHarmless else { return }
    world.add(world.acknowledged.resurrected(in: truth, where: objects.mustBeGone))
  }
}

extension CKRecord {
  /// The key of an object's record; nil for other records.
  fileprivate var key: String? { self["CD_key"] as? String }

  /// The names of the two records of a many-to-many pair; empty for other records.
  fileprivate var members: [String] {
    guard recordType == MirrorNames.joinType else { return [] }
    let names = self[MirrorNames.joinRecords] as? String
    return names?.split(separator: ":").map(String.init) ?? []
  }

  /// The texts of all values.
  fileprivate var texts: Set<String> { Set(allKeys().compactMap { self[$0] as? String }) }
}
