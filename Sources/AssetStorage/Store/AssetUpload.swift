internal import Synchronization

/// An upload in progress.
///
///     let upload = try await store.begin(length: length)
///     for try await piece in request.body { try await upload.append(piece) }
///     let asset = try await store.finish(upload, for: grant)
///
/// Only one task at a time may use an upload. Deallocating an unfinished upload removes its file.
package final class AssetUpload: Sendable {
  private struct Buffer {
    var pieces: [[UInt8]] = []
    var byteCount = 0
  }

  private let worker: DiskWorker
  private let buffer = Mutex(Buffer())
  /// The file; nil after a failed write, and once the upload is discarded.
  ///
  /// Only `worker` locks it, because the lock is held while the disk writes.
  private let file: Mutex<PartialFile?>

  init(_ file: sending PartialFile, on worker: DiskWorker) {
    self.worker = worker
    self.file = Mutex(file)
  }

  /// Buffers the next bytes.
  ///
  /// When the buffer is full, the method waits for the disk. The wait applies back-pressure to a
  /// client that is faster than the disk.
  package func append(_ bytes: [UInt8]) async throws(AssetStorageError) {
    if gather(bytes) { try await flush() }
  }

  /// Buffers the next bytes without waiting.
  ///
  /// - Returns: Whether the buffer is full and should be flushed.
  func gather(_ bytes: [UInt8]) -> Bool {
    buffer.withLock { buffer in
      buffer.pieces.append(bytes)
      buffer.byteCount += bytes.count
      return buffer.byteCount >= Limits.gatheredBytes
    }
  }

  /// Writes the buffered bytes to the disk.
  func flush() async throws(AssetStorageError) {
    try await worker.perform { () throws(AssetStorageError) in _ = try self.write() }
  }

  /// Completes and syncs the file, and returns its name and size.
  func prepare() async throws(AssetStorageError) -> (name: AssetFileName, size: Int64) {
    try await worker.perform { () throws(AssetStorageError) in
      try self.write()
      return try self.withFile { (file) throws(AssetStorageError) in
        (try file.prepare(), file.count)
      }
    }
  }

  /// Discards the upload and removes its file.
  package func discard() async {
    await worker.perform {
      // The file is deallocated here, on the thread that may block.
      self.file.withLock { $0 = nil }
      self.buffer.withLock { $0 = Buffer() }
    }
  }

  private func write() throws(AssetStorageError) {
    let pieces = buffer.withLock { buffer in
      defer { buffer = Buffer() }
      return buffer.pieces
    }
    do throws(AssetStorageError) {
      try withFile { (file) throws(AssetStorageError) in try file.append(pieces) }
    } catch {
      // The pieces are lost. Appending later bytes would leave a hole in the file.
      file.withLock { $0 = nil }
      throw error
    }
  }

  private func withFile<Result: Sendable>(
    _ body: (PartialFile) throws(AssetStorageError) -> Result
  ) throws(AssetStorageError) -> Result {
    try file.withLock { (file) throws(AssetStorageError) in
      guard let file else {
        throw AssetStorageError(.ended, "the upload was given up")
      }
      return try body(file)
    }
  }
}
