package import CloudRecords
package import MirrorModel
import SQLiteDriver

/// Second records of pairs: two devices that join the same objects make two.
///
/// The record with the smaller name stays, on every device. Each device that sees both deletes the
/// other one after the server has the first. So a pair exists exactly as long as its record.
extension LedgerStateKey {
  /// The records to delete, one a line (`SurplusRecord`).
  package static let surplus = Self("surplus")
}

extension Ledger {
  /// The records to delete.
  package func surplus() throws -> [SurplusRecord] { try read { try $0.surplus() } }

  /// Those for whose pairs nothing waits to be made: the server has the record that stands, or the
  /// pair goes.
  package func dispensable(_ surplus: [SurplusRecord], in zone: RecordZoneIdentifier) throws
    -> [String]
  {
    let standing = surplus.compactMap(\.standing).map {
      RecordIdentifier(recordName: $0, zone: zone)
    }
    let awaited = Set(
      try subjects(of: standing).filter { $0.value.pending == .insertion }.keys.map(\.recordName))
    return surplus.filter { !($0.standing.map(awaited.contains) ?? false) }.map(\.name)
  }

  /// Forgets those that are deleted, and none that another process has noted meanwhile.
  package func settle(surplus names: [String]) throws {
    let settled = Set(names)
    try write { connection in
      try connection.setSurplus(try connection.surplus().filter { !settled.contains($0.name) })
    }
  }
}

extension Connection {
  fileprivate func surplus() throws -> [SurplusRecord] {
    guard case .text(let text)? = try state(.surplus) else { return [] }
    return text.split(separator: "\n" as Character).map(SurplusRecord.init(text:))
  }

  fileprivate func setSurplus(_ records: [SurplusRecord]) throws {
    try setState(
      .surplus, to: records.isEmpty ? .null : .text(records.map(\.text).joined(separator: "\n")))
  }

  /// Notes records that are to be deleted besides.
  func addSurplus(_ records: [SurplusRecord]) throws {
    let names = Set(records.map(\.name))
    try setSurplus(try surplus().filter { !names.contains($0.name) } + records)
  }
}
