import HTTPServer

extension Route {
  /// The statuses that a client has to expect; whatever else comes is an error, too.
  func statuses(of method: HTTPMethod) -> [Int] {
    switch self {
    case .database(let route): databaseStatuses(route, method)
    case .pushToken: [200, 400, 401, 413, 421]
    case .push: [200, 400, 401]
    case .file(.upload): [200, 400, 403, 413]
    case .file(.download): [200, 206, 304, 403, 416]
    case .page(let page):
      switch (page, method) {
      case (.signIn, .post): [200, 303, 400, 401, 403, 429]
      case (.signUp, .post): [200, 303, 400, 403, 409]
      case (.signOut, .post): [200, 400, 401, 403, 429]
      default: [200, 400]
      }
    case .administration: [200, 400, 401, 413]
    case .invitation, .health, .openAPI: [200]
    case .readiness: [200, 503]
    case .metrics: [200, 401]
    }
  }

  private func databaseStatuses(_ route: DatabaseRoute, _ method: HTTPMethod) -> [Int] {
    let body = method == .post ? (EndpointNote(of: route.endpoint).example == nil ? [413] : [400, 413]) : []
    return ([200, 401] + body + (route.endpoint.tellsEachItem ? [] : [421])).sorted()
  }

  /// What a status means.
  static func meaning(of status: Int) -> String {
    switch status {
    case 200: "It was done. Items that failed say so themselves."
    case 206: "A part of the file."
    case 303: "Signed in: the application's address, with the web token."
    case 304: "The client has it already."
    case 400: "The request cannot be understood, or is against the schema."
    case 401: "The credentials are no good."
    case 403: "It is not allowed."
    case 409: "The name is taken."
    case 413: "It is too long."
    case 416: "The file has no such part."
    case 421: "A user has to sign in, at redirectURL."
    case 429: "Too many attempts; Retry-After says how long to wait."
    case 503: "Not at the moment."
    default: "An error."
    }
  }
}
