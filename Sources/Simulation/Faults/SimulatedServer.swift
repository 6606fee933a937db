package import CloudKitTesting
import CloudTransport
import RecordStorage

/// The server of a world, which is started again behind each crash.
package final class SimulatedServer: Sendable {
  package let cloud: TestCloud
  let storage: SimulatedStorage

  /// - Parameter files: Where records are kept; nil for memory.
  package init(chance: SharedRandomness, files: StorageFiles? = nil) async throws {
    storage = try SimulatedStorage(in: files)
    cloud = try await TestCloud(
      chance: TestRandomness(makeName: { chance.name() }, randomBytes: { chance.bytes($0) }),
      storage: storage)
  }

  /// Starts the server again where it has crashed, and tells whether it had.
  func startAgain() async throws(TransportError) -> Bool {
    guard storage.hasCrashed else { return false }
    do {
      try await storage.revive()
      try await cloud.restart()
    } catch { throw TransportError(.broken, "The server cannot start again: \(error)") }
    return true
  }

  /// What failed within the server beyond its crashes, which parts of it tell as the end of the
  /// server.
  var problems: [String] {
    cloud.serverErrors.filter { problem in
      ![SimulatedStorage.crashed.message, "The server is being stopped."].contains(
        where: problem.contains)
    }
  }
}
