package import ManagedObjectModel

/// A fetch as a store is asked for it.
package struct RowFetch {
  /// The layout of the entity to fetch.
  package var layout: RowLayout
  /// What the request says.
  ///
  /// The predicate has no variables left; its constants may be objects and object identifiers
  /// (`ObjectIdentified`).
  package var specification: FetchSpecification
  /// Gives the object of a row, for closures in the predicate of a store that can call them.
  package var object: ((RowReference, RowPage) -> Any)?

  package init(layout: RowLayout, specification: FetchSpecification) {
    self.layout = layout
    self.specification = specification
  }
}
