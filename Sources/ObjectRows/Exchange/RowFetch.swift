package import ManagedObjectModel

/// A fetch for a store to execute.
package struct RowFetch {
  /// The layout of the entity to fetch.
  package var layout: RowLayout
  /// The fetch request's contents.
  ///
  /// The predicate's variables are substituted. Its constants may be objects and object identifiers
  /// (`ObjectIdentified`).
  package var specification: FetchSpecification
  /// Returns the object for a row, for closures in the predicate, if the store can call them.
  package var object: ((RowReference, RowPage) -> Any)?

  /// Counts the results, and can stop the read; nil if nothing observes it.
  package var monitor: (any ReadMonitor)?

  package init(layout: RowLayout, specification: FetchSpecification) {
    self.layout = layout
    self.specification = specification
  }
}
