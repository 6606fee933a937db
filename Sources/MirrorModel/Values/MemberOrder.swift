/// The order of the members of an ordered relationship, which travels apart from who they are.
///
/// An order may name records that are no members, and lack some that are: they come and go on ways
/// of their own.
package enum MemberOrder {
  /// Members in the order of a list; those that it does not name come last, in the order of their
  /// names.
  package static func arrange(_ members: Set<String>, by order: [String]) -> [String] {
    var left = members
    let named = order.filter { left.remove($0) != nil }
    return named + left.sorted()
  }

  /// Our order, with what only the server's names put behind what it follows there.
  package static func merge(local: [String], server: [String]) -> [String] {
    let known = Set(local)
    var followers: [String?: [String]] = [:]
    var place: String?
    var seen: Set<String> = []
    for name in server where seen.insert(name).inserted {
      if known.contains(name) { place = name } else { followers[place, default: []].append(name) }
    }
    return (followers[nil] ?? []) + local.flatMap { [$0] + (followers[$0] ?? []) }
  }

  /// Whether two orders have what is in both in the same order.
  package static func agree(_ one: [String], _ other: [String]) -> Bool {
    let (inOne, inOther) = (Set(one), Set(other))
    return one.filter(inOther.contains) == other.filter(inOne.contains)
  }

  // MARK: In records

  /// An order as a field holds it: names of records are ASCII without line breaks.
  ///
  /// Nil where there is nothing to order.
  package static func text(of order: [String]) -> String? {
    order.isEmpty ? nil : order.joined(separator: "\n")
  }

  /// What a field holds.
  package static func order(in text: String) -> [String] {
    text.split(separator: "\n").map(String.init)
  }
}
