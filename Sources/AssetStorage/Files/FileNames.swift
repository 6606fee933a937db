#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What is done with files by their names.
enum FileNames {
  /// Makes a folder, for its owner alone, where it is missing.
  static func makeFolder(_ path: String, in parent: String? = nil) throws(AssetStorageError) {
    guard unsafe mkdir(path, 0o700) != 0 else {
      if let parent { try syncFolder(parent) }
      return
    }
    guard errno == EEXIST else { throw .system("make the folder", errno, path) }
  }

  static func syncFolder(_ path: String) throws(AssetStorageError) {
    try FileDescriptor.folder(path).sync()
  }

  /// Gives a file another name; a file that has it already is replaced.
  static func rename(_ path: String, to other: String) throws(AssetStorageError) {
    guard systemRename(path, other) == 0 else { throw .system("rename the file to \(other)", errno, path) }
  }

  /// Removes a file; one that is not there is none to remove.
  static func remove(_ path: String) throws(AssetStorageError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system("remove the file", errno, path) }
  }

  /// The size of a plain file; nil where there is none.
  static func size(of path: String) -> Int64? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// The names in a folder, without order; none where there is no folder.
  static func names(in path: String) throws(AssetStorageError) -> [String] {
    guard let folder = unsafe opendir(path) else {
      if errno == ENOENT { return [] }
      throw .system("read the folder", errno, path)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  private static func systemRename(_ path: String, _ other: String) -> CInt {
    #if canImport(Glibc)
    unsafe Glibc.rename(path, other)
    #elseif canImport(Musl)
    unsafe Musl.rename(path, other)
    #elseif canImport(Darwin)
    unsafe Darwin.rename(path, other)
    #endif
  }
}
