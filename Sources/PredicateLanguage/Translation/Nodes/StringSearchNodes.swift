public import Foundation
import TextMatching

// The text operations that `#Predicate` supports on Apple's platforms but not in the open-source
// Foundation. The macro calls functions named `build_…`, so it finds the functions below.

/// A predicate expression with two text operands.
///
/// Parhelion's addition.
public protocol TextPairExpression<Root, Other>: PredicateExpression {
  /// The expression of the receiver.
  associatedtype Root: PredicateExpression where Root.Output: StringProtocol
  /// The expression of the argument.
  associatedtype Other: PredicateExpression where Other.Output: StringProtocol
  /// The receiver.
  var root: Root { get }
  /// The argument.
  var other: Other { get }
}

extension TextPairExpression {
  func texts(_ bindings: PredicateBindings) throws -> (String, String) {
    (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
  }
}

extension PredicateExpressions {
  /// A search for a text in another without regard to case and diacritics, in the user's locale.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression, Other: PredicateExpression
  >:
    TextPairExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The result: whether the text was found.
    public typealias Output = Bool
    /// The text that is searched.
    public let root: Root
    /// The text to search for.
    public let other: Other

    /// Creates an expression that searches one text for another.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Returns the result for the values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, wanted) = try texts(bindings)
      return try TextPattern(
        .contains, wanted, options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
      )
      .matches(text)
    }
  }

  /// A comparison of two texts without regard to case.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
    TextPairExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the texts.
    public typealias Output = ComparisonResult
    /// The left text.
    public let root: Root
    /// The right text.
    public let other: Other

    /// Creates an expression that compares two texts.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Returns the result for the values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (left, right) = try texts(bindings)
      return TextCollation(.caseInsensitive).compare(left, right)
    }
  }

  /// A comparison of two texts in the user's locale.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
    TextPairExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the texts.
    public typealias Output = ComparisonResult
    /// The left text.
    public let root: Root
    /// The right text.
    public let other: Other

    /// Creates an expression that compares two texts.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Returns the result for the values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (left, right) = try texts(bindings)
      return TextCollation(.localized).compare(left, right)
    }
  }

  /// Builds the expression of `root.localizedStandardContains(other)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }

  /// Builds the expression of `root.caseInsensitiveCompare(other)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }

  /// Builds the expression of `root.localizedCompare(other)`.
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
