/// What a reader refuses although it is well-formed.
public struct JSONLimits: Sendable {
  /// Containers within each other; no more than 512.
  public var maximumDepth = 64
  /// Bytes of one string between its quotes, as they stand in the document.
  public var maximumStringBytes = 16 << 20
  /// Bytes of one number: the longest exact form of a double has 767 digits.
  public var maximumNumberBytes = 1024

  /// The usual limits.
  public init() {}

  /// The usual limits.
  public static let standard = JSONLimits()
}
