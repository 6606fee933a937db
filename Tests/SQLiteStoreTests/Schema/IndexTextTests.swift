import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

/// Partial indexes, and indexes of computed values.
@Suite struct `Indexes that a model declares` {
  private static let text = """
    P
      name String
      x Integer64
      y Integer64
      when Date
      select Integer64
      id UUID
      parent -> P children
      children ->> P parent
    """

  /// The model with an index of an entity.
  private func schema(_ index: NSFetchIndexDescription) throws -> StoreSchema {
    let model = try model(Self.text)
    model.entities[0].indexes.append(index)
    return try StoreSchema(layouts: .of(model), configuration: nil)
  }

  private func element(_ name: String) throws -> NSFetchIndexElementDescription {
    let property = try #require(model(Self.text).entities[0].propertiesByName[name])
    return NSFetchIndexElementDescription(property: property, collationType: .binary)
  }

  private func computed(_ format: String) -> NSFetchIndexElementDescription {
    let property = NSExpressionDescription()
    property.name = "computed"
    property.expression = PredicateLanguage.NSExpression(format: format)
    property.expressionResultType = .integer64AttributeType
    return NSFetchIndexElementDescription(property: property, collationType: .binary)
  }

  private func definition(_ schema: StoreSchema) -> String? {
    schema.indexes.first { $0.name == "Z_P_index" }?.definition
  }

  private func partial(_ format: String) throws -> StoreSchema {
    let index = NSFetchIndexDescription(name: "index", elements: [try element("name")])
    index.partialIndexPredicate = NSPredicate(format: format)
    return try schema(index)
  }

  private static let whole = "CREATE INDEX Z_P_index ON ZP (ZNAME COLLATE BINARY ASC)"

  @Test(arguments: [
    ("x > 5", "ZX > 5"), ("x == nil", "ZX IS NULL"), ("parent != nil", "ZPARENT IS NOT NULL"),
    ("x == 1 AND y != 2", "(ZX = 1 AND ZY <> 2)"),
    ("x < y OR NOT (x == 3)", "(ZX < ZY OR NOT (ZX = 3))"),
    ("name == 'it''s?'", "ZNAME = 'it''s?'"),
    ("name == 'random'", "ZNAME = 'random'"),
    ("name BEGINSWITH 'ab'", "(ZNAME >= 'ab' AND ZNAME < 'ac')"),
    ("x IN {1, 2}", "ZX IN (1, 2)"), ("#select == 4", "ZSELECT = 4"),
    ("x BETWEEN {1, 9}", "ZX BETWEEN 1 AND 9"),
    ("x + y > 3", "(ZX + ZY) > 3"),
    ("when > CAST(12.5, 'NSDate')", "ZWHEN > 12.5"),
  ])
  func `An index holds the rows that meet its condition`(format: String, condition: String) throws {
    let format = format.replacing("''", with: "\\'")
    let definition = definition(try partial(format))
    #expect(definition == "\(Self.whole) WHERE \(condition)")
    let connection = try Connection(.memory)
    for statement in try partial(format).creationStatements() { try connection.execute(statement) }
  }

  @Test(arguments: [
    "name CONTAINS[cd] 'x'", "parent.x > 5", "children.@count > 1", "when < now()", "TRUEPREDICATE",
    "nope == 1", "x > random()", "x > random:(5)",
    "uppercase:(name) == 'X'", "ANY children.x == 1",
  ])
  func `A condition that cannot be stored indexes every row`(format: String) throws {
    #expect(definition(try partial(format)) == Self.whole)
  }

  @Test func `A partial index serves fetches of its rows`() throws {
    let schema = try partial("x > 5")
    let plan = { (format: String) in try self.plan(schema, format) }
    #expect(try plan("name == 'a' AND x > 5") == ["SEARCH t0 USING INDEX Z_P_index (ZNAME=?)"])
    #expect(try plan("name == 'a' AND x > 4") == ["SCAN t0"])
  }

  private func plan(_ schema: StoreSchema, _ format: String) throws -> [String] {
    let connection = try Connection(.memory)
    try connection.registerFetchFunctions()
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    var specification = FetchSpecification()
    specification.predicate = NSPredicate(format: format)
    let statement = try FetchTranslator(schema: schema)
      .rows(
        RowFetch(layout: schema.layouts.layouts[0], specification: specification), selecting: [])
    return try connection.rows("EXPLAIN QUERY PLAN \(statement.sql)", statement.bindings).compactMap
    { row in
      if case .text(let step)? = row.last { step } else { nil }
    }
  }

  @Test(arguments: [("x + y", "(ZX + ZY)"), ("x * 2", "(ZX * 2)")])
  func `An index of computed values serves fetches that compute them`(
    format: String, column: String
  )
    throws
  {
    let schema = try schema(
      NSFetchIndexDescription(name: "index", elements: [computed(format), try element("name")]))
    #expect(
      definition(schema)
        == "CREATE INDEX Z_P_index ON ZP (\(column) COLLATE BINARY ASC, ZNAME COLLATE BINARY ASC)")
    // A fetch binds its constants, so SQLite does not recognize an indexed expression with one.
    let isUsed = !format.contains("2")
    #expect(
      try plan(schema, "\(format) == 7") == [
        isUsed ? "SEARCH t0 USING INDEX Z_P_index (<expr>=?)" : "SCAN t0"
      ])
  }

  @Test(arguments: ["lowercase:(name)", "parent.x", "children.@count", "now()"])
  func `An index that needs our own functions is left out`(format: String) throws {
    let schema = try schema(NSFetchIndexDescription(name: "index", elements: [computed(format)]))
    #expect(definition(schema) == nil)
  }

  @Test func `An index of a to-many relationship is left out`() throws {
    let elements = [try element("name"), try element("children")]
    let schema = try schema(NSFetchIndexDescription(name: "index", elements: elements))
    #expect(definition(schema) == nil)
    let connection = try Connection(.memory)
    for statement in try schema.creationStatements() { try connection.execute(statement) }
  }
}
