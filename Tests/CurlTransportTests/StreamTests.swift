import CloudTransport
import CurlTransport
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Streamed responses over libcurl", .blockingThreads, .endsAtAll)
struct StreamTests {
  @Test func `The head and each piece arrive as soon as they are sent`() async throws {
    let next = AsyncStream<[UInt8]>.makeStream()
    try await withTransport { _ in
      HTTPResponse(
        headers: ["Content-Type": "text/event-stream"],
        body: .parts(length: nil) { writer in
          for await piece in next.stream { try await writer.write(piece) }
        })
    } _: { peers in
      let stream = try await peers.transport.open(peers.get("/"))
      #expect(stream.head.status == 200 && stream.head["content-type"] == "text/event-stream")
      var pieces = stream.pieces.makeAsyncIterator()
      for text in ["one", "two", "three"] {
        next.continuation.yield(Array(text.utf8))
        #expect(try await pieces.next() == Array(text.utf8))
      }
      next.continuation.finish()
      #expect(try await pieces.next() == nil)
      #expect(try await pieces.next() == nil)
    }
  }

  @Test func `An unread stream slows the server down and loses nothing`() async throws {
    let written = Mutex(0)
    let count = 400
    try await withTransport { _ in
      HTTPResponse(
        body: .parts(length: nil) { writer in
          for number in 0..<count {
            try await writer.write(
              [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100_000))
            written.withLock { $0 = number + 1 }
          }
        })
    } _: { peers in
      let stream = try await peers.transport.open(peers.get("/"))
      // Data fills the network's buffers, and then the count stops.
      var (last, now) = (-1, 0)
      while last != now || now == 0 {
        await passTime(milliseconds: 100)
        (last, now) = (now, written.withLock(\.self))
      }
      #expect(now < count, "The server has written everything.")
      var total = 0
      for try await piece in stream.pieces {
        for place in stride(from: 0, to: piece.count, by: 1_000) {
          #expect(piece[place] == UInt8(truncatingIfNeeded: (total + place) / 100_000))
        }
        total += piece.count
      }
      #expect(total == count * 100_000)
    }
  }

  @Test func `A stream ends if its reader is cancelled or released`() async throws {
    let ended = Mutex(0)
    let (hasRead, gone) = (Signal(), Signal())
    try await withTransport { _ in
      HTTPResponse(
        body: .parts(length: nil) { writer in
          try await writer.write([1])
          defer {
            let count = ended.withLock { ended in
              ended += 1
              return ended
            }
            if count == 2 { Task { await gone.happen() } }
          }
          try await waitForCancellation()
        })
    } _: { peers in
      do {
        var pieces = try await peers.transport.open(peers.get("/")).pieces.makeAsyncIterator()
        #expect(try await pieces.next() == [1])
      }
      let reading = Task {
        var pieces = try await peers.transport.open(peers.get("/")).pieces.makeAsyncIterator()
        #expect(try await pieces.next() == [1])
        await hasRead.happen()
        do {
          _ = try await pieces.next()
          return TransportError.Kind?.none
        } catch let error as TransportError {
          return error.kind
        }
      }
      await hasRead.wait()
      reading.cancel()
      #expect(try await reading.value == .cancelled)
      await gone.wait()
    }
  }

  @Test func `A broken stream throws an error`() async throws {
    try await withTransport { _ in
      HTTPResponse(
        body: .parts(length: nil) { try await $0.write([UInt8](repeating: 1, count: 100_000)) })
    } _: { peers in
      let proxy = try FaultyProxy(to: peers.port)
      defer { proxy.close() }
      for ending in [NetworkFault.Ending.reset, .close] {
        proxy.fault = .down(50_000, ending)
        let stream = try await peers.transport.open(
          TransportRequest(.get, "http://127.0.0.1:\(proxy.port)/"))
        let error = await #expect(throws: TransportError.self) {
          for try await _ in stream.pieces {}
        }
        #expect(error?.kind == .broken && error?.mayHaveArrived == true)
      }
    }
  }
}
