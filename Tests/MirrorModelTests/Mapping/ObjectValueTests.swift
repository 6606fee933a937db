import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Values of objects")
struct ObjectValueTests {
  @Test func `Values from key-value coding convert to contents and back`() throws {
    let book = try #require(EveryFeatureModel.schema["Book"])
    let given: [String: Any] = [
      "chapters": NSNumber(value: 7 as Int16), "pages": 300, "words": NSNumber(value: Int64.max),
      "isRead": true,
      "weight": 0.1, "rating": NSNumber(value: 4.5 as Float),
      "price": NSDecimalNumber(string: "12.34"),
      "printed": Date(timeIntervalSinceReferenceDate: 1.5), "title": "Überall", "cover": Data([1]),
      "identifier": UUID(), "address": URL(string: "https://example.com") ?? URL(filePath: "/"),
      "tags": ["one", "two"] as NSArray, "size": ["height": 29.7, "unit": "cm"] as [String: Any],
    ]
    let content = ObjectContent(
      entity: "Book", recordName: "B", values: try book.values { given[$0] })
    #expect(content["chapters"] == .integer(7) && content["isRead"] == .boolean(true))
    #expect(
      content["price"] == .decimal(Decimal(string: "12.34") ?? 0)
        && content["rating"] == .float(4.5))
    #expect(
      content["size.height"] == .double(29.7) && content["text"] == .null
        && content.values["text"] == nil)
    for (property, value) in given {
      let back = try #require(try book.objectValue(of: property, in: content) as? NSObject)
      #expect(back == value as? NSObject ?? (value as AnyObject) as? NSObject, "\(property)")
    }
    #expect(
      try book.objectValue(of: "text", in: content) == nil
        && book.objectValue(of: "shelf", in: content) == nil)
  }

  @Test func `A value of another type is an error that names the attribute`() throws {
    let book = try #require(EveryFeatureModel.schema["Book"])
    let error = #expect(throws: NSError.self) { try book.values { $0 == "title" ? 7 : nil } }
    #expect(
      error?.localizedDescription
        == "Work.title holds a value of the type Int, which the attribute cannot hold.")
  }

  @Test func `Long values in files are read when objects need them`() throws {
    try withTemporaryDirectory { folder in
      let book = try #require(EveryFeatureModel.schema["Book"])
      let (file, empty) = (
        folder.appendingPathComponent("file"), folder.appendingPathComponent("empty")
      )
      try Data([1, 2]).write(to: file)
      try Data().write(to: empty)
      let lent: [String: Any] = [
        "scan": BorrowedFile(url: file, length: 2), "cover": BorrowedFile(url: empty, length: 0),
      ]
      let content = ObjectContent(
        entity: "Book", recordName: "B", values: try book.values { lent[$0] })
      #expect(content["scan"] == .file(BorrowedFile(url: file, length: 2)))
      #expect(try book.objectValue(of: "scan", in: content) as? Data == Data([1, 2]))
      #expect(try book.objectValue(of: "cover", in: content) as? Data == Data())
    }
  }

  @Test func `Contents are archived and unarchived`() throws {
    let bytes = try JSONEncoder().encode(EveryFeatureModel.book)
    #expect(try JSONDecoder().decode(ObjectContent.self, from: bytes) == EveryFeatureModel.book)
  }

  @Test func `Short values outlive their files`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      try Data([1, 2, 3]).write(to: file)
      let (short, long) = (BorrowedFile(url: file, length: 3), BorrowedFile(url: file, length: 9))
      let content = ObjectContent(
        entity: "Book", recordName: "B",
        values: ["scan": .file(short), "cover": .file(long), "title": .string("T")])
      let held = try content.holdingFiles(upTo: 8)
      try FileManager.default.removeItem(at: file)
      #expect(
        held.values == [
          "scan": .data(Data([1, 2, 3])), "cover": .file(long), "title": .string("T"),
        ])
    }
  }
}
