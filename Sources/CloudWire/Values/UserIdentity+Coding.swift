package import CloudRecords
package import JSONCoding

extension UserIdentity {
  private enum Key: String, JSONKey {
    case userRecordName, nameComponents, lookupInfo
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .userRecordName: userRecordName = try reader.optionalText()
      case .nameComponents:
        nameComponents = try reader.optional { (reader) throws(JSONError) in
          try NameComponents(from: &reader)
        }
      case .lookupInfo:
        lookupInfo =
          try reader.optional { (reader) throws(JSONError) in try LookupInfo?(from: &reader) }
          ?? nil
      }
    }
  }
}

extension UserIdentity.NameComponents {
  private enum Key: String, JSONKey {
    case namePrefix, givenName, middleName, familyName, nameSuffix, nickname
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      let text = try reader.optionalText()
      switch key {
      case .namePrefix: namePrefix = text
      case .givenName: givenName = text
      case .middleName: middleName = text
      case .familyName: familyName = text
      case .nameSuffix: nameSuffix = text
      case .nickname: nickname = text
      }
    }
  }
}

extension UserIdentity.LookupInfo? {
  private enum Key: String, JSONKey {
    case emailAddress, phoneNumber, userRecordName
    static let table = JSONKeyTable<Key>()
  }

  /// Reads the first lookup value that has a text.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self = nil
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      guard let text = try reader.optionalText(), !text.isEmpty, self == nil else { continue }
      switch key {
      case .emailAddress: self = .emailAddress(text)
      case .phoneNumber: self = .phoneNumber(text)
      case .userRecordName: self = .userRecordName(text)
      }
    }
  }
}

extension JSONReader {
  mutating func optionalIdentity() throws(JSONError) -> UserIdentity? {
    try optional { (reader) throws(JSONError) in try UserIdentity(from: &reader) }
  }
}

extension JSONWriter {
  mutating func identity(_ identity: UserIdentity) {
    beginObject()
    identityMembers(identity)
    endObject()
  }

  mutating func identityMembers(_ identity: UserIdentity) {
    text("userRecordName", ifPresent: identity.userRecordName)
    if let name = identity.nameComponents {
      key("nameComponents")
      nameComponents(name)
    }
    if let info = identity.lookupInfo {
      key("lookupInfo")
      lookupInfo(info)
    }
  }

  private mutating func nameComponents(_ name: UserIdentity.NameComponents) {
    beginObject()
    text("namePrefix", ifPresent: name.namePrefix)
    text("givenName", ifPresent: name.givenName)
    text("middleName", ifPresent: name.middleName)
    text("familyName", ifPresent: name.familyName)
    text("nameSuffix", ifPresent: name.nameSuffix)
    text("nickname", ifPresent: name.nickname)
    endObject()
  }

  mutating func lookupInfo(_ info: UserIdentity.LookupInfo) {
    beginObject()
    switch info {
    case .emailAddress(let address): text("emailAddress", address)
    case .phoneNumber(let number): text("phoneNumber", number)
    case .userRecordName(let name): text("userRecordName", name)
    }
    endObject()
  }
}
