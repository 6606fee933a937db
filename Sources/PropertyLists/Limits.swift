/// Limits of the work of reading a property list.
///
/// The writer observes them too, so that every property list that it writes can be read.
package struct PropertyListLimits: Sendable {
  /// The largest file that is read and written.
  ///
  /// Real compiled models have up to a few hundred kilobytes.
  package var maximumBytes = 256 << 20

  /// The deepest nesting of containers.
  ///
  /// Keyed archives use four levels, whatever the depth of their object graph. Each level needs
  /// stack space, because reading and writing are recursive.
  package var maximumDepth = 128

  /// The maximum number of values in the property list; a shared value counts at each use.
  ///
  /// The limit rejects small files that expand to very large trees.
  package var maximumValues = 16 << 20

  package init() {}

  package static let standard = PropertyListLimits()
}
