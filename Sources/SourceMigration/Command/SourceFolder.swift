import Foundation

/// Finds and reads the Swift files at the command's paths.
enum SourceFolder {
  /// A file that cannot be read or written, with a message that names it.
  struct FileError: Error { let message: String }

  /// The Swift files at a path: the file itself, or all files in a folder and its subfolders, in
  /// the order of their names.
  static func files(at path: String) throws(FileError) -> [String] {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw FileError(message: "\(path): there is no such file or folder")
    }
    guard isFolder.boolValue else { return [path] }
    guard let names = FileManager.default.enumerator(atPath: path) else {
      throw FileError(message: "\(path): this folder cannot be read")
    }
    let found = names.compactMap { $0 as? String }.filter {
      $0.hasSuffix(".swift") && !isHidden($0)
    }
    let prefix = path.hasSuffix("/") ? path : path + "/"
    return found.sorted().map { prefix + $0 }.filter(isRegularFile)
  }

  static func read(_ path: String) throws(FileError) -> SourceFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileError(message: "\(path): this file cannot be read")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw FileError(message: "\(path): this file is not UTF-8 text; Swift sources are")
    }
    return SourceFile(path: path, text: text)
  }

  /// Replaces a file's text atomically, and keeps its permissions.
  ///
  /// A symbolic link remains a link.
  static func write(_ change: MigrationPlan.Change) throws(FileError) {
    let path = change.file.path
    guard try read(path).text == change.file.text else {
      throw FileError(
        message: "\(path): the file has changed since it was read; run the command again")
    }
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let draft = target.deletingLastPathComponent().appendingPathComponent(
      ".\(UUID().uuidString).migrated")
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
      try Data(change.migrated.utf8).write(to: draft)
      if let permissions = attributes[.posixPermissions] {
        try FileManager.default.setAttributes(
          [.posixPermissions: permissions], ofItemAtPath: draft.path)
      }
      // Foundation's replaceItemAt removes the old file before it moves the new one; rename(2) is
      // atomic.
      guard unsafe rename(draft.path, target.path) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw FileError(
        message: "\(path): this file cannot be written: \(error.localizedDescription)")
    }
  }

  private static func isHidden(_ path: String) -> Bool {
    path.split(separator: "/").contains { $0.hasPrefix(".") }
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && !isFolder.boolValue
  }
}
