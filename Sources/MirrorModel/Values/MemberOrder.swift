/// The order of an ordered relationship, which is sent apart from the members.
///
/// An order may name records that are not members, and lack members, since both arrive separately.
package enum MemberOrder {
  /// Sorts members by a list; members that are not in it come last, by name.
  package static func arrange(_ members: Set<String>, by order: [String]) -> [String] {
    var left = members
    let named = order.filter { left.remove($0) != nil }
    return named + left.sorted()
  }

  /// Returns the local order, with names of the server's order after their predecessors in it.
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

  /// Whether two orders have their common names in the same order.
  package static func agree(_ one: [String], _ other: [String]) -> Bool {
    let (inOne, inOther) = (Set(one), Set(other))
    return one.filter(inOther.contains) == other.filter(inOne.contains)
  }

  // MARK: In records

  /// Encodes an order for a field; nil if it is empty.
  ///
  /// Record names are ASCII without line breaks.
  package static func text(of order: [String]) -> String? {
    order.isEmpty ? nil : order.joined(separator: "\n")
  }

  /// Decodes an order from a field.
  package static func order(in text: String) -> [String] {
    text.split(separator: "\n").map(String.init)
  }
}
