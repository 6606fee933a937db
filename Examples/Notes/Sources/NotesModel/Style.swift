public import Foundation

/// The appearance of a note: the value of a Transformable attribute.
public final class Style: NSObject {
  /// The size of the text in points.
  public let fontSize: Int

  /// Creates a style.
  public init(fontSize: Int) {
    self.fontSize = fontSize
  }
}
