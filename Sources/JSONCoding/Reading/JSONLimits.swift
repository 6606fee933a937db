/// The limits of a reader, which rejects well-formed documents that exceed them.
public struct JSONLimits: Sendable {
  /// The most nested containers, up to 512.
  public var maximumDepth = 64
  /// The most bytes of one string between its quotes, as written in the document.
  public var maximumStringBytes = 16 << 20
  /// The most bytes of one number.
  ///
  /// The longest exact form of a double has 767 digits.
  public var maximumNumberBytes = 1024

  /// Creates the standard limits.
  public init() {}

  /// The standard limits.
  public static let standard = JSONLimits()
}
