import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import PredicateLanguage
import SQLiteDriver

extension LedgerStateKey {
  /// The parts of the cloud that the model could read so far, one per line.
  static let readableParts = Self("readableParts")
  /// The position of a repeated listing, after the model became larger.
  ///
  /// It is a token; in a public database it is a `RelistingCursor`; at the beginning it is empty.
  static let relisting = Self("relisting")
}

/// Lists everything again for a program with a newer model.
///
///     a larger model ──▶ `relisting` ──parts, each recorded with its save──▶ the end
///
/// The listing has its own position in addition to the feed's. Only the feed reports deletions.
struct Relisting: ImporterPart {
  let importer: Importer

  /// Requests a repeated listing if the model can read more than at the last setup.
  func noteReadableParts() throws {
    let parts = mirror.schema.readableParts
    let text = parts.sorted().joined(separator: "\n")
    guard try ledger.state(.readableParts) != .text(text) else { return }
    var state: [LedgerStateKey: SQLiteDriver.Value] = [.readableParts: .text(text)]
    let known = try ledger.state(.readableParts)
    if try known != nil || hasLooked, !parts.isSubset(of: try formerParts()) {
      for zone in try zones { state[.relisting.of(zone, home: mirror.homeZone)] = .text("") }
    }
    try ledger.setState(state)
  }

  /// The zones that may be listed again; a store of the shared database has no home zone.
  private var zones: [RecordZoneIdentifier] {
    get throws {
      try (mirror.scope == .shared ? [] : [mirror.homeZone]) + ledger.sharedZones.identifiers()
    }
  }

  private func formerParts() throws -> Set<String> {
    guard case .text(let text)? = try ledger.state(.readableParts) else { return [] }
    return Set(text.split(separator: "\n").map(String.init))
  }

  /// Whether records were fetched before, some of which may have been ignored.
  private var hasLooked: Bool {
    get throws {
      try importer.zoneToken(mirror.homeZone) != nil
        || mirror.polledTypes.contains { try ledger.state(.polledUntil($0)) != nil }
    }
  }

  /// Whether a zone is still to be listed again.
  func isPending(_ zone: RecordZoneIdentifier) throws -> Bool {
    try ledger.state(.relisting.of(zone, home: mirror.homeZone)) != nil
  }

  /// Lists everything again, from the recorded position.
  ///
  /// - Returns: The number of changed records.
  func relist() async throws -> Int {
    guard try ledger.hasState(.relisting) else { return 0 }
    var count = 0
    for zone in try zones {
      let key = LedgerStateKey.relisting.of(zone, home: mirror.homeZone)
      while case .text(let place)? = try ledger.state(key) {
        try Task.checkCancellation()
        do {
          count += try await relist(zone, from: place.isEmpty ? nil : CKServerChangeToken(place))
        } catch CKError.changeTokenExpired where !place.isEmpty {
          try ledger.setState([key: .text("")])
        }
      }
    }
    return count
  }

  /// Applies the next part.
  private func relist(_ zone: RecordZoneIdentifier, from token: CKServerChangeToken?) async throws
    -> Int
  {
    var received = ImportPage(isRelisting: true)
    let end = try await importer.fetch(zone, since: token, into: &received)
    // The feed also reports the deletions, in order.
    received = received.replacing(records: received.records, deleted: [])
    received.state[.relisting.of(zone, home: mirror.homeZone)] =
      end.isLast ? .null : .text(end.token.text)
    var count = 0
    count += try await importer.apply(received)
    noteProgress()
    return count
  }
}
