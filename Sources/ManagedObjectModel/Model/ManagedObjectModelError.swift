/// The error of a managed object model that cannot be created.
///
/// Parhelion's addition.
public struct ManagedObjectModelError: Error, CustomStringConvertible {
  /// The kind of error.
  ///
  /// A later release may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name of the code.
    public let rawValue: String

    /// Creates a code with a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Two models to merge have different entities with one name.
    public static let entitiesDiffer = Code(rawValue: "entitiesDiffer")
    /// Two models to merge have different fetch request templates with one name.
    public static let templatesDiffer = Code(rawValue: "templatesDiffer")
    /// There is no compiled model with the name, or at the URL.
    public static let modelNotFound = Code(rawValue: "modelNotFound")
    /// No model has the entities in the versions that a store's metadata names.
    public static let noModelForStore = Code(rawValue: "noModelForStore")
    /// The metadata of a store has no version hashes.
    public static let noVersionHashes = Code(rawValue: "noVersionHashes")
  }

  /// The kind of the error.
  public let code: Code
  /// A message with the error, its place, and a remedy.
  public let message: String
  /// The names in the message.
  public let context: [String: String]

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
