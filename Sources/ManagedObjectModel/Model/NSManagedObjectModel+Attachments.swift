import Synchronization

extension NSManagedObjectModel {
  /// A value that another layer derives from a model in use, created once and kept as long as the
  /// model exists.
  ///
  /// - Precondition: The model is frozen, and `make` requests no other attachment of this model.
  package func attachment<Value: Sendable>(_ type: Value.Type, make: () -> Value) -> Value {
    precondition(isFrozen, "A value can be derived only from a model in use.")
    return attachments.withLock { attachments in
      if let value = attachments[ObjectIdentifier(type)] as? Value { return value }
      let value = make()
      attachments[ObjectIdentifier(type)] = value
      return value
    }
  }
}
