import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Shutdown", .blockingThreads, .endsAtAll)
struct ShutdownTests {
  @Test
  func `Running requests finish, idle connections close, and new ones are rejected`() async throws {
    let (hasBegun, mayEnd) = (Signal(), Signal())
    let wasReached = Mutex(false)
    let server = HTTPServer { request in
      if request.path == "/late" { wasReached.withLock { $0 = true } }
      guard request.path == "/slow" else { return HTTPResponse() }
      hasBegun.happen()
      await mayEnd.wait()
      return HTTPResponse(text: "whole")
    }
    let address = try await server.start()
    let (idle, busy) = (try RawClient(address), try RawClient(address))
    try idle.send(get("/"))
    #expect(try idle.response().status == 200)
    try busy.send(get("/slow"))
    await hasBegun.wait()
    async let cut = server.shutdown(within: .seconds(60))
    #expect(idle.isAtEnd())
    // The port may belong to another server by now, so a connection alone proves nothing.
    if let late = try? RawClient(address) { try? late.send(get("/late")) }
    mayEnd.happen()
    let response = try busy.response()
    #expect(response.text == "whole")
    #expect(response.fields["connection"] == "close")
    #expect(busy.isAtEnd())
    #expect(await cut == 0)
    #expect(await server.shutdown(within: .zero) == 0)
    let reached = wasReached.withLock { $0 }
    #expect(!reached)
  }

  @Test
  func `Requests that take too long are cancelled and aborted`() async throws {
    let (hasBegun, wasCancelled) = (Signal(), Signal())
    let server = HTTPServer { _ in
      hasBegun.happen()
      defer { wasCancelled.happen() }
      try await Signal().waitOrCancel()
      return HTTPResponse()
    }
    let client = try RawClient(try await server.start())
    try client.send(get("/"))
    await hasBegun.wait()
    #expect(await server.shutdown(within: .milliseconds(50)) == 1)
    await wasCancelled.wait()
    #expect(client.isAtEnd())
  }

  @Test
  func `A handler that ignores cancellation still reaches its end`() async throws {
    let (hasBegun, mayGoOn) = (Signal(), Signal())
    let hasEnded = DispatchSemaphore(value: 0)
    let server = HTTPServer { _ in
      hasBegun.happen()
      await mayGoOn.wait()
      hasEnded.signal()
      return HTTPResponse()
    }
    let client = try RawClient(try await server.start())
    try client.send(get("/"))
    await hasBegun.wait()
    #expect(await server.shutdown(within: .zero) == 1)
    mayGoOn.happen()
    #expect(wait(for: hasEnded))
  }

  @Test
  func `A head that is incomplete at a shutdown can be completed`() async throws {
    let server = HTTPServer { _ in HTTPResponse(text: "whole") }
    let address = try await server.start()
    let (half, other) = (try RawClient(address), try RawClient(address))
    try half.send(String(get("/").dropLast()))
    // Once a later connection is answered, the loop has read the first half.
    try other.send(get("/"))
    #expect(try other.response().status == 200)
    async let cut = server.shutdown(within: .seconds(60))
    #expect(other.isAtEnd())
    try half.send("\r\n")
    #expect(try half.response().text == "whole")
    #expect(await cut == 0)
  }

  @Test
  func `A response that its client still reads is sent to its end`() async throws {
    let queued = Mutex(0)
    let requests = AsyncStream<Int>.makeStream()
    let server = HTTPServer { request in
      guard request.path == "/long" else { return HTTPResponse() }
      requests.continuation.yield(queued.withLock { $0 })
      var response = HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 100_000)))
      queued.withLock { $0 += 1 }
      response.retained = ObservedMemory { queued.withLock { $0 -= 1 } }
      return response
    }
    let address = try await server.start()
    let (client, other) = (try RawClient(address), try RawClient(address))
    // Waits until the system's buffer is full and the server holds the rest.
    var sent = 0
    repeat {
      try client.send(get("/long"))
      sent += 1
    } while await requests.stream.first(where: { _ in true }) == 0
    // Once a later request is answered, the first connection is idle.
    try other.send(get("/"))
    #expect(try other.response().status == 200)
    async let cut = server.shutdown(within: .seconds(60))
    #expect(other.isAtEnd())
    for _ in 0..<sent { #expect(try client.response().body.count == 100_000) }
    #expect(client.isAtEnd())
    #expect(await cut == 0)
  }

  @Test
  func `Every completed handler's answer is sent`() async throws {
    let done = Mutex(0)
    var configuration = HTTPServer.Configuration()
    configuration.loops = 2
    let server = HTTPServer(configuration) { request in
      _ = try await request.collect(limit: 100)
      await Task.yield()
      done.withLock { $0 += 1 }
      return HTTPResponse(text: "done")
    }
    let address = try await server.start()
    let acknowledged = Mutex(0)
    let finished = DispatchSemaphore(value: 0)
    let isEnough = Signal()
    for _ in 0..<8 {
      Thread.detachNewThread {
        defer { finished.signal() }
        while let client = try? RawClient(address) {
          while (try? client.send(post("/", "body"))) != nil,
            (try? client.response())?.text == "done"
          {
            let count = acknowledged.withLock { count in
              count += 1
              return count
            }
            if count == 500 { isEnough.happen() }
          }
        }
      }
    }
    await isEnough.wait()
    let cut = await server.shutdown(within: .seconds(60))
    for _ in 0..<8 { #expect(wait(for: finished)) }
    #expect(cut == 0)
    #expect(acknowledged.withLock { $0 } == done.withLock { $0 })
  }
}

/// Waits within an asynchronous test, whose thread no other task needs.
private func wait(for semaphore: DispatchSemaphore) -> Bool { semaphore.waitPatiently() }
