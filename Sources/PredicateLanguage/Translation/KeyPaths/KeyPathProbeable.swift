/// A class that can report which properties a Swift key path reads.
///
/// Parhelion's addition.
///
/// On this platform a Swift key path does not know the name of its property. So it is applied to a
/// *probe*: an instance whose accessors record the read and return a placeholder. A relationship's
/// placeholder is a probe of the destination class. Managed object classes do this; an
/// application's own classes may.
///
/// ```swift
/// // Sorts by "author.name".
/// let descriptor = NSSortDescriptor(keyPath: \Post.author?.name, ascending: true)
/// ```
public protocol KeyPathProbeable {
  /// Returns the properties that the body reads from a probe, in order.
  ///
  /// Each is the dotted path from the probe to the property: for `\Post.author?.name` first
  /// `author`, then `author.name`. A relationship's placeholder is never `nil`, and the placeholder
  /// of a to-many relationship is empty.
  ///
  /// - Parameter body: Receives the probe, an instance of the class that the method is called on.
  static func propertyPaths(readBy body: (Any) -> Void) -> [String]
}
