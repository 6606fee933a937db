package import CloudRecords
import Foundation

/// A merge of two duplicates: objects with equal values of attributes that must be unique.
///
/// Two devices may each insert one. The smaller record name wins on every device; the loser's
/// relationships move to the winner.
///
///     import finds both ──▶ its save removes the loser's unique values and defers the merge
///     end of the feed   ──▶ a save moves relationships to the winner and deletes the loser
///                           └─ the winner is gone: the loser gets its values back
///
/// If another device has merged them already, the loser's deletion arrives. Local relationships
/// that the other device did not know still move.
package struct DuplicateMerge: Codable, Hashable, Sendable {
  /// The names of the records.
  package let winner: String
  package let loser: String
  /// The attributes that must be unique together.
  package let constraint: [String]
  /// The values that were removed from the loser; nil if it was not found.
  package var taken: [String: MirrorValue]?
  /// Whether the loser's record is gone already.
  package var isGone = false
  /// Whether the loser, when its record was deleted, had absorbed duplicates unknown to the server.
  package var absorbedUnsent = false

  package init(winner: String, loser: String, constraint: [String]) {
    (self.winner, self.loser, self.constraint) = (winner, loser, constraint)
  }

  fileprivate func isSame(_ other: Self) -> Bool {
    (winner, loser) == (other.winner, other.loser) && constraint == other.constraint
  }
}

extension [DuplicateMerge] {
  /// Adds other merges.
  ///
  /// A merge in both keeps its values; its loser is gone if either has it as gone.
  package func adding(_ others: [DuplicateMerge]) -> Self {
    others.reduce(into: self) { all, other in
      guard let place = all.firstIndex(where: { $0.isSame(other) }) else {
        all.append(other)
        return
      }
      if other.isGone { all[place].isGone = true }
      if other.absorbedUnsent { all[place].absorbedUnsent = true }
    }
  }

  /// Returns an item for each pair of winner and loser, which may collide in several constraints.
  package func items(in zone: RecordZoneIdentifier) -> [DeferredItem] {
    Dictionary(grouping: self) { [$0.loser, $0.winner] }.sorted { $0.key[0] < $1.key[0] }
      .map { names, merges in
        DeferredItem(
          .duplicate, .record(RecordIdentifier(recordName: names[0], zone: zone)),
          dependency: names[1], payload: (try? JSONEncoder().encode(merges)).map { [UInt8]($0) })
      }
  }

  /// The merges of items.
  package static func all(in items: [DeferredItem]) -> Self {
    items.filter { $0.kind == .duplicate }.flatMap {
      (try? JSONDecoder().decode(Self.self, from: Data($0.payload ?? []))) ?? []
    }
  }
}
