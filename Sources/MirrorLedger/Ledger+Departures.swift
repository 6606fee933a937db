import CloudRecords
import Foundation
package import MirrorModel
package import SQLiteDriver

extension LedgerStateKey {
  /// Who is to go; a list in JSON.
  package static let departures = Self("departures")
}

extension Ledger {
  /// Who is to go.
  package func departures() throws -> [Departure] { try read { try $0.departures() } }

  /// Removes merges that are done, but none that another process added meanwhile.
  package func settle(_ departures: [Departure]) throws {
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
  package func add(_ departures: [Departure]) throws {
    try setDepartures(try self.departures().adding(departures))
  }
}
