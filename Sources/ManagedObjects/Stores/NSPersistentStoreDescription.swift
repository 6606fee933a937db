public import Foundation

/// How a store is to be added to a coordinator.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: file)
/// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: NSObject, NSCopying {
  /// The type of the store: SQLite, unless it is set.
  open var type: String = NSSQLiteStoreType

  /// The name of the configuration of the model that says which entities are kept in the store; nil
  /// for all.
  open var configuration: String?

  /// Where the store is: `file:///dev/null`, for a temporary store in memory, unless it is set.
  open var url: URL?

  /// Whether the store is added on another thread, so that the caller need not wait.
  open var shouldAddStoreAsynchronously = false

  private var optionsByKey: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]

  /// A description of a SQLite store.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// A description of a SQLite store in memory, which is gone when it is removed from its
  /// coordinator.
  public override init() {
    url = URL(fileURLWithPath: "/dev/null")
    super.init()
  }

  /// The options of the store by their keys.
  open var options: [String: NSObject] { optionsByKey }

  /// Sets an option; nil removes it.
  open func setOption(_ option: NSObject?, forKey key: String) {
    optionsByKey[key] = option
  }

  /// Whether the store is opened for reading only.
  open var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
  }

  /// The seconds after which an attempt to lock the store is given up.
  open var timeout: TimeInterval {
    get {
      (optionsByKey[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
        ?? Limits.storeTimeoutSeconds
    }
    set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
  }

  /// Whether a store that was written with another version of the model is migrated.
  open var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set {
      setOption(NSNumber(value: newValue), forKey: NSMigratePersistentStoresAutomaticallyOption)
    }
  }

  /// Whether a migration finds out by itself how two versions of the model correspond.
  open var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption) }
  }

  /// The values of SQLite's pragmas by their names.
  open var sqlitePragmas: [String: NSObject] {
    (optionsByKey[NSSQLitePragmasOption] as? NSDictionary) as? [String: NSObject] ?? [:]
  }

  /// Sets a pragma of SQLite; nil removes it.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    setOption(
      pragmas.isEmpty ? nil : NSDictionary(dictionary: pragmas), forKey: NSSQLitePragmasOption)
  }

  /// A description that says the same.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    copy.type = type
    copy.configuration = configuration
    copy.url = url
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.optionsByKey = optionsByKey
    return copy
  }

  /// Whether the other description says the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentStoreDescription else { return false }
    return type == other.type && configuration == other.configuration && url == other.url
      && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously
      && optionsByKey == other.optionsByKey
  }

  /// Equal descriptions have equal hashes.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    hasher.combine(configuration)
    hasher.combine(url)
    return hasher.finalize()
  }

  /// The type, the place and the options.
  open override var description: String {
    let listed = optionsByKey.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(
      separator: ", ")
    return
      "<NSPersistentStoreDescription: type \(type), url \(url?.absoluteString ?? "none"), \(listed)>"
  }

  private func flag(_ key: String) -> Bool { (optionsByKey[key] as? NSNumber)?.boolValue ?? false }
}
