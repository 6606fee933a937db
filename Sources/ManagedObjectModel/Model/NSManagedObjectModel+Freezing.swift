import Synchronization

extension NSManagedObjectModel {
  /// Whether the model is in use and can no longer be changed.
  package var isFrozen: Bool { useMark.isSet }

  /// Makes the model and its contents immutable, and stores derived values; called on first use.
  ///
  /// It may be called several times, and by several threads.
  package func freeze() {
    freezing.withLock { _ in
      guard !useMark.isSet else { return }
      for entity in entities { entity.derive() }
      for entity in entities { entity.markUsed() }
      for template in fetchRequestTemplatesByName.values { template.useMark.set() }
      useMark.set()
    }
  }
}
