/// The limits of a reader, which rejects well-formed documents that exceed them.
public struct JSONLimits: Sendable {
  /// The maximum depth of nested containers, up to 512.
  public var maximumDepth = 64
  /// The maximum size in bytes of one string between its quotes, as written in the document.
  public var maximumStringBytes = 16 << 20
  /// The maximum size of one number in bytes.
  ///
  /// The longest exact form of a double has 767 significant digits.
  public var maximumNumberBytes = 1024
  /// The maximum number of elements of all arrays, plus members whose keys `nextKey()` returns.
  ///
  /// It bounds the memory of a decoder that collects them. By default there is no maximum.
  public var maximumElements = Int.max

  /// Creates the standard limits.
  public init() {}

  /// The standard limits.
  public static let standard = JSONLimits()
}
