#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What is done with files by their names: by paths, or by names in a folder that is held open.
package enum FileNames {
  /// Makes a folder, for its owner alone; nothing happens where there is one, or anything else of
  /// that name.
  ///
  /// - Parameter parent: The folder that it is in, where the new name is to outlive a loss of
  ///   power.
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

  /// Gives a file another name; a file that has it already is replaced.
  package static func rename(_ path: String, to other: String) throws(SystemFailure) {
    guard unsafe renameat(AT_FDCWD, path, AT_FDCWD, other) == 0 else {
      throw .last("rename the file to \(other)", path)
    }
  }

  /// Removes a file; one that is not there is none to remove.
  package static func remove(_ path: String) throws(SystemFailure) {
    guard unsafe unlinkat(AT_FDCWD, path, 0) == 0 || errno == ENOENT else {
      throw .last("remove the file", path)
    }
  }

  /// Whether there is anything of a name, or what a symbolic link of that name leads to.
  package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The size of a plain file; nil where there is none.
  package static func size(of path: String) -> Int64? {
    var status = stat()
    guard unsafe fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    let attributes = FileAttributes(status)
    return attributes.kind == .file ? attributes.size : nil
  }

  /// The names in a folder, without order; none where there is no folder.
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
  /// Gives a file of this folder another name; a file that has it already is replaced.
  package func rename(_ name: String, to other: String) throws(SystemFailure) {
    guard unsafe renameat(number, name, number, other) == 0 else {
      throw .last("rename the file to \(other)", "\(path)/\(name)")
    }
  }

  /// Removes a file of this folder; one that is not there is none to remove.
  package func remove(_ name: String) throws(SystemFailure) {
    guard unsafe unlinkat(number, name, 0) == 0 || errno == ENOENT else {
      throw .last("remove the file", "\(path)/\(name)")
    }
  }

  /// What there is of a name in this folder, and not what a symbolic link leads to; nil where there
  /// is nothing.
  package func attributes(of name: String) throws(SystemFailure) -> FileAttributes? {
    var status = stat()
    guard unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw .last("look at", "\(path)/\(name)")
    }
    return FileAttributes(status)
  }

  /// The names in this folder, without order.
  package func names() throws(SystemFailure) -> [String] {
    // Reading a folder moves a place that all copies of a descriptor share.
    let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw .last("list the folder", path) }
    guard let listing = unsafe fdopendir(copy) else {
      let failure = SystemFailure.last("list the folder", path)
      close(copy)
      throw failure
    }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
