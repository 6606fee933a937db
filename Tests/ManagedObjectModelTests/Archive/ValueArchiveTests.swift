import Foundation
import ManagedObjectModel
import PropertyLists
import Testing

@Suite struct `Archives of values` {
  private func decoded(_ value: Any) throws -> Any? {
    try ValueArchive(#require(ValueArchive.data(of: value))).value()
  }

  @Test func `Long lists of few different values survive`() throws {
    let zeros = [Int](repeating: 0, count: 20_000)
    #expect(try decoded(zeros) as? [Int] == zeros)
    let matrix = [[Double]](repeating: [Double](repeating: 0.5, count: 100), count: 100)
    #expect(try decoded(matrix) as? [[Double]] == matrix)
  }

  @Test func `Only the first superclasses of an archived class are read`() throws {
    let names = ["Own"] + (0..<100).map { "Superclass\($0)" }
    let objects: [PropertyList] = [
      .string("$null"), .dictionary(["$class": .uid(2)]),
      .dictionary([
        "$classname": .string("Own"), "$classes": .array(names.map(PropertyList.string)),
      ]),
    ]
    let archive: [String: PropertyList] = [
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
      "$top": .dictionary(["root": .uid(1)]), "$objects": .array(objects),
    ]
    let data = Data(try BinaryPropertyList.write(.dictionary(archive)))
    #expect(try ValueArchive(data).classes.map(\.lineage) == [Array(names.prefix(32))])
  }
}
