import Dispatch
import Synchronization

extension Command {
  /// A command whose work waits: for sockets, storages and signals.
  ///
  /// - Parameter work: Runs on other threads while the caller's waits.
  init(
    _ path: String, _ summary: String, operands: [String] = [], options: [CommandOption] = [], discussion: String = "",
    work: @escaping @Sendable (Invocation, any Console) async throws -> CommandStatus
  ) {
    self.init(path, summary, operands: operands, options: options, discussion: discussion) { invocation, console in
      let (end, result) = (DispatchSemaphore(value: 0), Outcome())
      Task {
        do {
          let status = try await work(invocation, console)
          result.value.withLock { $0 = .success(status) }
        } catch {
          result.value.withLock { $0 = .failure(error) }
        }
        end.signal()
      }
      end.wait()
      return try result.value.withLock(\.self).get()
    }
  }

  private final class Outcome: Sendable {
    let value = Mutex<Result<CommandStatus, any Error>>(.success(.success))
  }
}
