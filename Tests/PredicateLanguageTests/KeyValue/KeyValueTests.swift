import Foundation
import PredicateLanguage
import Testing

@Suite("Reading by key")
struct KeyValueTests {
  private final class Author: NSObject, KeyValueCoding {
    let name: String
    let books: [Book]

    init(name: String, books: [Book] = []) {
      self.name = name
      self.books = books
    }

    func value(forKey key: String) -> Any? {
      key == "name" ? name : key == "books" ? NSSet(array: books) : nil
    }
    func hasValue(forKey key: String) -> Bool { ["name", "books", "nothing"].contains(key) }
  }

  private class Book: NSObject {
    let title: String
    let pages: Int?
    let price: Decimal

    init(_ title: String, _ pages: Int?, _ price: String) {
      self.title = title
      self.pages = pages
      self.price = Decimal(string: price) ?? 0
    }
  }

  private final class Novel: Book {
    var genre = "crime"
  }

  private let author = Author(
    name: "Ada", books: [Book("A", 10, "1.10"), Novel("B", nil, "2.20"), Book("C", 30, "1.10")])

  private func value(_ path: String) throws -> Any? {
    try NSExpression(parsing: path).evaluated(with: author)
  }

  @Test func `An object that adopts the protocol is asked for its values`() throws {
    #expect(try value("name") as? String == "Ada")
    #expect(try value("nothing") == nil)
    #expect(try value("nothing.more.keys") == nil)
  }

  @Test func `Stored properties of other types are found, inherited ones too`() throws {
    let novel = Novel("B", nil, "2")
    #expect(
      try NSPredicate(parsing: "title == 'B' AND genre == 'crime' AND pages == nil").evaluated(
        with: novel))
    struct Point { let x = 1 }
    #expect(try NSPredicate(parsing: "x == 1").evaluated(with: Point()))
  }

  @Test func `A key of a collection is the collection of the elements' values`() throws {
    #expect(Set(try #require(value("books.title") as? [String])) == ["A", "B", "C"])
    #expect(
      try NSPredicate(parsing: "ANY books.title == 'B' AND ANY books.pages == nil").evaluated(
        with: author))
  }

  @Test(arguments: [
    "books.@count == 3", "books.@sum.pages == 40", "books.pages.@sum == 40",
    "books.@avg.pages == 20",
    "books.@max.pages == 30",
    "books.@min.pages == 10", "books.@max.title == 'C'", "books.@sum.price == 4.40",
    "count:(books.@distinctUnionOfObjects.price) == 2",
    "count:(books.price.@distinctUnionOfObjects) == 2",
    "SUBQUERY(books, $b, $b.pages > 5).@count == 2",
    "nothing.@count == nil",
  ])
  func `Collection operators may be inside or at the end of a path`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: author))
  }

  @Test func `Unions keep the order of first appearance and omit only nil`() throws {
    let object: [String: Any] = [
      "list": [["n": 2], ["n": 1], ["n": 2], [:]], "lists": [[1, 2], [2, 3]], "empty": [Int](),
    ]
    func value(_ path: String) throws -> Any? {
      try NSExpression(parsing: path).evaluated(with: object)
    }
    #expect(try value("list.@unionOfObjects.n") as? [Int] == [2, 1, 2])
    #expect(try value("list.@distinctUnionOfObjects.n") as? [Int] == [2, 1])
    #expect(try value("lists.@unionOfArrays") as? [Int] == [1, 2, 2, 3])
    #expect(try value("lists.@distinctUnionOfArrays.self") as? [Int] == [1, 2, 3])
    #expect(try value("list.@firstObject.n") as? Int == 2)
    #expect(try value("list.@lastObject.n") == nil)
    #expect(try value("empty.@sum") as? Int == 0)
    #expect(try value("empty.@avg") as? Int == 0)
    #expect(try value("empty.@max") == nil)
    #expect(try value("empty.@count") as? Int == 0)
    #expect(try value("empty.@firstObject") == nil)
  }

  @Test(arguments: [
    ("'Émile'.length", 5), ("'12'.intValue", 12), ("CAST('AQI=', 'NSData').length", 2),
    ("(2.9).intValue", 2),
  ])
  func `Values of Foundation have their well-known keys`(_ text: String, _ result: Int) throws {
    #expect(try NSExpression(parsing: text).evaluated(with: nil) as? Int == result)
  }

  @Test func `Texts, URLs and dates have their well-known keys`() throws {
    let object: [String: Any] = [
      "url": URL(string: "https://example.org/a.txt") as Any,
      "date": Date(timeIntervalSinceReferenceDate: 5),
      "name": "ab c", "uuid": UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10)),
      "long": URL(string: "https://example.org/a?b=c#d") as Any,
    ]
    for text in [
      "url.host == 'example.org'", "url.query == nil", "(1e30).intValue == nil",
      "(5).stringValue == '5'",
      "url.pathExtension == 'txt'", "date.timeIntervalSinceReferenceDate == 5",
      "name.uppercaseString == 'AB C'",
      "name.capitalizedString == 'Ab C'", "name.length BETWEEN {1, 4}",
      "name.lowercaseString == name",
      "name.description == name", "'2.5'.doubleValue == 2.5", "'YES'.boolValue == TRUE",
      "'no'.boolValue == FALSE",
      "'/a/b.txt'.lastPathComponent == 'b.txt'", "'/a/b.txt'.pathExtension == 'txt'",
      "(0.5).boolValue == TRUE",
      "(0).boolValue == FALSE", "(3).doubleValue == 3", "(-2.9).intValue == -2",
      "url.scheme == 'https'",
      "url.path == '/a.txt'", "url.lastPathComponent == 'a.txt'", "url.fragment == nil",
      "long.query == 'b=c' AND long.fragment == 'd'",
      "url.absoluteString == 'https://example.org/a.txt'",
      "date.timeIntervalSince1970 == 978307205",
      "uuid.UUIDString == '00000000-0000-0000-0000-00000000000A'",
      "'🪐'.length == 2",
    ] {
      #expect(try NSPredicate(parsing: text).evaluated(with: object), "\(text)")
    }
  }

  @Test(arguments: ["title", "books.titel", "name.titel", "books.@frob", "books.@sum.titel"])
  func `A missing key is an error that names the key`(_ path: String) {
    let error = #expect(throws: PredicateEvaluationError.self) { try value(path) }
    #expect(error?.code == .unknownKey)
    let key = path.split(separator: ".").last ?? ""
    #expect(
      error?.message.contains("has no value for the key “\(key)”") == true,
      "\(error?.message ?? "")")
  }

  @Test func `A missing key stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSPredicate(format: "titel == 1").evaluate(with: Calendar.current)
    }
    #expect(text(result).contains("Calendar has no value for the key “titel”"))
  }

  @Test func `A missing key of a dictionary is nil`() throws {
    #expect(try NSPredicate(parsing: "a == nil AND b.c == nil").evaluated(with: [String: Int]()))
    #expect(try NSPredicate(parsing: "a == 1").evaluated(with: NSDictionary(dictionary: ["a": 1])))
    #expect(try NSPredicate(parsing: "a == 1").evaluated(with: [AnyHashable("a"): 1]))
  }

  @Test func `An operator on a value that is not a collection is an error`() {
    let error = #expect(throws: PredicateEvaluationError.self) { try value("name.@count") }
    #expect(error?.code == .notACollection)
  }
}
