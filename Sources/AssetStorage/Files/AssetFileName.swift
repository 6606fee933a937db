package import RecordServer

/// The name of an asset file: the hash of its contents, and a unique number.
///
/// The hash lets any program verify the contents without the database. The number makes it safe to
/// remove an unreferenced file at any time: contents that are uploaded again get another name.
package struct AssetFileName: Hashable, Sendable {
  package let checksum: AssetChecksum
  let number: UInt64

  init(checksum: AssetChecksum, number: UInt64) {
    self.checksum = checksum
    self.number = number
  }

  /// Parses a name; nil if the text is not one.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 16, let number = UInt64(parts[1], radix: 16),
      let digest = Self.digest(parts[0].utf8), let checksum = AssetChecksum(digest: digest)
    else { return nil }
    self.init(checksum: checksum, number: number)
    // A text with uppercase letters or a sign would be a second name of the same file.
    guard self.text == text else { return nil }
  }

  package var text: String { Self.hexadecimal(checksum.digest) + "-" + Self.digits(of: number) }

  /// The folder within `contents` that has the file.
  ///
  /// There are 256 such folders, so that none becomes too large.
  var shard: String { Self.hexadecimal([checksum.digest[0]]) }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func digits(of number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  private static func digest(_ text: Substring.UTF8View) -> [UInt8]? {
    guard text.count == 2 * AssetChecksum.byteCount else { return nil }
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let high = rest.next(), let low = rest.next() {
      guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}
