import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Saves` {
  @Test func `One statement inserts all rows of an entity`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Author", 1, ["name": "Ada"]).insert("Author", 2).insert(
      "Tag", 1, ["label": "t"]
    )
    .saveAll()
    #expect(
      sample.statements.take() == [
        "BEGIN EXCLUSIVE",
        "INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 1, 1, ?)",
        "INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 1, 1, ?)",
        "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES(?, 7, 1, ?)",
        "COMMIT",
      ])
    #expect(try sample.rows("Author", 1, 2) == ["Author 1 v1 name=Ada", "Author 2 v1"])
  }

  @Test func `An update writes only changed values and the version`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Book", 1, ["title": "A", "isbn": "1", "shelf": 1]).saveAll()
    _ = sample.statements.take()
    try Changes(sample).update("Book", 1, version: 1, ["title": "B", "shelf": NSNull()]).saveAll()
    #expect(
      sample.statements.take() == [
        "BEGIN EXCLUSIVE",
        "UPDATE OR FAIL ZBOOK SET ZSHELF = ?1, ZTITLE = ?2, Z_OPT = ?3 WHERE Z_PK = ?4 AND Z_OPT = ?5",
        "COMMIT",
      ])
    #expect(try sample.rows("Book", 1) == ["Book 1 v2 isbn=1 title=B"])
  }

  @Test func `A changed to-many relationship increments the row's version`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Author", 1).saveAll()
    _ = sample.statements.take()
    try Changes(sample).update("Author", 1, version: 1, ["books": ["changed"]]).saveAll()
    #expect(
      sample.statements.take()[1]
        == "UPDATE OR FAIL ZAUTHOR SET Z_OPT = ?1 WHERE Z_PK = ?2 AND Z_OPT = ?3")
    #expect(try sample.rows("Author", 1) == ["Author 1 v2"])
  }

  @Test func `An update without an expected version overwrites any and returns the new one`() throws
  {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Author", 1).saveAll()
    for version in 1...3 {
      try Changes(sample).update("Author", 1, version: Int64(version), ["name": "x"]).saveAll()
    }
    let receipt = try Changes(sample).update("Author", 1, version: nil, ["name": "y"]).saveAll()
    #expect(receipt.versions == [RowKey(key: 1, layoutIndex: Int32(sample["Author"].index)): 5])
    #expect(try sample.rows("Author", 1) == ["Author 1 v5 name=y"])
  }

  @Test func `A row with the highest version is written`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try Changes(sample).insert("Author", 1).saveAll()
      try sample.outsider().run("UPDATE ZAUTHOR SET Z_OPT = ?", [.integer(.max)])
      try Changes(sample).update("Author", 1, version: .max, ["name": "x"]).saveAll()
      #expect(try sample.rows("Author", 1) == ["Author 1 v\(Int64.min) name=x"])
    }
  }

  @Test func `Deleted rows lose their memberships`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Book", 1).insert("Tag", 1).insert("Tag", 2).members(
      "Book", "tags", of: 1, added: [Reference("Tag", 1), Reference("Tag", 2)]
    ).saveAll()
    #expect(try sample.members("Book", "tags", of: 1) == ["1: 1 2"])
    _ = sample.statements.take()
    try Changes(sample).delete("Tag", 1, version: 1).saveAll()
    #expect(
      sample.statements.take().filter { $0.hasPrefix("DELETE") } == [
        "DELETE FROM ZTAG WHERE Z_PK = ? AND Z_OPT = ?", "DELETE FROM Z_2TAGS WHERE Z_7TAGS = ?",
      ])
    #expect(try sample.members("Book", "tags", of: 1) == ["1: 2"])
  }

  @Test func `The entity of a destination with subentities is stored`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Manager", 7, ["name": "M", "bonus": 1.5, "salary": 10])
      .insert("Company", 1, ["head": Reference("Manager", 7)]).insert(
        "Company", 2, ["head": Reference("Person", 8)]
      )
      .saveAll()
    #expect(
      try sample.rows("Company", 1, 2) == [
        "Company 1 v1 head=Manager/7", "Company 2 v1 head=Person/8",
      ])
    #expect(try sample.rows("Person", 7) == ["Manager 7 v1 name=M salary=10 bonus=1.5"])
    try Changes(sample).update("Company", 1, version: 1, ["head": NSNull()]).saveAll()
    #expect(try sample.rows("Company", 1) == ["Company 1 v2"])
  }

  @Test func `Both directions of a relationship that is its own inverse are stored`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Person", 1).insert("Employee", 2).insert("Person", 3).members(
      "Person", "friends", of: 1, added: [Reference("Employee", 2), Reference("Person", 3)]
    ).saveAll()
    #expect(try sample.members("Person", "friends", of: 1, 2, 3) == ["1: 2 3", "2: 1", "3: 1"])
    try Changes(sample).members("Person", "friends", of: 2, removed: [Reference("Person", 1)])
      .saveAll()
    #expect(try sample.members("Person", "friends", of: 1, 2, 3) == ["1: 3", "3: 1"])
    try Changes(sample).delete("Person", 3, version: nil).saveAll()
    #expect(try sample.members("Person", "friends", of: 1, 2, 3) == [])
  }

  @Test func `An empty save writes nothing`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).saveAll()
    #expect(sample.statements.take() == [])
  }

  @Test func `An entity that the store does not keep is an error`() throws {
    let model = model([
      entity("Kept", [attribute("name", .stringAttributeType)]), entity("Elsewhere"),
    ])
    model.setEntities(model.entities.filter { $0.name == "Kept" }, forConfigurationName: "Here")
    let sample = try SampleStore(model, configuration: "Here")
    let error = try #require(throws: StoreError.self) {
      _ = try Changes(sample).insert("Elsewhere", 1).save()
    }
    #expect(error.code == .incompatibleSchema)
    #expect(error.message.contains("Elsewhere") && error.message.contains("Here"))
  }
}
