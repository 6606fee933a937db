internal import CloudEncryption
public import CloudKitClient
internal import CloudRecords
internal import CloudTransport
internal import Synchronization

/// A cloud with a server that acts against its users.
///
/// The server may invent people, shares and keys, show earlier or mixed versions, and pretend that
/// a zone was deleted. It may also answer two devices differently, and fail before or after it has
/// performed a request. A seed or a plan determines its attacks:
///
///     let cloud = try await HostileCloud(seed: 7)
///     let ada = try await cloud.signIn("ada").container
///     // … use the application; its calls may fail …
///     #expect(cloud.leaks.isEmpty)              // no keys went to people whom ada did not invite
///
/// A test states what the application may show, such as only values that it has saved.
///
/// Parhelion's addition.
public final class HostileCloud: Sendable {
  /// The honest server behind the hostile one.
  public let cloud: TestCloud
  /// The seed that determines the attacks.
  public let seed: UInt64

  private let server: HostileServer

  /// Creates an empty cloud.
  ///
  /// - Parameters:
  ///   - seed: Determines the random attacks.
  ///   - attacks: The attacks to choose from.
  ///   - probability: The probability of an attack in each request.
  ///   - container: The container's identifier.
  public init(
    seed: UInt64, attacks: Set<Attack> = Set(Attack.allCases), probability: Double = 0.2,
    container: String = "iCloud.com.example.app"
  ) async throws {
    cloud = try await TestCloud(container: container)
    self.seed = seed
    server = HostileServer(
      container: container, seed: seed,
      attacks: attacks.sorted { $0.rawValue < $1.rawValue }, probability: probability)
  }

  /// Signs a user in on a new device that reaches the hostile server.
  public func signIn(_ name: String) async throws -> TestDevice {
    let device = try await cloud.signIn(name)
    return TestDevice(
      cloud: device.cloud, network: device.network, userRecordName: device.userRecordName,
      environment: device.environment, apiToken: device.apiToken,
      webAuthToken: device.webAuthToken,
      transport: HostileTransport(
        device.transport, server: server, user: device.userRecordName ?? "",
        device: server.state.withLock { state in
          state.devices += 1
          return state.devices
        }))
  }

  // MARK: A person who helps the server

  /// Gives the server the keys that a user has of a zone.
  ///
  /// From then on, `Attack.impersonate` shows ``forgedValue`` in place of values of that zone. The
  /// signature is the writer's, the server's, or missing. No device may show the value.
  public func learnKeys(of zoneID: CKRecordZone.ID, from container: CKContainer) async throws {
    let session = try container.session()
    let zone = try await session.coding().identifier(zoneID)
    guard let ring = try await session.vault.engine().localRing(of: KeyScope(zone: zone)) else {
      return
    }
    server.learn(ring)
  }

  /// The text of the values that the server writes in another user's name.
  public static let forgedValue = "written by the server"

  // MARK: What the server does

  /// Whether the server performs random attacks, as it does from the start.
  public var isHostile: Bool {
    get { server.state.withLock(\.isHostile) }
    set { server.state.withLock { $0.isHostile = newValue } }
  }

  /// Performs attacks in this order, each on the next possible request, before any random attacks.
  public func plan(_ attacks: Attack...) { server.state.withLock { $0.plan += attacks } }

  /// Performs an attack on every possible request, until `isOn` is false.
  public func perform(_ attack: Attack, always isOn: Bool) {
    server.state.withLock { state in
      if isOn { state.always.insert(attack) } else { state.always.remove(attack) }
    }
  }

  /// The attacks that were performed, in order.
  public var performed: [Attack] { server.state.withLock(\.performed) }

  // MARK: What the server learned

  /// Keys that a device sealed for a key of the server's.
  public struct Leak: Hashable, Sendable, CustomStringConvertible {
    /// The user whose device sealed the keys.
    public let giver: String
    /// The user record name for which the server made the key.
    public let userRecordName: String
    /// Whether the server invented the user.
    ///
    /// Otherwise the server made keys for a user who exists. The keys of an invited person whom no
    /// device has seen before can be forged: the safety numbers of both people differ then.
    public let isInvented: Bool

    /// The giver and the user.
    public var description: String {
      "\(giver) sealed keys for \(isInvented ? "an invented" : "a false") \(userRecordName)"
    }
  }

  /// Keys that devices sealed for keys of the server's, each once.
  public var leaks: Set<Leak> { server.state.withLock(\.leaks) }

  /// The user record name of the person that the server invents.
  public static let inventedUserRecordName = "_invented"

  /// The sealed fields that devices have sent to the server, by record name.
  package var sealed: [String: [SentField]] { server.state.withLock(\.sealed) }

  /// A sealed field that a device has sent.
  package struct SentField: Hashable, Sendable {
    package let user: String
    /// Counts the devices in the order in which they signed in, from one.
    package let device: Int
    package let recordType: String
    package let field: String
    package let bytes: [UInt8]
  }
}
