#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Operations on files by path, or by name in an open folder.
package enum FileNames {
  /// Creates a folder for its owner alone, if nothing of that name exists.
  ///
  /// - Parameter parent: The parent folder, if the new name must survive a loss of power.
  package static func makeFolder(_ path: String, in parent: String? = nil) throws(SystemFailure) {
    guard unsafe mkdir(path, 0o700) != 0 else {
      if let parent { try syncFolder(parent) }
      return
    }
    guard errno == EEXIST else { throw .last("make the folder", path) }
  }

  package static func syncFolder(_ path: String) throws(SystemFailure) {
    try FileDescriptor(path, for: .folder).sync()
  }

  /// Renames a file, and replaces an existing one.
  package static func rename(_ path: String, to other: String) throws(SystemFailure) {
    guard unsafe renameat(AT_FDCWD, path, AT_FDCWD, other) == 0 else {
      throw .last("rename the file to \(other)", path)
    }
  }

  /// Removes a file, if it exists.
  package static func remove(_ path: String) throws(SystemFailure) {
    guard unsafe unlinkat(AT_FDCWD, path, 0) == 0 || errno == ENOENT else {
      throw .last("remove the file", path)
    }
  }

  /// Returns whether a path exists, following symbolic links.
  ///
  /// Throws an error if that is unknown, such as in a folder of another user.
  package static func exists(_ path: String) throws(SystemFailure) -> Bool {
    guard unsafe access(path, F_OK) != 0 else { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw .last("look for the file", path) }
    return false
  }

  /// Returns the size of a regular file, or nil if there is none.
  package static func size(of path: String) -> Int64? {
    var status = stat()
    guard unsafe fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    let attributes = FileAttributes(status)
    return attributes.kind == .file ? attributes.size : nil
  }

  /// Returns the names in a folder in no particular order, or none if the folder does not exist.
  package static func names(in path: String) throws(SystemFailure) -> [String] {
    do throws(SystemFailure) {
      return try FileDescriptor(path, for: .folder).names()
    } catch {
      guard error.isMissing else { throw error }
      return []
    }
  }
}

extension FileDescriptor {
  /// Renames a file of this folder, and replaces an existing one.
  package func rename(_ name: String, to other: String) throws(SystemFailure) {
    guard unsafe renameat(number, name, number, other) == 0 else {
      throw .last("rename the file to \(other)", "\(path)/\(name)")
    }
  }

  /// Removes a file of this folder, if it exists.
  package func remove(_ name: String) throws(SystemFailure) {
    guard unsafe unlinkat(number, name, 0) == 0 || errno == ENOENT else {
      throw .last("remove the file", "\(path)/\(name)")
    }
  }

  /// Returns the attributes of a name in this folder without following symbolic links, or nil if it
  /// does not exist.
  package func attributes(of name: String) throws(SystemFailure) -> FileAttributes? {
    var status = stat()
    guard unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw .last("look at", "\(path)/\(name)")
    }
    return FileAttributes(status)
  }

  /// Returns the names in this folder in no particular order.
  package func names() throws(SystemFailure) -> [String] {
    // All copies of a descriptor share one position in the folder, so this opens it again.
    let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw .last("list the folder", path) }
    guard let listing = unsafe fdopendir(copy) else {
      let failure = SystemFailure.last("list the folder", path)
      close(copy)
      throw failure
    }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while true {
      // Only the error number distinguishes an error from the end.
      errno = 0
      guard let entry = unsafe readdir(listing) else {
        guard errno == 0 else { throw .last("list the folder", path) }
        return names
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}
