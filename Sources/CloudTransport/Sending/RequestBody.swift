private import Foundation

/// The body of a request that is being sent.
package enum RequestBody: Sendable {
  case none
  case bytes([UInt8])
  case file(UploadFile)

  /// Opens the file of a file body.
  package init(_ body: TransportRequest.Body?) throws(TransportError) {
    switch body {
    case nil: self = .none
    case .bytes(let bytes): self = .bytes(bytes)
    case .file(let path, let start): self = .file(try UploadFile(path: path, from: start))
    }
  }

  /// The number of bytes to send.
  package var count: Int64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let file): file.count
    }
  }

  /// Closes the file of a file body.
  package func close() { if case .file(let file) = self { file.close() } }
}

/// A file that is sent.
// Sendable: only the transport that sends the file reads it. The sender closes it afterwards.
package final class UploadFile: @unchecked Sendable {
  private let path: String
  private var descriptor: CInt
  /// The number of bytes to send: the size at the time of opening, minus the start offset.
  package let count: Int64
  private let start: Int64
  private var sent: Int64 = 0

  /// Opens the file.
  ///
  /// - Parameter start: The offset of the first byte to send.
  package init(path: String, from start: Int64 = 0) throws(TransportError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file("open", path, errno) }
    let end = lseek(descriptor, 0, Int32(SEEK_END))
    // This check precedes the initialization of the properties, because the deinitializer would
    // close the descriptor a second time.
    guard end >= 0 else {
      let number = errno
      Foundation.close(descriptor)
      throw .file("read the length of", path, number)
    }
    count = max(0, Int64(end) - start)
    self.start = start
  }

  deinit { close() }

  /// Closes the file.
  ///
  /// Further calls do nothing.
  package func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Reads the next bytes, or returns 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
    let wanted = Int(min(Int64(buffer.count), count - sent))
    guard wanted > 0 else { return 0 }
    while true {
      let received = unsafe pread(descriptor, buffer.baseAddress, wanted, off_t(start + sent))
      if received < 0, errno == EINTR { continue }
      guard received >= 0 else { throw .file("read", path, errno) }
      guard received > 0 else {
        throw TransportError(
          .file,
          "The file \(path) became shorter while it was sent. Retry when no program changes it."
        )
      }
      sent += Int64(received)
      return received
    }
  }
}
