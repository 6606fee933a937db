import Synchronization

/// The dotted name of a Swift key path, as predicates and sort descriptors write it.
enum KeyPathName {
  // @unchecked: a key path does not change; here it is only hashed and compared.
  private struct Key: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
  }

  private static let remembered = Mutex<[Key: Result<String, KeyPathNameError>]>([:])

  /// The name: `author.name` for `\Post.author?.name`, `tags.@count` for `\Post.tags.count`, empty
  /// for `\Post.self`.
  ///
  /// It is computed once for each key path. A probe of the root type finds it, if the type is
  /// `KeyPathProbeable`. Other types must have stored properties, whose names are in Swift's
  /// description of the key path.
  static func name(of keyPath: AnyKeyPath) throws(KeyPathNameError) -> String {
    let key = Key(keyPath: keyPath)
    if let known = remembered.withLock({ $0[key] }) { return try known.get() }
    // Computed outside the lock, because a probe runs code of the application.
    let found = Result { () throws(KeyPathNameError) in try find(keyPath) }
    remembered.withLock { remembered in
      if remembered.count >= Limits.cachedKeyPaths { remembered.removeAll() }
      remembered[key] = found
    }
    return try found.get()
  }

  private static func find(_ keyPath: AnyKeyPath) throws(KeyPathNameError) -> String {
    if let key = SortKey(in: keyPath) { return key.path }
    let components = KeyPathComponents(keyPath)
    if components.isIdentity { return "" }
    if let root = type(of: keyPath).rootType as? any KeyPathProbeable.Type {
      return try probe(root, keyPath, components)
    }
    guard let names = components.storedNames else { throw .unknownRoot(keyPath) }
    return names.joined(separator: ".")
  }

  private static func probe(
    _ root: any KeyPathProbeable.Type, _ keyPath: AnyKeyPath, _ components: KeyPathComponents
  ) throws(KeyPathNameError) -> String {
    let paths = root.propertyPaths { probe in _ = read(probe, keyPath) }
    guard let last = paths.last, isChain(paths) else { throw .notOneProperty(keyPath, paths) }
    let rest = components.types.dropFirst(paths.count)
    if rest.isEmpty { return last }
    let owner = components.types[paths.count - 1]
    guard rest.count == 1, rest.first == "Int", isCollection(owner) else {
      throw .beyondProperties(keyPath, last)
    }
    return last + ".@count"
  }

  private static func read(_ probe: Any, _ keyPath: AnyKeyPath) -> Any? { probe[keyPath: keyPath] }

  /// Whether each read starts at the end of the previous one.
  private static func isChain(_ paths: [String]) -> Bool {
    var prefix = ""
    for path in paths {
      guard path.hasPrefix(prefix), !path.dropFirst(prefix.count).contains(".") else {
        return false
      }
      prefix = path + "."
    }
    return true
  }

  private static func isCollection(_ type: String) -> Bool {
    ["Set<", "Array<", "NSSet", "NSOrderedSet", "NSArray", "NSMutableSet", "NSMutableOrderedSet"]
      .contains { type.hasPrefix($0) || type.hasPrefix("Optional<\($0)") }
  }
}
