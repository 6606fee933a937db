private import Foundation

/// The file that a download goes into, which may have a part of it from an earlier attempt.
///
///     let file = try DownloadFile(path: path)
///     repeat { answer = try await run(file.request(for: request)) } while try !file.isWhole(&answer)
///
/// Between the two the transport calls `begin` with the answer's head, and `append` with its body.
// Sendable: its user hands it on, and waits until it has it back. One thread at a time uses it, and
// each sees what those before it did: who downloads opens it and makes the request; putting the
// transfer into the inbox, under the inbox's lock, comes before the loop takes it out under the
// same lock; the loop ends the transfer with its last use of the file, and resumes the
// continuation, behind which the one who downloads goes on. A cancelled task waits for that end as
// well. Nobody closes it but who downloads; `deinit`, wherever the last reference goes, finds it
// closed.
package final class DownloadFile: @unchecked Sendable {
  private let path: String
  private var descriptor: CInt
  /// How many bytes the file has.
  package private(set) var count: Int64
  /// How many it will have, where that is known.
  package private(set) var total: Int64?
  /// How many it had when the request was made.
  private var countAtRequest: Int64 = 0

  /// Opens the file, or makes it.
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

  /// Closes the file, however often it is called.
  package func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  /// The request for what is missing.
  ///
  /// Contents that may change under their address need an `If-Range` from the caller, who knows
  /// which ones the file has.
  package func request(for request: TransportRequest) -> TransportRequest {
    var request = request
    countAtRequest = count
    // Parts are parts of what is sent, so it has to be the contents themselves.
    request.headers.append(("Accept-Encoding", "identity"))
    if count > 0 { request.headers.append(("Range", "bytes=\(count)-")) }
    return request
  }

  /// Decides by an answer's head whether its body belongs into the file, and makes room for it.
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
      throw malformed("was asked for from byte \(count) on, and another part came", head)
    }
    total = range.total
    return true
  }

  /// Writes bytes behind those that are there.
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

  /// Writes bytes behind those that are there.
  package func append(_ bytes: [UInt8]) throws(TransportError) {
    var fault: TransportError?
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(TransportError) { unsafe try append(buffer) } catch { fault = error }
    }
    if let fault { throw fault }
  }

  /// Whether nothing is left to ask for; then the answer is what the caller gets.
  package func isWhole(_ answer: inout TransportResponse) throws(TransportError) -> Bool {
    if answer.status == 416, countAtRequest > 0 { return try isWholeAlready(&answer) }
    guard answer.status == 206, let total, count < total else { return true }
    guard count > countAtRequest else {
      throw malformed("came without a byte of what was asked for", answer)
    }
    return false
  }

  /// The file has all there is, or more than that: then what it has is of something else.
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
      "What is downloaded to \(path) \(what) (status \(head.status)). Ask again; if it happens again, what stands between this machine and the "
        + "server changes answers.", mayHaveArrived: true)
  }
}

extension TransportError {
  /// A call of the system that failed for a file.
  package static func file(_ verb: String, _ path: String, _ number: CInt) -> TransportError {
    var fault = TransportError(
      .file, "Cannot \(verb) the file \(path): \(unsafe String(cString: strerror(number))).")
    fault.systemError = number
    return fault
  }
}
