/// One of the three databases that a user of a container sees.
package enum DatabaseScope: UInt8, CaseIterable, Hashable, Sendable {
  /// What everybody sees, as far as the roles of its record types allow.
  case `public` = 1
  /// What belongs to the user.
  case `private` = 2
  /// What others share with the user: a view of zones in their private databases.
  case shared = 3

  /// The scope that the path of a request names.
  package init?(name: some StringProtocol) {
    switch name {
    case "public": self = .public
    case "private": self = .private
    case "shared": self = .shared
    default: return nil
    }
  }

  /// The scope's name in the path of a request.
  package var name: String {
    switch self {
    case .public: "public"
    case .private: "private"
    case .shared: "shared"
    }
  }
}
