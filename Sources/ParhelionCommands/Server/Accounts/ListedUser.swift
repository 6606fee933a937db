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

  var line: String {
    [name, userRecordName, "since \(created)", disabled.map { "disabled at \($0)" }].compactMap(
      \.self
    )
    .joined(separator: "  ")
  }
}
