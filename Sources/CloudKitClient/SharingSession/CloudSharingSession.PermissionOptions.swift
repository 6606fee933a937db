extension CloudSharingSession {
  /// The permissions that the user of a session may grant.
  public struct PermissionOptions: OptionSet, Sendable {
    /// The options as a bit mask.
    public let rawValue: UInt

    /// Creates options from a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The share may be open to everyone who has the link.
    public static let allowPublic = PermissionOptions(rawValue: 1 << 0)
    /// The share may be for invited people.
    public static let allowPrivate = PermissionOptions(rawValue: 1 << 1)
    /// Participants may get permission to read.
    public static let allowReadOnly = PermissionOptions(rawValue: 1 << 2)
    /// Participants may get permission to read and write.
    public static let allowReadWrite = PermissionOptions(rawValue: 1 << 3)

    /// All options, which are the default.
    static let all: PermissionOptions = [
      .allowPublic, .allowPrivate, .allowReadOnly, .allowReadWrite,
    ]
  }
}
