import CloudRecords
internal import Synchronization

/// Caches the routes of operations on databases by their paths.
///
/// There are few paths, and parsing one is among the most expensive parts of a small request.
final class KnownRoutes: Sendable {
  private static let most = 256

  private let known = Mutex<[String: Route]>([:])

  /// Returns the route of a path, which is still percent-encoded.
  func route(of path: String) -> Result<Route, Route.Failure> {
    if let route = known.withLock({ $0[path] }) { return .success(route) }
    let found = Result { () throws(Route.Failure) in try Route(path: path) }
    if case .success(let route) = found, case .database = route { remember(route, at: path) }
    return found
  }

  /// Adds a route to the cache, which is emptied when it is full.
  ///
  /// So a client that requests many paths does not take more memory.
  private func remember(_ route: Route, at path: String) {
    known.withLock { known in
      if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
      known[path] = route
    }
  }
}
