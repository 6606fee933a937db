import CloudTransport
import CurlTransport
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Early ends over libcurl", .blockingThreads, .endsAtAll)
struct EndingTests {
  @Test func `The server stops serving a cancelled request`() async throws {
    let (asked, left) = (Signal(), Signal())
    try await withTransport { _ in
      await asked.happen()
      defer { Task { await left.happen() } }
      try await waitForCancellation()
      return HTTPResponse()
    } _: { peers in
      let task = Task { try await peers.transport.send(peers.get("/")) }
      await asked.wait()
      task.cancel()
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.kind == .cancelled && error?.mayHaveArrived == true)
      await left.wait()
    }
  }

  @Test func `A cancelled task sends nothing`() async throws {
    try await withTransport { _ in
      Issue.record("A request was sent.")
      return HTTPResponse()
    } _: { peers in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await peers.transport.send(peers.get("/"))
      }
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.kind == .cancelled && error?.mayHaveArrived == false)
    }
  }

  @Test func `Tasks that are cancelled at any moment end and leave nothing`() async throws {
    var generator = SeededGenerator.forTest()
    try await withTemporaryDirectory { folder in
      try Data(repeating: 1, count: 300_000).write(to: folder.appendingPathComponent("up"))
      try await withTransport { request in
        for try await _ in request.body {}
        return HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 300_000)))
      } _: { peers in
        let ends = Mutex<[String: Int]>([:])
        for round in 0..<150 {
          let moment = Int.random(in: 0..<60, using: &generator)
          let kind = round % 3
          let task = Task {
            switch kind {
            case 0:
              let body = TransportRequest.Body.file(path: folder.appendingPathComponent("up").path)
              _ = try await peers.transport.send(peers.post("/", body))
            case 1:
              let copy = folder.appendingPathComponent("\(round)").path
              _ = try await peers.transport.download(peers.get("/"), to: copy) { _, _ in }
            default:
              for try await _ in try await peers.transport.open(peers.get("/")).pieces {}
            }
          }
          for _ in 0..<moment { await Task.yield() }
          task.cancel()
          let result = await task.result
          ends.withLock { ends in
            switch result {
            case .success: ends["done", default: 0] += 1
            case .failure(let error):
              ends[(error as? TransportError)?.kind.rawValue ?? "\(error)", default: 0] += 1
            }
          }
        }
        let counts = ends.withLock(\.self)
        #expect(Set(counts.keys).isSubset(of: ["done", "cancelled"]), "\(counts), \(generator)")
      }
    }
  }

  @Test func `A transport recovers after the machine had no descriptors left`() async {
    await #expect(processExitsWith: .success) {
      let listener = try FaultyProxy(to: 1)
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var taken: [CInt] = []
      while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
        taken.append(descriptor)
      }
      let transport = CurlTransport()
      let first = try? await transport.send(
        TransportRequest(.get, "http://127.0.0.1:\(listener.port)/"))
      precondition(first == nil, "Without descriptors there are no connections.")
      for descriptor in taken { close(descriptor) }

      // The second request has to wake the thread that waits for the silent one.
      let asked = Signal()
      try await withTransport { request in
        if request.path == "/silence" {
          await asked.happen()
          try await waitForCancellation()
        }
        return HTTPResponse()
      } _: { peers in
        var silent = peers.get("/silence")
        // It reaches this limit only if the cancellation or the other answer fails.
        (silent.idleLimit, silent.wholeLimit) = (nil, .seconds(600))
        let task = Task { [silent] in try await transport.send(silent) }
        await asked.wait()
        // The caller drives the transfer for a moment, and then the thread takes over.
        await passTime(milliseconds: 50)
        let answer = try await transport.send(peers.get("/"))
        task.cancel()
        guard answer.status == 200, case .failure(let error) = await task.result else {
          preconditionFailure("The transport does not respond.")
        }
        precondition((error as? TransportError)?.kind == .cancelled, "\(error)")
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test func `Idle transfers and slow transfers end at their limits`() async throws {
    try await withTransport { request in
      guard request.path == "/drops" else {
        try await waitForCancellation()
        return HTTPResponse()
      }
      return HTTPResponse(
        body: .parts(length: nil) { writer in
          while true {
            try await writer.write([1])
            await passTime(milliseconds: 5)
          }
        })
    } _: { peers in
      var request = peers.get("/silence")
      request.idleLimit = .seconds(5)
      let idle = await #expect(throws: TransportError.self) {
        try await peers.transport.send(request)
      }
      #expect(idle?.kind == .timedOut && idle?.mayHaveArrived == true)
      request = peers.get("/drops")
      request.idleLimit = .seconds(20)
      request.wholeLimit = .milliseconds(100)
      let whole = await #expect(throws: TransportError.self) {
        try await peers.transport.send(request)
      }
      #expect(whole?.kind == .timedOut)
    }
  }

  @Test func `A stream that is not read is not idle`() async throws {
    try await withTransport { _ in
      HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 20_000_000)))
    } _: { peers in
      var request = peers.get("/")
      request.idleLimit = .seconds(3)
      let stream = try await peers.transport.open(request)
      await passTime(milliseconds: 4_000)
      var count = 0
      for try await piece in stream.pieces { count += piece.count }
      #expect(count == 20_000_000)
    }
  }

  /// Runs in a separate process, where no other test opens a descriptor.
  @Test func `No descriptor leaks`() async {
    await #expect(processExitsWith: .success) {
      try await onBlockingThreads {
        // Descriptors that the first use opens for good do not leak.
        try await EndingTests.useAndEnd()
        let before = try openDescriptors().count
        for _ in 0..<3 { try await EndingTests.useAndEnd() }
        // The proxy's threads close its connections later. Only a leak lasts until the deadline.
        let end = ContinuousClock.now + .seconds(600)
        while try openDescriptors().count > before, ContinuousClock.now < end { await Task.yield() }
        let after = try openDescriptors()
        #expect(after.count <= before, "\(after)")
      }
    }
  }

  private static func useAndEnd() async throws {
    try await withTemporaryDirectory { folder in
      let up = folder.appendingPathComponent("up")
      try Data(repeating: 1, count: 100_000).write(to: up)
      try await withTransport { request in
        if request.path == "/wait" { try await waitForCancellation() }
        for try await _ in request.body {}
        return HTTPResponse(body: .bytes([1, 2, 3]))
      } _: { peers in
        let proxy = try FaultyProxy(to: peers.port)
        defer { proxy.close() }
        var requests = [
          peers.get("/"), peers.post("/", .file(path: up.path)), peers.get("/wait"),
        ]
        for fault in [
          NetworkFault.up(50, .reset), .down(20, .close), .down(20, .stall),
          .answer([1, 2], .close),
        ] {
          proxy.fault = fault
          requests.append(
            TransportRequest(.post, "http://127.0.0.1:\(proxy.port)/", body: .file(path: up.path)))
        }
        for request in requests {
          var request = request
          request.idleLimit = .milliseconds(100)
          _ = try? await peers.transport.send(request)
          _ = try? await peers.transport.download(
            request, to: folder.appendingPathComponent("down").path
          ) { _, _ in }
          _ = try? await peers.transport.open(request)
        }
      }
    }
  }
}
