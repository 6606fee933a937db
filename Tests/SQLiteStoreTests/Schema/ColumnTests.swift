import ManagedObjectModel
import ObjectRows
import SQLiteStore
import Testing

@Suite struct `Columns of a table` {
  private func schema(
    _ text: String, configuration: String? = nil, _ configurations: [String: [String]] = [:]
  ) throws
    -> StoreSchema
  {
    let model = try model(text, configurations: configurations)
    return try withExtendedLifetime(model) {
      try StoreSchema(layouts: .of(model), configuration: configuration)
    }
  }

  @Test func `Columns are grouped by storage class`() throws {
    let text = """
      E
        a Binary
        b Transformable
        c UUID
        d URI
        e String
        f Decimal
        g Date
        h Double
        i -> E js
        j Boolean
        js ->> E i ordered
        k Integer64
      """
    #expect(
      try schema(text).tables[0].definition
        == "CREATE TABLE ZE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZJ INTEGER, ZK INTEGER, ZI INTEGER, Z_FOK_I INTEGER, ZG TIMESTAMP, ZH FLOAT, ZF DECIMAL, ZE VARCHAR, ZD VARCHAR, ZC BLOB, ZB BLOB, ZA BLOB )"
    )
  }

  @Test func `Repeated names in subentities get suffixes`() throws {
    let text = """
      A
      B : A
        name String
        owner -> A
      C : A
        name Integer16
        owner -> A
      """
    let schema = try schema(text)
    let columns = ["B", "C"].map { schema.entity(named: $0)?.columns.map { $0?.name } }
    #expect(columns == [["ZNAME", "ZOWNER"], ["ZNAME1", "ZOWNER1"]])
    #expect(
      schema.tables[0].columns.map(\.name) == [
        "ZOWNER", "Z1_OWNER", "ZNAME1", "ZOWNER1", "Z1_OWNER1", "ZNAME",
      ])
    #expect(schema.entity(named: "C")?.column(named: "owner")?.entityColumn == "Z1_OWNER1")
  }

  @Test func `Columns never have reserved names`() throws {
    #expect(try schema("E\n  _PK String").tables[0].columns.map(\.name) == ["Z_PK1"])
  }

  @Test func `A composite attribute's columns are its innermost elements`() throws {
    let column = try #require(
      try schema("E\n  place Composite elements=longitude/Double,latitude/Double,name/String")
        .entities[0].columns[0])
    #expect(column.isComposite)
    #expect(column.leaves.map(\.name) == ["ZLATITUDE", "ZLONGITUDE", "ZNAME"])
    #expect(column.leaves.map(\.path) == [["latitude"], ["longitude"], ["name"]])
  }

  @Test func `A configuration's columns belong to its members only`() throws {
    let text = "Base\n  id String\nA : Base\n  x String\nB : Base\n  y String\nOther"
    let schema = try schema(text, configuration: "C", ["C": ["A", "B"]])
    #expect(schema.entities.map(\.name) == ["A", "B"])
    #expect(schema.entities.map(\.number) == [1, 2])
    #expect(schema.tables.map(\.name) == ["ZA", "ZB"])
    #expect(schema.tables.map { $0.columns.map(\.name) } == [["ZID", "ZX"], ["ZID", "ZY"]])
    #expect(schema.entities.map(\.keyNumbers) == [[1, 2], [1, 2]])
    #expect(schema.entity(named: "Other") == nil)
  }

  @Test(arguments: [
    ("E\n  a Undefined", "E.a"), ("E\n  c Composite", "E.c"), ("E\n  a-b String", "E.a-b"),
    ("_METADATA", "_METADATA"), ("Foo\nFOO", "ZFOO"),
  ])
  func `Columns that no store can keep are refused by name`(text: String, named: String) throws {
    let error = try #require(throws: StoreError.self) { try schema(text) }
    #expect(error.code == .incompatibleSchema)
    #expect(error.message.contains(named))
  }

  @Test func `An element is neither transformable nor external`() throws {
    let elements = [
      attribute("x", .transformableAttributeType),
      attribute("x", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
    ]
    for element in elements {
      let made = model([entity("E", [composite("c", [composite("d", [element])])])])
      let error = try #require(throws: StoreError.self) {
        try withExtendedLifetime(made) {
          try StoreSchema(layouts: .of(made), configuration: nil)
        }
      }
      #expect(error.code == .incompatibleSchema)
      #expect(error.message.contains("E.x is an element, which can be neither"))
    }
  }

  @Test func `Relationships out of a configuration are refused`() throws {
    let error = try #require(throws: StoreError.self) {
      try schema("A\n  b -> B as\nB\n  as ->> A b", configuration: "C", ["C": ["A"]])
    }
    #expect(error.message.contains("A.b leads to B"))
  }

  @Test func `An unknown configuration is refused`() throws {
    let error = try #require(throws: StoreError.self) { try schema("A", configuration: "Nope") }
    #expect(error.context == ["configuration": "Nope"])
  }
}
