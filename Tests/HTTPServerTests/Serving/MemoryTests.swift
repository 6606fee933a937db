import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Each test measures its own process, in which no other test uses memory.
@Suite("Memory", .measuresMemory)
struct MemoryTests {
  @Test
  func `A long body passes through bounded memory`() async {
    await #expect(processExitsWith: .success) {
      try await onBlockingThreads { try await upload(length: 200 << 20, growth: 8 << 20) }
    }
  }

  @Test
  func `Five thousand listeners cost at most 12 KB each, and all get an answer`() async {
    await #expect(processExitsWith: .success) {
      try await onBlockingThreads {
        try await listen(count: connectionsThatFit(wanted: 5000), bytesPerListener: 12 << 10)
      }
    }
  }
}

/// Sends a long body, and checks how much the memory of the server's process grows meanwhile.
private func upload(length: Int, growth limit: Int) async throws {
  let most = Mutex(0)
  try await withServer { request in
    var (count, sum) = (0, UInt64(0))
    for try await piece in request.body {
      count += piece.count
      sum &+= UInt64(piece[0]) &+ UInt64(piece[piece.count - 1])
      if count & 0x3F_FFFF < piece.count {
        most.withLock { $0 = max($0, (try? residentBytes()) ?? .max) }
      }
    }
    return HTTPResponse(text: "\(count) \(sum > 0)")
  } _: { _, address in
    let client = try RawClient(address)
    try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let before = try residentBytes()
    for _ in 0..<length / piece.count { try client.send(piece) }
    #expect(try client.response().text == "\(length) true")
    let growth = most.withLock { $0 } - before
    #expect(growth < limit, "\(growth >> 10) KB more while \(length >> 20) MB passed")
  }
}

/// Makes many requests wait, checks the memory for each, and answers them.
private func listen(count: Int, bytesPerListener limit: Int) async throws {
  let (mayAnswer, allWait) = (Signal(), Signal())
  let waiting = Mutex(0)
  try await withServer { request in
    let isLast = waiting.withLock { waiting in
      waiting += 1
      return waiting == count
    }
    if isLast { allWait.happen() }
    await mayAnswer.wait()
    return HTTPResponse(text: "now")
  } _: { server, address in
    let before = try residentBytes()
    let clients = try (0..<count).map { _ in try RawClient(address) }
    for client in clients {
      try client.send(get("/listen", "User-Agent: A name of ordinary length\r\nAccept: */*\r\n"))
    }
    await allWait.wait()
    let bytesPerListener = (try residentBytes() - before) / count
    #expect(server.connectionCount == count)
    #expect(bytesPerListener <= limit, "each of \(count) listeners costs \(bytesPerListener) bytes")
    mayAnswer.happen()
    for client in clients { #expect(try client.response().text == "now") }
  }
}
