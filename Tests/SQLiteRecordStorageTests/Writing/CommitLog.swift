import Foundation

/// The commits in SQLite's write-ahead log:
/// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
struct CommitLog {
  /// The commits since the log restarted.
  let commits: Int
  let bytes: Int

  init(beside database: String) throws {
    let log = try [UInt8](Data(contentsOf: URL(fileURLWithPath: database + "-wal")))
    let (header, frameHeader, page) = (32, 24, 4_096)
    let salt = log[16..<24]
    var commits = 0
    for start in stride(
      from: header, through: log.count - frameHeader - page, by: frameHeader + page)
    {
      // Frames after the end of the present log have the salt of an earlier one.
      guard log[start + 8..<start + 16] == salt else { break }
      // The last frame of a commit has the size of the database.
      if log[start + 4..<start + 8].contains(where: { $0 != 0 }) { commits += 1 }
    }
    self.commits = commits
    bytes = log.count
  }
}
