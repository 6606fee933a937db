import CloudRecords
import Foundation
import ManagedObjects
import SQLiteDriver

/// An object that has to go, since another one has the same values where they must be unique.
///
/// Two devices may each make such an object while they do not know of each other. Of the two the one with the smaller record name stays, on
/// every device; what was related to the other is carried over to it.
///
///     import finds that both are there ──▶ the one that goes loses its unique values in the save of the import, which notes who goes
///                                      ──▶ a save of its own carries relationships over, and deletes it: that is sent like any deletion
///                                          └─ who was to stay is gone meanwhile: it gets its values back
struct Departure: Codable, Hashable, Sendable {
  /// The names of the records.
  let survivor: String
  let departing: String
  /// The attributes that must be unique together.
  let constraint: [String]
  /// The values that were taken from the one who goes; nil where an earlier version of the program has noted who goes.
  var taken: [String: MirrorValue]?

  /// Whether it is about the same objects and attributes.
  func isSame(as other: Departure) -> Bool {
    survivor == other.survivor && departing == other.departing && constraint == other.constraint
  }
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
  func departures() throws -> [Departure] {
    guard case .text(let text)? = try state(.departures) else { return [] }
    return try JSONDecoder().decode([Departure].self, from: Data(text.utf8))
  }
}

extension Departure {
  /// The value of the ledger's state.
  static func value(_ departures: [Departure]) throws -> Value {
    departures.isEmpty ? .null : .text(String(decoding: try JSONEncoder().encode(departures), as: UTF8.self))
  }
}
