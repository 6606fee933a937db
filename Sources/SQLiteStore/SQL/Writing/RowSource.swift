import ObjectRows

/// A row in a path.
///
/// Only its key is known until the query uses another column.
///
/// A SELECT retains the rows that it joins, and a row retains its destinations. References in the
/// other direction are unowned, to avoid cycles; the writer of a SELECT retains both until its text
/// is written.
final class RowSource {
  let entity: EntitySchema
  /// The SQL of the row's key.
  let key: String
  /// The SELECT that reads the row.
  unowned let select: Select
  /// The SQL for the row's entity number, if that is known without a join.
  let knownEntityNumber: String?

  fileprivate unowned let origin: RowSource?
  private var destinations: [String: RowSource] = [:]
  private var alias: String?
  private var isRequired = false

  /// Creates a row of the table that a SELECT reads.
  init(_ entity: EntitySchema, alias: String, select: Select) {
    self.entity = entity
    self.select = select
    self.alias = alias
    key = "\(alias).Z_PK"
    knownEntityNumber = entity.subtreeNumbers.count > 1 ? "\(alias).Z_ENT" : "\(entity.number)"
    origin = nil
  }

  /// Creates a row whose key is in a column of another row.
  init(
    _ entity: EntitySchema, key: String, entityNumber: String? = nil, select: Select,
    origin: RowSource? = nil,
    isRequired: Bool = false
  ) {
    self.entity = entity
    self.key = key
    self.select = select
    self.origin = origin
    self.isRequired = isRequired
    knownEntityNumber = entityNumber
  }

  /// The destination of a to-one relationship, by its column; repeated calls return the same row.
  func destination(at column: String, make: () -> RowSource) -> RowSource {
    if let known = destinations[column] { return known }
    let made = make()
    destinations[column] = made
    return made
  }

  /// The alias of the row in the SQL; the first call joins the row.
  ///
  /// - Parameter isRequired: Whether the result excludes rows of the SELECT without such a row.
  func alias(isRequired: Bool, next: () -> String) -> String {
    if isRequired { require() }
    if let alias { return alias }
    let made = next()
    alias = made
    select.add(self)
    return made
  }

  /// Marks this row as required, and the rows on the path to it.
  ///
  /// An inner join cannot follow an outer one.
  private func require() {
    isRequired = true
    origin?.require()
  }

  /// The join, as it appears after `FROM`.
  var joinText: String {
    "\(isRequired ? "JOIN" : "LEFT OUTER JOIN") \(entity.table) \(alias ?? "") ON \(key) = \(alias ?? "").Z_PK"
  }
}

extension RowSource {
  /// Whether every row of the SELECT has such a row, so that its key is never NULL.
  var isCertain: Bool { origin == nil }
}
