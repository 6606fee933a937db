import ManagedObjectModel
import ObjectRows

/// The names that a planned join table and its columns may have in a file that was created for
/// another version of the model.
struct JoinPattern {
  private let join: JoinTable
  /// The names of the relationship that the second column is named after.
  private let forward: [String]
  /// The names of its inverse, which the first column is named after.
  private let backward: [String]

  init(_ join: JoinTable, _ schema: StoreSchema) {
    self.join = join
    forward = Self.names(of: join.relationship)
    backward =
      join.relationship.inverseRelationship.map(Self.names)
      ?? forward.map { "\($0)INVERSE" }
  }

  private static func names(of relationship: NSRelationshipDescription) -> [String] {
    [relationship.name, relationship.storedRenamingIdentifier].compactMap { $0?.uppercased() }
  }

  /// The names in the file if a table is the planned one; nil if it is not.
  func names(in table: String, _ columns: [String]) -> JoinNames? {
    guard Self.isNamed(table, forward + backward) else { return nil }
    let keys = columns.filter { !$0.uppercased().hasPrefix("Z_FOK_") }
    guard keys.count == 2, let (first, second) = roles(keys, isOwnTable: table == join.name) else {
      return nil
    }
    var names = JoinNames(table: table, first: first, second: second)
    let orders = columns.filter { $0.uppercased().hasPrefix("Z_FOK_") }
    let needed = [join.firstOrderColumn, join.secondOrderColumn].compactMap { $0 }.count
    guard orders.count >= needed else { return nil }
    if join.firstOrderColumn != nil {
      guard let order = order(of: first, orders, needed) else { return nil }
      names.firstOrder = order
    }
    if join.secondOrderColumn != nil {
      guard let order = order(of: second, orders, needed) else { return nil }
      names.secondOrder = order
    }
    return names
  }

  /// The columns of the first and the second objects.
  ///
  /// If the columns' names do not decide, their order does: the first objects' keys come first in a
  /// table that is named after the same relationship.
  private func roles(_ keys: [String], isOwnTable: Bool) -> (String, String)? {
    let (one, other) = (keys[0], keys[1])
    let fits = isFirst(one) && isSecond(other)
    let fitsReversed = isFirst(other) && isSecond(one)
    switch (fits, fitsReversed) {
    case (true, false): return (one, other)
    case (false, true): return (other, one)
    case (true, true):
      return one == join.secondColumn || other == join.firstColumn ? (other, one) : (one, other)
    case (false, false): return isOwnTable ? (one, other) : nil
    }
  }

  private func isFirst(_ column: String) -> Bool { Self.isNamed(column, backward) }

  private func isSecond(_ column: String) -> Bool {
    join.isReflexive ? column.uppercased() == "REFLEXIVE" : Self.isNamed(column, forward)
  }

  private func order(of key: String, _ orders: [String], _ needed: Int) -> String? {
    let own = "Z_FOK_\(key.hasPrefix("Z_") ? String(key.dropFirst(2)) : key)"
    return orders.first { $0.uppercased() == own.uppercased() }
      ?? (orders.count == 1 && needed == 1 ? orders[0] : nil)
  }

  /// Whether a name is `Z_`, a number, one of some texts, and perhaps another number.
  private static func isNamed(_ name: String, _ texts: [String]) -> Bool {
    let name = name.uppercased()
    guard name.hasPrefix("Z_") else { return false }
    let rest = name.dropFirst(2)
    let digits = rest.prefix(while: \.isNumber)
    guard !digits.isEmpty else { return false }
    return texts.contains { text in
      rest.dropFirst(digits.count).hasPrefix(text)
        && rest.dropFirst(digits.count + text.count).allSatisfy(\.isNumber)
    }
  }
}
