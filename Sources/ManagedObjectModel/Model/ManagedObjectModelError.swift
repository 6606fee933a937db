/// Why a managed object model could not be made.
///
/// Parhelion's addition.
public struct ManagedObjectModelError: Error, CustomStringConvertible {
  /// What went wrong, as a stable name.
  ///
  /// New codes may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name of the code.
    public let rawValue: String

    /// A code of a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Two models that are merged have entities of one name that say different things.
    public static let entitiesDiffer = Code(rawValue: "entitiesDiffer")
    /// Two models that are merged have fetch request templates of one name that say different
    /// things.
    public static let templatesDiffer = Code(rawValue: "templatesDiffer")
    /// There is no compiled model of the name, or in the place, that was asked for.
    public static let modelNotFound = Code(rawValue: "modelNotFound")
    /// No model has the entities, in the versions that a store's metadata names.
    public static let noModelForStore = Code(rawValue: "noModelForStore")
    /// The metadata of a store has no version hashes.
    public static let noVersionHashes = Code(rawValue: "noVersionHashes")
  }

  /// What went wrong.
  public let code: Code
  /// What was wrong, where, and what to do.
  public let message: String
  /// The names that the message speaks of.
  public let context: [String: String]

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
