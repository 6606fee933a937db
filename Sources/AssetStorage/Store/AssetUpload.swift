internal import Synchronization

/// A file that comes in.
///
///     let upload = try await store.begin(grant, length: request.body.length)
///     for try await piece in request.body { try await upload.append(piece) }
///     let asset = try await store.finish(upload)
///
/// One task at a time uses it. An upload that is let go of without its end leaves nothing behind.
package final class AssetUpload: Sendable {
  private struct State {
    var file: PartialFile?
    var gathered: [[UInt8]] = []
    var gatheredBytes = 0
  }

  private let worker: DiskWorker
  private let state: Mutex<State>

  init(_ file: sending PartialFile, on worker: DiskWorker) {
    self.worker = worker
    state = Mutex(State(file: file))
  }

  /// Takes the next bytes.
  ///
  /// It waits for the disk when some have gathered: a client that is faster than the disk is made
  /// to wait, too.
  package func append(_ bytes: [UInt8]) async throws(AssetStorageError) {
    if gather(bytes) { try await flush() }
  }

  /// Takes the next bytes, without waiting.
  ///
  /// - Returns: Whether so much has gathered that the disk should get it.
  func gather(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      state.gathered.append(bytes)
      state.gatheredBytes += bytes.count
      return state.gatheredBytes >= Limits.gatheredBytes
    }
  }

  /// Gives the disk what has gathered.
  func flush() async throws(AssetStorageError) {
    try await worker.perform { () throws(AssetStorageError) in _ = try self.write() }
  }

  /// Ends the file, safely on the disk; its name and size.
  func prepare() async throws(AssetStorageError) -> (name: AssetFileName, size: Int64) {
    try await worker.perform { () throws(AssetStorageError) in
      try self.write()
      return try self.withFile { (file) throws(AssetStorageError) in
        (try file.prepare(), file.count)
      }
    }
  }

  /// Gives the upload up, and removes what came.
  package func discard() async {
    await worker.perform {
      self.state.withLock { state in
        // The file goes with its last owner, on the thread that may block.
        state = State()
      }
    }
  }

  private func write() throws(AssetStorageError) {
    let pieces = state.withLock { state in
      defer { (state.gathered, state.gatheredBytes) = ([], 0) }
      return state.gathered
    }
    try withFile { (file) throws(AssetStorageError) in try file.append(pieces) }
  }

  private func withFile<Result: Sendable>(
    _ body: (PartialFile) throws(AssetStorageError) -> Result
  ) throws(AssetStorageError) -> Result {
    try state.withLock { (state) throws(AssetStorageError) in
      guard let file = state.file else {
        throw AssetStorageError(.ended, "the upload was given up")
      }
      return try body(file)
    }
  }
}
