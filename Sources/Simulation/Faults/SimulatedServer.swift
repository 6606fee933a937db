package import CloudKitTesting
import CloudTransport
import RecordStorage

/// The server of a world, which restarts after each crash.
package final class SimulatedServer: Sendable {
  package let cloud: TestCloud
  let storage: SimulatedStorage

  /// Starts a server.
  ///
  /// - Parameter files: The files of its storage; nil for memory.
  package init(chance: SharedRandomness, files: StorageFiles? = nil) async throws {
    storage = try SimulatedStorage(in: files)
    cloud = try await TestCloud(
      chance: TestRandomness(makeName: { chance.name() }, randomBytes: { chance.bytes($0) }),
      storage: storage)
  }

  /// Restarts the server if it has crashed, and returns whether it had.
  func restart() async throws(TransportError) -> Bool {
    guard storage.hasCrashed else { return false }
    do {
      try await storage.reopen()
      try await cloud.restart()
    } catch { throw TransportError(.broken, "The server cannot restart: \(error)") }
    return true
  }

  /// Errors within the server, except those that a crash causes.
  var problems: [String] {
    cloud.serverErrors.filter { problem in
      ![SimulatedStorage.crashed.message, "The server is being stopped."].contains(
        where: problem.contains)
    }
  }
}
