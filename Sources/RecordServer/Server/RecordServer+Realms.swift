import BinaryCoding
package import CloudRecords
import RecordStorage

/// The numbers of realms, which keep storage keys short.
extension RecordServer {
  private static let partition = "_realms"

  private static func key(_ address: ContainerAddress) -> StorageKey {
    var key = StorageKey(partition: partition, keyspace: Keyspace.realm.rawValue)
    key.append(text: address.container)
    key.append(text: address.environment.rawValue)
    return key
  }

  /// The realm of a container's environment; nil if the container does not exist.
  package func realm(of address: ContainerAddress) async throws(CloudError) -> Realm? {
    let key = Self.key(address)
    return try await read(Self.partition) { transaction in
      try transaction.value(of: key).map { bytes in
        var form = BinaryReader(bytes)
        return Realm(number: try form.number())
      }
    }
  }

  /// All containers, in both environments, by name.
  package func containers() async throws(CloudError) -> [ContainerAddress] {
    try await realms().map(\.address)
  }

  /// The container and environment of a realm; nil if there is none.
  func address(of realm: Realm) async throws(CloudError) -> ContainerAddress? {
    try await realms().first { $0.realm == realm }?.address
  }

  func realms() async throws(CloudError) -> [(realm: Realm, address: ContainerAddress)] {
    try await read(Self.partition) { transaction in
      let all = StorageRange(
        prefix: StorageKey(partition: Self.partition, keyspace: Keyspace.realm.rawValue))
      var realms: [(realm: Realm, address: ContainerAddress)] = []
      try transaction.visitEntries(in: all) { key, value in
        let texts = try ZoneKeys.texts(2, of: key, after: all)
        guard let environment = CloudEnvironment(rawValue: texts[1]) else {
          throw BinaryCodingError(reason: "an unknown environment", offset: 0)
        }
        var form = BinaryReader(Array(copying: value))
        let address = ContainerAddress(container: texts[0], environment: environment)
        realms.append((Realm(number: try form.number()), address))
        return .proceed
      }
      return realms
    }
  }

  /// Creates a container, in both environments, if it does not exist.
  ///
  /// - Returns: The realm of the given environment.
  package func makeRealm(of address: ContainerAddress) async throws(CloudError) -> Realm {
    if let defect = CloudName.container.defect(in: address.container) {
      throw CloudError(.badRequest, "The container identifier “\(address.container)” \(defect).")
    }
    return try await write(Self.partition) { transaction in
      var wanted: Realm?
      for environment in CloudEnvironment.allCases {
        let each = ContainerAddress(container: address.container, environment: environment)
        let realm = try Self.number(of: each, in: transaction)
        if environment == address.environment { wanted = realm }
      }
      guard let wanted else { throw CloudError(.internalError, "There is no such environment.") }
      return wanted
    }
  }

  private static func number(of address: ContainerAddress, in transaction: any StorageWriting)
    throws -> Realm
  {
    if let bytes = try transaction.value(of: key(address)) {
      var form = BinaryReader(bytes)
      return Realm(number: try form.number())
    }
    let realm = Realm(number: try nextNumber(in: transaction))
    var form = BinaryWriter(capacity: 10)
    form.number(realm.number)
    try transaction.set(form.bytes, for: key(address))
    return realm
  }

  private static func nextNumber(in transaction: any StorageWriting) throws -> UInt64 {
    var last: UInt64 = 0
    let all = StorageRange(
      prefix: StorageKey(partition: partition, keyspace: Keyspace.realm.rawValue))
    for entry in try transaction.entries(in: all) {
      var form = BinaryReader(entry.value)
      last = max(last, try form.number())
    }
    return last + 1
  }
}
