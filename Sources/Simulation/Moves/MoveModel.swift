import CloudRecords
import MirrorModel

/// A model of objects that move between zones: two devices and a server, without any I/O.
///
/// It uses the decisions of the engine (`ZoneRules`, `RecordPlace`, `FormerRecordDecision`,
/// `StrayEdits`), and replaces the rest by a few lines. A step is an act of a user, a request, the
/// reading of one zone, or the end of an import. The other device can act between any two steps.
package struct MoveModel: Hashable, Sendable {
  /// The index of an object in the scenario.
  package typealias Object = Int

  /// The values of an object.
  package struct Content: Hashable, Sendable {
    /// The object that it belongs to.
    package var parent: Object?
    /// The last edit by each device.
    package var edits = Edits()

    fileprivate var digests: [String: UInt64] {
      [
        "parent": UInt64(bitPattern: Int64(parent ?? -1)), "edit 0": UInt64(edits[0]),
        "edit 1": UInt64(edits[1]),
      ]
    }

    fileprivate mutating func take(_ properties: Properties, from other: Content) {
      if properties.contains(.parent) { parent = other.parent }
      for device in 0..<2 where properties.contains(.edit(device)) {
        edits[device] = other.edits[device]
      }
    }
  }

  /// The last edit by each of two devices; 0 for none.
  package struct Edits: Hashable, Sendable {
    private var (first, second) = (0, 0)

    package subscript(device: Int) -> Int {
      get { device == 0 ? first : second }
      set { if device == 0 { first = newValue } else { second = newValue } }
    }
  }

  /// Properties of an object.
  fileprivate struct Properties: OptionSet, Hashable {
    let rawValue: UInt8

    static let parent = Self(rawValue: 1)
    static let all = Self(rawValue: 7)

    static func edit(_ device: Int) -> Self { Self(rawValue: device == 0 ? 2 : 4) }

    /// The properties whose digests differ.
    static func differences(_ one: [String: UInt64], _ other: [String: UInt64]) -> Self {
      Self(names: Set(names.map(\.0).filter { one[$0] != other[$0] }))
    }

    private static let names = [("parent", parent), ("edit 0", edit(0)), ("edit 1", edit(1))]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(names: Set<String>) {
      self = Self(Self.names.filter { names.contains($0.0) }.map(\.1))
    }
  }

  /// An act of a user on a device.
  package enum Act: Hashable, Sendable {
    /// An object gets another parent, whose zone it follows.
    case relate(Object, to: Object)
    case edit(Object)
  }

  /// A record on the server.
  package struct Record: Hashable, Sendable {
    package var content: Content
    var moves: Int64
    var tag: Int
  }

  /// The last change of a record; `record` is nil after a deletion.
  private struct Change: Hashable, Sendable {
    var number: Int
    var record: Record?
  }

  /// A device's knowledge of an object's record.
  fileprivate struct Row: Hashable, Sendable {
    var zone: Int
    var moves: Int64 = 0
    var tag: Int?
    /// Whether a request for the record was ever sent to its zone.
    var isSent = false
    var isPending = false
    var changed: Properties = []
    /// The content of the server's record with this tag.
    var known: Content?
  }

  /// A device's knowledge of a record that its object has left.
  fileprivate struct Former: Hashable, Sendable {
    var tag: Int?
    var known: Content?
  }

  /// The place of a record: its object and its zone.
  fileprivate struct Place: Hashable, Comparable, Sendable {
    var object: Object
    var zone: Int

    static func < (one: Self, other: Self) -> Bool {
      (one.object, one.zone) < (other.object, other.zone)
    }
  }

  fileprivate struct Device: Hashable, Sendable {
    var contents: [Object: Content] = [:]
    var rows: [Object: Row] = [:]
    var formers: [Place: Former] = [:]
    /// The number of the last change that was read, by zone.
    var read: [Int]
    /// Deletions that are deferred until all zones were read.
    var held: Set<Place> = []
    var acts: [Act]
  }

  /// The possible next events.
  package enum Step: Hashable, Sendable {
    case act(device: Int)
    /// A device sends the pending objects of a zone; the response may be lost.
    case send(device: Int, zone: Int, isLost: Bool)
    /// A device deletes the records in a zone that their objects have left; the response may be
    /// lost.
    case delete(device: Int, zone: Int, isLost: Bool)
    case read(device: Int, zone: Int)
    /// A device applies the deferred deletions.
    case finish(device: Int)
  }

  /// The home zone, and zones of shares.
  private static let zones = ["home", "share.1", "share.2"].map {
    RecordZoneIdentifier(zoneName: $0, ownerName: "_")
  }

  private var zones: [[Object: Change]]
  private var number = 0
  private var devices: [Device]
  /// The number of responses that may still be lost.
  private var losses: Int

  /// Creates a state in which two devices and the server agree.
  ///
  /// - Parameters:
  ///   - objects: The parent and the zone of each object.
  ///   - acts: The acts of each device's user.
  ///   - losses: The maximum number of lost responses.
  package init(_ objects: [(parent: Object?, zone: Int)], acts: [[Act]], losses: Int) {
    zones = Self.zones.map { _ in [:] }
    self.losses = losses
    devices = acts.map { Device(read: Self.zones.map { _ in 0 }, acts: $0) }
    for (object, (parent, zone)) in objects.enumerated() {
      number += 1
      let record = Record(content: Content(parent: parent), moves: 0, tag: number)
      zones[zone][object] = Change(number: number, record: record)
      for device in devices.indices {
        devices[device].contents[object] = record.content
        devices[device].rows[object] = Row(
          zone: zone, tag: number, isSent: true, known: record.content)
      }
    }
    for device in devices.indices { devices[device].read = zones.map { _ in number } }
  }

  // MARK: Steps

  /// The possible next steps, those with a lost response last.
  package var steps: [Step] {
    var steps: [Step] = []
    var lost: [Step] = []
    for (number, device) in devices.enumerated() {
      if !device.acts.isEmpty { steps.append(.act(device: number)) }
      for zone in zones.indices {
        if device.rows.values.contains(where: { $0.isPending && $0.zone == zone }) {
          steps.append(.send(device: number, zone: zone, isLost: false))
          lost.append(.send(device: number, zone: zone, isLost: true))
        }
        if device.formers.contains(where: {
          decision($0.key, device) != .wait && $0.key.zone == zone
        }) {
          steps.append(.delete(device: number, zone: zone, isLost: false))
          lost.append(.delete(device: number, zone: zone, isLost: true))
        }
        if hasNews(zone, for: device) { steps.append(.read(device: number, zone: zone)) }
      }
      if !device.held.isEmpty, !zones.indices.contains(where: { hasNews($0, for: device) }) {
        steps.append(.finish(device: number))
      }
    }
    return losses > 0 ? steps + lost : steps
  }

  private func hasNews(_ zone: Int, for device: Device) -> Bool {
    zones[zone].values.contains { $0.number > device.read[zone] }
  }

  /// The state after a step.
  package func after(_ step: Step) -> MoveModel {
    var next = self
    switch step {
    case .act(let device): next.act(device)
    case .send(let device, let zone, let isLost): next.send(device, zone, isLost)
    case .delete(let device, let zone, let isLost): next.deleteFormers(device, zone, isLost)
    case .read(let device, let zone): next.read(device, zone)
    case .finish(let device): next.finish(device)
    }
    return next
  }

  private mutating func act(_ number: Int) {
    switch devices[number].acts.removeFirst() {
    case .edit(let object):
      self.number += 1
      devices[number].contents[object]?.edits[number] = self.number
      change(object, .edit(number), number)
    case .relate(let object, let parent):
      devices[number].contents[object]?.parent = parent
      change(object, .parent, number)
      carryOut(try? ZoneRules(devices[number]).follow(object, parent), number)
    }
  }

  private mutating func change(_ object: Object, _ properties: Properties, _ number: Int) {
    devices[number].rows[object]?.isPending = true
    devices[number].rows[object]?.changed.formUnion(properties)
  }

  /// Applies a decision of the rules, of which only `moves` changes the device.
  private mutating func carryOut(_ decision: ZoneDecision<Object, Int>?, _ number: Int) {
    guard case .moves(let objects, let zone)? = decision else { return }
    for object in objects {
      guard var row = devices[number].rows[object], row.zone != zone else { continue }
      if row.isSent {
        devices[number].formers[Place(object: object, zone: row.zone)] = Former(
          tag: row.tag, known: row.known)
        row.moves += 1
      }
      (row.zone, row.tag, row.isSent, row.isPending, row.known) = (zone, nil, false, true, nil)
      devices[number].rows[object] = row
    }
  }

  // MARK: Requests

  /// Sends the pending objects of a zone in one atomic request.
  private mutating func send(_ number: Int, _ zone: Int, _ isLost: Bool) {
    let rows = devices[number].rows.filter { $0.value.isPending && $0.value.zone == zone }
    let conflicts = rows.keys.filter { zones[zone][$0]?.record?.tag != rows[$0]?.tag }.sorted()
    for object in rows.keys { devices[number].rows[object]?.isSent = true }
    if isLost { losses -= 1 }
    guard conflicts.isEmpty else {
      guard !isLost else { return }
      for object in conflicts where zones[zone][object]?.record == nil { sendAgain(object, number) }
      let found = conflicts.compactMap { object in
        zones[zone][object]?.record.map { (object, $0) }
      }
      return take(found, in: zone, isConflict: true, number)
    }
    for object in rows.keys.sorted() {
      guard let row = devices[number].rows[object], let content = devices[number].contents[object]
      else { continue }
      self.number += 1
      let record = Record(content: content, moves: row.moves, tag: self.number)
      zones[zone][object] = Change(number: self.number, record: record)
      if isLost {
        // An insertion has all properties, so only later changes count as local.
        if row.tag == nil { devices[number].rows[object]?.changed = [] }
      } else {
        devices[number].rows[object] = Row(
          zone: zone, moves: row.moves, tag: record.tag, isSent: true, known: content)
      }
    }
  }

  /// Enqueues a missing record again, after its deletion was read and applied.
  private mutating func sendAgain(_ object: Object, _ number: Int) {
    guard let row = devices[number].rows[object], !hasNews(row.zone, for: devices[number]),
      !devices[number].held.contains(Place(object: object, zone: row.zone))
    else { return }
    devices[number].rows[object]?.tag = nil
  }

  private func decision(_ place: Place, _ device: Device) -> FormerRecordDecision {
    guard let row = device.rows[place.object] else {
      return FormerRecordDecision(here: .none, elsewhere: .none)
    }
    let known: FormerRecordDecision.Knowledge =
      row.tag == nil || row.isPending ? .unsaved : .saved
    return row.zone == place.zone
      ? FormerRecordDecision(here: known, elsewhere: .none)
      : FormerRecordDecision(here: .none, elsewhere: known)
  }

  private mutating func deleteFormers(_ number: Int, _ zone: Int, _ isLost: Bool) {
    if isLost { losses -= 1 }
    let formers = devices[number].formers.filter { $0.key.zone == zone }
    for (place, former) in formers.sorted(by: { $0.key < $1.key }) {
      switch decision(place, devices[number]) {
      case .wait: continue
      case .stands: devices[number].formers[place] = nil
      case .delete:
        let record = zones[zone][place.object]?.record
        // A record that changed after its object left it stays until the device reads the change.
        if let record, let tag = former.tag, record.tag != tag { continue }
        if record != nil {
          self.number += 1
          zones[zone][place.object] = Change(number: self.number, record: nil)
        }
        if !isLost { devices[number].formers[place] = nil }
      }
    }
  }

  // MARK: Importing

  private mutating func read(_ number: Int, _ zone: Int) {
    let news = zones[zone].filter { $0.value.number > devices[number].read[zone] }
    devices[number].read[zone] = news.values.map(\.number).max() ?? devices[number].read[zone]
    take(
      news.sorted { $0.key < $1.key }.compactMap { object, change in
        change.record.map { (object, $0) }
      }, in: zone, isConflict: false, number)
    for (object, change) in news {
      let place = Place(object: object, zone: zone)
      if change.record == nil {
        devices[number].held.insert(place)
      } else {
        devices[number].held.remove(place)
      }
    }
  }

  private mutating func finish(_ number: Int) {
    for place in devices[number].held.sorted() {
      guard let row = devices[number].rows[place.object] else { continue }
      let survives = survives(deletionOf: place, row, devices[number])
      devices[number].formers[place] = nil
      if survives { continue }
      devices[number].rows[place.object] = nil
      devices[number].contents[place.object] = nil
    }
    devices[number].held = []
  }

  /// Whether an object stays although one of its records was deleted.
  private func survives(deletionOf place: Place, _ row: Row, _ device: Device) -> Bool {
    let hasOthers = device.formers.keys.contains {
      $0.object == place.object && $0.zone != place.zone
    }
    if row.moves > 0, row.isPending, row.tag == nil {
      return device.formers[place] == nil || hasOthers
    }
    guard row.zone == place.zone else { return true }
    return row.moves > 0 && row.isPending && hasOthers
  }

  private mutating func take(
    _ records: [(Object, Record)], in zone: Int, isConflict: Bool, _ number: Int
  ) {
    var joining: [Object] = []
    for (object, record) in records {
      guard let row = devices[number].rows[object] else {
        devices[number].contents[object] = record.content
        devices[number].rows[object] = Row(
          zone: zone, moves: record.moves, tag: record.tag, isSent: true, known: record.content)
        joining.append(object)
        continue
      }
      if row.zone == zone {
        if isConflict || row.tag != record.tag { merge(object, record, row, number) }
      } else if take(object, record, in: zone, row, number) {
        merge(object, record, row, in: zone, number)
      } else {
        continue
      }
      joining.append(object)
    }
    for object in joining {
      carryOut(try? ZoneRules(devices[number]).join(object), number)
    }
  }

  /// Decides whether a record in another zone becomes the object's record.
  private mutating func take(
    _ object: Object, _ record: Record, in zone: Int, _ row: Row, _ number: Int
  ) -> Bool {
    let place = Place(object: object, zone: zone)
    let decision = RecordPlace(zone: Self.zones[zone], moves: record.moves).decision(
      over: RecordPlace(zone: Self.zones[row.zone], moves: row.moves),
      isPresentSaved: row.tag != nil, isPresentSent: row.isSent,
      isFormer: devices[number].formers[place] != nil,
      home: Self.zones[0])
    guard case .takesPlace(let leavesPresent) = decision else {
      if decision == .isStray(isLeftToMover: false) {
        absorb(object, record, in: zone, row, number)
      }
      return false
    }
    devices[number].formers[place] = nil
    if leavesPresent {
      devices[number].formers[Place(object: object, zone: row.zone)] = Former(tag: row.tag)
    }
    return true
  }

  /// Applies a record, and keeps local changes.
  private mutating func merge(
    _ object: Object, _ record: Record, _ row: Row, in zone: Int? = nil, _ number: Int
  ) {
    guard var content = devices[number].contents[object] else { return }
    let place = Place(object: object, zone: row.zone)
    var ours = row.isPending ? row.changed : []
    // The object returns to a record that it had left; differences since then are local changes.
    if zone == nil, row.tag == nil, row.moves > record.moves {
      let known = devices[number].formers[place]?.known
      ours = Properties.differences(known?.digests ?? [:], content.digests)
    }
    content.take(Properties.all.subtracting(ours), from: record.content)
    devices[number].contents[object] = content
    let isBehind = row.moves > record.moves
    devices[number].rows[object] = Row(
      zone: zone ?? row.zone, moves: max(row.moves, record.moves), tag: record.tag, isSent: true,
      isPending: content != record.content || isBehind, changed: ours, known: record.content)
  }

  /// Applies edits by other devices in a record that the object has left.
  private mutating func absorb(
    _ object: Object, _ record: Record, in zone: Int, _ row: Row, _ number: Int
  ) {
    let place = Place(object: object, zone: zone)
    let former = devices[number].formers[place]
    if let former, former.tag == record.tag { return }
    devices[number].formers[place] = Former(tag: record.tag, known: record.content)
    let taken = Properties(
      names: StrayEdits.properties(
        former: former?.known?.digests ?? [:], present: record.content.digests,
        local: devices[number].contents[object]?.digests ?? [:]))
    guard !taken.isEmpty else { return }
    devices[number].contents[object]?.take(taken, from: record.content)
    change(object, taken, number)
  }

  // MARK: Checking

  /// Objects in no zone, of which there must never be any.
  package var missing: [Object] {
    let present = Set(zones.flatMap { $0.filter { $0.value.record != nil }.keys })
    return Set(zones.flatMap(\.keys)).subtracting(present).sorted()
  }

  /// The problems of a quiet state.
  package var problems: [String] {
    var found: [String] = []
    for object in Set(zones.flatMap(\.keys)).sorted() {
      let places = zones.indices.filter { zones[$0][object]?.record != nil }
      guard places.count == 1, let record = zones[places[0]][object]?.record else {
        found.append("The object \(object) is in the zones \(places).")
        continue
      }
      for (number, device) in devices.enumerated() {
        if device.contents[object] != record.content || device.rows[object]?.zone != places[0] {
          found.append("The device \(number) has the object \(object) otherwise than the server.")
        }
      }
    }
    return found
  }

  /// The content of an object on the server, in a state without problems.
  package func content(of object: Object) -> Content? {
    zones.compactMap { $0[object]?.record?.content }.first
  }

  /// The zone of an object on the server, in a state without problems.
  package func zone(of object: Object) -> Int? {
    zones.indices.first { zones[$0][object]?.record != nil }
  }
}

extension MoveModel.Device: ZonedObjects {
  func neighbours(of object: Int) -> [Int] {
    let parent = contents[object]?.parent.flatMap { contents[$0] == nil ? nil : $0 }
    let children = contents.filter { $0.value.parent == object }.keys
    return (children + (parent.map { [$0] } ?? [])).sorted()
  }

  func zone(of object: Int) -> Int? { rows[object]?.zone }

  func isHome(_ zone: Int) -> Bool { zone == 0 }

  func isKnown(_ object: Int) -> Bool { rows[object]?.isSent ?? false }
}
