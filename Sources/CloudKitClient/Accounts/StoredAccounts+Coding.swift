import CloudRecords
import JSONCoding

/// Why an account file cannot be read.
enum StoredAccountsError: Error {
  /// It is damaged, for the given reason.
  case damaged(String)
  /// A later version of this library wrote it.
  case later
}

extension StoredAccounts {
  private static let version: Int64 = 1

  private enum Key: String, JSONKey {
    case version, server, container, environment, current, accounts, successors
    static let table = JSONKeyTable<Key>()
  }

  private enum ItemKey: String, JSONKey {
    case userRecordName, name, webAuthToken, given
    static let table = JSONKeyTable<ItemKey>()
  }

  /// Encodes the account file of a container.
  ///
  /// ```json
  /// {"version":1,"server":"https://cloud.example.com","container":"iCloud.com.example.notes",
  ///  "environment":"production","current":"_ab12…",
  ///  "accounts":[{"userRecordName":"_ab12…","name":"Ada Lovelace","webAuthToken":"…"}],
  ///  "successors":[{"given":"…","webAuthToken":"…"}]}
  /// ```
  func bytes(at address: CloudAddress) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("version")
    writer.int64(Self.version)
    writer.text("server", address.server)
    writer.text("container", address.container.container)
    writer.text("environment", address.container.environment.rawValue)
    writer.text("current", current)
    writer.key("accounts")
    writer.beginArray()
    for account in accounts {
      writer.beginObject()
      writer.text("userRecordName", account.userRecordName)
      writer.text("name", account.name)
      writer.text("webAuthToken", account.webAuthToken)
      writer.endObject()
    }
    writer.endArray()
    writer.key("successors")
    writer.beginArray()
    for successor in successors {
      writer.beginObject()
      writer.text("given", successor.given)
      writer.text("webAuthToken", successor.webAuthToken)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.array()
  }

  /// Decodes the account file of a container.
  init(_ bytes: [UInt8], at address: CloudAddress) throws(StoredAccountsError) {
    var version: Int64?
    var found = StoredAccounts()
    var written: [Key: String] = [:]
    do {
      try JSONReader.read(bytes) { reader throws(JSONError) in
        var object = try reader.beginObject(Key.self)
        while let key = try reader.nextKey(of: &object) {
          switch key {
          case .version: version = try reader.int64()
          case .server, .container, .environment: written[key] = try reader.string()
          case .current: found.current = try reader.string()
          case .accounts: found.accounts = try Self.items(&reader) { Self.account($0) }
          case .successors: found.successors = try Self.items(&reader) { Self.successor($0) }
          }
        }
      }
    } catch {
      throw .damaged("\(error)")
    }
    guard let version else { throw .damaged("the version is missing") }
    guard version <= Self.version else { throw .later }
    let own = [
      Key.server: address.server, .container: address.container.container,
      .environment: address.container.environment.rawValue,
    ]
    guard written == own else { throw .damaged("it belongs to another container") }
    self = found
  }

  // MARK: Items

  private static func items<Item>(
    _ reader: inout JSONReader, _ item: ([ItemKey: String]) -> Item?
  ) throws(JSONError) -> [Item] {
    var items: [Item] = []
    try reader.beginArray()
    while try reader.nextElement() {
      var texts: [ItemKey: String] = [:]
      var object = try reader.beginObject(ItemKey.self)
      while let key = try reader.nextKey(of: &object) { texts[key] = try reader.string() }
      guard let item = item(texts) else { throw reader.invalidValue("a key is missing") }
      items.append(item)
    }
    return items
  }

  private static func account(_ texts: [ItemKey: String]) -> Account? {
    guard let name = texts[.userRecordName], let token = texts[.webAuthToken] else { return nil }
    return Account(userRecordName: name, name: texts[.name], webAuthToken: token)
  }

  private static func successor(_ texts: [ItemKey: String]) -> Successor? {
    guard let given = texts[.given], let token = texts[.webAuthToken] else { return nil }
    return Successor(given: given, webAuthToken: token)
  }
}

extension JSONWriter {
  fileprivate mutating func text(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    self.key(key)
    string(value)
  }
}
