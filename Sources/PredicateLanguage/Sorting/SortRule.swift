package import Foundation
package import TextMatching

/// The rule by which a sort descriptor compares two values of its property.
///
/// A store translates `.natural` and `.text`; the others have no SQL form.
package enum SortRule {
  /// `compare:`, the natural order of the values.
  case natural
  /// One of `NSString`'s comparisons, other than `compare:`.
  case text(TextCollation.Rule)
  /// A method of the values' type, which must adopt ``SelectorPerforming``.
  case method(Selector)
  /// A closure.
  case comparator(Comparator)

  /// The rule of a selector.
  package init(_ selector: Selector) {
    let name = NSStringFromSelector(selector)
    if name == Self.naturalName {
      self = .natural
    } else if let rule = TextCollation.Rule.allCases.first(where: { $0.selectorName == name }) {
      self = .text(rule)
    } else {
      self = .method(selector)
    }
  }

  /// The selector of the rule; nil for a closure.
  package var selector: Selector? {
    switch self {
    case .natural: Selector(Self.naturalName)
    case .text(let rule): Selector(rule.selectorName)
    case .method(let selector): selector
    case .comparator: nil
    }
  }

  fileprivate static let naturalName = "compare:"
}

extension TextCollation.Rule {
  /// The method of `NSString` that gives this order.
  fileprivate var selectorName: String {
    switch self {
    case .binary: SortRule.naturalName
    case .caseInsensitive: "caseInsensitiveCompare:"
    case .localized: "localizedCompare:"
    case .localizedCaseInsensitive: "localizedCaseInsensitiveCompare:"
    case .localizedStandard: "localizedStandardCompare:"
    }
  }
}
