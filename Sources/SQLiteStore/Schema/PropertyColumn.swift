package import ManagedObjectModel

/// The column that holds an attribute or a to-one relationship.
package struct PropertyColumn: Sendable {
  /// The column's name, such as `ZTITLE`; empty for a composite attribute, which has only leaves.
  package let name: String
  package let kind: ColumnKind
  /// For a to-one relationship to an entity with subentities, the column with the number of the
  /// destination's entity, such as `Z3_PARENT`.
  package let entityColumn: String?
  /// For a to-one relationship whose inverse is ordered, the column with the row's order key, such
  /// as `Z_FOK_PARENT`.
  package let orderColumn: String?
  /// For a composite attribute, the columns of its elements.
  package let leaves: [CompositeLeaf]

  package init(
    name: String, kind: ColumnKind, entityColumn: String? = nil, orderColumn: String? = nil,
    leaves: [CompositeLeaf] = []
  ) {
    self.name = name
    self.kind = kind
    self.entityColumn = entityColumn
    self.orderColumn = orderColumn
    self.leaves = leaves
  }

  /// Whether it represents a composite attribute, which has no column except its leaves.
  package var isComposite: Bool { !leaves.isEmpty }
}

/// The column of one innermost element of a composite attribute.
package struct CompositeLeaf: Sendable {
  /// The names of the elements on the path to it, outermost first, without the composite
  /// attribute's own name.
  package let path: [String]
  package let attribute: NSAttributeDescription
  /// The column's name.
  package let name: String
  package let kind: ColumnKind
}
