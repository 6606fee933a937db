/// Limits of the work of reading a property list, and of what is written, so that it can be read.
package struct PropertyListLimits: Sendable {
  /// The largest file that is read and written.
  ///
  /// Real compiled models have up to a few hundred kilobytes.
  package var maximumBytes = 256 << 20

  /// The deepest nesting of containers.
  ///
  /// Keyed archives use four levels, whatever the depth of their object graph; each level costs one
  /// stack frame here.
  package var maximumDepth = 128

  /// The maximum number of values in the property list; a shared value counts at each use.
  ///
  /// It rejects small files that expand to very large trees.
  package var maximumValues = 16 << 20

  package init() {}

  package static let standard = PropertyListLimits()
}
