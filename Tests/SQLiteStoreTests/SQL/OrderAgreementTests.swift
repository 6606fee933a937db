import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Sorting in fetches and in memory` {
  private let paths: [(entity: String, paths: [String])] = [
    ("Author", ["name", "born", "rating", "mentor.name", "mentor.mentor.rating"]),
    ("Item", ["code", "title", "owner.name", "subtitle"]),
    ("Book", ["price", "pages", "prequel.title"]),
    (
      "Sample",
      [
        "flag", "small", "single", "decimal", "date", "text", "uuid", "data", "place.latitude",
        "url",
      ]
    ),
  ]
  private let selectors = [
    "compare:", "caseInsensitiveCompare:", "localizedCompare:", "localizedCaseInsensitiveCompare:",
    "localizedStandardCompare:",
  ]

  @Test func `Both orders agree for all descriptors`() throws {
    var generator = SeededGenerator.forTest()
    let seed = "\(generator)"
    let store = try LibraryStore()
    var library = RandomLibrary(generator: SeededGenerator(seed: generator.next()), store: store)
    try library.fill()
    for _ in 0..<200 {
      let (entity, paths) = library.pick(paths)
      let descriptors = (0...library.number(2)).map { _ in descriptor(library.pick(paths), &library)
      }
      var fetch = try store.fetch(entity)
      fetch.specification.sortDescriptors = descriptors
      let isAscending = descriptors.last?.ascending == true
      let objects = store.objects(of: entity).sorted {
        isAscending ? $0.key < $1.key : $0.key > $1.key
      }
      let expected = try objects.sorted(following: descriptors).map(\.key)
      #expect(try store.keys(fetch) == expected, "\(seed) \(entity) \(descriptors)")
    }
  }

  @Test func `Objects are sorted by the names of their entities`() throws {
    let store = try LibraryStore()
    for name in ["Novel", "Item", "Film", "Book"] { _ = try store.add(name) }
    try store.write()
    for (isAscending, keys) in [(true, [4, 3, 2, 1]), (false, [1, 2, 3, 4])] as [(Bool, [Int64])] {
      var fetch = try store.fetch("Item")
      fetch.specification.sortDescriptors = [
        NSSortDescriptor(key: "entity.name", ascending: isAscending)
      ]
      #expect(try store.keys(fetch) == keys)
    }
  }

  private func descriptor(_ path: String, _ library: inout RandomLibrary) -> NSSortDescriptor {
    let isText = ["name", "title", "text", "subtitle"].contains(
      path.split(separator: ".").last.map(String.init))
    let selector = isText ? library.pick(selectors) : "compare:"
    return NSSortDescriptor(key: path, ascending: library.chance(2), selector: Selector(selector))
  }
}
