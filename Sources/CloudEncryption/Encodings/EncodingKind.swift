import BinaryCoding

/// The first byte of an encoding, which identifies its kind.
enum EncodingKind: UInt8 {
  case value = 0xE1  // SealedValueHeader.mark
  case keyRing = 0xE2
  case publicIdentity = 0xE3
  case privateBag = 0xE4
  case storedKeys = 0xE5

  /// The current version of all kinds.
  static let version: UInt8 = 1

  var name: String {
    switch self {
    case .value: "a sealed value"
    case .keyRing: "a bag of a zone's keys"
    case .publicIdentity: "a user's public key bag"
    case .privateBag: "a user's private key bag"
    case .storedKeys: "a file of keys"
    }
  }
}

extension BinaryWriter {
  /// Creates a writer that begins with the purpose of the encoding, so that one kind cannot be
  /// mistaken for another.
  init(purpose: String) {
    self.init()
    text(purpose)
  }

  /// Creates a writer that begins with the kind and the version of the encoding.
  init(_ kind: EncodingKind, version: UInt8 = EncodingKind.version) {
    self.init()
    heading(kind, version: version)
  }

  /// Writes the kind and the version of an encoding.
  mutating func heading(_ kind: EncodingKind, version: UInt8 = EncodingKind.version) {
    byte(kind.rawValue)
    byte(version)
  }
}

extension BinaryReader {
  /// Reads the first two bytes of an encoding, its kind and its version.
  ///
  /// - Returns: The version.
  mutating func heading(_ kind: EncodingKind) throws(BinaryCodingError) -> UInt8 {
    guard try byte() == kind.rawValue else { throw error("it is not \(kind.name)") }
    return try byte()
  }

  /// Reads the heading of an encoding, and requires the current version.
  mutating func requireHeading(_ kind: EncodingKind) throws(BinaryCodingError) {
    guard try heading(kind) == EncodingKind.version else {
      throw error("it is of a later version")
    }
  }
}
