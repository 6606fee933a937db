import SQLiteStore
import Testing

@Suite struct `How a file is reached` {
  /// A file that has a log in its format.
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

  @Test func `it is written where it can be`() {
    #expect(access { _ in } == .write)
    #expect(access { $0.logBytes = 10 } == .write)
  }

  @Test func `it is read with locks where others may write it`() {
    #expect(access(asking: { $0.isReadOnly = true }) { _ in } == .read(.requested))
    #expect(access { $0.isWritable = false } == .read(.notWritable))
    #expect(access(asking: { $0.isSnapshot = true }) { $0.logBytes = 10 } == .read(.requested))
  }

  @Test func `nothing is made beside it where nothing can be, or a tool looks once`() {
    #expect(access { $0.isFolderWritable = false } == .readUnlocked(.notWritable))
    #expect(access(asking: { $0.isSnapshot = true }) { _ in } == .readUnlocked(.requested))
  }

  @Test func `a log in a folder that cannot be written needs its shared memory, or a copy`() {
    let frozen = { (hasSharedMemory: Bool) in
      access {
        $0.isFolderWritable = false
        $0.logBytes = 10
        $0.hasSharedMemory = hasSharedMemory
      }
    }
    #expect(frozen(true) == .read(.notWritable))
    #expect(frozen(false) == .readCopy(.notWritable))
  }
}
