import CloudTransport
import Synchronization

/// A device's way to the cloud, which tells of each request before it goes.
final class WatchedTransport: CloudTransport {
  private let base: any CloudTransport
  private let watcher = Mutex<(@Sendable (TransportRequest) async -> Void)?>(nil)

  init(_ base: any CloudTransport) { self.base = base }

  /// Has a block called before each request, until another takes its place.
  func watch(_ watcher: (@Sendable (TransportRequest) async -> Void)?) { self.watcher.withLock { $0 = watcher } }

  private func tell(_ request: TransportRequest) async { await watcher.withLock(\.self)?(request) }

  func send(_ request: TransportRequest) async throws(TransportFault) -> TransportResponse {
    await tell(request)
    return try await base.send(request)
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportFault) -> TransportResponse {
    await tell(request)
    return try await base.download(request, to: path, progress: progress)
  }

  func open(_ request: TransportRequest) async throws(TransportFault) -> TransportStream {
    try await base.open(request)
  }
}
