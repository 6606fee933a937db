import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

struct PropertyDigestTests {
  private func digest(_ value: MirrorValue, of property: String = "cover") throws -> UInt64? {
    let entity = try #require(EveryFeatureModel.schema["Book"])
    let content = ObjectContent(entity: "Book", recordName: "BOOK", values: [property: value])
    return entity.digests(of: [property], in: content)[property]
  }

  @Test(arguments: [0, 1, 4_096, 4_097, 4_103, 900_001])
  func `A value has the same digest in a record and in a file`(length: Int) throws {
    try withTemporaryDirectory { folder in
      let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let file = folder.appendingPathComponent("value")
      try bytes.write(to: file)
      let inline = try digest(.data(bytes))
      #expect(inline != nil)
      #expect(try digest(.file(BorrowedFile(url: file, length: Int64(length)))) == inline)
    }
  }

  @Test func `Long values that differ in a bit, in two, or in their order have different digests`()
    throws
  {
    var digests: Set<UInt64> = []
    let bytes = Data(repeating: 7, count: 10_003)
    var variants = [bytes, bytes.dropLast(), bytes + [7]]
    for places in [[0], [7], [8], [5_000], [10_002], [7, 15], [15, 23], [7, 15, 23]] {
      var variant = bytes
      for place in places { variant[place] ^= 0x80 }
      variants.append(variant)
    }
    for variant in variants { digests.insert(try #require(try digest(.data(Data(variant))))) }
    #expect(digests.count == variants.count)
    let text = String(repeating: "ä", count: 3_000)
    #expect(try digest(.string(text), of: "text") != digest(.string(text + "b"), of: "text"))
  }

  @Test func `An unreadable value has no digest`() throws {
    #expect(
      try digest(.file(BorrowedFile(url: URL(fileURLWithPath: "/nonexistent"), length: 5))) == nil)
  }
}
