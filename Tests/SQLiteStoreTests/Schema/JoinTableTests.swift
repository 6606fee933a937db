import ManagedObjectModel
import ObjectRows
import SQLiteStore
import Testing

@Suite struct `Join tables` {
  private func definitions(_ text: String) throws -> [String] {
    try StoreSchema(layouts: .of(model(text)), configuration: nil).joinTables.map(\.definition)
  }

  @Test func `A join table is named after the relationship of the alphabetically first entity`()
    throws
  {
    #expect(
      try definitions("Book\n  authors ->> Author books\nAuthor\n  books ->> Book authors")
        == [
          """
          CREATE TABLE Z_1BOOKS ( Z_1AUTHORS INTEGER, Z_2BOOKS INTEGER, PRIMARY KEY \
          (Z_1AUTHORS, Z_2BOOKS) )
          """
        ])
  }

  @Test func `A join table uses an entity's name, not its number`() throws {
    // Album has the number 3, because it is a subentity of Zoo.
    let text = "Zoo\nAlbum : Zoo\n  assets ->> Asset albums\nAsset\n  albums ->> Album assets"
    #expect(
      try definitions(text)
        == [
          """
          CREATE TABLE Z_3ASSETS ( Z_3ALBUMS INTEGER, Z_1ASSETS INTEGER, PRIMARY KEY \
          (Z_3ALBUMS, Z_1ASSETS) )
          """
        ])
  }

  @Test func `In one entity, the later relationship names the join table`() throws {
    #expect(
      try definitions(
        "B\n  favoriteFolders ->> B favorites\n  favorites ->> B favoriteFolders ordered")
        == [
          """
          CREATE TABLE Z_1FAVORITES ( Z_1FAVORITEFOLDERS INTEGER, Z_1FAVORITES INTEGER, \
          Z_FOK_1FAVORITES INTEGER, PRIMARY KEY (Z_1FAVORITEFOLDERS, Z_1FAVORITES) )
          """
        ])
  }

  @Test func `An ordered other side does not change a join table's name`() throws {
    let text = """
      Asset
      Blob
      Category
        categoryInverse ->> Post category
      Post
        category ->> Category categoryInverse ordered
      """
    #expect(
      try definitions(text)
        == [
          """
          CREATE TABLE Z_3CATEGORYINVERSE ( Z_3CATEGORY INTEGER, Z_4CATEGORYINVERSE INTEGER, \
          Z_FOK_3CATEGORY INTEGER, PRIMARY KEY (Z_3CATEGORY, Z_4CATEGORYINVERSE) )
          """
        ])
  }

  @Test func `A relationship that is its own inverse has a reflexive column`() throws {
    let schema = try StoreSchema(
      layouts: .of(model("P\n  friends ->> P friends")), configuration: nil)
    #expect(
      schema.joinTables.map(\.definition)
        == [
          """
          CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY \
          (Z_1FRIENDS, REFLEXIVE) )
          """
        ])
    #expect(schema.joinTables[0].isReflexive)
    guard case .join(_, "Z_1FRIENDS", "REFLEXIVE", nil)? = schema.entities[0].toMany[0] else {
      Issue.record("friends is kept elsewhere")
      return
    }
  }

  @Test func `Columns of an entity's join tables have different names`() throws {
    let text = """
      Badge
        people ->> Person badges
      Club
        people ->> Person clubs
      Person
        badges ->> Badge people
        clubs ->> Club people ordered
      """
    #expect(
      try definitions(text)
        == [
          """
          CREATE TABLE Z_1PEOPLE ( Z_1BADGES INTEGER, Z_3PEOPLE INTEGER, PRIMARY KEY \
          (Z_1BADGES, Z_3PEOPLE) )
          """,
          """
          CREATE TABLE Z_2PEOPLE ( Z_2CLUBS INTEGER, Z_3PEOPLE1 INTEGER, Z_FOK_2CLUBS \
          INTEGER, PRIMARY KEY (Z_2CLUBS, Z_3PEOPLE1) )
          """,
        ])
  }

  @Test func `The naming side's columns have different names, too`() throws {
    let text = """
      A
        badges ->> Badge people
        clubs ->> Club people
      Badge
        people ->> A badges ordered
      Club
        people ->> A clubs ordered
      """
    #expect(
      try definitions(text)
        == [
          """
          CREATE TABLE Z_1BADGES ( Z_1PEOPLE INTEGER, Z_2BADGES INTEGER, Z_FOK_1PEOPLE \
          INTEGER, PRIMARY KEY (Z_1PEOPLE, Z_2BADGES) )
          """,
          """
          CREATE TABLE Z_1CLUBS ( Z_1PEOPLE1 INTEGER, Z_3CLUBS INTEGER, Z_FOK_1PEOPLE1 \
          INTEGER, PRIMARY KEY (Z_1PEOPLE1, Z_3CLUBS) )
          """,
        ])
  }

  @Test func `Each side has its own columns, also in subentities`() throws {
    let text =
      "Book\n  authors ->> Author books\nAuthor\n  books ->> Book authors ordered\nPoet : Author"
    let schema = try StoreSchema(layouts: .of(model(text)), configuration: nil)
    let poet = try #require(schema.entity(named: "Poet"))
    guard case .join(let table, "Z_1AUTHORS", "Z_3BOOKS", "Z_FOK_3BOOKS")? = poet.toMany[0],
      case .join(let same, "Z_3BOOKS", "Z_1AUTHORS", nil)? = schema.entity(named: "Book")?.toMany[0]
    else {
      Issue.record("the sides do not fit")
      return
    }
    #expect(table === same)
    #expect(
      table.index.definition
        == "CREATE INDEX Z_1BOOKS_Z_3BOOKS_INDEX ON Z_1BOOKS (Z_3BOOKS, Z_1AUTHORS)")
  }

  @Test func `Transient relationships need no join table`() throws {
    let text =
      "Book\n  authors ->> Author books transient\nAuthor\n  books ->> Book authors transient"
    let schema = try StoreSchema(layouts: .of(model(text)), configuration: nil)
    #expect(schema.joinTables.isEmpty)
    #expect(schema.entities.allSatisfy { $0.toMany.allSatisfy { $0 == nil } })
  }
}
