package import CloudRecords
import Cryptography

/// Starts and validates visits: signed-in states on the server's own pages, without an application.
///
/// A visit is a signed text that the browser keeps in a cookie; the server stores nothing. A visit
/// ends after `seconds`, and when the account is disabled, removed or gets another password.
package struct Visits {
  private let accounts: Accounts

  package init(_ accounts: Accounts) { self.accounts = accounts }

  /// Starts a visit, and returns the text for the browser's cookie.
  package func start(of account: Account) -> String {
    let end = accounts.now.adding(seconds: Self.seconds).milliseconds
    return "\(account.identifier).\(end).\(accounts.formCode(for: Self.visit(account, end)))"
  }

  /// The account of a visit; nil if the visit has ended.
  package func visitor(_ cookie: String) async throws(CloudError) -> Account? {
    let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let end = Int64(parts[1]), accounts.now.milliseconds < end,
      end <= accounts.now.adding(seconds: Self.seconds).milliseconds
    else { return nil }
    let account = try await accounts.read { try AccountDirectory.account(parts[0], in: $0) }
    guard let account, account.disabled == nil,
      accounts.isFormCode(parts[2], for: Self.visit(account, end))
    else { return nil }
    return account
  }

  private static func visit(_ account: Account, _ end: Int64) -> String {
    "visit \(account.identifier) \(end) \(account.password.text)"
  }

  /// The length of a visit: long enough to read an invitation and to decide.
  package static let seconds: Int64 = 1_800
}

extension Accounts {
  /// Makes a person a user of a container, as signing in to an application does.
  ///
  /// - Returns: The user's record name and realm.
  package func introduce(
    _ account: Account, to container: ContainerAddress
  ) async throws(CloudError) -> (userRecordName: String, realm: Realm) {
    let realm = try await realm(of: container)
    let name = userRecordName(of: account, in: container.container)
    let time = now
    try await writeEverywhere { transaction in
      try AccountDirectory.introduce(account, as: name, in: realm, container.container, transaction)
      try UserRecord.make(of: [name], in: realm, at: time, transaction)
    }
    return (name, realm)
  }
}
