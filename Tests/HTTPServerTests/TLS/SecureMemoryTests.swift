import CTLS
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// The server is a separate process, which measures itself.
///
/// The clients, which use as much memory, are in the test's process.
@Suite("TLS memory", .measuresMemory, .blockingThreads, .endsAtAll)
struct SecureMemoryTests {
  static let count = 500

  @Test
  func `Waiting listeners cost at most 24 KB each`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fifo = folder.appendingPathComponent("fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    // Opened for reading and writing, so that opening does not wait for the server, which may fail.
    let descriptor = open(fifo, O_RDWR)
    defer { close(descriptor) }
    async let listening: Void = Self.listen(fifo: descriptor)
    await #expect(processExitsWith: .success) { [fifo = fifo as String] in
      try await onBlockingThreads { try await SecureMemoryTests.serve(fifo: fifo) }
    }
    // If the server failed, this ends the clients' wait for its address.
    _ = write(descriptor, "\n", 1)
    try await listening
  }

  /// The clients: all connect and send requests, and then all are answered.
  private static func listen(fifo: CInt) throws {
    var line = [UInt8](repeating: 0, count: 1000)
    line.removeLast(line.count - max(0, read(fifo, &line, line.count)))
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    try #require(words.count == 2, "the server has failed")
    let port = try #require(UInt16(words[0]))
    let address = try #require(SocketAddress("127.0.0.1", port: port))
    let context = try SecureClient.Context(authority: String(words[1]))
    let clients = try (0..<count).map { _ in try SecureClient(address, context) }
    for client in clients { try client.send(get("/listen")) }
    for client in clients { #expect(try client.response().text == "now") }
  }

  /// The server: reports its address, and measures when all clients wait.
  private static func serve(fifo: String) async throws {
    let (mayAnswer, allWait) = (Signal(), Signal())
    let waiting = Mutex(0)
    try await withSecureServer { _ in
      let isLast = waiting.withLock { waiting in
        waiting += 1
        return waiting == count
      }
      if isLast { allWait.happen() }
      await mayAnswer.wait()
      return HTTPResponse(text: "now")
    } _: { server, address, authority in
      let before = try residentBytes()
      let line = Array("\(address.port) \(authority)\n".utf8)
      let descriptor = open(fifo, O_WRONLY)
      precondition(write(descriptor, line, line.count) == line.count)
      close(descriptor)
      await allWait.wait()
      let bytesPerListener = (try residentBytes() - before) / count
      #expect(
        bytesPerListener <= 24 << 10, "each of \(count) listeners costs \(bytesPerListener) bytes")
      mayAnswer.happen()
      #expect(await server.shutdown(within: .seconds(60)) == 0)
    }
  }
}
