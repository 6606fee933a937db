internal import AssetStorage
internal import RecordServer
internal import RecordServerHTTP
internal import Synchronization

/// The server of a test cloud, which can restart on the storage and files that remain.
final class RunningServer: Sendable {
  private struct Running {
    let parts: CloudServer.Parts
    /// The task that sends notifications to devices.
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

  /// Stops accepting requests.
  func stop() {
    parts.hub.close()
    parts.hub.finish()
    parts.service.files?.close()
  }

  /// Returns when all work of a stopped server has ended.
  func finish() async { await running.withLock(\.delivery).value }

  func restart() async throws {
    stop()
    await finish()
    let next = Self.run(try await start(), report)
    running.withLock { $0 = next }
  }
}
