import Foundation
import MirrorModel
import MirroringTestSupport
import SQLiteStore
import Testing

@Suite("Placement of long values")
struct AssetPlacementTests {
  @Test(
    "750 KB are inline, and a byte more is an asset",
    arguments: [
      (0, false), (1, false), (749 * 1_024, false), (750 * 1_024, false), (750 * 1_024 + 1, true),
    ])
  func limit(bytes: Int, isAsset: Bool) {
    let changes = changes(["text": bytes])
    #expect(changes.assets == (isAsset ? ["CD_text"] : []))
    #expect(changes.recordBytes <= 1_048_576)
  }

  /// Apple's container sends as assets the values that a store keeps in files.
  @Test(arguments: [
    (0, false), (102_399, false), (102_400, true), (700 * 1_024, true), (800 * 1_024, true),
  ])
  func `A value that a store keeps in a file is an asset`(bytes: Int, isAsset: Bool) {
    let content = ObjectContent(
      entity: "Book", recordName: "BOOK",
      values: [
        "scan": .data(Data(count: bytes)), "cover": .data(Data(count: bytes)),
        "title": .string("T"),
      ])
    let encoder = RecordEncoder(schema: EveryFeatureModel.schema)
    let changes = encoder.changes(of: content, changed: nil)
    #expect(changes.assets.contains("CD_scan") == isAsset)
    // For other values the length and the remaining space decide.
    #expect(changes.assets.contains("CD_cover") == (bytes > 750 * 1_024))
    // Other values never displace the scan, so a change of the title does not write it again.
    #expect(
      encoder.changes(of: content, changed: ["title"]).fields == ["CD_title", "CD_title_ckAsset"])
  }

  @Test func `The store decides the length from which values lie in files`() {
    #expect(MappingLimits.externalBytes == SQLiteStore.Limits.externalDataBytes)
  }

  @Test func `The longest values become assets first if a record would exceed a megabyte`() {
    #expect(changes(["text": 500 * 1_024, "title": 400 * 1_024]).assets.isEmpty)
    #expect(changes(["text": 700 * 1_024, "title": 400 * 1_024]).assets == ["CD_text"])
    #expect(changes(["text": 400 * 1_024, "title": 700 * 1_024]).assets == ["CD_title"])
    #expect(
      changes(["text": 600 * 1_024, "title": 600 * 1_024, "secret": 500 * 1_024]).assets == [
        "CD_text", "CD_title",
      ])
    // Values of equal length are ordered by their fields.
    #expect(changes(["text": 600 * 1_024, "title": 600 * 1_024]).assets == ["CD_text"])
  }

  @Test func `The megabyte covers all fields together`() {
    let room = 1_048_576 - changes(["text": 1, "title": 1]).recordBytes
    #expect(changes(["text": 524_288, "title": room - 524_286]).assets.isEmpty)
    #expect(changes(["text": 524_288, "title": room - 524_285]).assets == ["CD_text"])
    #expect(changes(["text": 524_288, "title": room - 524_286]).recordBytes == 1_048_576)
  }

  @Test func `Other programs' fields count towards the megabyte`() {
    let content = content(["text": 600 * 1_024])
    let encoder = RecordEncoder(schema: EveryFeatureModel.schema)
    #expect(
      encoder.changes(of: content, changed: nil, foreignBytes: 500 * 1_024).assets == ["CD_text"])
  }

  @Test
  func `A displaced value is written even if unchanged, but not if it is already an asset`() {
    let content = content(["text": 700 * 1_024, "title": 400 * 1_024])
    let encoder = RecordEncoder(schema: EveryFeatureModel.schema)
    func writes(_ content: ObjectContent, _ assets: Set<String>?) -> Bool {
      encoder.changes(of: content, changed: ["title"], assets: assets).fields.contains(
        "CD_text_ckAsset")
    }
    #expect(writes(content, nil) && writes(content, []) && !writes(content, ["CD_text"]))
    // It is inline again when there is space.
    let small = self.content(["text": 700 * 1_024, "title": 10])
    #expect(writes(small, ["CD_text"]) && !writes(small, []) && !writes(small, nil))
    #expect(encoder.changes(of: small, changed: ["title"], assets: ["CD_text"]).assets.isEmpty)
  }

  private func content(_ lengths: [String: Int]) -> ObjectContent {
    ObjectContent(
      entity: "Book", recordName: "BOOK",
      values: lengths.mapValues { EveryFeatureModel.text("x", bytes: $0) })
  }

  private func changes(_ lengths: [String: Int]) -> RecordChanges {
    RecordEncoder(schema: EveryFeatureModel.schema).changes(of: content(lengths), changed: nil)
  }
}
