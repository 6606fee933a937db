private import CHTTPSystem
private import Glibc

/// The byte stream to a client: a plain socket or TLS.
enum Transport {
  case plain(CInt)
  case secure(TLSSession)

  /// The result of a transfer.
  enum Result: Equatable {
    case count(Int)
    /// Nothing was transferred. The socket must first become ready for these events.
    case waits(Poller.Events)
    /// The client has finished sending.
    case ended
    /// The connection failed.
    case failed
  }

  /// Whether the transport may buffer bytes that the poller does not report.
  var mayHoldBytes: Bool {
    if case .secure = self { true } else { false }
  }

  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Result {
    switch self {
    case .plain(let socket):
      unsafe Self.result(recv(socket, buffer.baseAddress, buffer.count, 0), .input)
    case .secure(let session): unsafe session.read(into: buffer)
    }
  }

  /// Writes bytes.
  ///
  /// If more follow at once, the system may hold these back to send them together.
  func write(_ bytes: ArraySlice<UInt8>, moreFollows: Bool) -> Result {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      switch self {
      case .plain(let socket):
        let flags = CInt(MSG_NOSIGNAL) | (moreFollows ? CInt(MSG_MORE) : 0)
        return unsafe Self.result(send(socket, buffer.baseAddress, buffer.count, flags), .output)
      case .secure(let session): return unsafe session.write(buffer)
      }
    }
  }

  /// Writes bytes of a file.
  ///
  /// The buffer is used if the bytes must pass through memory.
  func write(
    _ file: HTTPFile, _ range: Range<Int>, through buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Result {
    switch self {
    case .plain(let socket):
      var place = Int64(range.lowerBound)
      let sent = unsafe parhelion_send_file(socket, file.descriptor, &place, range.count)
      if sent == -Int(EAGAIN) { return .waits(.output) }
      // A file that was truncated cannot be sent completely.
      return sent > 0 ? .count(sent) : .failed
    case .secure(let session):
      let wanted = min(range.count, buffer.count)
      let count = unsafe pread(file.descriptor, buffer.baseAddress, wanted, off_t(range.lowerBound))
      guard count > 0 else { return .failed }
      return unsafe session.write(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Signals to the client that no more output follows.
  func finishOutput() {
    switch self {
    case .plain(let socket): shutdown(socket, CInt(SHUT_WR))
    case .secure(let session): session.finishOutput()
    }
  }

  private static func result(_ count: Int, _ event: Poller.Events) -> Result {
    if count > 0 { return .count(count) }
    if count == 0 { return .ended }
    let number = parhelion_error()
    return number == EAGAIN || number == EINTR ? .waits(event) : .failed
  }
}
