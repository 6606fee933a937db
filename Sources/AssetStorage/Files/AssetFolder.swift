internal import RecordServer
internal import SystemFiles

/// The layout of the folder of asset files.
///
/// | name | contents |
/// |---|---|
/// | `contents/ab/HASH-NUMBER` | contents whose hash begins with `ab` |
/// | `incoming/HASH-NUMBER` | complete contents that the database may already reference |
/// | `incoming/NUMBER.part` | an incomplete upload |
/// | `unsorted` | empty; exists while `contents` may have unreferenced files |
/// | `files.lock` | locked by the owner of the folder |
///
/// ```
///  .part ─prepare─▶ incoming ─referenced: place─▶ contents ─doomed: remove─▶ gone
///    └─discard          └─another file has the contents: remove
/// ```
///
/// After a crash, the next start sorts the files in `incoming`: it places those that the database
/// references, and removes the others.
struct AssetFolder: Sendable {
  let path: String

  var contents: String { path + "/contents" }
  var incoming: String { path + "/incoming" }
  var lock: String { path + "/files.lock" }
  private var mark: String { path + "/unsorted" }

  static let partSuffix = ".part"

  /// Creates the folder and its subfolders, if they are missing.
  func create() throws(AssetStorageError) {
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.makeFolder(path)
      try FileNames.makeFolder(contents)
      try FileNames.makeFolder(incoming, in: path)
    }
  }

  func path(inContents name: AssetFileName) -> String { "\(contents)/\(name.shard)/\(name.text)" }
  func path(inIncoming name: AssetFileName) -> String { "\(incoming)/\(name.text)" }

  /// Returns the possible paths of a file, in the order to try them.
  ///
  /// `contents` comes twice, because the file may move there between two attempts.
  func paths(of name: AssetFileName) -> [String] {
    [path(inContents: name), path(inIncoming: name), path(inContents: name)]
  }

  /// Returns the size of a file at any of its paths; nil if there is none.
  func size(of name: AssetFileName) -> Int64? {
    for path in paths(of: name) {
      if let size = FileNames.size(of: path) { return size }
    }
    return nil
  }
}

// MARK: - Moving

extension AssetFolder {
  /// Moves complete contents that the database references to `contents`.
  func place(_ name: AssetFileName) throws(AssetStorageError) {
    let shard = "\(contents)/\(name.shard)"
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.makeFolder(shard, in: contents)
      try FileNames.rename(path(inIncoming: name), to: path(inContents: name))
      try FileNames.syncFolder(shard)
    }
  }

  /// Removes a file that is not referenced.
  func remove(_ name: AssetFileName) throws(AssetStorageError) {
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.remove(path(inIncoming: name))
      try FileNames.remove(path(inContents: name))
    }
  }
}

extension AssetFolder {
  /// Removes the unneeded files of a shard.
  ///
  /// - Returns: The number of removed files.
  func removeAll(but needed: Set<AssetFileName>, inShard shard: UInt8) throws(AssetStorageError)
    -> Int
  {
    let superfluous = try names(inShard: shard).files.filter { !needed.contains($0) }
    for name in superfluous { try remove(name) }
    return superfluous.count
  }
}

// MARK: - Listing

extension AssetFolder {
  /// Removes incomplete uploads, and returns the complete files that were not placed.
  func sweepIncoming() throws(AssetStorageError) -> [AssetFileName] {
    var whole: [AssetFileName] = []
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      for text in try FileNames.names(in: incoming) {
        if let name = AssetFileName(text) {
          whole.append(name)
        } else if text.hasSuffix(Self.partSuffix) {
          try FileNames.remove("\(incoming)/\(text)")
        }
      }
    }
    return whole
  }

  /// Returns the complete files in `incoming`.
  func namesInIncoming() throws(AssetStorageError) -> [AssetFileName] {
    try Self.names(in: incoming).compactMap(AssetFileName.init)
  }

  private static func names(in path: String) throws(AssetStorageError) -> [String] {
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.names(in: path)
    }
  }

  /// Returns the asset files of a shard, and the paths of other files in its folder.
  func names(inShard shard: UInt8) throws(AssetStorageError) -> (
    files: [AssetFileName], others: [String]
  ) {
    let folder = "\(contents)/\(AssetFileName.hexadecimal([shard]))"
    var (files, others): ([AssetFileName], [String]) = ([], [])
    for text in try Self.names(in: folder) {
      if let name = AssetFileName(text), name.checksum.digest[0] == shard {
        files.append(name)
      } else {
        others.append("\(folder)/\(text)")
      }
    }
    return (files, others)
  }
}

// MARK: - The mark

extension AssetFolder {
  /// Whether `contents` may have files that the database does not reference.
  var isUnsorted: Bool { FileNames.size(of: mark) != nil }

  /// Creates or removes the file `unsorted` durably.
  ///
  /// Create it before you add files that the database does not reference.
  func setUnsorted(_ isUnsorted: Bool) throws(AssetStorageError) {
    try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      if isUnsorted {
        guard !self.isUnsorted else { return }
        try FileDescriptor(mark, for: .creating).sync()
      } else {
        try FileNames.remove(mark)
      }
      try FileNames.syncFolder(path)
    }
  }
}
