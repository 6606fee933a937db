import ManagedObjectModel
import ObjectRows
import SQLiteStore
import Testing

@Suite struct `Bitmaps of updates` {
  @Test func `A bitmap of an entity with many properties is read back`() throws {
    let names = (0..<30).map { "attribute\($0)" }
    let many = entity("Many", names.map { attribute($0, .stringAttributeType) })
    let one = entity("One")
    relate(.many(many, "ones"), .one(one, "many"))
    let sample = try SampleStore(model([many, one]))
    let schema = try #require(sample.store.schema.entity(sample["Many"]))
    let bitmap = HistoryBitmap(schema)
    for ordinal in sample["Many"].properties.indices {
      let set = OrdinalSet([ordinal])
      #expect(bitmap.ordinals(in: bitmap.bytes(for: set)) == set)
    }
    #expect(bitmap.bytes(for: OrdinalSet()) == [0, 0, 0, 0])
    #expect(
      try bitmap.bytes(for: OrdinalSet([#require(sample["Many"].ordinal(of: "ones"))])) == [
        0x80, 0, 0, 0,
      ])
  }

  @Test func `A bitmap of a wrong length gives the properties of its bits`() throws {
    let sample = try SampleStore(SampleModels.notes())
    let bitmap = HistoryBitmap(try #require(sample.store.schema.entity(sample["Note"])))
    #expect(bitmap.ordinals(in: []).isEmpty)
    #expect(bitmap.ordinals(in: [0xFF]).ordinals.count == 7)
    #expect(bitmap.ordinals(in: [0, 0, 0xFF, 0xFF]).isEmpty)
  }
}
