import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import Foundation

/// The server's form of a sealed asset file: a magic number, a random name, then chunks, each
/// sealed like an encrypted field.
///
/// | bytes | |
/// |---|---|
/// | 16 | `parhelion.file.1` |
/// | 16 | a random name of the file |
/// | 4, per chunk | the length of the sealed chunk, big-endian |
/// | *length* | the sealed chunk |
///
/// Each chunk is bound to a field name made of the asset's field, the file's name, the chunk's
/// index, and whether it is the last one. So no chunk can be removed, moved, or taken from another
/// file, field or record.
enum SealedFile {
  static let mark = family + Array("1".utf8)

  /// The start of every version's magic number; one digit follows.
  private static let family = Array("parhelion.file.".utf8)

  /// The size of a chunk before sealing.
  static let chunkBytes = 1 << 20

  /// The largest sealed chunk that is read.
  static let longestChunk = chunkBytes + 4_096

  /// The field name that a chunk is bound to.
  static func field(_ key: CKRecord.FieldKey, _ name: [UInt8], _ index: Int, isLast: Bool)
    -> String
  {
    "\(key).\(Base64Text.text(name)).\(index)" + (isLast ? ".last" : "")
  }

  static let nameBytes = 16

  /// Whether a file is sealed, by this or a later version of the format.
  static func isSealed(at path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: mark.count)).map { isMark($0) } ?? false
  }

  private static func isMark(_ bytes: Data) -> Bool {
    bytes.count == mark.count && bytes.starts(with: family)
      && bytes.last.map { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } == true
  }

  fileprivate static func later(_ key: CKRecord.FieldKey) -> EncryptionError {
    EncryptionError(
      .unknownVersion,
      "The file of \(key) was sealed by a later version of this library, which this one cannot open. Update it."
    )
  }

  fileprivate static func modified(_ path: String) -> CKError {
    CKError(
      .assetFileModified, "The file \(path) was changed while it was sealed. Save the record again."
    )
  }

  static func damaged(_ key: CKRecord.FieldKey) -> CKError {
    CKError(
      .assetNotAvailable, "The file of \(key) does not match its seal: it was damaged or exchanged."
    )
  }
}

extension RecordVault {
  /// Seals a file for an asset field of a record.
  ///
  /// - Returns: The generation of the user's keys.
  /// - Throws: `assetFileModified` if the file changes meanwhile. Its chunks would be a mix of two
  ///   versions.
  func sealFile(
    at path: String, to sealedPath: String, key: CKRecord.FieldKey, of record: RecordIdentifier,
    recordType: String,
    shareName: String?, _ options: CallOptions
  ) async throws(CKError) -> Int64? {
    do {
      let version = FileVersion(path)
      var generation: Int64?
      let (source, target) = try Self.files(path, sealedPath)
      defer { for file in [source, target] { try? file.close() } }
      let name = SecureRandom.bytes(SealedFile.nameBytes)
      try target.write(contentsOf: Data(SealedFile.mark + name))
      var (index, chunk) = (0, try source.read(upToCount: SealedFile.chunkBytes) ?? Data())
      while true {
        let next = try source.read(upToCount: SealedFile.chunkBytes) ?? Data()
        let field = SealedFile.field(key, name, index, isLast: next.isEmpty)
        var fields = RecordFields()
        fields[field] = Field(.bytes(Array(chunk)), isEncrypted: true)
        let piece = RecordToSeal(fields, of: record, recordType: recordType, shareName: shareName)
        let sealed = try await seal([piece], options)[0].get()
        generation = generation ?? sealed.keyGeneration
        guard case .bytes(let bytes)? = sealed.record.fields[field]?.value else {
          throw SealedFile.damaged(key)
        }
        let length = Data((0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * $0)) })
        try target.write(contentsOf: length + bytes)
        if next.isEmpty { break }
        (index, chunk) = (index + 1, next)
      }
      guard FileVersion(path) == version else { throw SealedFile.modified(path) }
      return generation
    } catch let error as CKError {
      throw error
    } catch {
      let isThere = FileVersion(path) != nil
      throw CKError(
        isThere ? .internalError : .assetFileNotFound,
        "The file \(path) of \(key) cannot be sealed", because: error)
    }
  }

  /// Opens a sealed file of an asset field.
  func openFile(
    at path: String, to openedPath: String, key: CKRecord.FieldKey, of record: CloudRecord,
    _ options: CallOptions
  ) async throws(CKError) {
    do {
      let (source, target) = try Self.files(path, openedPath)
      defer { for file in [source, target] { try? file.close() } }
      guard
        try source.read(upToCount: SealedFile.mark.count)?.elementsEqual(SealedFile.mark) == true
      else {
        throw CKError(encryption: SealedFile.later(key))
      }
      guard let name = try source.read(upToCount: SealedFile.nameBytes),
        name.count == SealedFile.nameBytes
      else { throw SealedFile.damaged(key) }
      var (index, chunk) = (0, try Self.chunk(of: source, key))
      while let current = chunk {
        chunk = try Self.chunk(of: source, key)
        let field = SealedFile.field(key, Array(name), index, isLast: chunk == nil)
        var part = record
        part.fields = RecordFields()
        part.fields[field] = Field(.bytes(current), isEncrypted: true)
        guard
          case .bytes(let bytes)? = try await open(part, wanted: [field], options).fields[field]?
            .value
        else {
          throw SealedFile.damaged(key)
        }
        try target.write(contentsOf: Data(bytes))
        index += 1
      }
      if index == 0 { throw SealedFile.damaged(key) }
    } catch let error as CKError {
      throw error
    } catch {
      throw CKError(.internalError, "The file of \(key) cannot be opened", because: error)
    }
  }

  private static func files(_ source: String, _ target: String) throws -> (FileHandle, FileHandle) {
    let index = URL(fileURLWithPath: target)
    try Data().write(to: index)
    return (
      try FileHandle(forReadingFrom: URL(fileURLWithPath: source)),
      try FileHandle(forWritingTo: index)
    )
  }

  /// Reads the next sealed chunk; nil at the end.
  private static func chunk(of file: FileHandle, _ key: CKRecord.FieldKey) throws -> [UInt8]? {
    guard let head = try file.read(upToCount: 4), !head.isEmpty else { return nil }
    let length = head.reduce(0) { $0 << 8 | Int($1) }
    guard head.count == 4, (1...SealedFile.longestChunk).contains(length),
      let chunk = try file.read(upToCount: length),
      chunk.count == length
    else { throw SealedFile.damaged(key) }
    return Array(chunk)
  }
}
