/// The statements that write the owner of members whose relationship has no inverse.
///
/// A member has one owner at most: a new one replaces the former.
struct OwnerStatements {
  /// The statement that gives a member an owner; the parameters are owner and member.
  ///
  /// A member that already has the owner keeps its order key.
  let insert: String
  /// The statement that removes a member from its owner; the parameters are owner and member.
  let delete: String
  /// The statement that removes all members of an owner, which is the parameter.
  var release: String { "\(releaseAny) = ?1" }
  private let releaseAny: String

  init(_ column: PropertyColumn, members: EntitySchema, owner: EntitySchema) {
    var values = ["\(column.name) = ?1"]
    if let entity = column.entityColumn {
      values.append("\(entity) = (SELECT Z_ENT FROM \(owner.table) WHERE Z_PK = ?1)")
    }
    if let order = column.orderColumn {
      values.append("\(order) = CASE WHEN \(column.name) IS ?1 THEN \(order) END")
    }
    let names = [column.name, column.entityColumn, column.orderColumn].compactMap { $0 }
    let nothing = names.map { "\($0) = NULL" }.joined(separator: ", ")
    insert = "UPDATE \(members.table) SET \(values.joined(separator: ", ")) WHERE Z_PK = ?2"
    releaseAny = "UPDATE \(members.table) SET \(nothing) WHERE \(column.name)"
    delete = "\(releaseAny) = ?1 AND Z_PK = ?2"
  }

  /// The statement that removes all members of several owners.
  ///
  /// - Parameter owners: A subselect of the owners' keys.
  func release(owners: String) -> String { "\(releaseAny) IN \(owners)" }
}
