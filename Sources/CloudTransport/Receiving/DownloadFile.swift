private import Foundation

/// The file of a download, which may already have a part from an earlier attempt.
///
///     let file = try DownloadFile(path: path)
///     repeat {
///       answer = try await run(file.request(for: request))
///     } while try !file.isWhole(&answer)
///
/// In between, the transport calls `begin` with the head of the response and `append` with its
/// body.
// Sendable: only one thread at a time uses it. The downloading task opens the file and passes it to
// the transport with the request, under the lock of `CurlInbox`. The transport resumes the task
// after its last use of the file, also if the task was cancelled. Only the task closes the file.
package final class DownloadFile: @unchecked Sendable {
  private let path: String
  private var descriptor: CInt
  /// The size of the file.
  package private(set) var count: Int64
  /// The final size, if it is known.
  package private(set) var total: Int64?
  /// The size of the file when the request was made.
  private var countAtRequest: Int64 = 0

  /// Opens the file, and creates it if it does not exist.
  package init(path: String) throws(TransportError) {
    self.path = path
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file("open", path, errno) }
    let end = lseek(descriptor, 0, Int32(SEEK_END))
    guard end >= 0 else {
      let number = errno
      Foundation.close(descriptor)
      throw .file("read the length of", path, number)
    }
    count = Int64(end)
  }

  deinit { close() }

  /// Closes the file.
  ///
  /// Further calls do nothing.
  package func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Returns the request for the missing part.
  ///
  /// If the content may change under its address, the caller adds `If-Range` with the version that
  /// the file has.
  package func request(for request: TransportRequest) -> TransportRequest {
    var request = request
    countAtRequest = count
    // Ranges refer to the encoded body, so the body must not be encoded.
    request.headers.append(("Accept-Encoding", "identity"))
    if count > 0 { request.headers.append(("Range", "bytes=\(count)-")) }
    return request
  }

  /// Decides by the head of a response whether its body belongs to the file, and truncates the file
  /// if needed.
  package func begin(_ head: TransportResponse) throws(TransportError) -> Bool {
    guard head.isSuccess else { return false }
    guard ["identity", nil].contains(head["content-encoding"]?.lowercased()) else {
      throw malformed("was sent compressed, although the request forbids it", head)
    }
    guard head.status == 206 else {
      try empty()
      total = head["content-length"].flatMap { Int64($0) }
      return true
    }
    guard let range = ContentRange(head["content-range"]), range.start == count else {
      throw malformed("was requested from byte \(count) on, and another part arrived", head)
    }
    total = range.total
    return true
  }

  /// Appends bytes.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let written = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(count))
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .file("write", path, written < 0 ? errno : ENOSPC) }
      count += Int64(written)
      unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(TransportError) {
    var failure: TransportError?
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(TransportError) { unsafe try append(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Returns whether the file is complete.
  ///
  /// If so, the response is final.
  package func isWhole(_ answer: inout TransportResponse) throws(TransportError) -> Bool {
    if answer.status == 416, countAtRequest > 0 { return try isWholeAlready(&answer) }
    guard answer.status == 206, let total, count < total else { return true }
    guard count > countAtRequest else {
      throw malformed("arrived without any of the requested bytes", answer)
    }
    return false
  }

  /// Handles a range that cannot be satisfied: the file is complete, or has bytes of another
  /// content.
  private func isWholeAlready(_ answer: inout TransportResponse) throws(TransportError) -> Bool {
    guard ContentRange(answer["content-range"])?.total == count else {
      try empty()
      return false
    }
    total = count
    answer.status = 200
    answer.body = []
    return true
  }

  private func empty() throws(TransportError) {
    guard ftruncate(descriptor, 0) == 0 else { throw .file("empty", path, errno) }
    count = 0
  }

  private func malformed(_ what: String, _ head: TransportResponse) -> TransportError {
    TransportError(
      .malformed,
      "The download to \(path) \(what) (status \(head.status)). Try again. If this happens repeatedly, an intermediary between this machine and the server changes answers.",
      mayHaveArrived: true)
  }
}

extension TransportError {
  /// Returns the error of a failed system call for a file.
  package static func file(_ verb: String, _ path: String, _ number: CInt) -> TransportError {
    var failure = TransportError(
      .file, "Cannot \(verb) the file \(path): \(unsafe String(cString: strerror(number))).")
    failure.systemError = number
    return failure
  }
}
