/// A class whose instances can say which properties a Swift key path reads.
///
/// Parhelion's addition.
///
/// A Swift key path does not know the name of its property on this platform. So it is applied to a
/// *probe*: an instance whose accessors note that they were read and give a placeholder, which for
/// a relationship is a probe of the other class. Managed object classes do this; an application's
/// own classes may.
///
/// ```swift
/// let descriptor = NSSortDescriptor(keyPath: \Post.author?.name, ascending: true)  // "author.name"
/// ```
public protocol KeyPathProbeable {
  /// What the body reads from a probe, in order.
  ///
  /// Each read is given as the dotted path from the probe that the body got to the property: for
  /// `\Post.author?.name` first `author`, then `author.name`. A relationship's placeholder is never
  /// `nil`, and the placeholder of a to-many relationship is empty.
  ///
  /// - Parameter body: gets the probe, an instance of the class that the method is called on.
  static func propertyPaths(readBy body: (Any) -> Void) -> [String]
}
