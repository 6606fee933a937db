import Glibc
import HTTPServer
import TestSupport
import Testing

@Suite("Raw clients", .blockingThreads, .endsAtAll)
struct RawClientTests {
  @Test
  func `An open connection without data is not at its end`() async throws {
    try await withServer { _ in
      HTTPResponse()
    } _: { _, address in
      let client = try RawClient(address)
      client.shortenTimeout()
      #expect(!client.isAtEnd())
    }
  }

  @Test
  func `An open TLS connection without data is not at its end`() async throws {
    try await withSecureServer { _ in
      HTTPResponse()
    } _: { _, address, authority in
      let client = try SecureClient(address, .init(authority: authority))
      client.shortenTimeout()
      #expect(!client.isAtEnd())
    }
  }
}

extension RawClient {
  /// Makes waits for data end after a millisecond.
  fileprivate func shortenTimeout() {
    var timeout = timeval(tv_sec: 0, tv_usec: 1_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }
}
