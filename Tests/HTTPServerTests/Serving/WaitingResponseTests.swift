import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// A handler that waits until it is cancelled, and records the error that ended its wait.
private final class WaitingHandler: Sendable {
  let hasBegun = Signal()
  let hasEnded = Signal()
  private let error = Mutex<(any Error)?>(nil)

  /// Whether the wait was cancelled.
  var wasCancelled: Bool { error.withLock { $0 is CancellationError } }

  func answer() async throws -> HTTPResponse {
    hasBegun.happen()
    defer { hasEnded.happen() }
    do {
      try await Signal().waitOrCancel()
    } catch {
      self.error.withLock { $0 = error }
      throw error
    }
    return HTTPResponse()
  }
}

@Suite("Waiting responses", .blockingThreads, .serialized, .endsAtAll)
struct WaitingResponseTests {
  @Test(arguments: [false, true])
  func `A disconnecting client cancels its handler`(resets: Bool) async throws {
    let handler = WaitingHandler()
    try await withServer { _ in
      try await handler.answer()
    } _: { _, address in
      do {
        let client = try RawClient(address)
        try client.send(get("/"))
        await handler.hasBegun.wait()
        #expect(!handler.wasCancelled)
        if resets { client.reset() }
      }
      await handler.hasEnded.wait()
      #expect(handler.wasCancelled)
    }
  }

  @Test
  func `A disconnection during a stream or an upload cancels the handler`() async throws {
    let (writing, reading) = (Signal(), Signal())
    let reason = Mutex("")
    try await withServer { request in
      if request.method == .put {
        do {
          for try await _ in request.body {}
        } catch {
          reason.withLock { $0 = "\(error)" }
          reading.happen()
          throw error
        }
      }
      return HTTPResponse(
        body: .parts(length: nil) { writer in
          defer { writing.happen() }
          while true { try await writer.write([UInt8](repeating: 0, count: 10_000)) }
        })
    } _: { _, address in
      do {
        let client = try RawClient(address)
        try client.send(get("/"))
        _ = try client.head()
      }
      await writing.wait()
      do {
        let client = try RawClient(address)
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
      }
      await reading.wait()
      #expect(["clientLeft", "CancellationError()"].contains(reason.withLock { $0 }))
    }
  }

  @Test
  func `A pipelined request does not hide a disconnection`() async throws {
    let handler = WaitingHandler()
    try await withServer { _ in
      try await handler.answer()
    } _: { _, address in
      do {
        let client = try RawClient(address)
        try client.send(get("/") + get("/") + get("/"))
      }
      await handler.hasEnded.wait()
      #expect(handler.wasCancelled)
    }
  }
}
