internal import CloudTransport

/// Writes a successful response to a file, and any other response into memory.
final class FileSink: ResponseSink {
  private let file: DownloadFile
  private let progress: TransportProgress
  private let memory: MemorySink
  private var takesFile = false

  init(
    _ file: DownloadFile, progress: @escaping TransportProgress, limit: Int, answer: PendingResponse
  ) {
    self.file = file
    self.progress = progress
    memory = MemorySink(limit: limit, answer: answer)
  }

  func begin(_ head: TransportResponse) throws(TransportError) {
    takesFile = try file.begin(head)
  }

  func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    guard takesFile else { return unsafe try memory.take(bytes) }
    unsafe try file.append(bytes)
    progress(file.count, file.total)
    return true
  }

  func finish(_ result: Result<TransportResponse, TransportError>) { memory.finish(result) }
}
