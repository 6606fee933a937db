#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The attributes of a file or folder.
package struct FileAttributes: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file, folder, other
  }

  package let kind: Kind
  package let size: Int64
  /// The user ID of the owner.
  package let owner: UInt32
  /// The permissions of owner, group and others, in nine bits.
  package let permissions: UInt32
  /// The number of hard links.
  package let linkCount: Int
  /// The inode number.
  package let identity: UInt64
  /// The time of the last change of content, name or attributes.
  package let changedSeconds: Int
  package let changedNanoseconds: Int

  /// The user ID of this process.
  package static var currentUser: UInt32 { UInt32(geteuid()) }

  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    default: kind = .other
    }
    size = Int64(status.st_size)
    owner = UInt32(status.st_uid)
    permissions = UInt32(status.st_mode & 0o777)
    linkCount = Int(status.st_nlink)
    identity = UInt64(status.st_ino)
    #if canImport(Darwin)
    let time = status.st_ctimespec
    #else
    let time = status.st_ctim
    #endif
    changedSeconds = time.tv_sec
    changedNanoseconds = time.tv_nsec
  }
}
