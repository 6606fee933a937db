import SQLiteStore
import Testing

@Suite struct `File access` {
  /// A file in write-ahead logging mode.
  private func file(_ change: (inout StoreFile) -> Void) -> StoreFile {
    var file = StoreFile()
    file.exists = true
    file.hasHeader = true
    file.usesLog = true
    change(&file)
    return file
  }

  private func access(asking ask: (inout StoreOptions) -> Void, _ change: (inout StoreFile) -> Void)
    -> FileAccess
  {
    var options = StoreOptions()
    ask(&options)
    return FileAccess(file(change), options: options)
  }

  private func access(_ change: (inout StoreFile) -> Void) -> FileAccess {
    access(asking: { _ in }, change)
  }

  @Test func `A writable file is opened for writing`() {
    #expect(access { _ in } == .write)
    #expect(access { $0.logBytes = 10 } == .write)
  }

  @Test func `A file that others may write is read with locks`() {
    #expect(access(asking: { $0.isReadOnly = true }) { _ in } == .read(.requested))
    #expect(access { $0.isWritable = false } == .read(.notWritable))
    #expect(access(asking: { $0.isSnapshot = true }) { $0.logBytes = 10 } == .read(.requested))
  }

  @Test func `Reading a snapshot or a read-only folder creates no files`() {
    #expect(access { $0.isFolderWritable = false } == .readUnlocked(.notWritable))
    #expect(access(asking: { $0.isSnapshot = true }) { _ in } == .readUnlocked(.requested))
  }

  @Test func `An interrupted write is rolled back before reading, in a copy if necessary`() {
    let snapshot = access(asking: { $0.isSnapshot = true }) { $0.hasJournal = true }
    #expect(snapshot == .readRolledBack(.requested))
    let file = access { ($0.hasJournal, $0.isWritable) = (true, false) }
    #expect(file == .readCopy(.notWritable))
    let folder = access { ($0.hasJournal, $0.isFolderWritable) = (true, false) }
    #expect(folder == .readCopy(.notWritable))
  }

  @Test func `A log in a read-only folder needs its shared memory or a copy`() {
    let inReadOnlyFolder = { (hasSharedMemory: Bool) in
      access {
        $0.isFolderWritable = false
        $0.logBytes = 10
        $0.hasSharedMemory = hasSharedMemory
      }
    }
    #expect(inReadOnlyFolder(true) == .read(.notWritable))
    #expect(inReadOnlyFolder(false) == .readCopy(.notWritable))
  }
}
