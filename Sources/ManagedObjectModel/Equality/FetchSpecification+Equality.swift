extension FetchSpecification {
  /// Whether two requests are equal; entities are compared by name.
  func isEquivalent(to other: FetchSpecification) -> Bool {
    entity.name == other.entity.name && hasSameConditions(as: other) && hasSameOptions(as: other)
  }

  private func hasSameConditions(as other: FetchSpecification) -> Bool {
    valuesAreEqual(predicate, other.predicate)
      && valuesAreEqual(sortDescriptors, other.sortDescriptors)
      && valuesAreEqual(havingPredicate, other.havingPredicate)
      && valuesAreEqual(propertiesToFetch, other.propertiesToFetch)
      && valuesAreEqual(propertiesToGroupBy, other.propertiesToGroupBy)
  }

  private func hasSameOptions(as other: FetchSpecification) -> Bool {
    fetchLimit == other.fetchLimit && fetchOffset == other.fetchOffset
      && fetchBatchSize == other.fetchBatchSize
      && resultType == other.resultType && includesSubentities == other.includesSubentities
      && includesPropertyValues == other.includesPropertyValues
      && includesPendingChanges == other.includesPendingChanges
      && returnsObjectsAsFaults == other.returnsObjectsAsFaults
      && returnsDistinctResults == other.returnsDistinctResults
      && shouldRefreshRefetchedObjects == other.shouldRefreshRefetchedObjects
      && relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
  }
}
