package import Foundation

/// The stored form of a value that may be in an external file: the bytes, or the name of the file.
///
/// | first byte | content |
/// |---|---|
/// | 1 | the bytes |
/// | 2 | the file's name, a UUID in upper case of 36 characters, and a zero |
package enum ExternalReference: Equatable {
  case inline(Data)
  case file(String)

  private static let inlineTag: UInt8 = 1
  private static let fileTag: UInt8 = 2
  private static let nameBytes = 36

  /// Reads a column.
  ///
  /// A store whose attribute did not always allow external storage has bytes without a tag; they
  /// are taken as the value.
  package init(stored data: Data) {
    if data.first == Self.fileTag, let name = Self.name(in: data.dropFirst()) {
      self = .file(name)
    } else if data.first == Self.inlineTag {
      self = .inline(Data(data.dropFirst()))
    } else {
      self = .inline(data)
    }
  }

  private static func name(in bytes: Data) -> String? {
    let characters = bytes.last == 0 ? bytes.dropLast() : bytes
    guard characters.count == nameBytes, let name = String(data: characters, encoding: .utf8),
      // A name from a damaged file must not lead outside the folder.
      UUID(uuidString: name) != nil
    else { return nil }
    return name
  }

  /// The bytes of the column.
  var stored: Data {
    switch self {
    case .inline(let data): Data([Self.inlineTag]) + data
    case .file(let name): Data([Self.fileTag]) + Data(name.utf8) + Data([0])
    }
  }
}
