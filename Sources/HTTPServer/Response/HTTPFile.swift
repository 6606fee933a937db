private import CHTTPSystem
private import Glibc

/// An open file, or a part of one, that a response sends without loading it whole into memory.
package final class HTTPFile: Sendable {
  let descriptor: CInt
  /// The bytes of the file that are sent.
  package let range: Range<Int>

  /// Opens a file.
  package init(path: String) throws(HTTPServerError) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", parhelion_error(), path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let number = parhelion_error()
      close(descriptor)
      throw .system("fstat", number, path)
    }
    range = 0..<Int(status.st_size)
  }

  /// Creates a part of a file.
  ///
  /// The part has its own descriptor, so either file may be released before the other.
  package init(_ range: Range<Int>, of file: HTTPFile) throws(HTTPServerError) {
    precondition(
      file.range.lowerBound <= range.lowerBound && range.upperBound <= file.range.upperBound,
      "\(range) is not within the file's \(file.range).")
    descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .system("fcntl", parhelion_error()) }
    self.range = range
  }

  deinit { close(descriptor) }

  /// The number of bytes that are sent.
  package var count: Int { range.count }

  /// Reads some of the bytes, for a caller that sends them in another way.
  ///
  /// - Parameter part: A range relative to the first byte that is sent.
  package func bytes(_ part: Range<Int>) throws(HTTPServerError) -> [UInt8] {
    precondition(
      part.lowerBound >= 0 && part.upperBound <= count,
      "\(part) is not within the file's \(count) bytes.")
    var bytes = [UInt8](repeating: 0, count: part.count)
    var received = 0
    while received < part.count {
      let result = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor, buffer.baseAddress?.advanced(by: received), part.count - received,
          off_t(range.lowerBound + part.lowerBound + received))
      }
      if result < 0, parhelion_error() == EINTR { continue }
      guard result > 0 else { throw .system("pread", result < 0 ? parhelion_error() : EIO) }
      received += result
    }
    return bytes
  }

  /// Asks the system to read bytes ahead before they are sent, because the loop must not wait for a
  /// disk.
  func prepare(_ range: Range<Int>) {
    _ = posix_fadvise(
      descriptor, off_t(range.lowerBound), off_t(range.count), CInt(POSIX_FADV_WILLNEED))
  }
}
