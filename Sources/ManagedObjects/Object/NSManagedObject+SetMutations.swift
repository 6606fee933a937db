/// Notifications of custom accessors that change the members of a relationship.
extension NSManagedObject {
  /// Called by a custom accessor before it changes the members of a to-many relationship.
  ///
  /// The method records the change, like `willChangeValue(forKey:)`. The accessor then changes the
  /// relationship's primitive value:
  ///
  /// ```swift
  /// func addToMembers(_ member: Member) {
  ///   let added = Set([member])
  ///   willChangeValue(forKey: "members", withSetMutation: .union, using: added)
  ///   (primitiveValue(forKey: "members") as? NSMutableSet)?.union(added)
  ///   didChangeValue(forKey: "members", withSetMutation: .union, using: added)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The name of the relationship.
  ///   - mutationKind: The kind of the change. The object ignores it, because it compares the
  ///     members before and after the change.
  ///   - objects: The objects to add, to remove, to keep or to set. The object ignores them too.
  public final func willChangeValue(
    forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    beginChange(ofKey: key)
  }

  /// Called by a custom accessor after it changed the members of a to-many relationship.
  ///
  /// The method updates the inverse, like `didChangeValue(forKey:)`.
  ///
  /// - Parameters:
  ///   - key: The name of the relationship.
  ///   - mutationKind: The kind of the change. The object ignores it.
  ///   - objects: The objects that were added, removed, kept or set. The object ignores them.
  public final func didChangeValue(
    forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    endChange(ofKey: key)
  }
}
