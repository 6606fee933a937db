import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Large values` {
  private let large = Data(repeating: 7, count: Limits.externalDataBytes)
  private let larger = Data(repeating: 8, count: Limits.externalDataBytes + 1)

  private func files(_ folder: URL) throws -> [String] {
    let path = folder.appendingPathComponent(".Sample_SUPPORT/_EXTERNAL_DATA").path
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private func photo(_ sample: SampleStore, _ key: Int64) throws -> BoxedValue? {
    let rows = try sample.store.rows(withKeys: [key], layout: sample["Everything"])
    let slot = sample["Everything"].slots[try #require(sample["Everything"].ordinal(of: "photo"))]
    return slot.load(from: rows.rows[0].row, as: BoxedValue?.self)
  }

  @Test func `A large value is stored in a file, and its row contains the file's name`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      let small = large.dropLast()
      try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)])
        .insert("Everything", 2, ["photo": BinaryValue(small)])
        .insert("Everything", 3, ["drawing": EncodedValue(large)]).saveAll()
      let names = try files(folder)
      #expect(names.count == 2)
      #expect(names.allSatisfy { UUID(uuidString: $0)?.uuidString == $0 })
      let value = try #require(try photo(sample, 1) as? ExternalValue)
      #expect(try value.data() == large)
      #expect((try photo(sample, 2) as? BinaryValue)?.data == small)
      let stored = try sample.outsider().value("SELECT ZPHOTO FROM ZEVERYTHING WHERE Z_PK = 1")
      #expect(stored == .blob([2] + Array(value.name.utf8) + [0]))
    }
  }

  @Test func `File names come from the injected randomness`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      _ = try EvaluationDependencies(randomBits: { 0 }).runAsCurrent {
        try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)]).saveAll()
      }
      #expect(try files(folder) == ["00000000-0000-4000-8000-000000000000"])
    }
  }

  @Test func `A replaced or deleted value loses its file`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)])
        .insert("Everything", 2, ["photo": BinaryValue(large)]).saveAll()
      let before = try files(folder)
      try Changes(sample).update("Everything", 1, version: 1, ["photo": BinaryValue(larger)])
        .saveAll()
      #expect(try (photo(sample, 1) as? ExternalValue)?.data() == larger)
      #expect(try files(folder).count == 2)
      #expect(try files(folder) != before)
      try Changes(sample).update("Everything", 1, version: 2, ["photo": BinaryValue(Data([1]))])
        .delete("Everything", 2, version: 1).saveAll()
      #expect(try files(folder) == [])
    }
  }

  @Test func `A value keeps its file when another value changes or it is saved again`()
    throws
  {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)]).saveAll()
      let before = try files(folder)
      try Changes(sample).update("Everything", 1, version: 1, ["string": "x"]).saveAll()
      let value = try #require(try photo(sample, 1))
      try Changes(sample).update("Everything", 1, version: 2, ["photo": value]).saveAll()
      #expect(try files(folder) == before)
      #expect(try (photo(sample, 1) as? ExternalValue)?.data() == large)
    }
  }

  @Test func `A value that is copied to another row gets its own file`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)]).saveAll()
      let value = try #require(try photo(sample, 1))
      try Changes(sample).insert("Everything", 2, ["photo": value]).saveAll()
      try Changes(sample).delete("Everything", 1, version: 1).saveAll()
      #expect(try (photo(sample, 2) as? ExternalValue)?.data() == large)
    }
  }

  @Test func `A failed save leaves no file`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)]).saveAll()
      let before = try files(folder)
      let conflicts = try Changes(sample).insert("Everything", 2, ["photo": BinaryValue(large)])
        .update("Everything", 1, version: 9, ["photo": BinaryValue(larger)]).conflicts()
      #expect(conflicts.count == 1)
      #expect(try files(folder) == before)
      #expect(throws: StoreError.self) {
        _ = try Changes(sample).insert("Everything", 3, ["photo": BinaryValue(large)]).insert(
          "Everything", 1
        ).save()
      }
      #expect(try files(folder) == before)
      #expect(try (photo(sample, 1) as? ExternalValue)?.data() == large)
    }
  }

  @Test func `A row that takes over a unique value writes its file once and removes the old file`()
    throws
  {
    try withTemporaryDirectory { folder in
      let page = entity(
        "Page",
        [
          attribute("number", .integer32AttributeType),
          attribute("photo", .binaryDataAttributeType) {
            $0.allowsExternalBinaryDataStorage = true
          },
        ], unique: [["number"]])
      let sample = try SampleStore(model([page]), in: folder)
      try Changes(sample).insert("Page", 1, ["number": 1, "photo": BinaryValue(large)])
        .insert("Page", 2, ["number": 2, "photo": BinaryValue(large)]).saveAll()
      let before = try files(folder)
      // The first update is refused until the second row has released its number.
      try Changes(sample).update(
        "Page", 1, version: 1, ["number": 2, "photo": BinaryValue(larger)]
      )
      .update("Page", 2, version: 1, ["number": 3]).saveAll()
      let after = try files(folder)
      let photo = try #require(sample["Page"].ordinal(of: "photo"))
      #expect(before.count == 2 && after.count == 2 && Set(after).intersection(before).count == 1)
      for (key, data) in [(1, larger), (2, large)] {
        let rows = try sample.store.rows(withKeys: [Int64(key)], layout: sample["Page"])
        let value = sample["Page"].value(ofAttribute: photo, in: rows.rows[0].row)
        #expect(try (value as? ExternalValue)?.data() == data)
      }
      // A refused update does not lose the file that it keeps.
      let rows = try sample.store.rows(withKeys: [1], layout: sample["Page"])
      let kept = try #require(sample["Page"].value(ofAttribute: photo, in: rows.rows[0].row))
      try Changes(sample).update("Page", 1, version: 2, ["number": 3, "photo": kept])
        .update("Page", 2, version: 2, ["number": 4]).saveAll()
      #expect(try files(folder) == after)
    }
  }

  @Test func `A conflict check leaves no file`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      let changes = try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)])
      #expect(try changes.check().isEmpty && files(folder) == [])
      try changes.saveAll()
      #expect(try files(folder).count == 1)
    }
  }

  @Test func `A missing file affects only readers of its value`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large), "string": "x"])
        .saveAll()
      let value = try #require(try photo(sample, 1) as? ExternalValue)
      try FileManager.default.removeItem(at: value.file)
      #expect(throws: (any Error).self) { try value.data() }
      let again = try #require(try photo(sample, 1) as? ExternalValue)
      let error = try #require(throws: StoreError.self) {
        _ = try Changes(sample).insert("Everything", 2, ["photo": again]).save()
      }
      #expect(error.code == .externalData)
      try Changes(sample).delete("Everything", 1, version: 1).saveAll()
    }
  }

  @Test func `A store without a folder keeps large values in its rows`() throws {
    let sample = try SampleStore(SampleModels.types())
    try Changes(sample).insert("Everything", 1, ["photo": BinaryValue(large)]).saveAll()
    #expect((try photo(sample, 1) as? BinaryValue)?.data == large)
  }

  @Test func `A file name that leads out of the folder is read as bytes`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      let name = "../../../../etc/passwd".padding(toLength: 36, withPad: "x", startingAt: 0)
      try sample.outsider().run(
        "INSERT INTO ZEVERYTHING(Z_PK, Z_ENT, Z_OPT, ZPHOTO) VALUES (1, 1, 1, ?)",
        [.blob([2] + Array(name.utf8) + [0])]
      )
      #expect(try photo(sample, 1) is BinaryValue)
    }
  }
}
