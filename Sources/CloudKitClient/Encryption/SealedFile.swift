import CloudEncryption
import CloudRecords
import Foundation

/// The file of an asset as the server has it where it is sealed: a mark, then pieces, each sealed
/// like the value of an encrypted field.
///
/// | bytes | |
/// |---|---|
/// | 16 | `parhelion.file.1` |
/// | 4, of each piece | the length of what follows, the highest byte first |
/// | so many | the sealed piece |
///
/// A piece belongs to a field that is named after the asset's, the place of the piece and whether
/// it is the last one: none can be left out, moved or taken from another field or record. A piece
/// of a former version of the same file at the same place opens as well: a server can mix versions
/// of one file.
enum SealedFile {
  static let mark = family + Array("1".utf8)

  /// What the marks of all versions begin with; one digit follows.
  private static let family = Array("parhelion.file.".utf8)

  /// How much of a file is sealed at once.
  static let pieceBytes = 1 << 20

  /// The longest piece that is read: a piece, and what sealing adds to it.
  static let longestPiece = pieceBytes + 4_096

  /// The field that a piece belongs to.
  static func field(_ key: CKRecord.FieldKey, _ place: Int, isLast: Bool) -> String {
    "\(key).\(place)" + (isLast ? ".last" : "")
  }

  /// Whether a file is a sealed one, of this version or a later one.
  static func isOne(_ path: String) -> Bool {
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
      .assetNotAvailable,
      "The file of \(key) is not what was sealed for it: it was damaged, or taken from elsewhere.")
  }
}

extension RecordVault {
  /// Seals a file for an asset's field of a record.
  ///
  /// - Returns: By what the server knows the user's keys of that time.
  /// - Throws: `assetFileModified` where it changes meanwhile: some pieces would be of the former
  ///   contents, and others of the new ones.
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
      try target.write(contentsOf: Data(SealedFile.mark))
      var (place, piece) = (0, try source.read(upToCount: SealedFile.pieceBytes) ?? Data())
      while true {
        let next = try source.read(upToCount: SealedFile.pieceBytes) ?? Data()
        let field = SealedFile.field(key, place, isLast: next.isEmpty)
        var fields = RecordFields()
        fields[field] = Field(.bytes(Array(piece)), isEncrypted: true)
        let sealed = try await seal(
          fields, of: record, recordType: recordType, shareName: shareName, options)
        generation = generation ?? sealed.keyGeneration
        guard case .bytes(let bytes)? = sealed.fields[field]?.value else {
          throw SealedFile.damaged(key)
        }
        let length = Data((0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * $0)) })
        try target.write(contentsOf: length + bytes)
        if next.isEmpty { break }
        (place, piece) = (place + 1, next)
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

  /// Opens a file that was sealed for an asset's field of a record.
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
      var (place, piece) = (0, try Self.piece(of: source, key))
      while let current = piece {
        piece = try Self.piece(of: source, key)
        let field = SealedFile.field(key, place, isLast: piece == nil)
        var part = record
        part.fields = RecordFields()
        part.fields[field] = Field(.bytes(current), isEncrypted: true)
        guard case .bytes(let bytes)? = try await open(part, options).fields[field]?.value else {
          throw SealedFile.damaged(key)
        }
        try target.write(contentsOf: Data(bytes))
        place += 1
      }
      if place == 0 { throw SealedFile.damaged(key) }
    } catch let error as CKError {
      throw error
    } catch {
      throw CKError(.internalError, "The file of \(key) cannot be opened", because: error)
    }
  }

  private static func files(_ source: String, _ target: String) throws -> (FileHandle, FileHandle) {
    let place = URL(fileURLWithPath: target)
    try Data().write(to: place)
    return (
      try FileHandle(forReadingFrom: URL(fileURLWithPath: source)),
      try FileHandle(forWritingTo: place)
    )
  }

  /// The next piece as it was sealed; nil at the end.
  private static func piece(of file: FileHandle, _ key: CKRecord.FieldKey) throws -> [UInt8]? {
    guard let head = try file.read(upToCount: 4), !head.isEmpty else { return nil }
    let length = head.reduce(0) { $0 << 8 | Int($1) }
    guard head.count == 4, (1...SealedFile.longestPiece).contains(length),
      let piece = try file.read(upToCount: length),
      piece.count == length
    else { throw SealedFile.damaged(key) }
    return Array(piece)
  }
}
