internal import SystemFiles

/// An open file or folder, which closes when its last owner releases it.
final class OwnerOnlyFile: Sendable {
  let purpose: OwnerOnlyFolder.Purpose
  private let descriptor: FileDescriptor

  private init(_ descriptor: consuming FileDescriptor, _ purpose: OwnerOnlyFolder.Purpose) {
    self.descriptor = descriptor
    self.purpose = purpose
  }

  convenience init(opening path: String, for purpose: OwnerOnlyFolder.Purpose)
    throws(OwnerOnlyError)
  {
    do throws(SystemFailure) {
      self.init(try FileDescriptor(path, for: .folderItself), purpose)
    } catch {
      throw OwnerOnlyError(opening: error, purpose)
    }
  }

  /// Opens a folder, or returns nil if it does not exist.
  convenience init?(ifThere path: String, for purpose: OwnerOnlyFolder.Purpose)
    throws(OwnerOnlyError)
  {
    do throws(SystemFailure) {
      self.init(try FileDescriptor(path, for: .folderItself), purpose)
    } catch {
      if error.isMissing { return nil }
      throw OwnerOnlyError(opening: error, purpose)
    }
  }

  /// Opens a file of the folder for reading, or returns nil if it does not exist.
  func file(ifThere name: String) throws(OwnerOnlyError) -> OwnerOnlyFile? {
    do throws(SystemFailure) {
      return OwnerOnlyFile(try descriptor.open(name, for: .reading), purpose)
    } catch {
      if error.isMissing { return nil }
      throw OwnerOnlyError(opening: error, purpose)
    }
  }

  func newFile(_ name: String) throws(OwnerOnlyError) -> OwnerOnlyFile {
    try file(name, for: .creating)
  }

  func lockFile(_ name: String) throws(OwnerOnlyError) -> OwnerOnlyFile {
    try file(name, for: .locking)
  }

  private func file(_ name: String, for use: FileDescriptor.Use) throws(OwnerOnlyError)
    -> OwnerOnlyFile
  {
    do throws(SystemFailure) {
      return OwnerOnlyFile(try descriptor.open(name, for: use), purpose)
    } catch {
      throw OwnerOnlyError(opening: error, purpose)
    }
  }

  /// Calls a closure with the file, and converts errors of the system into errors of this module.
  func ask<Value>(
    _ question: (borrowing FileDescriptor) throws(SystemFailure) -> Value
  ) throws(OwnerOnlyError) -> Value {
    do throws(SystemFailure) { return try question(descriptor) } catch {
      throw OwnerOnlyError(error, purpose)
    }
  }

  /// Whether the file was removed.
  var isGone: Bool {
    get throws(OwnerOnlyError) {
      try ask { (file) throws(SystemFailure) in try file.attributes() }.linkCount == 0
    }
  }

  func unlock() { descriptor.unlock() }
}

// MARK: - Permissions

extension OwnerOnlyFile {
  /// Throws if another user owns the file, or can read or change it.
  ///
  /// A file without a name stays valid: another process has just replaced it.
  func requirePrivate(isFolder: Bool) throws(OwnerOnlyError) {
    let attributes = try ask { (file) throws(SystemFailure) in try file.attributes() }
    guard attributes.kind == (isFolder ? .folder : .file), isFolder || attributes.linkCount <= 1
    else {
      throw notPrivate(
        "is not a \(isFolder ? "folder" : "regular file with a single name")",
        "Remove it, or name another place for the \(purpose.name).")
    }
    guard attributes.owner == FileAttributes.currentUser else {
      throw notPrivate(
        "belongs to the user with the ID \(attributes.owner), but this program runs as the user with the ID \(FileAttributes.currentUser)",
        "Name a folder of the user's own.")
    }
    guard attributes.permissions & 0o077 == 0 else {
      let digits = String(attributes.permissions, radix: 8)
      throw notPrivate(
        "is open to other users of this machine (mode \(digits))",
        "If no other user can have read it, close it (chmod \(isFolder ? "700" : "600") \(descriptor.path)); else \(purpose.remedyIfRead)."
      )
    }
  }

  private func notPrivate(_ reason: String, _ remedy: String) -> OwnerOnlyError {
    OwnerOnlyError(
      code: .notPrivate,
      message: "The \(purpose.name) is not used, because \(descriptor.path) \(reason). \(remedy)")
  }
}

extension OwnerOnlyError {
  /// Converts a failure to open.
  ///
  /// A symbolic link, or a file in place of a folder, may be the work of another user.
  init(opening failure: SystemFailure, _ purpose: OwnerOnlyFolder.Purpose) {
    guard failure.isMisplaced else {
      self.init(failure, purpose)
      return
    }
    self.init(
      code: .notPrivate,
      message:
        "The \(purpose.name) is not used, because \(failure.path) is a symbolic link or not a folder. Remove it, or name another place for the \(purpose.name)."
    )
  }

  init(_ failure: SystemFailure, _ purpose: OwnerOnlyFolder.Purpose) {
    self.init(
      code: .unavailable,
      message:
        "The \(purpose.name) could not \(failure.what) \(failure.path): \(failure.reason). Let this program write there, or name another place for the \(purpose.name)."
    )
  }
}
