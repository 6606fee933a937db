package import CloudTransport

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

  /// What proves who has signed in; nil where nobody has.
  ///
  /// It is the first one: answers bring its successors.
  package let webAuthToken: String?
  /// Carries the device's requests to the cloud.
  package let transport: any CloudTransport

  init(
    cloud: TestCloud, network: TestNetwork, userRecordName: String?, webAuthToken: String?,
    transport: any CloudTransport
  ) {
    self.cloud = cloud
    self.network = network
    self.userRecordName = userRecordName
    self.webAuthToken = webAuthToken
    self.transport = transport
  }
}
