import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import PredicateLanguage
import SQLiteDriver

extension LedgerStateKey {
  /// What of the cloud the model could read so far: a line for each part.
  static let readableParts = Self("readableParts")
  /// Up to where everything is listed once more, since the model can read more than before: a
  /// token, of a public database a `RelistingPlace`, or nothing at the beginning.
  static let relisting = Self("relisting")
}

/// A program with a newer model lists everything again.
///
///     a larger model ──▶ `relisting` ──parts, each recorded with its save──▶ the end
///
/// The listing has its own position beside that of the feed. Only the feed reports deletions.
extension Importer {
  /// Sees whether the model can read more than it could when the cloud was last looked at.
  func noteReadableParts() throws {
    let parts = site.schema.readableParts
    let text = parts.sorted().joined(separator: "\n")
    guard try ledger.state(.readableParts) != .text(text) else { return }
    var state: [LedgerStateKey: SQLiteDriver.Value] = [.readableParts: .text(text)]
    let known = try ledger.state(.readableParts)
    if try known != nil || hasLooked, !parts.isSubset(of: try formerParts()) {
      state[.relisting] = .text("")
    }
    try ledger.setState(state)
  }

  private func formerParts() throws -> Set<String> {
    guard case .text(let text)? = try ledger.state(.readableParts) else { return [] }
    return Set(text.split(separator: "\n").map(String.init))
  }

  /// Whether anything was fetched before, which may have been passed over.
  private var hasLooked: Bool {
    get throws {
      try zoneToken(site.homeZone) != nil
        || polledTypes.contains { try ledger.state(.polledUntil($0)) != nil }
    }
  }

  /// Whether everything is to be listed once more.
  var isRelisting: Bool { get throws { try ledger.state(.relisting) != nil } }

  /// Lists everything once more, from where it was broken off.
  ///
  /// - Returns: How many records were changed here.
  func relist() async throws -> Int {
    guard seam?.listsOnceMore ?? true else { return 0 }
    var count = 0
    while case .text(let place)? = try ledger.state(.relisting) {
      try Task.checkCancellation()
      do {
        count += try await relist(from: place.isEmpty ? nil : CKServerChangeToken(place))
      } catch CKError.changeTokenExpired where !place.isEmpty {
        try ledger.setState([.relisting: .text("")])
      }
    }
    return count
  }

  /// Takes over the next part.
  private func relist(from token: CKServerChangeToken?) async throws -> Int {
    var received = ImportPage(isRelisting: true)
    let end = try await fetch(site.homeZone, since: token, into: &received)
    // The feed tells of them too, in its order.
    received = received.saying(received.records, deleted: [])
    received.state[.relisting] = end.isLast ? .null : .text(end.token.text)
    var count = 0
    for page in parts(of: received) { count += try await apply(page) }
    noteProgress()
    return count
  }
}

/// The same for a public database, which has no feed.
extension Importer {
  /// Lists a public database once more, of each type in the order in which records were changed,
  /// from where it was broken off.
  ///
  /// - Returns: How many records were changed here.
  func listOnceMore() async throws -> Int {
    guard seam?.listsOnceMore ?? true, case .text(let text)? = try ledger.state(.relisting) else {
      return 0
    }
    let place = RelistingPlace(text)
    var count = 0
    for type in place?.rest(of: polledTypes) ?? polledTypes {
      let from = type == place?.type ? place?.time ?? .distantPast : .distantPast
      count += try await listOnceMore(type, from: from)
    }
    try ledger.setState([.relisting: .null])
    return count
  }

  private func listOnceMore(_ type: String, from time: Date) async throws -> Int {
    var count = 0
    let changed = NSPredicate(format: "modificationDate >= %@", time as NSDate)
    try await listChanged(type, changed, site.database) { found, isInOrder in
      let latest = isInOrder ? found.records.compactMap(\.modificationDate).max() : nil
      var page = ImportPage(found, isRelisting: true)
      page.received = try self.telling(found)
      if let latest {
        page.state[.relisting] = .text(RelistingPlace(type: type, time: latest).text)
      }
      count += try await self.apply(page)
      try self.noteReadsOwn(found, type)
      self.progress.received(found.records.count)
      self.noteProgress()
    }
    return count
  }
}

/// Up to where a public database was listed once more: the types before, and of one what was
/// changed before a time.
struct RelistingPlace: Equatable {
  let type: String
  let time: Date

  init(type: String, time: Date) { (self.type, self.time) = (type, time) }

  /// The place as it is noted; nil for that of the beginning.
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let seconds = Double(parts[0]) else { return nil }
    self.init(type: String(parts[1]), time: Date(timeIntervalSinceReferenceDate: seconds))
  }

  var text: String { "\(time.timeIntervalSinceReferenceDate) \(type)" }

  /// What is left of some types; all where the place is in none of them.
  func rest(of types: [String]) -> [String] {
    types.firstIndex(of: type).map { Array(types[$0...]) } ?? types
  }
}
