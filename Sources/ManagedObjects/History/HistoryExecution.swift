import Foundation
import ManagedObjectModel
package import ObjectRows

extension NSPersistentHistoryChangeRequest {
  /// Executes the request on stores, in their order.
  ///
  /// Returns the value of the result, in the form that `resultType` specifies.
  package func value(from stores: [any HistoryStore]) throws -> Any {
    try throwingPublicErrors {
      switch purpose {
      case .fetch(let position):
        try HistoryFetch(
          stores: stores, position: position, fetch: specification(for: stores),
          resultType: resultType
        ).result()
      case .deletion(let position):
        try HistoryPurge(stores: stores, position: position, resultType: resultType).result()
      }
    }
  }
}

extension NSPersistentHistoryChangeRequest {
  /// The fetch request, translated for the stores.
  private func specification(for stores: [any HistoryStore]) throws -> FetchSpecification? {
    guard var specification = fetchRequest?.specification, let predicate = specification.predicate
    else {
      return fetchRequest?.specification
    }
    let readsChanges = specification.entity.name == HistoryModel.shared.change.name
    let terms = HistoryTerms(storeUUIDs: stores.map(\.identity.uuid), readsChanges: readsChanges)
    specification.predicate = try terms.apply(to: predicate)
    return specification
  }
}

extension NSPersistentStoreCoordinator {
  /// Returns a token for the latest transactions in the stores' histories, or nil if no store keeps
  /// a history.
  ///
  /// - Parameter stores: The stores, or nil for all.
  public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken?
  {
    var numbers: [String: Int64] = [:]
    for store in historyStores(among: stores) {
      // A store that cannot be read is left out of the token.
      if let number = try? store.latestHistoryNumber() { numbers[store.identity.uuid] = number }
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
  }

  /// The stores that keep a history, in the order in which they were added.
  func historyStores(among stores: [Any]?) -> [any HistoryStore] {
    let wanted = stores.map {
      Set($0.compactMap { ($0 as? NSPersistentStore).map(ObjectIdentifier.init) })
    }
    return persistentStores.filter { wanted?.contains(ObjectIdentifier($0)) ?? true }
      .compactMap { $0.open?.rowStore as? any HistoryStore }
      .filter { store in
        store.keepsHistory || (try? store.latestHistoryNumber()).map { $0 > 0 } ?? false
      }
  }
}
