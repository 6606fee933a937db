import BinaryCoding
package import CloudRecords

/// The owner of keys: one user in one environment of one container.
///
/// Two accounts share nothing: neither keys, nor trust, nor files.
package struct EncryptionAccount: Hashable, Sendable {
  package let container: ContainerAddress
  package let userRecordName: String

  package init(container: ContainerAddress, userRecordName: String) {
    precondition(
      !userRecordName.isEmpty && userRecordName != RecordZoneIdentifier.currentOwnerName,
      "Keys belong to a named user: first ask the server who is signed in (users/current).")
    self.container = container
    self.userRecordName = userRecordName
  }
}

extension BinaryWriter {
  mutating func account(_ account: EncryptionAccount) {
    container(account.container)
    text(account.userRecordName)
  }
}
