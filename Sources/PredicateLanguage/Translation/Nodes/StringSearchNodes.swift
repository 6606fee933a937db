public import Foundation
import TextMatching

// The text operations that `#Predicate` knows on Apple's platforms and Foundation lacks elsewhere.
// The macro calls the functions `build_…` by name, so it finds these.

/// A node of two texts, of a predicate that the macro builds.
///
/// Parhelion's addition.
public protocol TextPairExpression<Root, Other>: PredicateExpression {
  /// The node of the text that the operation belongs to.
  associatedtype Root: PredicateExpression where Root.Output: StringProtocol
  /// The node of the text that it is given.
  associatedtype Other: PredicateExpression where Other.Output: StringProtocol
  /// The text that the operation belongs to.
  var root: Root { get }
  /// The text that it is given.
  var other: Other { get }
}

extension TextPairExpression {
  func texts(_ bindings: PredicateBindings) throws -> (String, String) {
    (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
  }
}

extension PredicateExpressions {
  /// Whether a text contains another as people search: without regard to case and diacritics, in
  /// the user's locale.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression, Other: PredicateExpression
  >:
    TextPairExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// Whether it does.
    public typealias Output = Bool
    /// The text that is searched.
    public let root: Root
    /// The text that is searched for.
    public let other: Other

    /// Whether one node's text contains the other's.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The result with these values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, wanted) = try texts(bindings)
      return try TextPattern(
        .contains, wanted, options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
      )
      .matches(text)
    }
  }

  /// How two texts are ordered without regard to case.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
    TextPairExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order.
    public typealias Output = ComparisonResult
    /// The left text.
    public let root: Root
    /// The right text.
    public let other: Other

    /// The order of two nodes' texts.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The result with these values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (left, right) = try texts(bindings)
      return TextCollation(.caseInsensitive).compare(left, right)
    }
  }

  /// How two texts are ordered in the user's locale.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
    TextPairExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order.
    public typealias Output = ComparisonResult
    /// The left text.
    public let root: Root
    /// The right text.
    public let other: Other

    /// The order of two nodes' texts.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The result with these values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (left, right) = try texts(bindings)
      return TextCollation(.localized).compare(left, right)
    }
  }

  /// The node of `root.localizedStandardContains(other)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }

  /// The node of `root.caseInsensitiveCompare(other)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }

  /// The node of `root.localizedCompare(other)`.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    StringLocalizedCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Encodable
where Root: Encodable, Other: Encodable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Encodable
where Root: Encodable, Other: Encodable {}
extension PredicateExpressions.StringLocalizedCompare: Encodable
where Root: Encodable, Other: Encodable {}

extension PredicateExpressions.StringLocalizedStandardContains: Decodable
where Root: Decodable, Other: Decodable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Decodable
where Root: Decodable, Other: Decodable {}
extension PredicateExpressions.StringLocalizedCompare: Decodable
where Root: Decodable, Other: Decodable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
