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
  private let suggestions = Mutex<Set<IndexSuggestion>>([])

  func add(_ suggestion: IndexSuggestion) {
    suggestions.withLock { suggestions in
      if suggestions.count < ServerLimits.suggestions { suggestions.insert(suggestion) }
    }
  }

  func takeAll() -> Set<IndexSuggestion> {
    suggestions.withLock { suggestions in
      defer { suggestions = [] }
      return suggestions
    }
  }
}

extension RecordServer {
  /// Creates the indexes that queries suggested; a maintenance task builds them.
  ///
  /// - Throws: The first error. The failed indexes are created next time.
  func createSuggestedIndexes() async throws(CloudError) {
    let now = dependencies.now()
    var failure: CloudError?
    for suggestion in indexSuggestions.takeAll() {
      do throws(CloudError) {
        try await write(suggestion.keys.database.owner) { transaction in
          try ZoneIndexes.begin(suggestion.subject, in: suggestion.keys, at: now, transaction)
        }
      } catch {
        indexSuggestions.add(suggestion)
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}
