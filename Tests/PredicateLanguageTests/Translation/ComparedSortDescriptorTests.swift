import Foundation
import PredicateLanguage
import TestSupport
import Testing

/// A `SortDescriptor` that is created from an `NSSortDescriptor`.
@Suite struct ComparedSortDescriptorTests {
  private func posts(_ key: String, _ values: [Any?]) -> [Post] {
    values.map { value in
      let post = Post()
      post.values[key] = value
      return post
    }
  }

  private func titles(_ descriptor: NSSortDescriptor, _ posts: [Post]) throws -> [String?] {
    let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
    return posts.sorted(using: made).map { $0.values["title"] as? String }
  }

  private static let selectors = [
    "compare:", "caseInsensitiveCompare:", "localizedCompare:", "localizedCaseInsensitiveCompare:",
    "localizedStandardCompare:",
  ]

  @Test(arguments: selectors, [true, false])
  func `Random and missing texts are ordered as by the original descriptor`(
    _ selector: String, _ ascending: Bool
  ) throws {
    var generator = SeededGenerator.forTest()
    let words = ["a", "A", "á", "b", "B", "a9", "a10", "", "ß", "Z"]
    let texts: [String?] = (0..<40).map { _ in
      words.randomElement(using: &generator).flatMap { $0 == "Z" ? nil : $0 }
    }
    let all = posts("title", texts)
    let descriptor = NSSortDescriptor(
      key: "title", ascending: ascending, selector: Selector((selector)))
    let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
    for (one, other) in all.flatMap({ one in all.map { (one, $0) } }) {
      let expected = descriptor.compare(one, to: other)
      #expect(made.compare(one, other) == expected, "\(generator)")
    }
    let sorted = try all.sorted(following: [descriptor]).map { $0.values["title"] as? String }
    #expect(try titles(descriptor, all) == sorted, "\(generator)")
  }

  @Test(arguments: [true, false])
  func `Random numbers and dates are ordered as by the original descriptor`(_ ascending: Bool)
    throws
  {
    var generator = SeededGenerator.forTest()
    let numbers = (0..<40).map { _ in Int.random(in: -9...9, using: &generator) }
    let mixed: [Any?] = numbers.map { number in
      switch number % 3 {
      case 0: nil
      case 1: Double(number) / 2
      default: Decimal(number)
      }
    }
    let dates: [Any?] = numbers.map {
      $0 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double($0))
    }
    for values in [mixed, dates] {
      let all = posts("value", values)
      let descriptor = NSSortDescriptor(key: "value", ascending: ascending)
      let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
      let sorted = all.sorted(using: made)
      #expect(sorted == (try all.sorted(following: [descriptor])), "\(generator)")
    }
  }

  @Test func `A key path through a relationship is followed`() throws {
    let all = posts(
      "author",
      ["Bob", nil, "Ada"].map { name in
        let author = Author()
        author.name = name
        return author
      })
    let descriptor = NSSortDescriptor(keyPath: \Post.author?.name, ascending: true)
    let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
    #expect(all.sorted(using: made).map { $0.author?.name } == [nil, "Ada", "Bob"])
  }

  @Test func `Later descriptors break ties`() throws {
    let all = [("b", 1), ("a", 1), ("a", 2)].map { title, score in
      let post = Post()
      post.values = ["title": title, "score": score]
      return post
    }
    let made = [
      NSSortDescriptor(key: "title", ascending: true),
      NSSortDescriptor(key: "score", ascending: false),
    ]
    .compactMap { SortDescriptor($0, comparing: Post.self) }
    #expect(all.sorted(using: made).map { "\($0.title)\($0.score)" } == ["a2", "a1", "b1"])
  }

  @Test(arguments: selectors, [true, false])
  func `The converted descriptor converts back`(_ selector: String, _ ascending: Bool)
    throws
  {
    let descriptor = NSSortDescriptor(
      key: "author.name", ascending: ascending, selector: Selector((selector)))
    let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
    #expect(made.order == (ascending ? .forward : .reverse))
    #expect(NSSortDescriptor(made) == descriptor)
    #expect(try NSSortDescriptor(translating: made).selector == descriptor.selector)
    #expect(try made.keyPath?.propertyPath() == "author.name")
    var reversed = made
    reversed.order = ascending ? .reverse : .forward
    #expect(NSSortDescriptor(reversed) == descriptor.reversedSortDescriptor as? NSSortDescriptor)
  }

  @Test func `The key path of the original descriptor is kept`() throws {
    for ascending in [true, false] {
      let descriptor = NSSortDescriptor(keyPath: \Post.title, ascending: ascending)
      let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
      #expect(NSSortDescriptor(made).keyPath == \Post.title)
    }
  }

  @Test func `Descriptors are equal if their originals are`() {
    func made(_ key: String, _ ascending: Bool = true, _ selector: Selector? = nil)
      -> SortDescriptor<Post>?
    {
      SortDescriptor(
        NSSortDescriptor(key: key, ascending: ascending, selector: selector), comparing: Post.self)
    }
    #expect(made("title") == made("title"))
    #expect(made("title")?.hashValue == made("title")?.hashValue)
    #expect(made("title") != made("summary"))
    #expect(made("title") != made("title", false))
    #expect(made("title") != made("title", true, "localizedCompare:"))
    #expect(Set([made("title"), made("title"), made("score")]).count == 2)
  }

  @Test func `A descriptor without a key or a named comparison is not converted`() {
    let comparator: Comparator = { _, _ in .orderedSame }
    for descriptor in [
      NSSortDescriptor(key: nil, ascending: true), NSSortDescriptor(key: "self", ascending: true),
      NSSortDescriptor(key: "title", ascending: true, comparator: comparator),
      NSSortDescriptor(keyPath: \Post.title, ascending: true, comparator: comparator),
      NSSortDescriptor(key: "title", ascending: true, selector: "compareVersion:"),
    ] {
      #expect(SortDescriptor(descriptor, comparing: Post.self) == nil, "\(descriptor)")
    }
  }

  @Test func `Comparing values without an order stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let descriptor = NSSortDescriptor(key: "value", ascending: true)
      let made = try #require(SortDescriptor(descriptor, comparing: Post.self))
      let (text, number) = (Post(), Post())
      text.values["value"] = "a"
      number.values["value"] = 1
      _ = made.compare(text, number)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("cannot compare"))
  }
}
