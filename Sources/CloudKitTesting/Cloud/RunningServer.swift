internal import AssetStorage
internal import RecordServer
internal import RecordServerHTTP
internal import Synchronization

/// The server of a test's cloud, which may be started again on what its storage and its files have
/// kept.
final class RunningServer: Sendable {
  private struct Running {
    let parts: CloudServer.Parts
    /// Tells devices of changes.
    let delivery: Task<Void, Never>
  }

  private let running: Mutex<Running>
  private let report: @Sendable (any Error) -> Void
  private let start: @Sendable () async throws -> CloudServer.Parts

  init(
    report: @escaping @Sendable (any Error) -> Void,
    start: @escaping @Sendable () async throws -> CloudServer.Parts
  ) async throws {
    (self.report, self.start) = (report, start)
    running = Mutex(Self.run(try await start(), report))
  }

  private static func run(
    _ parts: CloudServer.Parts, _ report: @escaping @Sendable (any Error) -> Void
  ) -> Running {
    let delivery = Task.detached(executorPreference: BackgroundExecutor()) {
      await parts.hub.run(for: parts.service.server, report: report)
    }
    return Running(parts: parts, delivery: delivery)
  }

  var parts: CloudServer.Parts { running.withLock(\.parts) }

  /// Takes no more requests.
  func stop() {
    parts.hub.close()
    parts.hub.finish()
    parts.service.files?.close()
  }

  /// Returns when nothing of a server that was stopped goes on.
  func finish() async { await running.withLock(\.delivery).value }

  func restart() async throws {
    stop()
    await finish()
    let next = Self.run(try await start(), report)
    running.withLock { $0 = next }
  }
}
