import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import Testing

extension TestCloud {
  /// Sets the permissions of all users on records of people.
  func grantOnPeople(_ grants: [String]) async throws {
    try await importSchema(
      """
      DEFINE SCHEMA RECORD TYPE CD_Person (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE, CD_entityName STRING QUERYABLE,
        CD_name STRING, CD_email STRING, CD_town STRING,
        \(grants.map { "GRANT \($0)" }.joined(separator: ", "))
      );
      """)
  }

  /// Moves the clock by days.
  ///
  /// The device polls on each of them.
  func letDaysGoBy(_ count: Int, _ device: Device) async throws {
    for _ in 0..<count {
      try await advance(by: .seconds(86_401))
      try await device.sync()
    }
  }
}

extension Device {
  /// Another user uses the store from now on.
  func signIn(_ user: TestDevice) throws {
    try engine.mirror.container.binding().setCredentials(
      .user(apiToken: user.apiToken, webAuthToken: try #require(user.webAuthToken)))
  }
}
