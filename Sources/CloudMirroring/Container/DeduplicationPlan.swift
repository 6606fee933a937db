package import Foundation

/// A plan for the objects of one zone that have the same unique values.
///
/// The plan depends only on stored data, so that all of a user's devices make the same plan.
package struct DeduplicationPlan<ID: Hashable & Sendable>: Equatable, Sendable {
  /// One of the objects.
  package struct Member: Sendable {
    let id: ID
    /// The value by which the winner is chosen: the smallest one wins.
    let order: String
    /// When the object was marked as a loser.
    let mark: Date?
    /// Whether the object has related objects that must move to the winner.
    let isRelated: Bool
    /// Whether the server has acknowledged all changes of the object.
    let isDurable: Bool

    package init(id: ID, order: String, mark: Date?, isRelated: Bool, isDurable: Bool) {
      (self.id, self.order, self.mark) = (id, order, mark)
      (self.isRelated, self.isDurable) = (isRelated, isDurable)
    }
  }

  /// The object of which the others are duplicates.
  package private(set) var winner: ID?
  /// A former loser that becomes the winner, because there is no other one.
  package private(set) var revived: ID?
  /// New losers.
  package private(set) var marked: [ID] = []
  /// Losers whose related objects move to the winner.
  package private(set) var moved: [ID] = []
  /// Losers that can be deleted.
  package private(set) var removed: [ID] = []

  /// Creates a plan.
  ///
  /// - Parameter settled: The date before which everything is exported and imported; nil before the
  ///   first export or import.
  package init(_ members: [Member], settled: Date?) {
    let members = members.sorted { $0.order < $1.order }
    func isSettled(_ member: Member) -> Bool {
      guard let mark = member.mark, let settled else { return false }
      return mark < settled
    }
    winner = members.first { $0.mark == nil }?.id
    if winner == nil {
      // The loser got related objects again after the winner was deleted. Until its mark is
      // settled, a winner may still arrive.
      revived = members.first { $0.isRelated && isSettled($0) }?.id
      winner = revived
    }
    for member in members where member.id != winner {
      if member.mark == nil { marked.append(member.id) }
      if member.isRelated {
        if winner != nil { moved.append(member.id) }
      } else if isSettled(member), member.isDurable {
        removed.append(member.id)
      }
    }
  }
}
