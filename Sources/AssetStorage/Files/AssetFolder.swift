internal import RecordServer
internal import SystemFiles

/// The folder of the files, and what lies where in it.
///
/// | name | holds |
/// |---|---|
/// | `contents/ab/HASH-NUMBER` | contents whose hash begins with `ab` |
/// | `incoming/HASH-NUMBER` | whole contents on their way to `contents`: the database may name them already |
/// | `incoming/NUMBER.part` | an upload that is not whole |
/// | `unsorted` | nothing: `contents` may have files that the database does not name |
/// | `files.lock` | nothing: who owns the folder |
///
/// ```
///  .part ──prepare──▶ incoming ──the database names it──▶ place ──▶ contents ──the database dooms it──▶ remove
///    └─discard             └─another file has the contents: discard
/// ```
///
/// Whatever ends the process, what is in `incoming` afterwards is sorted at the next start: placed
/// if the database names it, else removed.
struct AssetFolder: Sendable {
  let path: String

  var contents: String { path + "/contents" }
  var incoming: String { path + "/incoming" }
  var lock: String { path + "/files.lock" }
  private var mark: String { path + "/unsorted" }

  static let partSuffix = ".part"

  /// Makes the folder, where it is missing, and the folders in it.
  func create() throws(AssetStorageError) {
    try AssetStorageError.telling { () throws(SystemFailure) in
      try FileNames.makeFolder(path)
      try FileNames.makeFolder(contents)
      try FileNames.makeFolder(incoming, in: path)
    }
  }

  func path(inContents name: AssetFileName) -> String { "\(contents)/\(name.shard)/\(name.text)" }
  func path(inIncoming name: AssetFileName) -> String { "\(incoming)/\(name.text)" }

  /// Where a file may be, in the order in which to look: it may be moved on between two looks.
  func paths(of name: AssetFileName) -> [String] {
    [path(inContents: name), path(inIncoming: name), path(inContents: name)]
  }

  /// The size of a file, wherever it is; nil where it is nowhere.
  func size(of name: AssetFileName) -> Int64? {
    for path in paths(of: name) {
      if let size = FileNames.size(of: path) { return size }
    }
    return nil
  }
}

// MARK: - Moving

extension AssetFolder {
  /// Moves whole contents, which the database names, to where they stay.
  func place(_ name: AssetFileName) throws(AssetStorageError) {
    let shard = "\(contents)/\(name.shard)"
    try AssetStorageError.telling { () throws(SystemFailure) in
      try FileNames.makeFolder(shard, in: contents)
      try FileNames.rename(path(inIncoming: name), to: path(inContents: name))
      try FileNames.syncFolder(shard)
    }
  }

  /// Removes a file that nothing names.
  func remove(_ name: AssetFileName) throws(AssetStorageError) {
    try AssetStorageError.telling { () throws(SystemFailure) in
      try FileNames.remove(path(inIncoming: name))
      try FileNames.remove(path(inContents: name))
    }
  }
}

extension AssetFolder {
  /// Removes the files of a shard that nobody needs.
  ///
  /// - Returns: How many there were.
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
  /// Removes uploads that ended in the middle, and gives the whole ones that were not placed.
  func sweepIncoming() throws(AssetStorageError) -> [AssetFileName] {
    var whole: [AssetFileName] = []
    try AssetStorageError.telling { () throws(SystemFailure) in
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

  /// Whole contents that are on their way.
  func namesInIncoming() throws(AssetStorageError) -> [AssetFileName] {
    try Self.names(in: incoming).compactMap(AssetFileName.init)
  }

  private static func names(in path: String) throws(AssetStorageError) -> [String] {
    try AssetStorageError.telling { () throws(SystemFailure) in try FileNames.names(in: path) }
  }

  /// The files of one shard, and what else is in its folder.
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
  /// Whether `contents` may have files that the database does not name.
  var isUnsorted: Bool { FileNames.size(of: mark) != nil }

  /// Says so, safely, before such files come.
  func setUnsorted(_ isUnsorted: Bool) throws(AssetStorageError) {
    try AssetStorageError.telling { () throws(SystemFailure) in
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
