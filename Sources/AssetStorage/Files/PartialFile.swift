internal import Cryptography
internal import RecordServer
internal import SystemFiles

/// A file that is written and hashed piece by piece, and invisible until it is complete.
///
/// Deallocating an incomplete file removes it from the disk. The methods block.
final class PartialFile {
  private let folder: AssetFolder
  private let path: String
  private let number: UInt64
  private let limit: Int64
  private let reservedBytes: Int64
  private let descriptor: FileDescriptor
  private var digest: Digest? = Digest(.sha256)
  private var startedBytes: Int64 = 0
  private var isWhole = false
  /// The number of bytes written.
  private(set) var count: Int64 = 0

  /// Creates an empty file for an upload.
  ///
  /// - Parameters:
  ///   - number: A unique number, never used for another file.
  ///   - limit: The maximum size.
  ///   - reservedBytes: The disk space that the file must leave free.
  init(in folder: AssetFolder, number: UInt64, limit: Int64, reservedBytes: Int64)
    throws(AssetStorageError)
  {
    self.folder = folder
    self.number = number
    self.limit = limit
    self.reservedBytes = reservedBytes
    let path = "\(folder.incoming)/\(String(number, radix: 16))\(AssetFolder.partSuffix)"
    self.path = path
    descriptor = try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try FileDescriptor(path, for: .creating)
    }
  }

  deinit {
    // The next start of the server removes a file that cannot be removed now.
    if !isWhole { try? FileNames.remove(path) }
  }

  /// Throws if this many more bytes would exceed the file's limit or the disk's free space.
  func expect(_ more: Int64) throws(AssetStorageError) {
    guard more <= limit - count else {
      throw AssetStorageError(.tooLarge, "the file has more than the maximum of \(limit) bytes")
    }
    let free = try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try descriptor.freeBytes()
    }
    guard free - reservedBytes >= more else {
      throw AssetStorageError(
        .full,
        "the disk of the files has no space for \(more) more bytes; free some, or move the folder",
        place: folder.path)
    }
  }

  func append(_ pieces: [[UInt8]]) throws(AssetStorageError) {
    try expect(pieces.reduce(0) { $0 + Int64($1.count) })
    for piece in pieces {
      try AssetStorageError.mappingErrors { () throws(SystemFailure) in
        try descriptor.write(piece)
      }
      digest?.update(piece)
      count += Int64(piece.count)
    }
    if count - startedBytes >= Limits.writebackBytes {
      descriptor.startSync(from: startedBytes, count: count - startedBytes)
      startedBytes = count
    }
  }

  /// Completes the file: syncs its bytes and gives it its name.
  func prepare() throws(AssetStorageError) -> AssetFileName {
    guard let digest = digest.take(), let checksum = AssetChecksum(digest: digest.finish()) else {
      throw AssetStorageError(.ended, "the upload was already finished", place: path)
    }
    let name = AssetFileName(checksum: checksum, number: number)
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try descriptor.sync()
      try FileNames.rename(path, to: folder.path(inIncoming: name))
      isWhole = true
      try FileNames.syncFolder(folder.incoming)
    }
    return name
  }
}
