import CloudRecords
import Foundation
import ManagedObjects
import SQLiteDriver

/// An object that has to go, since another one has the same values where they must be unique.
///
/// Two devices may each make such an object while they do not know of each other. Of the two the
/// one with the smaller record name stays, on every device; what was related to the other is
/// carried over to it.
///
///     import finds that both are there ──▶ the one that goes loses its unique values in the save of the import, which notes who goes
///     end of the feed                  ──▶ a save of its own carries relationships over, and deletes it: that is sent like any deletion
///                                          └─ who was to stay is gone meanwhile: it gets its values back, or goes where it is gone, too
///
/// Another device may have let it go already: its deletion is told then, and is none of an object
/// that nobody needs any more. What is related to it here, and that device had not heard of, is
/// carried over all the same.
package struct Departure: Codable, Hashable, Sendable {
  /// The names of the records.
  let survivor: String
  let departing: String
  /// The attributes that must be unique together.
  let constraint: [String]
  /// The values that were taken from the one who goes; nil if the object that goes was not found.
  var taken: [String: MirrorValue]?
  /// Whether the record of who goes is gone already; nil stands for false.
  private var isDeleted: Bool?
  var isGone: Bool {
    get { isDeleted ?? false }
    set { isDeleted = newValue ? true : nil }
  }

  /// Whether the one who goes stands for others, of which no server had heard when its record went;
  /// nil stands for false.
  private var stoodForOthers: Bool?
  var stoodIn: Bool {
    get { stoodForOthers ?? false }
    set { stoodForOthers = newValue ? true : nil }
  }

  package init(survivor: String, departing: String, constraint: [String]) {
    (self.survivor, self.departing, self.constraint) = (survivor, departing, constraint)
  }

  /// What it is about.
  struct Subject: Hashable {
    let survivor: String
    let departing: String
    let constraint: [String]
  }

  var subject: Subject { Subject(survivor: survivor, departing: departing, constraint: constraint) }
}

/// A save of an import met values that must be unique.
struct UniquenessCollision: Error {
  let departures: [Departure]
}

extension LedgerStateKey {
  /// Who is to go; a list in JSON.
  static let departures = Self("departures")
}

extension Ledger {
  /// Who is to go.
  func departures() throws -> [Departure] { try read { try $0.departures() } }

  /// Forgets those who are gone, and nobody whom another process has noted meanwhile.
  func settle(_ departures: [Departure]) throws {
    let settled = Set(departures)
    try write { connection in
      try connection.setDepartures(try connection.departures().filter { !settled.contains($0) })
      var zones = ZoneNumbers(connection)
      for gone in departures where gone.stoodIn {
        let record = RecordIdentifier(recordName: gone.departing, zone: options.homeZone)
        try SuccessionTable(connection).forget(record, &zones)
      }
    }
  }
}

extension Connection {
  fileprivate func departures() throws -> [Departure] {
    guard case .text(let text)? = try state(.departures) else { return [] }
    return try JSONDecoder().decode([Departure].self, from: Data(text.utf8))
  }

  fileprivate func setDepartures(_ departures: [Departure]) throws {
    let text = String(decoding: try JSONEncoder().encode(departures), as: UTF8.self)
    try setState(.departures, to: departures.isEmpty ? .null : .text(text))
  }

  /// Notes who has to go besides, and whose records are gone of those who are noted.
  func add(_ departures: [Departure]) throws {
    try setDepartures(try self.departures().adding(departures))
  }
}

extension [Departure] {
  /// Those, and others besides; who is among both keeps what was noted first, and is gone where one
  /// of them says so.
  func adding(_ others: [Departure]) -> Self {
    var all = self
    var places = Dictionary(
      indices.map { (self[$0].subject, $0) }, uniquingKeysWith: { first, _ in first })
    for other in others {
      if let place = places[other.subject] {
        if other.isGone { all[place].isGone = true }
        if other.stoodIn { all[place].stoodIn = true }
      } else {
        places[other.subject] = all.count
        all.append(other)
      }
    }
    return all
  }
}
