package import Foundation

/// A file with a long value, which is read only when the value is needed.
///
/// Borrowed files with the same location and length are equal.
package struct BorrowedFile: Sendable {
  package let url: URL
  /// The size in bytes.
  package let length: Int64
  /// An object that keeps the file alive, such as the asset that it was fetched with.
  package let owner: (any AnyObject & Sendable)?

  package init(url: URL, length: Int64, owner: (any AnyObject & Sendable)? = nil) {
    self.url = url
    self.length = length
    self.owner = owner
  }

  /// Maps the bytes into memory, which are read on access.
  package func mapped() throws -> Data { try Data(contentsOf: url, options: .alwaysMapped) }
}

extension BorrowedFile: Hashable {
  package static func == (one: BorrowedFile, other: BorrowedFile) -> Bool {
    one.url == other.url && one.length == other.length
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

extension BorrowedFile: Codable {
  private enum CodingKeys: String, CodingKey { case url, length }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      url: try values.decode(URL.self, forKey: .url),
      length: try values.decode(Int64.self, forKey: .length))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(url, forKey: .url)
    try values.encode(length, forKey: .length)
  }
}
