import Synchronization

extension NSManagedObjectModel {
  /// What another layer derives from a model in use: made once, and kept for as long as the model
  /// lives.
  ///
  /// - Precondition: The model is frozen, and making the value asks for no other attachment of this
  ///   model.
  package func attachment<Value: Sendable>(_ type: Value.Type, make: () -> Value) -> Value {
    precondition(isFrozen, "Something can be derived from a model only when it is in use.")
    return attachments.withLock { attachments in
      if let value = attachments[ObjectIdentifier(type)] as? Value { return value }
      let value = make()
      attachments[ObjectIdentifier(type)] = value
      return value
    }
  }
}
