public import CloudKitClient
internal import CloudRecords
package import CloudTransport
import Foundation

/// A device at a test's cloud: who has signed in on it, and its network.
///
/// Parhelion's addition.
public struct TestDevice: Sendable {
  /// The cloud that the device reaches.
  public let cloud: TestCloud
  /// The device's way to the cloud, which fails as a test wants.
  public let network: TestNetwork
  /// The name of the user's record; nil where nobody has signed in.
  public let userRecordName: String?

  /// Which of the container's environments the device is in.
  let environment: CloudEnvironment
  /// What the application proves itself with there.
  package let apiToken: String
  /// What proves who has signed in; nil where nobody has.
  ///
  /// It is the first one: answers bring its successors.
  package let webAuthToken: String?
  /// Carries the device's requests to the cloud.
  package let transport: any CloudTransport

  init(
    cloud: TestCloud, network: TestNetwork, userRecordName: String?, environment: CloudEnvironment,
    apiToken: String,
    webAuthToken: String?, transport: any CloudTransport
  ) {
    self.cloud = cloud
    self.network = network
    self.userRecordName = userRecordName
    self.environment = environment
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
    self.transport = transport
  }
}

extension TestDevice {
  /// The container of the application, as this device sees it.
  ///
  /// ```swift
  /// let ada = try await TestCloud().signIn("ada")
  /// try await ada.container.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
  /// ```
  ///
  /// Each one that is asked for is another device's: it has keys of its own for encrypted values.
  ///
  /// Requests that fail by what passes by itself are sent again, at once by the machine's clock:
  /// the cloud's is moved by the pauses between. With `network.isOnline = false` a save throws
  /// `networkUnavailable` after the fourth attempt.
  ///
  /// Whoever `TestCloud.signIn` has signed in stays so. For changes of the account take
  /// `TestCloud.device()`, and sign in on its container.
  ///
  /// - Warning: The container does not hold the cloud. Hold the device, or the cloud, as long as
  ///   the container is used: files, and news of changes, end with it.
  public var container: CKContainer {
    let clock = cloud.clock
    var dependencies = ClientDependencies(
      now: { clock.now }, wait: { try await clock.wait(for: $0) }, chance: { 0.5 },
      makeName: { UUID().uuidString })
    dependencies.pause = { pause in
      try Task.checkCancellation()
      clock.advance(by: pause)
    }
    return CKContainer(binding(over: transport, dependencies: dependencies))
  }

  /// What the device's containers are bound to, over whatever carries their requests.
  ///
  /// - Parameter accounts: Where keys for encrypted values are kept; in memory unless it is a
  ///   folder.
  package func binding(
    over transport: any CloudTransport, dependencies: ClientDependencies,
    accounts: CKContainer.Configuration.AccountStorage = .user
  ) -> ContainerBinding {
    let credentials: CKContainer.Configuration.Credentials =
      webAuthToken.map { .user(apiToken: apiToken, webAuthToken: $0) }
      ?? .program(apiToken: apiToken)
    return ContainerBinding(
      CKContainer.Configuration(
        containerIdentifier: cloud.container, server: cloud.addressURL,
        environment: environment == .development ? .development : .production,
        credentials: credentials,
        accountStorage: accounts),
      transport: transport, dependencies: dependencies)
  }
}
