import MirrorModel
package import ObjectRows

/// The program's decisions about properties that changed here and in the cloud.
package struct MirrorHook: Sendable {
  /// Returns whether the local value wins; nil for the default: the last device to send wins.
  let keepsLocal: @Sendable (NSManagedObjectID, _ entity: String, _ property: String) -> Bool?

  package init(_ keepsLocal: @escaping @Sendable (NSManagedObjectID, String, String) -> Bool?) {
    self.keepsLocal = keepsLocal
  }

  /// Applies the program's decisions to an outcome.
  func decide(
    _ outcome: inout MergeOutcome, local: ObjectContent, server: DecodedObject,
    _ objectID: NSManagedObjectID
  ) {
    for index in outcome.journal.indices {
      let entry = outcome.journal[index]
      guard let property = entry.property, entry.winner == .local,
        keepsLocal(objectID, local.entity, property) == false
      else { continue }
      outcome.takeServers(property, local: local, server: server.content)
      outcome.journal[index].winner = .server
      (outcome.journal[index].kept, outcome.journal[index].overwritten) = (
        entry.overwritten, entry.kept ?? local
      )
    }
  }
}

extension MergeOutcome {
  /// Replaces the local value of a property with the server's.
  fileprivate mutating func takeServers(
    _ property: String, local: ObjectContent, server: ObjectContent
  ) {
    let isOfProperty = { (key: String) in key == property || key.hasPrefix(property + ".") }
    for key in Set(content.values.keys).union(server.values.keys) where isOfProperty(key) {
      content.values[key] = server.values[key]
    }
    content.references[property] = server.references[property]
    content.orders[property] = server.orders[property]
    send.remove(property)
    write.insert(property)
  }
}
