import CloudRecords
internal import Synchronization

/// Remembers what addresses mean that were asked for: there are few of them, and reading one takes
/// longer than most of what else is done with a small request besides the write.
final class KnownRoutes: Sendable {
  private static let most = 256

  private let known = Mutex<[String: Route]>([:])

  /// Finds the route of a path, which is still percent-encoded.
  func route(of path: String) -> Result<Route, Route.Failure> {
    if let route = known.withLock({ $0[path] }) { return .success(route) }
    let found = Result { () throws(Route.Failure) in try Route(path: path) }
    if case .success(let route) = found, case .database = route { remember(route, at: path) }
    return found
  }

  /// Whoever asks for ever new containers makes the others be read anew, and takes no more memory.
  private func remember(_ route: Route, at path: String) {
    known.withLock { known in
      if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
      known[path] = route
    }
  }
}
