import Synchronization

extension NSManagedObjectModel {
  /// Whether the model is in use and can no longer be changed.
  package var isFrozen: Bool { useMark.isSet }

  /// Makes the model immutable, with everything in it, and stores what follows from it: called on
  /// first use.
  ///
  /// It may be called again, and by several threads.
  package func freeze() {
    freezing.withLock { _ in
      guard !useMark.isSet else { return }
      for entity in entities { entity.derive() }
      for entity in entities { entity.markUsed() }
      for (_, template) in namedTemplates { template.useMark.set() }
      useMark.set()
    }
  }
}
