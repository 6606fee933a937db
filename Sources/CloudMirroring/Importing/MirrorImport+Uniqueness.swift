import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// Values that must be unique and are not.
extension MirrorImport {
  /// Takes the unique values from those who go, and notes who they are in the import's own save.
  func separate() throws {
    changes.departures = try departures.adding(replaced).map(takeValues)
  }

  /// The departure of an object whose record is gone, where it goes for another one: as was noted,
  /// or since the page brings one with its values.
  ///
  /// It is no mere deletion then: what is related to it here, and whoever deleted it had not heard
  /// of, is carried over.
  func departure(of gone: RecordIdentifier) throws -> Departure? {
    guard let object = objects[gone], let entity = site.schema[object.entity.name ?? ""],
      !entity.constraints.isEmpty
    else { return nil }
    let unsent = successions[gone, default: []].unsent
    var departure = try noted(gone.recordName)
    for constraint in entity.constraints where departure == nil {
      guard let values = UniqueValues(of: object, constraint), let heir = newcomers[values],
        heir < gone.recordName
      else { continue }
      departure = Departure(
        survivor: heir, departing: gone.recordName, constraint: constraint.attributes)
    }
    // It may have other values by now than those for which another one stands for it.
    if departure == nil, let heir = try heir(of: gone) {
      departure = Departure(
        survivor: heir.recordName, departing: gone.recordName,
        constraint: entity.constraints[0].attributes)
    }
    // Whoever deleted it cannot have heard for whom it stands.
    if departure == nil, let first = unsent.first {
      departure = Departure(
        survivor: first.departed, departing: gone.recordName, constraint: first.constraint)
    }
    departure?.isGone = true
    departure?.stoodIn = !unsent.isEmpty
    return departure
  }

  /// The record that stands for another one, as the page says or is known, and that is there.
  private func heir(of gone: RecordIdentifier) throws -> RecordIdentifier? {
    let telling = changes.successions.filter { $0.departed == gone.recordName }.map(\.survivor)
    let heirs = try telling + site.ledger.survivors(of: gone)
    let rows = try site.ledger.subjects(of: heirs)
    return heirs.first { heir in
      guard heir != gone, !self.gone.contains(heir) else { return false }
      return telling.contains(heir) || rows[heir].map { $0.pending != .deletion } ?? false
    }
  }

  /// The departure of a name that is noted already.
  private func noted(_ name: String) throws -> Departure? {
    if knownDepartures == nil {
      let all = try (departures + site.ledger.departures()).map { ($0.departing, $0) }
      knownDepartures = Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
    return knownDepartures?[name]
  }

  /// The objects that the page brings or changes, by their unique values: of several with the same,
  /// the one with the smallest name.
  private func findNewcomers() -> [UniqueValues: String] {
    var found: [UniqueValues: String] = [:]
    for told in told {
      guard let object = objects[told.identifier], !gone.contains(told.identifier) else { continue }
      for constraint in site.schema[object.entity.name ?? ""]?.constraints ?? [] {
        guard let values = UniqueValues(of: object, constraint) else { continue }
        found[values] = min(found[values] ?? told.identifier.recordName, told.identifier.recordName)
      }
    }
    return found
  }

  var newcomers: [UniqueValues: String] {
    if let known = knownNewcomers { return known }
    let found = findNewcomers()
    knownNewcomers = found
    return found
  }

  /// Takes its unique values from who goes, and notes them.
  private func takeValues(_ departure: Departure) throws -> Departure {
    let name = RecordIdentifier(recordName: departure.departing, zone: site.homeZone)
    if objects[name] == nil { try bringIn(try site.ledger.subjects(of: [name]).values) }
    guard let object = objects[name] else { return departure }
    var departure = departure
    departure.taken = object.mirroredValues(of: departure.constraint)
    for attribute in departure.constraint { object.replaceValue(of: attribute, by: nil) }
    return departure
  }

  /// Who has to go, of a save that failed.
  func collision(_ error: NSError) throws -> UniquenessCollision? {
    guard error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectConstraintMergeError,
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
        as? [NSConstraintConflict]
    else { return nil }
    let found = try conflicts.flatMap { try departures(of: $0) }
    return found.allSatisfy(departures.contains)
      ? nil : UniquenessCollision(departures: departures + found)
  }

  private func departures(of conflict: NSConstraintConflict) throws -> [Departure] {
    let colliding = conflict.conflictingObjects + (conflict.databaseObject.map { [$0] } ?? [])
    let names = try recordNames(of: colliding).sorted()
    guard let survivor = names.first else { return [] }
    return names.dropFirst().map {
      Departure(survivor: survivor, departing: $0, constraint: conflict.constraint)
    }
  }

  private func recordNames(of colliding: [NSManagedObject]) throws -> [String] {
    let here = Dictionary(
      objects.map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    let rows = try site.ledger.records(of: colliding.map(\.objectID.rowKey))
    return colliding.compactMap { object in
      (here[ObjectIdentifier(object)] ?? rows[object.objectID.rowKey]?.identifier)?.recordName
    }
  }
}

/// What an object has in attributes that must be unique together.
struct UniqueValues: Hashable {
  private let constraint: MirrorConstraint
  private let values: [MirrorValue]

  /// Nil where one of them is nothing, which is like nobody's.
  init?(of object: NSManagedObject, _ constraint: MirrorConstraint) {
    let noted = object.mirroredValues(of: constraint.attributes)
    let values = constraint.attributes.map { noted[$0] ?? .null }
    guard !values.contains(.null) else { return nil }
    (self.constraint, self.values) = (constraint, values)
  }
}

extension MirrorEngine {
  /// Who is to go now: those wait of whom nobody knows whether the one who is to stay is still
  /// there.
  func openDepartures() throws -> [Departure] {
    let departures = try ledger.departures()
    let unknowable = try unknowable(departures.map(survivor))
    return departures.filter { !unknowable.contains(survivor($0)) }
  }

  /// The record of who is to stay.
  func survivor(_ departure: Departure) -> RecordIdentifier {
    RecordIdentifier(recordName: departure.survivor, zone: site.homeZone)
  }

  /// Carries the relationships of those who go over to those who stay, and deletes them, in a save
  /// that is sent like any other.
  ///
  /// It is called at the end of a feed, when all that refers to those who go has come. What must be
  /// valid was so elsewhere, as in imports.
  func settleDepartures() async throws {
    try await bringBack()
    let departures = try openDepartures()
    guard !departures.isEmpty else { return }
    let noted = Mutex<Set<RowKey>>([])
    try await savingAgain { [site, seam] in
      try await site.withContext { context in
        context.savesUnvalidated = true
        let save = DepartureSave(site: site, context: context)
        // First: an entry that a crash leaves twice is better than none, and so is a promise. A
        // former attempt has noted some.
        let entries = try departures.compactMap(save.depart)
        try site.ledger.note(
          entries.filter { entry in noted.withLock { $0.insert(entry.object).inserted } })
        if seam?.promisesSuccessions ?? true { try site.ledger.promise(save.promises) }
        try context.save()
      }
    }
    try ledger.settle(departures)
  }
}

/// A save of an import met values that must be unique.
struct UniquenessCollision: Error {
  let departures: [Departure]
}
