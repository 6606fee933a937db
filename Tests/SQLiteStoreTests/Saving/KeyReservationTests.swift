import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Key reservations` {
  @Test func `Each root entity's counter moves once`() throws {
    let sample = try SampleStore(SampleModels.library())
    let keys = try sample.store.reserveKeys(
      [
        (sample["Manager"], 2), (sample["Book"], 1), (sample["Person"], 1), (sample["Tag"], 0),
      ], forSave: true)
    #expect(keys == [[1, 2], [1], [3], []])
    #expect(
      sample.statements.take() == [
        "BEGIN EXCLUSIVE",
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND IFNULL(Z_MAX, 0) = ?",
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND IFNULL(Z_MAX, 0) = ?",
        "COMMIT",
      ])
    #expect(try sample.store.reserveKeys([(sample["Employee"], 1)], forSave: true) == [[4]])
  }

  @Test func `A key is never reused, even if its row was not written or is gone`() throws {
    let sample = try SampleStore(SampleModels.library())
    #expect(try sample.store.reserveKeys([(sample["Tag"], 3)], forSave: true) == [[1, 2, 3]])
    try Changes(sample).insert("Tag", 3).saveAll()
    try Changes(sample).delete("Tag", 3, version: 1).saveAll()
    #expect(try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true) == [[4]])
  }

  @Test func `Two connections take turns`() throws {
    try withTemporaryDirectory { folder in
      let one = try SampleStore(SampleModels.library(), in: folder)
      let other = try SampleStore(SampleModels.library(), in: folder)
      #expect(try one.store.reserveKeys([(one["Tag"], 2)], forSave: true) == [[1, 2]])
      #expect(try other.store.reserveKeys([(other["Tag"], 2)], forSave: true) == [[3, 4]])
      #expect(try one.store.reserveKeys([(one["Tag"], 1)], forSave: true) == [[5]])
    }
  }

  /// Two tables whose common ancestor is not in the configuration.
  private func peers() throws -> SampleStore {
    let (one, other) = (entity("One"), entity("Other"))
    let model = model([
      entity("Base", [attribute("name", .stringAttributeType)], subentities: [one, other])
    ])
    model.setEntities([one, other], forConfigurationName: "Parts")
    return try SampleStore(model, configuration: "Parts")
  }

  @Test func `Tables with a common ancestor get different keys`() throws {
    let sample = try peers()
    #expect(try sample.store.reserveKeys([(sample["One"], 3)], forSave: true) == [[1, 2, 3]])
    #expect(try sample.store.reserveKeys([(sample["Other"], 2)], forSave: true) == [[4, 5]])
    #expect(try sample.store.reserveKeys([(sample["One"], 1)], forSave: true) == [[6]])
    #expect(
      try sample.store.reserveKeys([(sample["Other"], 1), (sample["One"], 2)], forSave: true) == [
        [7], [8, 9],
      ])
  }

  @Test func `A counter without a next key is an error that names the entity`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      let outsider = try sample.outsider()
      for highest in [-1, Int64.max - 1, Int64.max] {
        try outsider.run(
          "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = 'Tag'", [.integer(highest)])
        let error = try #require(throws: StoreError.self) {
          try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true)
        }
        #expect(error.code == .notAStore)
        #expect(error.message.contains("\(highest)") && error.context["entity"] == "7")
      }
      try outsider.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Tag'")
      #expect(try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true) == [[6]])
    }
  }

  @Test func `A missing counter is an error that names the entity`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try sample.outsider().run("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'")
      let error = try #require(throws: StoreError.self) {
        try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true)
      }
      #expect(error.code == .notAStore)
      #expect(error.context["entity"] == "7")
    }
  }
}
