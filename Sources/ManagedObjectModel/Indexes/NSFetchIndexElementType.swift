/// The arrangement of the values of an index element.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
  /// In order, in a balanced tree.
  case binary = 0
  /// By extent, in an R-tree, for spatial searches.
  case rTree = 1
}
