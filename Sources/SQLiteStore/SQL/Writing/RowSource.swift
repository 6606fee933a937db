import ObjectRows

/// The row that a path has come to: known by its key alone until a column of it is asked for.
///
/// A SELECT holds the rows that it joins, and a row those that it leads to; none of them holds what
/// it comes from, or a translation would never go. Whoever writes a SELECT has both at hand until
/// its text is made.
final class RowSource {
  let entity: EntitySchema
  /// The SQL of the row's key.
  let key: String
  /// The SELECT that reads the row.
  unowned let select: Select
  /// The SQL of the number of the row's entity where that is known without the row.
  let knownEntityNumber: String?

  fileprivate unowned let origin: RowSource?
  private var destinations: [String: RowSource] = [:]
  private var alias: String?
  private var isRequired = false

  /// A row of the table that a SELECT reads.
  init(_ entity: EntitySchema, alias: String, select: Select) {
    self.entity = entity
    self.select = select
    self.alias = alias
    key = "\(alias).Z_PK"
    knownEntityNumber = entity.subtreeNumbers.count > 1 ? "\(alias).Z_ENT" : "\(entity.number)"
    origin = nil
  }

  /// A row whose key stands in a column of another row.
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

  /// The destination of a to-one relationship, by its column; the same for everyone who asks.
  func destination(at column: String, make: () -> RowSource) -> RowSource {
    if let known = destinations[column] { return known }
    let made = make()
    destinations[column] = made
    return made
  }

  /// The name of the row in the SQL; the row is joined when it is first asked for.
  ///
  /// - Parameter isRequired: Whether rows of the SELECT for which there is no such row need not be
  ///   found.
  func alias(isRequired: Bool, next: () -> String) -> String {
    if isRequired { require() }
    if let alias { return alias }
    let made = next()
    alias = made
    select.add(self)
    return made
  }

  /// An inner join after an outer one would be lost, so what leads here is required too.
  private func require() {
    isRequired = true
    origin?.require()
  }

  /// The join as it stands after `FROM`.
  var joinText: String {
    "\(isRequired ? "JOIN" : "LEFT OUTER JOIN") \(entity.table) \(alias ?? "") ON \(key) = \(alias ?? "").Z_PK"
  }
}

extension RowSource {
  /// Whether there is such a row for every row of the SELECT, so that its key is never NULL.
  var isCertain: Bool { origin == nil }
}
