/// One of the three databases of a container.
package enum DatabaseScope: UInt8, CaseIterable, Hashable, Sendable {
  /// Data of all users, to which the roles of the schema grant access.
  case `public` = 1
  /// The user's own data.
  case `private` = 2
  /// Data that other users share: a view of zones in their private databases.
  case shared = 3

  /// Creates a scope from its name in a request's path.
  package init?(name: some StringProtocol) {
    switch name {
    case "public": self = .public
    case "private": self = .private
    case "shared": self = .shared
    default: return nil
    }
  }

  /// The scope's name in a request's path.
  package var name: String {
    switch self {
    case .public: "public"
    case .private: "private"
    case .shared: "shared"
    }
  }
}
