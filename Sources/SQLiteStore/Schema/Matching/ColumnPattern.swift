import ManagedObjectModel
import ObjectRows

/// The names that a planned column may have in a file that was created for another version of the
/// model.
struct ColumnPattern {
  /// The planned name.
  let column: String
  /// The property, for messages.
  let property: String
  /// Whether rows can be read without the column.
  var isOptional = false
  private let prefix: String
  /// Whether digits follow the prefix.
  private let isNumbered: Bool
  /// The texts that follow, with or without a number after them.
  private let names: [String]

  /// Whether a column of the file may be the planned one.
  func matches(_ name: String) -> Bool {
    let name = name.uppercased()
    guard name.hasPrefix(prefix) else { return false }
    var rest = name.dropFirst(prefix.count)
    if isNumbered {
      let digits = rest.prefix(while: \.isNumber)
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count)
    }
    return names.contains { text in
      rest.hasPrefix(text) && rest.dropFirst(text.count).allSatisfy(\.isNumber)
    }
  }

  /// The patterns of all columns of a table.
  static func all(of table: TableSchema) -> [ColumnPattern] {
    var known: Set<String> = []
    let properties = table.entities.flatMap { entity in
      zip(entity.layout.properties, entity.columns).flatMap { property, column in
        column.map { all(of: $0, property, owner: nil) } ?? []
      }
    }
    let owners = table.ownerColumns.flatMap {
      all(of: $0.column, $0.relationship, owner: $0.ownerNumber)
    }
    return (properties + owners).filter { known.insert($0.column).inserted }
  }

  private static func all(
    of column: PropertyColumn, _ property: NSPropertyDescription, owner: Int?
  ) -> [ColumnPattern] {
    guard !column.isComposite else { return [] }
    let names = [property.name, property.storedRenamingIdentifier].compactMap { $0?.uppercased() }
    let isOwner = owner != nil
    let key = ColumnPattern(
      column: column.name, property: property.name, prefix: "Z", isNumbered: isOwner, names: names)
    let entity = column.entityColumn.map {
      ColumnPattern(
        column: $0, property: property.name, isOptional: isOwner, prefix: "Z", isNumbered: true,
        names: names.flatMap { name in isOwner ? ["_\(owner ?? 0)\(name)"] : ["_\(name)"] })
    }
    let order = column.orderColumn.map {
      ColumnPattern(
        column: $0, property: property.name, prefix: "Z_FOK_", isNumbered: isOwner, names: names)
    }
    return [key] + [entity, order].compactMap { $0 }
  }
}
