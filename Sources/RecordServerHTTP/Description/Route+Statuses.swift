import CloudWire
import HTTPServer
import RecordServer

extension Route {
  /// The statuses that every route may answer with.
  ///
  /// In order, they mean a wrong method, a slow request, too many requests, a server error, and
  /// unavailability.
  package static let statusesEverywhere = [405, 408, 429, 500, 503]

  /// The other statuses that a client should expect.
  ///
  /// Any further status is an error.
  func statuses(of method: HTTPMethod) -> [Int] {
    switch self {
    case .database(let route): databaseStatuses(route, method)
    case .pushToken: [200, 400, 401, 403, 413, 421]
    case .push: [200, 400, 401]
    case .file(.upload): [200, 400, 403, 409, 413]
    case .file(.download): [200, 206, 304, 403, 416]
    case .page(let page):
      switch (page, method) {
      case (.signIn, .post): [200, 303, 400, 401, 403, 429]
      case (.signUp, .post): [200, 303, 400, 403, 404, 409]
      case (.signUp, _): [200, 400, 404]
      case (.signOut, .post): [200, 400, 401, 403, 429]
      default: [200, 400]
      }
    case .administration(let operation):
      [200, 400, 401] + (operation.needsExistingItem ? [404] : [])
        + (operation.takesName ? [409] : []) + [413]
    case .invitation: method == .post ? [200, 303, 400, 401, 403, 404, 409] : [200, 404]
    case .welcome, .health, .openAPI: [200]
    case .readiness: [200, 503]
    case .metrics: [200, 401]
    }
  }

  private func databaseStatuses(_ route: DatabaseRoute, _ method: HTTPMethod) -> [Int] {
    let body =
      method == .post ? (EndpointNote(of: route.endpoint).example == nil ? [413] : [400, 413]) : []
    return ([200, 401, 403, 421] + body + (route.endpoint.needsZone ? [404] : [])).sorted()
  }

  /// The description of a status.
  static func meaning(of status: Int) -> String {
    switch status {
    case 200: "Success. Failed items have their own errors."
    case 206: "A part of the file."
    case 303: "Done. The location is the next page, or the application's with the web token."
    case 304: "The client already has the current contents."
    case 400: "The request is malformed, or violates the schema."
    case 401: "The credentials are not valid."
    case 403: "It is not allowed."
    case 404: "The requested item does not exist."
    case 409:
      "Conflict with the stored data: a name is taken, or a part of a file does not follow the previous one."
    case 413: "The request is too long."
    case 416: "The file has no such part."
    case 421: "A user has to sign in, at redirectURL."
    case 429: "Too many attempts; Retry-After says how long to wait."
    case 503: "Not at the moment."
    default: "An error."
    }
  }
}

extension Endpoint {
  /// Whether the whole request fails if its zone does not exist.
  ///
  /// Otherwise each item has its own error.
  fileprivate var needsZone: Bool {
    switch self {
    case .recordsQuery, .recordsChanges, .assetsUpload, .assetsRereference: true
    default: false
    }
  }
}

extension AdministrationOperation {
  /// Whether the operation needs a user or an item that must already exist.
  fileprivate var needsExistingItem: Bool {
    switch self {
    case .containersList, .usersList, .usersAdd, .usersInvite, .tokensList, .tokensCreate,
      .keysList, .keysAdd,
      .keysRenew,
      .keysAdministrator, .storageCheck, .backupsCreate:
      false
    default: true
    }
  }

  /// Whether the operation assigns a name that may already be taken.
  fileprivate var takesName: Bool { self == .usersAdd || self == .backupsCreate }
}
