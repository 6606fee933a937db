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
///     import finds both ──▶ its save removes the loser's unique values and records the merge
///     end of the feed   ──▶ a save moves relationships to the winner and deletes the loser
///                           └─ the winner is gone: the loser gets its values back
///
/// Another device may have merged it already. Then its deletion arrives; local relationships that
/// the other device did not know are moved all the same.
package struct Departure: Codable, Hashable, Sendable {
  /// The names of the records.
  package let survivor: String
  package let departing: String
  /// The attributes that must be unique together.
  package let constraint: [String]
  /// The values that were taken from the one who goes; nil if the object that goes was not found.
  package var taken: [String: MirrorValue]?
  /// Whether the record of who goes is gone already; nil stands for false.
  private var isDeleted: Bool?
  package var isGone: Bool {
    get { isDeleted ?? false }
    set { isDeleted = newValue ? true : nil }
  }

  /// Whether the one who goes stands for others, of which no server had heard when its record went;
  /// nil stands for false.
  private var stoodForOthers: Bool?
  package var stoodIn: Bool {
    get { stoodForOthers ?? false }
    set { stoodForOthers = newValue ? true : nil }
  }

  package init(survivor: String, departing: String, constraint: [String]) {
    (self.survivor, self.departing, self.constraint) = (survivor, departing, constraint)
  }

  /// What it is about.
  package struct Subject: Hashable {
    package let survivor: String
    package let departing: String
    package let constraint: [String]
  }

  package var subject: Subject {
    Subject(survivor: survivor, departing: departing, constraint: constraint)
  }
}

extension [Departure] {
  /// Those, and others besides; who is among both keeps what was noted first, and is gone where one
  /// of them says so.
  package func adding(_ others: [Departure]) -> Self {
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
