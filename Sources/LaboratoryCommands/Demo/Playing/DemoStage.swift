import Foundation
import ParhelionCommands

/// The processes and the folder of the demonstration, which end and are removed with this object.
final class DemoStage {
  private let executable: String
  private let folder: URL
  private let account: OwnAccount
  private let port: UInt16
  private var server: SpawnedServer?
  private var processes: [DemoDeviceName: DeviceProcess] = [:]

  private init(_ executable: String, _ folder: URL, _ account: OwnAccount, _ server: SpawnedServer)
  {
    (self.executable, self.folder, self.account, self.server) = (
      executable, folder, account, server
    )
    port = server.port
  }

  /// Starts a server and a process for each device, in a new folder inside `parent`.
  static func make(
    executable: String, in parent: URL, _ events: AsyncStream<DemoEvent>.Continuation
  ) async throws -> DemoStage {
    let folder = parent.appendingPathComponent("parhelion-demo-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let data = folder.appendingPathComponent("server").path
      let server = try SpawnedServer(executable: executable, data: data)
      let account = try await OwnAccount.make(in: ServerFolder(path: data))
      let stage = DemoStage(executable, folder, account, server)
      for name in DemoDeviceName.allCases { try stage.start(name, events) }
      return stage
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error is SpawnedServer.NotReady
        ? CommandError("\(executable) does not run as a server.") : error
    }
  }

  deinit { end() }

  private func start(_ name: DemoDeviceName, _ events: AsyncStream<DemoEvent>.Continuation) throws {
    let own = URL(fileURLWithPath: place(of: name).folder)
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    processes[name] = try DeviceProcess(name, executable: executable, folder: own) {
      events.yield($0)
    }
  }

  /// The place of a device's store.
  func place(of name: DemoDeviceName) -> DemoPlace {
    DemoPlace(
      folder: folder.appendingPathComponent(name.rawValue).path, port: port, account: account)
  }

  func send(_ request: DemoRequest, to name: DemoDeviceName) throws {
    try processes[name]?.send(request)
  }

  var serverState: DemoState.Server { server == nil ? .killed(port: port) : .running(port: port) }

  func killServer() {
    server?.crash()
    server = nil
  }

  /// Restarts the server, with the same folder and port.
  func startServer() throws {
    server = try SpawnedServer(
      executable: executable, data: folder.appendingPathComponent("server").path, port: port)
  }

  /// Ends all processes, and removes the folder.
  func end() {
    for process in processes.values { process.end() }
    processes = [:]
    server?.end()
    server = nil
    try? FileManager.default.removeItem(at: folder)
  }
}
