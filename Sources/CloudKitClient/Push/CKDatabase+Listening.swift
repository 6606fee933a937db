extension CKDatabase {
  /// Calls a block whenever the database may have changed, for as long as the task lives that it gives; nil where there is no server.
  ///
  /// The server tells of changes by the database's subscriptions. Beginning to listen is a reason as well: what happened before was perhaps not told.
  package func listen(_ heard: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
    guard let words = try? container.binding().words else { return nil }
    let scope = databaseScope
    return Task {
      for await word in words {
        switch word {
        case .listening: heard()
        case .notification(let notification as CKDatabaseNotification):
          if notification.databaseScope == scope { heard() }
        case .notification: break
        }
      }
    }
  }
}
