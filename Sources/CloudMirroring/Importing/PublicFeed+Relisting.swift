import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import PredicateLanguage
import SQLiteDriver

/// The same for a public database, which has no feed.
extension PublicFeed {
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
    for type in place?.rest(of: site.polledTypes) ?? site.polledTypes {
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
      page.received = try importer.readers.telling(found)
      if let latest {
        page.state[.relisting] = .text(RelistingPlace(type: type, time: latest).text)
      }
      count += try await importer.apply(page)
      try importer.readers.noteReadsOwn(found, type)
      importer.progress.received(found.records.count)
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

  /// The types that are still to be listed; all if the place is in none of them.
  func rest(of types: [String]) -> [String] {
    types.firstIndex(of: type).map { Array(types[$0...]) } ?? types
  }
}
