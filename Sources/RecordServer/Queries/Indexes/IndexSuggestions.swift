import CloudRecords
import Synchronization

/// An index that a query would have been faster with.
struct IndexSuggestion: Hashable, Sendable {
  let subject: IndexSubject
  let keys: ZoneKeys
}

/// The wishes of queries, until somebody has time for them.
///
/// They live in memory: who asks again wishes again.
final class IndexSuggestions: Sendable {
  private let wishes = Mutex<Set<IndexSuggestion>>([])

  func add(_ wish: IndexSuggestion) {
    wishes.withLock { wishes in
      if wishes.count < ServerLimits.wishes { wishes.insert(wish) }
    }
  }

  func takeAll() -> Set<IndexSuggestion> {
    wishes.withLock { wishes in
      defer { wishes = [] }
      return wishes
    }
  }
}

extension RecordServer {
  /// Begins the indexes that queries wished for; chores make them.
  func grantWishes() async throws(CloudError) {
    let now = environment.now()
    for wish in wishes.takeAll() {
      try await write(wish.keys.database.owner) { transaction in
        try ZoneIndexes.begin(wish.subject, in: wish.keys, at: now, transaction)
      }
    }
  }
}
