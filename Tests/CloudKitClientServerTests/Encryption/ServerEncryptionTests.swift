import CloudKitClient
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Values that a device leaves to the server's encryption.
@Suite struct ServerEncryptionTests {
  @Test func `A device with keys does not leave encryption to the server`() async throws {
    let cloud = try await WatchedCloud()
    try await withTemporaryDirectory { folder in
      func database(_ encryptedValues: CKContainer.Configuration.EncryptedValues) throws
        -> CKDatabase
      {
        let binding = try cloud.container("anna", folder: folder.appendingPathComponent("accounts"))
          .binding()
        var configuration = binding.configuration
        configuration.encryptedValues = encryptedValues
        return CKContainer(
          ContainerBinding(configuration, transport: cloud, dependencies: binding.dependencies)
        ).privateCloudDatabase
      }
      func note(_ name: String, _ text: String) -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
        record.encryptedValues[name] = text
        return record
      }
      // No keys exist, and none are made.
      try await database(.server).save(note("one", "to the server"))
      #expect(
        !FileManager.default.fileExists(atPath: folder.appendingPathComponent("accounts/keys").path)
      )
      try await database(.device).save(note("two", "sealed here"))
      let error = await #expect(throws: CKError.self) {
        try await database(.server).save(note("three", "leaked"))
      }
      #expect(
        error?.code == .badContainer
          && error?.localizedDescription.contains("encryptedValues") == true)
      let bodies = cloud.bodies.withLock(\.self)
      #expect(bodies.contains { $0.contains("to the server") })
      #expect(!bodies.contains { $0.contains("leaked") || $0.contains("sealed here") })
    }
  }
}
