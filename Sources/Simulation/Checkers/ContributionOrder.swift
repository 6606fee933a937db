/// A contribution to what several people work on: it follows another one, or begins something.
package struct Contribution: Sendable, Equatable {
  package let key: String
  /// The one that it follows; nil for a beginning.
  package let parent: String?
  /// The device that made it.
  package let author: String
  /// When, in milliseconds by that device's clock.
  package let date: Int64

  package init(key: String, parent: String?, author: String, date: Int64) {
    (self.key, self.parent, self.author, self.date) = (key, parent, author, date)
  }

  /// By date; where clocks agree, by device, then by key.
  static func isEarlier(_ one: Self, _ other: Self) -> Bool {
    (one.date, one.author, one.key) < (other.date, other.author, other.key)
  }
}

/// The orders in which people read contributions: both follow from what is there alone.
///
///     1 Device1 ──▶ 3 Device2 ──▶ 4 Device1        by date   1 2 3 4 5
///        └──────────▶ 2 Device3 (clock behind)     by tree   1 2 3 4 5 where siblings go by date, each with all that follows it
///     5 Device2
///
/// In the tree nothing comes before what it follows, whatever clocks say.
package struct ContributionOrder: Sendable, Equatable {
  /// All, by date.
  package let byDate: [String]
  /// Those that lead back to a beginning, each before what follows it.
  package let byTree: [String]
  /// Those that follow themselves, over others or at once.
  package let endless: [String]
  /// Those that follow what is not there.
  package let forsaken: [String]

  package init(_ contributions: [Contribution]) {
    let sorted = contributions.sorted(by: Contribution.isEarlier)
    let keys = Set(sorted.map(\.key))
    let followers = Dictionary(grouping: sorted) {
      $0.parent.flatMap { keys.contains($0) ? $0 : nil }
    }
    let tree = Self.tree(of: followers)
    byDate = sorted.map(\.key)
    byTree = tree
    endless = keys.subtracting(tree).sorted()
    forsaken = sorted.filter { $0.parent.map { !keys.contains($0) } ?? false }.map(\.key).sorted()
  }

  /// - Parameter followers: Those that follow one, in order; those of nil are the beginnings.
  private static func tree(of followers: [String?: [Contribution]]) -> [String] {
    var order: [String] = []
    var waiting = Array(followers[nil, default: []].reversed())
    while let next = waiting.popLast() {
      order.append(next.key)
      waiting += followers[next.key, default: []].reversed()
    }
    return order
  }

  /// The first two that this order has otherwise than a former one, in which there were fewer or
  /// others; nil where all that both have came as before.
  package func changed(since former: Self) -> (String, String)? {
    Self.changed(byDate, since: former.byDate) ?? Self.changed(byTree, since: former.byTree)
  }

  private static func changed(_ order: [String], since former: [String]) -> (String, String)? {
    let (now, before) = (Set(order), Set(former))
    return zip(former.filter(now.contains), order.filter(before.contains)).first { $0 != $1 }
  }
}
