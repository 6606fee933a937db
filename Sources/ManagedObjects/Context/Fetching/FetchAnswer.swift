import ManagedObjectModel
import ObjectRows

/// The answer of the stores to a plan's fetch, which was read outside of the context's queue.
///
/// The fetch on the queue uses it instead of reading, unless unsaved changes require another kind
/// of results or another window.
final class FetchAnswer {
  fileprivate enum Results {
    case rows([StoreRows])
    case keys([StoreKeys])
    case dictionaries([[String: Any]])
    case count(Int)
  }

  fileprivate let results: Results
  /// The context's `moment` before the read.
  ///
  /// If the context has a later one, objects may have received permanent keys and newer values.
  let moment: Int
  private let offset: Int
  private let limit: Int

  /// Reads the answer to a plan as the context's queue would, if there were no unsaved changes.
  init(_ plan: FetchPlan, from source: any RowSource, moment: Int) throws {
    self.moment = moment
    var plan = plan
    _ = FetchWindow(&plan, allowingFor: nil)
    (offset, limit) = (plan.specification.fetchOffset, plan.specification.fetchLimit)
    switch plan.specification.resultType {
    case .managedObjectIDResultType:
      results = .keys(try source.fetchKeys(plan.fetch, in: plan.stores))
    case .dictionaryResultType:
      _ = DictionaryOrder(&plan)
      results = .dictionaries(try source.fetchDictionaries(plan.fetch, in: plan.stores))
    case .countResultType:
      results = .count(try source.count(plan.fetch, in: plan.stores))
    default:
      guard !plan.readsKeys(from: source) else {
        results = .keys(try source.fetchKeys(plan.fetch, in: plan.stores))
        return
      }
      var parts: [StoreRows] = []
      try source.fetchRows(plan.fetch, in: plan.stores) { parts.append($0) }
      results = .rows(parts)
    }
  }

  fileprivate func matches(_ specification: FetchSpecification) -> Bool {
    specification.fetchOffset == offset && specification.fetchLimit == limit
  }
}

/// Reading what a plan fetches, or taking it from the plan's answer.
extension FetchPlan {
  private var results: FetchAnswer.Results? {
    guard let answer, answer.matches(specification) else { return nil }
    return answer.results
  }

  /// Calls a closure with the rows of each store.
  func fetchRows(from source: any RowSource, _ body: (StoreRows) -> Void) throws {
    if case .rows(let parts) = results { return parts.forEach(body) }
    try source.fetchRows(fetch, in: stores, body)
  }

  func fetchKeys(from source: any RowSource) throws -> [StoreKeys] {
    if case .keys(let parts) = results { return parts }
    return try source.fetchKeys(fetch, in: stores)
  }

  func fetchDictionaries(from source: any RowSource) throws -> [[String: Any]] {
    if case .dictionaries(let found) = results { return found }
    return try source.fetchDictionaries(fetch, in: stores)
  }

  func count(from source: any RowSource) throws -> Int {
    if case .count(let count) = results { return count }
    return try source.count(fetch, in: stores)
  }

  /// Whether only keys are fetched, whose rows are read later.
  func readsKeys(from source: any RowSource) -> Bool {
    specification.fetchBatchSize > 0 || !specification.includesPropertyValues
      || source.fetchesFaults(in: stores)
  }
}
