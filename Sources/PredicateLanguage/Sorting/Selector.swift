#if !canImport(ObjectiveC)
/// The name of a method, such as `caseInsensitiveCompare:`.
///
/// There are no messages on this platform, so a selector is only a name: sort descriptors know
/// those of `NSString`'s comparisons, and types that adopt ``SelectorPerforming`` know their own.
///
/// ```swift
/// NSSortDescriptor(key: "name", ascending: true, selector: Selector("localizedStandardCompare:"))
/// ```
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, with a colon for each argument.
  private let name: String

  /// The selector with this name.
  public init(_ str: String) {
    name = str
  }

  /// The selector with this name.
  public init(stringLiteral value: String) {
    name = value
  }

  /// The name.
  public var description: String { name }
}

/// The selector with this name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }

/// The name of the selector.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.description }
#endif
