import Foundation
import PredicateLanguage
import Testing

private final class Plain {
  var number = 1
  var next: Plain?
}

private class House {
  var inhabitants = 3
}

private struct Point {
  var x = 0
  var double: Int { x * 2 }
}

@Suite struct KeyPathNameTests {
  static let named: [(any AnyKeyPath & Sendable, String)] = [
    (\Post.title, "title"),
    (\Post.author, "author"),
    (\Post.author?.name, "author.name"),
    (\Post.author!.name, "author.name"),
    (\Post.author?.mentor?.mentor?.age, "author.mentor.mentor.age"),
    (\Draft.title, "title"),
    (\Draft.revision, "revision"),
    (\Draft.author!.name, "author.name"),
    (\Post.readers, "readers"),
    (\Post.readers.count, "readers.@count"),
    (\Post.reviewers.count, "reviewers.@count"),
    (\Post.isUntitled, "title"),
    (\Post.self, "self"),
    (\Plain.number, "number"),
    (\Plain.next?.next?.number, "next.next.number"),
    (\Point.x, "x"),
  ]

  @Test(arguments: named.indices)
  func `A key path has the name of its property`(_ index: Int) throws {
    let (keyPath, name) = Self.named[index]
    #expect(try keyPath.propertyPath() == name)
    #expect(try keyPath.propertyPath() == name, "the second time it is cached")
  }

  static let nameless: [(any AnyKeyPath & Sendable, KeyPathNameError.Code)] = [
    (\Post.heading, .notOneProperty),
    (\Post.constant, .notOneProperty),
    (\Post.title.count, .beyondProperties),
    (\Post.title.capitalized, .beyondProperties),
    (\Post.reviewers.isEmpty, .beyondProperties),
    (\Post.reviewers.first?.name, .beyondProperties),
    (\Point.double, .unknownRoot),
    (\String.count, .unknownRoot),
  ]

  @Test(arguments: nameless.indices)
  func `Another key path has no name`(_ index: Int) {
    let (keyPath, code) = Self.nameless[index]
    let error = #expect(throws: KeyPathNameError.self) { try keyPath.propertyPath() }
    #expect(error?.code == code)
    // The error is cached for equal key paths, each of which Swift may describe by another address.
    #expect(error.map { $0.message.contains($0.keyPath) && $0.keyPath.hasPrefix("\\") } == true)
  }

  @Test func `The message for a class that is not final advises final`() {
    let error = #expect(throws: KeyPathNameError.self) { try (\House.inhabitants).propertyPath() }
    #expect(
      error?.message.contains(
        "cannot report the names of its properties. Mark the class final if the property is stored."
      )
        == true)
  }

  @Test func `An expression uses the name of a key path`() {
    let expression = NSExpression(forKeyPath: \Post.author?.name)
    #expect(expression.expressionType == .keyPath)
    #expect(expression.keyPath == "author.name")
  }

  @Test func `An expression of a key path without a name stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = NSExpression(forKeyPath: \Post.heading)
    }
  }
}
