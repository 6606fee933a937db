package import JSONCoding

/// A share that a client requests by its short name.
package struct ShareLookup: Hashable, Sendable {
  package var shortIdentifier: String
  package var wantsRoot = false
  /// The requested fields of the root record, or nil for all.
  package var desiredKeys: [String]?
  /// The token with which the server's invitation page handed the share over to a program.
  ///
  /// It is valid once, and only for the page's user. It is an addition of Parhelion: Apple's web
  /// protocol has no such member.
  package var handover: String?
  /// The proof for the owner's devices that the user who joins has the share's link.
  ///
  /// It is an addition of Parhelion.
  package var joinProof: [UInt8]?

  package init(shortIdentifier: String) { self.shortIdentifier = shortIdentifier }
}

/// `records/resolve`: fetches shares by short name.
package struct SharesResolveRequest: DatabaseRequest, Hashable {
  package typealias Response = SharesResponse
  package static let endpoint = Endpoint.recordsResolve

  package var shares: [ShareLookup]

  package init(shares: [ShareLookup]) { self.shares = shares }

  package init(from reader: inout JSONReader) throws(JSONError) {
    shares = try ShareLookup.list(&reader)
  }

  package func write(to writer: inout JSONWriter) { writer.lookups(shares) }
}

/// `records/accept`: joins shares by short name.
package struct SharesAcceptRequest: DatabaseRequest, Hashable {
  package typealias Response = SharesResponse
  package static let endpoint = Endpoint.recordsAccept

  package var shares: [ShareLookup]

  package init(shares: [ShareLookup]) { self.shares = shares }

  package init(from reader: inout JSONReader) throws(JSONError) {
    shares = try ShareLookup.list(&reader)
  }

  package func write(to writer: inout JSONWriter) { writer.lookups(shares) }
}

/// `records/requestAccess`: asks the owners of shares for access, by short name.
///
/// Apple's own programs can ask, but its web protocol has no such operation. This one is an
/// addition of Parhelion.
package struct SharesRequestAccessRequest: DatabaseRequest, Hashable {
  package typealias Response = SharesResponse
  package static let endpoint = Endpoint.recordsRequestAccess

  package var shares: [ShareLookup]

  package init(shares: [ShareLookup]) { self.shares = shares }

  package init(from reader: inout JSONReader) throws(JSONError) {
    shares = try ShareLookup.list(&reader)
  }

  package func write(to writer: inout JSONWriter) { writer.lookups(shares) }
}

// MARK: - Coding

extension ShareLookup {
  private enum ListKey: String, JSONKey {
    case shortGUIDs
    static let table = JSONKeyTable<ListKey>()
  }

  fileprivate static func list(_ reader: inout JSONReader) throws(JSONError) -> [ShareLookup] {
    try reader.list(under: ListKey.shortGUIDs) { (reader) throws(JSONError) in
      try ShareLookup(from: &reader)
    }
  }

  private enum Key: String, JSONKey {
    case value, shouldFetchRootRecord, rootRecordDesiredKeys, handoverToken, joinProof
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var value: String?
    self.init(shortIdentifier: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .value: value = try reader.string()
      case .shouldFetchRootRecord: wantsRoot = try reader.optionalBool() ?? false
      case .rootRecordDesiredKeys: desiredKeys = try reader.optionalTexts()
      case .handoverToken: handover = try reader.optionalText()
      case .joinProof: joinProof = try reader.null() ? nil : reader.base64()
      }
    }
    guard let value else { throw reader.missingKey(Key.value) }
    shortIdentifier = value
  }
}

extension JSONWriter {
  fileprivate mutating func lookups(_ shares: [ShareLookup]) {
    beginObject()
    key("shortGUIDs")
    beginArray()
    for lookup in shares {
      beginObject()
      text("value", lookup.shortIdentifier)
      bool("shouldFetchRootRecord", lookup.wantsRoot)
      texts("rootRecordDesiredKeys", ifPresent: lookup.desiredKeys)
      text("handoverToken", ifPresent: lookup.handover)
      if let proof = lookup.joinProof {
        key("joinProof")
        base64(proof.span)
      }
      endObject()
    }
    endArray()
    endObject()
  }
}
