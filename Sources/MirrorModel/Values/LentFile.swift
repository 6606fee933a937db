package import Foundation

/// A file that holds a long value, and is read where the value is needed.
///
/// Lent files are equal that are at one place.
package struct LentFile: Sendable {
  /// The place of the file.
  package let url: URL
  /// The number of its bytes.
  package let length: Int64
  /// What the file lives as long as, such as the asset that it was fetched with.
  package let keeper: (any AnyObject & Sendable)?

  package init(url: URL, length: Int64, keeper: (any AnyObject & Sendable)? = nil) {
    self.url = url
    self.length = length
    self.keeper = keeper
  }

  /// The bytes, mapped into memory and read when they are looked at.
  package func mapped() throws -> Data { try Data(contentsOf: url, options: .alwaysMapped) }
}

extension LentFile: Hashable {
  package static func == (one: LentFile, other: LentFile) -> Bool {
    one.url == other.url && one.length == other.length
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

extension LentFile: Codable {
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
