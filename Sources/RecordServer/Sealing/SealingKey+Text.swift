package import CloudRecords
import Cryptography

extension SealingKey {
  /// Parses an operator's key file: one key of 64 hexadecimal digits per line; the first one seals.
  ///
  /// Empty lines and lines that begin with `#` are ignored.
  package static func keys(inFile text: String) throws(CloudError) -> [SealingKey] {
    var keys: [SealingKey] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let digits = line.filter { !$0.isWhitespace }
      guard !digits.isEmpty, !digits.hasPrefix("#") else { continue }
      guard let bytes = Hexadecimal.bytes(digits.lowercased(), count: byteCount) else {
        throw CloudError(
          .badRequest,
          "Line \(index + 1) is not a sealing key, which has \(byteCount * 2) hexadecimal digits, as “openssl rand -hex \(byteCount)” prints them."
        )
      }
      keys.append(SealingKey(SecretBytes(bytes)))
    }
    guard !keys.isEmpty else {
      throw CloudError(.badRequest, "There is no sealing key in the file.")
    }
    return keys
  }
}
