#if !canImport(ObjectiveC)
/// The name of a method, such as `caseInsensitiveCompare:`.
///
/// This platform has no Objective-C messages, so a selector is only a name. Sort descriptors know
/// the names of `NSString`'s comparisons; types that adopt ``SelectorPerforming`` add their own.
///
/// ```swift
/// NSSortDescriptor(key: "name", ascending: true, selector: Selector("localizedStandardCompare:"))
/// ```
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, with a colon for each argument.
  private let name: String

  /// Creates a selector with a name.
  public init(_ str: String) {
    name = str
  }

  /// Creates a selector with a name.
  public init(stringLiteral value: String) {
    name = value
  }

  /// The name.
  public var description: String { name }
}

/// Returns the selector with a name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }

/// Returns the name of a selector.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.description }
#endif
