import Foundation
import PredicateLanguage
import TestSupport
import Testing

@Suite struct NSSortDescriptorTests {
  private func posts(_ key: String, _ values: [Any?]) -> [Post] {
    values.enumerated().map { index, value in
      let post = Post()
      post.values[key] = value
      post.values["index"] = index
      return post
    }
  }

  private func indices(_ posts: [Any]) -> [Int] {
    posts.compactMap { ($0 as? Post)?.values["index"] as? Int }
  }

  /// The values of each attribute type, ascending after nil.
  static let ascending: [[any Sendable]] = [
    [Int16(-5), 2, 2.5, Decimal(3), Int64(1) << 60],
    [-Double.infinity, -1.5, Float(0), 0.1, Double.infinity],
    [false, true],
    ["", "10", "9", "A", "a", "é", "😀"],
    [Date(timeIntervalSinceReferenceDate: -1), Date(timeIntervalSinceReferenceDate: 0)],
    [Data(), Data([0]), Data([0, 1]), Data([255])],
    [
      UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
      UUID(uuid: (240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    ],
    [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")],
    [
      Decimal(sign: .plus, exponent: -1, significand: 1),
      Decimal(sign: .plus, exponent: -2, significand: 11), 5,
    ],
  ]

  @Test(arguments: ascending.indices)
  func `Values of every attribute type are ordered, nil first when ascending`(_ row: Int) throws {
    var generator = SeededGenerator.forTest()
    let sorted = posts("value", [nil] + Self.ascending[row])
    let shuffled = sorted.shuffled(using: &generator)
    let up = NSSortDescriptor(key: "value", ascending: true)
    let down = NSSortDescriptor(key: "value", ascending: false)
    let expected = Array(sorted.indices)
    let seed = "\(generator)"
    #expect(indices((shuffled as NSArray).sortedArray(using: [up])) == expected, "\(seed)")
    #expect(
      indices((shuffled as NSArray).sortedArray(using: [down])) == expected.reversed(), "\(seed)")
    #expect(indices(try shuffled.sorted(following: [up])) == expected, "\(seed)")
    #expect(indices(NSSet(array: sorted).sortedArray(using: [down])) == expected.reversed())
    #expect(
      indices(NSOrderedSet(array: shuffled).sortedArray(using: [up])) == expected, "\(seed)")
  }

  /// A sort needs a total order, which NaN does not have naturally.
  @Test func `NaN sorts before all numbers and after nil`() throws {
    var generator = SeededGenerator.forTest()
    let sorted = posts("value", [nil, Double.nan, -Double.infinity, -1, 0.5, Double.infinity])
    for _ in 0..<10 {
      let result = try sorted.shuffled(using: &generator).sorted(following: [
        NSSortDescriptor(key: "value", ascending: true)
      ])
      #expect(indices(result) == Array(sorted.indices), "\(generator)")
    }
  }

  @Test(arguments: [
    ("compare:", ["B", "a", "b"]),
    ("caseInsensitiveCompare:", ["a", "B", "c"]),
    ("localizedCompare:", ["a", "b", "é", "f"]),
    ("localizedCaseInsensitiveCompare:", ["a", "B", "é", "F"]),
    ("localizedStandardCompare:", ["a9", "a10", "A10b", "b"]),
  ])
  func `A selector names the comparison`(_ name: String, _ sorted: [String]) {
    let descriptor = NSSortDescriptor(key: "title", ascending: true, selector: Selector(name))
    #expect(descriptor.selector == Selector((name)))
    let result = (posts("title", sorted).reversed() as NSArray).sortedArray(using: [descriptor])
    #expect(result.compactMap { ($0 as? Post)?.title } == sorted)
  }

  @Test func `A descriptor keeps its key, direction and comparison`() {
    let descriptor = NSSortDescriptor(
      key: "author.name", ascending: false, selector: "localizedStandardCompare:")
    #expect(descriptor.key == "author.name")
    #expect(!descriptor.ascending)
    #expect(descriptor.selector == "localizedStandardCompare:")
    #expect(descriptor.description == "(author.name, descending, localizedStandardCompare:)")
    #expect(NSSortDescriptor(key: nil, ascending: true).key == nil)
    #expect(NSSortDescriptor(key: "a", ascending: true).selector == "compare:")
    #expect(
      NSSortDescriptor(key: "a", ascending: true, comparator: { _, _ in .orderedSame }).selector
        == nil)
  }

  @Test func `The reversed descriptor reverses the order and keeps the rest`() throws {
    let descriptor = NSSortDescriptor(
      key: "title", ascending: true, selector: "caseInsensitiveCompare:")
    let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
    #expect(
      reversed
        == NSSortDescriptor(key: "title", ascending: false, selector: "caseInsensitiveCompare:"))
    let two = posts("title", ["a", "B"])
    #expect(descriptor.compare(two[0], to: two[1]) == .orderedAscending)
    #expect(reversed.compare(two[0], to: two[1]) == .orderedDescending)
    #expect(reversed.reversedSortDescriptor as? NSSortDescriptor == descriptor)
  }

  @Test func `Equal descriptors have equal hashes, and closures equal only themselves`() {
    let descriptor = NSSortDescriptor(key: "a", ascending: true)
    #expect(descriptor == NSSortDescriptor(key: "a", ascending: true, selector: "compare:"))
    #expect(descriptor.hash == NSSortDescriptor(key: "a", ascending: true, selector: nil).hash)
    #expect(descriptor != NSSortDescriptor(key: "b", ascending: true))
    #expect(descriptor != NSSortDescriptor(key: "a", ascending: false))
    #expect(descriptor.copy() as? NSSortDescriptor == descriptor)
    let closure = NSSortDescriptor(key: "a", ascending: true, comparator: { _, _ in .orderedSame })
    #expect(closure == closure)
    #expect(
      closure != NSSortDescriptor(key: "a", ascending: true, comparator: { _, _ in .orderedSame }))
  }

  @Test func `Key paths give the names of their properties, optional or not`() {
    #expect(
      NSSortDescriptor(keyPath: \Post.title, ascending: true)
        == NSSortDescriptor(key: "title", ascending: true))
    #expect(NSSortDescriptor(keyPath: \Post.summary, ascending: true).key == "summary")
    #expect(NSSortDescriptor(keyPath: \Post.author?.name, ascending: false).key == "author.name")
    #expect(NSSortDescriptor(keyPath: \Post.isDone, ascending: false).key == "isDone")
    #expect(NSSortDescriptor(keyPath: \Draft.date, ascending: false).selector == "compare:")
    let closure = NSSortDescriptor(
      keyPath: \Post.score, ascending: true, comparator: { _, _ in .orderedSame })
    #expect(closure.key == "score")
    #expect(closure.selector == nil)
  }

  @Test func `A descriptor keeps its key path`() throws {
    let comparator: Comparator = { _, _ in .orderedSame }
    #expect(NSSortDescriptor(keyPath: \Post.title, ascending: true).keyPath == \Post.title)
    #expect(NSSortDescriptor(keyPath: \Post.summary, ascending: true).keyPath == \Post.summary)
    #expect(
      NSSortDescriptor(keyPath: \Post.score, ascending: true, comparator: comparator).keyPath
        == \Post.score)
    #expect(NSSortDescriptor(SortDescriptor(\Post.title)).keyPath == \Post.title)
    let descriptor = NSSortDescriptor(keyPath: \Post.title, ascending: true)
    let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
    #expect(reversed.keyPath == \Post.title)
    #expect(!reversed.ascending)
  }

  @Test func `A descriptor needs no permission to compare`() {
    let descriptor = NSSortDescriptor(key: nil, ascending: true)
    #expect(descriptor.compare("a", to: "b") == .orderedAscending)
    descriptor.allowEvaluation()
    #expect(descriptor.compare("a", to: "b") == .orderedAscending)
  }

  @Test func `A closure receives the values, and NSNull for nil`() {
    let byLength = NSSortDescriptor(key: "title", ascending: true) { left, right in
      let (left, right) = ((left as? String)?.count ?? 0, (right as? String)?.count ?? 0)
      return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }
    let sorted = posts("title", [nil, "b", "aa"])
    #expect(indices((sorted.reversed() as NSArray).sortedArray(using: [byLength])) == [0, 1, 2])
  }

  @Test func `Later descriptors break ties, and the sort is stable`() throws {
    let descriptors = [
      NSSortDescriptor(key: "score", ascending: false),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    let all = [(1, "b"), (2, "b"), (1, "a"), (2, "a"), (1, "a")].enumerated().map { index, pair in
      let post = Post()
      post.values = ["score": pair.0, "title": pair.1, "index": index]
      return post
    }
    #expect(indices(try all.sorted(following: descriptors)) == [3, 1, 2, 4, 0])
    #expect(indices((all as NSArray).sortedArray(using: descriptors)) == [3, 1, 2, 4, 0])
    #expect(indices(try all.sorted(following: [])) == [0, 1, 2, 3, 4])
  }

  @Test func `Strings and dictionaries are sorted without a custom class`() {
    let descriptor = NSSortDescriptor(key: "self", ascending: false)
    #expect(
      (["a", "c", "b"] as NSArray).sortedArray(using: [descriptor]) as? [String] == ["c", "b", "a"])
    let rows: NSArray = [["n": 2], ["n": 1], ["m": 1]]
    let sorted = rows.sortedArray(using: [NSSortDescriptor(key: "n", ascending: true)])
    #expect(sorted as? [[String: Int]] == [["m": 1], ["n": 1], ["n": 2]])
  }

  @Test func `Random numbers of mixed types are sorted by value`() throws {
    var generator = SeededGenerator.forTest()
    let numbers = (0..<200).map { _ in Int.random(in: -50...50, using: &generator) }
    let values: [Any] = numbers.enumerated().map { index, number in
      switch index % 4 {
      case 0: number
      case 1: Double(number)
      case 2: NSNumber(value: number)
      default: Decimal(number)
      }
    }
    let sorted = try posts("value", values).sorted(following: [
      NSSortDescriptor(key: "value", ascending: true)
    ])
    let expected = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    #expect(indices(sorted) == expected, "\(generator)")
  }

  @Test(arguments: [
    ("compare:", ["a", 1] as [any Sendable]),
    ("caseInsensitiveCompare:", [1, 2]),
    ("nonsense:", ["a", "b"]),
  ])
  func `Values without an order are an error`(_ selector: String, _ values: [any Sendable]) {
    let descriptor = NSSortDescriptor(key: "value", ascending: true, selector: Selector(selector))
    let two = posts("value", values)
    #expect(throws: PredicateEvaluationError.self) { try descriptor.compared(two[0], to: two[1]) }
    #expect(throws: PredicateEvaluationError.self) { try two.sorted(following: [descriptor]) }
  }

  @Test func `Comparing values without an order stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = NSSortDescriptor(key: nil, ascending: true).compare("a", to: 1)
    }
  }

  @Test func `A type's own methods compare its values`() throws {
    let short = Version(text: "1.2")
    let long = Version(text: "1.10")
    let descriptor = NSSortDescriptor(key: nil, ascending: true, selector: "compareVersion:")
    #expect(try descriptor.compared(short, to: long) == .orderedAscending)
    #expect(try descriptor.compared(long, to: short) == .orderedDescending)
  }
}

private struct Version: SelectorPerforming {
  let text: String

  func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any? {
    guard name == "compareVersion:", let other = arguments.first as? Version else { return nil }
    return text.compare(other.text, options: .numeric).rawValue
  }
}
