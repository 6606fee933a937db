import BinaryCoding

/// The first byte of a form.
enum EncodingKind: UInt8 {
  case value = 0xE1
  case keyRing = 0xE2
  case publicIdentity = 0xE3
  case privateBag = 0xE4
  case storedKeys = 0xE5

  /// The only version that there is so far, of each.
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
  /// Begins with what the form is for, so that no form is taken for one of another kind.
  init(purpose: String) {
    self.init()
    text(purpose)
  }

  /// Begins with what the form is, and which version.
  init(_ kind: EncodingKind, version: UInt8 = EncodingKind.version) {
    self.init()
    byte(kind.rawValue)
    byte(version)
  }
}

extension BinaryReader {
  /// The first two bytes of every form: what it is, and which version.
  mutating func heading(_ kind: EncodingKind) throws(BinaryCodingError) -> UInt8 {
    guard try byte() == kind.rawValue else { throw damage("it is not \(kind.name)") }
    return try byte()
  }

  /// The heading of a form of the only version that there is.
  mutating func requireHeading(_ kind: EncodingKind) throws(BinaryCodingError) {
    guard try heading(kind) == EncodingKind.version else {
      throw damage("it is of a later version")
    }
  }
}
