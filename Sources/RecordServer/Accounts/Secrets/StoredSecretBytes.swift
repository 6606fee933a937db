import BinaryCoding

/// The stored encoding of a single 32-byte value: the server's secret, or the hash of the
/// administrators' key.
enum StoredSecretBytes {
  private static let version: UInt8 = 1

  static func form(of bytes: [UInt8]) -> [UInt8] {
    var form = BinaryWriter(capacity: 34)
    form.byte(version)
    form.data(bytes)
    return form.bytes
  }

  static func bytes(of value: [UInt8]) throws -> [UInt8] {
    var form = BinaryReader(value)
    guard try form.byte() == version else {
      throw form.error("an unknown form of the server's secrets")
    }
    let bytes = try form.data()
    guard bytes.count == Secret.byteCount, form.isAtEnd else {
      throw form.error("a secret of another length")
    }
    return bytes
  }
}
