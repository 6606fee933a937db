import Foundation
import ManagedObjectModel

/// A value as a field holds it, inline or as an asset.
enum RecordValue: Sendable {
  case string(String)
  case integer(Int64)
  case double(Double)
  /// Whole milliseconds since 1970, which is the precision of fields.
  case milliseconds(Int64)
  case bytes(Data)
  case file(BorrowedFile)
}

extension MirrorValue {
  /// The value as a field holds it; nil if the field is empty.
  ///
  /// | value | in the field |
  /// |---|---|
  /// | Decimal | the nearest double |
  /// | Date | the nearest millisecond |
  /// | Float | the same number as a double |
  /// | UUID, URI | their text |
  /// | NaN, infinite | nothing: records cannot hold them |
  ///
  /// A second field of ours keeps the exact value (`exactText`).
  var inRecord: RecordValue? {
    switch self {
    case .null: nil
    case .integer(let number): .integer(number)
    case .boolean(let value): .integer(value ? 1 : 0)
    case .double(let number): number.isFinite ? .double(number) : nil
    case .float(let number): number.isFinite ? .double(Double(number)) : nil
    case .decimal(let number): Double("\(number)").flatMap { $0.isFinite ? .double($0) : nil }
    case .string(let text): .string(text)
    case .date(let date): Self.milliseconds(date).map { .milliseconds($0) }
    case .data(let data): .bytes(data)
    case .file(let file): .file(file)
    case .uuid(let identifier): .string(identifier.uuidString)
    case .uri(let url): .string(url.absoluteString)
    }
  }

  private static func milliseconds(_ date: Date) -> Int64? {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
  }
}

extension RecordValue {
  /// The number of bytes that the value takes in a record.
  package var length: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .integer, .double, .milliseconds: 8
    case .bytes(let data): data.count
    case .file(let file): Int(clamping: file.length)
    }
  }

  /// Whether two fields hold the same value; bytes are compared, inline or in files.
  ///
  /// - Throws: An error of reading a file.
  package func isSame(as other: RecordValue) throws -> Bool {
    switch (self, other) {
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.integer(let one), .integer(let other)): one == other
    case (.double(let one), .double(let other)): one == other
    case (.milliseconds(let one), .milliseconds(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    case (.file(let one), .file(let other)) where one == other: true
    case (.file, .file), (.file, .bytes), (.bytes, .file):
      try length == other.length && bytes() == other.bytes()
    default: false
    }
  }

  /// The bytes; those of a file are mapped, so that they do not stay in memory.
  private func bytes() throws -> Data {
    switch self {
    case .bytes(let data): data
    case .file(let file): try file.mapped()
    default: Data()
    }
  }
}

extension MirrorValue {
  /// Whether a record holds this value.
  ///
  /// If the record has no exact value, Apple's field decides, unless it is empty.
  func isSameInRecord(as read: MirrorValue) throws -> Bool {
    guard try isSameInField(as: read) else { return false }
    return exactText == read.exactText || (read.exactText == nil && inRecord != nil)
  }

  /// Whether Apple's fields of two values are equal.
  func isSameInField(as other: MirrorValue) throws -> Bool {
    switch (inRecord, other.inRecord) {
    case (nil, nil): true
    case (let one?, let other?): try one.isSame(as: other)
    default: false
    }
  }
}
