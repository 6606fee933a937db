/// The sizes that bound the work of reading a property list, whatever its bytes say.
package struct PropertyListLimits: Sendable {
  /// The largest file that is read.
  ///
  /// Real compiled models reach a few hundred kilobytes.
  package var maximumBytes = 256 << 20

  /// How deep containers may lie in each other.
  ///
  /// Keyed archives use four levels, whatever the depth of their object graph; each level costs one
  /// stack frame here.
  package var maximumDepth = 128

  /// How many values the property list may have once every shared container is counted wherever it
  /// is used.
  ///
  /// It refuses small files that mean very large trees.
  package var maximumValues = 16 << 20

  package init() {}

  package static let standard = PropertyListLimits()
}
