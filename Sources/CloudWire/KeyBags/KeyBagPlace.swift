import CloudRecords
package import JSONCoding

/// Which key bag is meant.
///
/// Parhelion's addition. A key bag holds keys that clients have sealed for each other; the server
/// cannot look into it.
package enum KeyBagPlace: Hashable, Sendable {
  /// The keys of a zone, for its owner and everybody who sees all of it.
  case zone(ZoneReference)
  /// The keys of what is shared, for the owner and those who take part in the share.
  case share(ZoneReference, name: String)
  /// What others need to seal something for a user; nil for the caller.
  case publicUser(String?)
  /// What the caller's devices need, and nobody else sees.
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

/// The members of a place, read one by one among those of the object that names it.
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
  /// The members that name a bag in requests.
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

  /// The members that name a bag in responses.
  ///
  /// - Parameter caller: Who owns what the request did not name an owner of.
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
