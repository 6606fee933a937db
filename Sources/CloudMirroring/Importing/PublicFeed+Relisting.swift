import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import PredicateLanguage
import SQLiteDriver

/// Repeated listings of a public database, which has no feed.
extension PublicFeed {
  /// Lists a public database again, from the recorded position.
  ///
  /// Each type is listed in the order of changes.
  ///
  /// - Returns: The number of changed records.
  func listAgain() async throws -> Int {
    guard case .text(let text)? = try ledger.state(.relisting) else {
      return 0
    }
    let place = RelistingCursor(text)
    var count = 0
    for type in place?.rest(of: mirror.polledTypes) ?? mirror.polledTypes {
      let from = type == place?.type ? place?.time ?? .distantPast : .distantPast
      count += try await listAgain(type, from: from)
    }
    try ledger.setState([.relisting: .null])
    return count
  }

  private func listAgain(_ type: String, from time: Date) async throws -> Int {
    var count = 0
    let changed = NSPredicate(format: "modificationDate >= %@", time as NSDate)
    try await listChanged(type, changed, mirror.database) { found, isInOrder in
      let latest = isInOrder ? found.records.compactMap(\.modificationDate).max() : nil
      var page = ImportPage(found, isRelisting: true)
      page.received = try importer.readers.telling(found)
      if let latest {
        page.state[.relisting] = .text(RelistingCursor(type: type, time: latest).text)
      }
      count += try await importer.apply(page)
      try importer.readers.noteReadsOwn(found, type)
      importer.progress.received(found.records.count)
      self.noteProgress()
    }
    return count
  }
}

/// The position of a repeated listing: the types before it are done, and one type up to a date.
struct RelistingCursor: Equatable {
  let type: String
  let time: Date

  init(type: String, time: Date) { (self.type, self.time) = (type, time) }

  /// Reads a recorded position; nil for the beginning.
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let seconds = Double(parts[0]) else { return nil }
    self.init(type: String(parts[1]), time: Date(timeIntervalSinceReferenceDate: seconds))
  }

  var text: String { "\(time.timeIntervalSinceReferenceDate) \(type)" }

  /// Returns the types that are still to be listed; all if the position's type is not among them.
  func rest(of types: [String]) -> [String] {
    types.firstIndex(of: type).map { Array(types[$0...]) } ?? types
  }
}
