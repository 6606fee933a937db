import CloudRecords
package import JSONCoding

/// The place of a key bag on the server.
///
/// It is an addition of Parhelion. A key bag contains keys that clients have sealed for each other
/// and that the server cannot read.
package enum KeyBagPlace: Hashable, Sendable {
  /// The keys of a zone, for its owner and all users who can read the whole zone.
  case zone(ZoneReference)
  /// The keys of shared records, for the owner and the participants of the share.
  case share(ZoneReference, name: String)
  /// The public keys of a user, or of the caller for nil.
  case publicUser(String?)
  /// The private keys of the caller, for the caller's devices only.
  case privateUser

  package enum Kind: String, JSONKey {
    case zone = "ZONE"
    case share = "SHARE"
    case publicUser = "USER_PUBLIC"
    case privateUser = "USER_PRIVATE"
    package static let table = JSONKeyTable<Kind>()
  }

  package var kind: Kind {
    switch self {
    case .zone: .zone
    case .share: .share
    case .publicUser: .publicUser
    case .privateUser: .privateUser
    }
  }
}

// MARK: - Coding

/// The members that name a place in a JSON object, which may have other members too.
struct KeyBagPlaceMembers {
  private var kind: KeyBagPlace.Kind?
  private var zone: ZoneReference?
  private var shareName: String?
  private var userName: String?

  enum Key: String, JSONKey {
    case bagType, zoneID, shareName, userRecordName
    static let table = JSONKeyTable<Key>()
  }

  mutating func read(_ key: Key, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    case .bagType:
      kind = try reader.word(KeyBagPlace.Kind.self)
      if kind == nil {
        throw reader.invalidValue("expected ZONE, SHARE, USER_PUBLIC or USER_PRIVATE")
      }
    case .zoneID: zone = try ZoneReference(from: &reader)
    case .shareName: shareName = try reader.optionalText()
    case .userRecordName: userName = try reader.optionalText()
    }
  }

  func place(_ reader: inout JSONReader) throws(JSONError) -> KeyBagPlace {
    switch kind {
    case .zone:
      guard let zone else { throw reader.missingKey(Key.zoneID) }
      return .zone(zone)
    case .share:
      guard let zone else { throw reader.missingKey(Key.zoneID) }
      guard let shareName else { throw reader.missingKey(Key.shareName) }
      return .share(zone, name: shareName)
    case .publicUser: return .publicUser(userName)
    case .privateUser: return .privateUser
    case nil: throw reader.missingKey(Key.bagType)
    }
  }
}

extension JSONWriter {
  /// Writes the members that name a bag in requests.
  mutating func place(_ place: KeyBagPlace) {
    text("bagType", place.kind.rawValue)
    switch place {
    case .zone(let zone): self.zone("zoneID", ifPresent: zone)
    case .share(let zone, let name):
      self.zone("zoneID", ifPresent: zone)
      text("shareName", name)
    case .publicUser(let name): text("userRecordName", ifPresent: name)
    case .privateUser: break
    }
  }

  /// Writes the members that name a bag in responses.
  ///
  /// - Parameter caller: The owner if the request named none.
  mutating func place(_ place: KeyBagPlace, caller: String) {
    text("bagType", place.kind.rawValue)
    switch place {
    case .zone(let zone), .share(let zone, _):
      key("zoneID")
      self.zone(zone.identifier(caller: caller))
      if case .share(_, let name) = place { text("shareName", name) }
    case .publicUser(let name): text("userRecordName", name ?? caller)
    case .privateUser: text("userRecordName", caller)
    }
  }
}
