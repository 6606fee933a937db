import RecordServer

/// An account, as an entry of a list.
struct ListedUser: Encodable {
  let name: String
  let created: String
  let disabled: String?
  let hasProvenAddress: Bool
  let userRecordName: String?

  init(_ account: Account, _ userRecordName: String?) {
    name = account.name
    created = account.created.text
    disabled = account.disabled?.text
    hasProvenAddress = account.hasProvenAddress
    self.userRecordName = userRecordName
  }

  /// The columns of the list.
  var cells: [String] {
    [name, userRecordName ?? "", "since \(created)", disabled.map { "disabled at \($0)" } ?? ""]
  }
}
