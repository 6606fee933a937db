import CloudRecords
import Synchronization

/// An index that would have made a query faster.
struct IndexSuggestion: Hashable, Sendable {
  let subject: IndexSubject
  let keys: ZoneKeys
}

/// The index suggestions of queries, until maintenance creates the indexes.
///
/// They are kept in memory; the next such query suggests an index again.
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
  /// Creates the indexes that queries suggested; a maintenance task builds them.
  func grantWishes() async throws(CloudError) {
    let now = environment.now()
    for wish in wishes.takeAll() {
      try await write(wish.keys.database.owner) { transaction in
        try ZoneIndexes.begin(wish.subject, in: wish.keys, at: now, transaction)
      }
    }
  }
}
