internal import CloudTransport

/// Collects a response in memory.
final class MemorySink: ResponseSink {
  private let limit: Int
  private let answer: PendingResponse
  private var bytes: [UInt8] = []

  init(limit: Int, answer: PendingResponse) {
    self.limit = limit
    self.answer = answer
  }

  func begin(_ head: TransportResponse) throws(TransportError) {
    // The length is only a hint, because a head may claim anything.
    if head["content-encoding"] == nil, let length = head["content-length"].flatMap({ Int($0) }),
      length <= limit
    {
      bytes.reserveCapacity(length)
    }
  }

  func take(_ piece: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    guard bytes.count + piece.count <= limit else {
      throw TransportError(
        .malformed, "The answer has more than the maximum of \(limit) bytes.")
    }
    unsafe bytes.append(contentsOf: piece)
    return true
  }

  func finish(_ result: Result<TransportResponse, TransportError>) {
    answer.resume(
      result.map { head in
        var whole = head
        whole.body = bytes
        return whole
      })
  }
}
