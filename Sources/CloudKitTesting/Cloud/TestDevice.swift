public import CloudKitClient
internal import CloudRecords
package import CloudTransport
import Foundation

/// A device of a test cloud: its network, and the user who has signed in.
///
/// Parhelion's addition.
public struct TestDevice: Sendable {
  /// The cloud that the device reaches.
  public let cloud: TestCloud
  /// The device's network, into which a test can inject faults.
  public let network: TestNetwork
  /// The user's record name; nil if no user has signed in.
  public let userRecordName: String?

  /// The environment of the container that the device uses.
  let environment: CloudEnvironment
  /// The API token of the application in this environment.
  package let apiToken: String
  /// The user's first web auth token; nil if no user has signed in.
  ///
  /// Responses contain its successors.
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
  /// A new container of the application on this device.
  ///
  /// ```swift
  /// let ada = try await TestCloud().signIn("ada")
  /// try await ada.container.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
  /// ```
  ///
  /// Each access returns a new container with its own encryption keys, like another device of the
  /// user.
  ///
  /// Requests that fail temporarily are retried without waiting: the cloud's clock moves by the
  /// back-off instead. With `network.isOnline = false`, a save throws `networkUnavailable` after
  /// the fourth attempt.
  ///
  /// A user who signed in by `TestCloud.signIn` stays signed in. To test account changes, use
  /// `TestCloud.device()` and sign in on its container.
  ///
  /// - Warning: The container does not retain the cloud. Keep the device or the cloud while the
  ///   container is in use. Otherwise the container can no longer transfer files or receive
  ///   notifications.
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

  /// Returns the binding of a container to the cloud, over the given transport.
  ///
  /// - Parameter accounts: The storage of encryption keys. With a transport, `.user` stores
  ///   them in memory.
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
