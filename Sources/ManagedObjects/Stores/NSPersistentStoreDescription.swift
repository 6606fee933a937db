public import Foundation

/// The configuration with which a store is added to a coordinator.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: file)
/// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: NSObject, NSCopying {
  /// The type of the store.
  ///
  /// The default is SQLite.
  open var type: String = NSSQLiteStoreType

  /// The name of the model's configuration whose entities the store persists; nil for all entities.
  open var configuration: String?

  /// The URL of the store.
  ///
  /// The default is `file:///dev/null`, for a temporary in-memory store.
  open var url: URL?

  /// Whether the store is added asynchronously, on another thread.
  open var shouldAddStoreAsynchronously = false

  private var optionsByKey: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]

  /// Creates a description of a SQLite store.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// Creates a description of an in-memory SQLite store, which is lost when it is removed from its
  /// coordinator.
  public override init() {
    url = URL(fileURLWithPath: "/dev/null")
    super.init()
  }

  /// The options of the store, by key.
  open var options: [String: NSObject] { optionsByKey }

  /// Sets an option; nil removes it.
  open func setOption(_ option: NSObject?, forKey key: String) {
    optionsByKey[key] = option
  }

  /// Whether the store is read-only.
  open var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
  }

  /// The lock timeout in seconds.
  open var timeout: TimeInterval {
    get {
      (optionsByKey[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
        ?? Limits.storeTimeoutSeconds
    }
    set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
  }

  /// Whether the store is migrated if it was written with another version of the model.
  open var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set {
      setOption(NSNumber(value: newValue), forKey: NSMigratePersistentStoresAutomaticallyOption)
    }
  }

  /// Whether a migration infers the mapping between two versions of the model.
  open var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption) }
  }

  /// The SQLite pragmas, by name.
  open var sqlitePragmas: [String: NSObject] {
    (optionsByKey[NSSQLitePragmasOption] as? NSDictionary) as? [String: NSObject] ?? [:]
  }

  /// Sets a SQLite pragma; nil removes it.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    setOption(
      pragmas.isEmpty ? nil : NSDictionary(dictionary: pragmas), forKey: NSSQLitePragmasOption)
  }

  /// Whether the store has an index for `NSPredicate.fullText(_:in:)`.
  ///
  /// Parhelion's addition. The index contains the String attributes that are marked “Index in
  /// Spotlight” in Xcode's model editor (`isIndexedBySpotlight`). It is part of the store's SQLite
  /// file. Opening the store creates or repairs it, and each save updates it. False removes it. By
  /// default, a file keeps the index that it has.
  open var maintainsFullTextIndex: Bool {
    get { flag(Self.fullTextIndexKey) }
    set { setOption(NSNumber(value: newValue), forKey: Self.fullTextIndexKey) }
  }

  /// The option for `maintainsFullTextIndex`, for stores that are added without a description.
  ///
  /// Parhelion's addition.
  public static let fullTextIndexKey = "ParhelionFullTextIndexOption"

  /// Whether the statements of the store are counted for the coordinator's `statementStatistics`.
  ///
  /// Parhelion's addition. The default is false.
  open var collectsStatementStatistics: Bool {
    get { flag(Self.statementStatisticsKey) }
    set { setOption(NSNumber(value: newValue), forKey: Self.statementStatisticsKey) }
  }

  /// The option for `collectsStatementStatistics`, for stores that are added without a description.
  ///
  /// Parhelion's addition.
  public static let statementStatisticsKey = "ParhelionStatementStatisticsOption"

  /// Returns an equal description.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    copy.type = type
    copy.configuration = configuration
    copy.url = url
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.optionsByKey = optionsByKey
    return copy
  }

  /// Returns whether the other description is equal.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentStoreDescription else { return false }
    return type == other.type && configuration == other.configuration && url == other.url
      && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously
      && optionsByKey == other.optionsByKey
  }

  /// The hash, which is equal for equal descriptions.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    hasher.combine(configuration)
    hasher.combine(url)
    return hasher.finalize()
  }

  /// The type, URL and options of the store.
  open override var description: String {
    let listed = optionsByKey.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(
      separator: ", ")
    return
      "<NSPersistentStoreDescription: type \(type), url \(url?.absoluteString ?? "none"), \(listed)>"
  }

  private func flag(_ key: String) -> Bool { (optionsByKey[key] as? NSNumber)?.boolValue ?? false }
}
