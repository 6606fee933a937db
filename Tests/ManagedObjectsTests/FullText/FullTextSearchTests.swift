import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `Full-text searches` {
  /// A few notes in a store of each kind.
  private func notebook(_ kind: Notebook.Kind) throws -> Notebook {
    let book = try Notebook(kind)
    let ann = NSEntityDescription.insertNewObject(forEntityName: "Author", into: book.context)
    ann.setValue("Ann Müller", forKey: "name")
    book.note("a", "A red Äpple pie", stars: 3).setValue(ann, forKey: "author")
    book.note("b", "the pie is blue", stars: 5)
    book.note("c", nil, stars: 1)
    let letter = book.note("d", "apples and pears", entity: "Letter")
    letter.setValue("Mr. Blue", forKey: "recipient")
    letter.setValue("hidden words", forKey: "secret")
    try book.save()
    book.context.reset()
    return book
  }

  @Test(
    arguments: Notebook.Kind.allCases,
    [
      ("pie", "a b"), ("PIE blue", "b"), ("apple", "a"), ("apple*", "a d"), (#""red apple""#, "a"),
      (#""apple red""#, ""), ("nothing", ""), ("", ""), ("*", ""), ("\"", ""), ("'", ""),
    ])
  func `Words are found in every kind of store`(
    kind: Notebook.Kind, search: (query: String, titles: String)
  ) throws {
    let book = try notebook(kind)
    let found = try book.titles(.fullText(search.query, in: "body"))
    #expect(found.joined(separator: " ") == search.titles)
  }

  @Test(arguments: Notebook.Kind.allCases)
  func `Searches combine with other predicates`(kind: Notebook.Kind) throws {
    let book = try notebook(kind)
    let pie = NSPredicate.fullText("pie", in: "body")
    let stars = NSPredicate(format: "stars > 3")
    #expect(
      try book.titles(NSCompoundPredicate(andPredicateWithSubpredicates: [pie, stars])) == ["b"])
    #expect(
      try book.titles(
        NSCompoundPredicate(orPredicateWithSubpredicates: [stars, .fullText("pears", in: "body")]))
        == ["b", "d"])
    #expect(
      try book.titles(NSCompoundPredicate(notPredicateWithSubpredicate: pie)) == ["c", "d"])
    #expect(try book.titles(.fullText("pie b", in: "title", "body")) == ["b"])
    #expect(try book.titles(.fullText("pie b", in: "body")) == [])
    #expect(try book.titles(.fullText("blue", in: "recipient"), entity: "Letter") == ["d"])
    #expect(try book.titles(.fullText("apples", in: "body"), entity: "Letter") == ["d"])
    #expect(try book.titles(.fullText("pie", in: "body"), entity: "Letter") == [])
    #expect(try book.titles(.fullText("words", in: "secret")) == ["d"])
  }

  @Test(arguments: Notebook.Kind.allCases)
  func `A search can be about a referenced object`(kind: Notebook.Kind) throws {
    let book = try notebook(kind)
    let author = NSPredicate.fullText("muller", in: "author.name")
    #expect(try book.titles(author) == ["a"])
    #expect(
      try book.titles(NSCompoundPredicate(notPredicateWithSubpredicate: author))
        == ["b", "c", "d"])
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
      author, .fullText("pears", in: "body"),
    ])
    #expect(try book.titles(either) == ["a", "d"])
  }

  @Test(arguments: Notebook.Kind.allCases)
  func `Unsaved changes are found`(kind: Notebook.Kind) throws {
    let book = try notebook(kind)
    book.note("new", "one more pie")
    let changed = try #require(
      try book.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first {
        $0.value(forKey: "title") as? String == "a"
      })
    changed.setValue("a pear", forKey: "body")
    #expect(try book.titles(.fullText("pie", in: "body")) == ["b", "new"])
    #expect(try book.titles(.fullText("pear", in: "body")) == ["a"])
    book.context.rollback()
    #expect(try book.titles(.fullText("pie", in: "body")) == ["a", "b"])
  }

  @Test(arguments: [
    "\"", "\"\"", "\"\"\"", "*", "**", "a*b", "(", ")", "a AND", "NOT", "OR OR", "NEAR(", "^a",
    "-a",
    "+a", "{body} : a", "body:a", "rank MATCH 'a'", "'); DROP TABLE ZNOTE; --", "\\", "\0", "a\0b",
    "%", "_", "🎉", "\u{301}", "\u{FEFF}", "a\"b\"c", "\"a' OR 1=1", "?", "?1", ":a", "$a", "[a]",
    "a;b", "\n\t", "PHF_ZNOTE", "\"a\" * \"b\"", "''", "x'00'",
  ])
  func `A hostile query is only words, with the same results in every store`(query: String) throws {
    let results = try Notebook.Kind.allCases.map { kind in
      let book = try notebook(kind)
      book.note("odd", "a OR near drop table body rank match \(query) x")
      try book.save()
      return try [
        book.titles(.fullText(query, in: "body")),
        book.titles(.fullText(query, in: "title", "body")),
      ]
    }
    #expect(Set(results).count == 1, "\(results)")
    // A query finds its own text, unless it has no words.
    let hasWords = query.unicodeScalars.contains {
      $0.properties.isAlphabetic || ("0"..."9").contains($0)
    }
    #expect(results.allSatisfy { $0[0].contains("odd") == hasWords || query.contains("*") })
  }

  @Test func `The index answers searches of its attributes, in any combination`() throws {
    let book = try notebook(.indexed)
    let usesIndex = { (predicate: NSPredicate) throws -> Bool in
      let statements = try book.statements { _ = try book.titles(predicate) }
      return statements.contains { $0.contains("PHF_") }
    }
    #expect(try usesIndex(.fullText("pie", in: "body")))
    #expect(try usesIndex(.fullText("pie", in: "body", "title")))
    #expect(try usesIndex(.fullText("pie", in: "author.name")))
    #expect(try !usesIndex(.fullText("pie", in: "secret")))
    #expect(try !usesIndex(.fullText("pie", in: "secret", "body")))
  }

  @Test(arguments: [
    ("stars", "not a stored String"), ("nonsense", "keypath nonsense not found"),
    ("author", "not a stored String"),
  ])
  func `A search in anything but texts is an error of the fetch`(path: String, message: String)
    throws
  {
    let book = try notebook(.indexed)
    let error = #expect(throws: (any Error).self) {
      try book.titles(.fullText("a", in: path))
    }
    #expect("\(try #require(error))".contains(message))
  }

  @Test(arguments: Notebook.Kind.allCases)
  func `Ranked results come in the order of their relevance`(kind: Notebook.Kind) throws {
    let book = try Notebook(kind)
    book.note("long", "pie " + String(repeating: "filler ", count: 50), stars: 1)
    book.note("short", "a pie", stars: 2)
    book.note("often", "pie pie pie", stars: 3)
    book.note("same", "a pie", stars: 4)
    book.note("none", "cake", stars: 5)
    try book.save()
    book.context.reset()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: false)]
    let titles = { () throws -> [String] in
      try book.context.fetch(request, rankedBy: "pie", in: ["title", "body"])
        .compactMap { $0.value(forKey: "title") as? String }
    }
    #expect(try titles() == ["often", "same", "short", "long"])
    (request.fetchOffset, request.fetchLimit) = (1, 2)
    #expect(try titles() == ["same", "short"])
    (request.fetchOffset, request.fetchLimit) = (-1, 2)
    #expect(try titles() == ["often", "same"])
    request.predicate = NSPredicate(format: "stars < 3")
    (request.fetchOffset, request.fetchLimit) = (0, 0)
    #expect(try titles() == ["short", "long"])
  }

  @Test func `The format text of a search names its words`() {
    #expect(
      NSPredicate.fullText("red", in: "body").formatText == "body containsWords: \"red\"")
  }
}
