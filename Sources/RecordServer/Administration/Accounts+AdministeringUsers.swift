import CloudRecords
import CloudWire
import JSONCoding

/// Administration of accounts.
extension Accounts {
  func administerUsers(
    _ operation: AdministrationOperation, _ request: AdministrationRequest
  ) async throws(CloudError) -> AdministrationResponse {
    if operation == .usersList { return try await listUsers(request) }
    if operation == .usersInvite { return try await invite(request) }
    let name = try request.required(\.name, "name")
    switch operation {
    case .usersAdd:
      let password = try request.required(\.password, "password")
      _ = try await signUp(
        name: name, password: password, nameComponents: request.nameComponents, from: nil)
    case .usersPassword:
      try await setPassword(ofAccount: name, to: request.required(\.password, "password"))
    case .usersDisable: try await disable(accountNamed: name)
    case .usersEnable: try await enable(accountNamed: name)
    case .usersVerify: try await setAddressProven(true, ofAccountNamed: name)
    case .usersDiscoverable: try await setDiscoverable(true, accountNamed: name)
    case .usersHidden: try await setDiscoverable(false, accountNamed: name)
    case .usersRemove:
      try await remove(accountNamed: name)
      return AdministrationResponse([:])
    default:
      throw CloudError(
        .internalError, "\(operation.rawValue) is not an operation on accounts.")
    }
    return AdministrationResponse([
      "user": shown(try await account(named: name), in: request.container)
    ])
  }

  private func listUsers(_ request: AdministrationRequest) async throws(CloudError)
    -> AdministrationResponse
  {
    let users = try await accounts().map { shown($0, in: request.container) }
    return AdministrationResponse(["users": .array(users)])
  }

  private func invite(_ request: AdministrationRequest) async throws(CloudError)
    -> AdministrationResponse
  {
    let invitation = try await invite(until: request.expires.map(Timestamp.init(milliseconds:)))
    return AdministrationResponse([
      "invitation": .string(invitation.code), "expires": .integer(invitation.expires.milliseconds),
    ])
  }

  private func shown(_ account: Account, in container: String?) -> JSONValue {
    .present([
      "name": .string(account.name), "created": .integer(account.created.milliseconds),
      "disabled": account.disabled.map { .integer($0.milliseconds) },
      "hasProvenAddress": .boolean(account.hasProvenAddress),
      "isDiscoverable": .boolean(account.isDiscoverable),
      "givenName": account.nameComponents?.givenName.map(JSONValue.string),
      "familyName": account.nameComponents?.familyName.map(JSONValue.string),
      "userRecordName": container.map { .string(userRecordName(of: account, in: $0)) },
    ])
  }
}

extension AdministrationRequest {
  fileprivate var nameComponents: UserIdentity.NameComponents? {
    var components = UserIdentity.NameComponents()
    (components.givenName, components.familyName) = (givenName, familyName)
    return components == UserIdentity.NameComponents() ? nil : components
  }
}
