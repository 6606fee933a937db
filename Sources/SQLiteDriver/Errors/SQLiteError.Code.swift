extension SQLiteError {
  /// An extended result code of SQLite.
  ///
  /// Codes that a newer SQLite adds are represented by their number.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    @inlinable package init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ primary: Int32, _ detail: Int32) { rawValue = primary | detail << 8 }

    /// The primary result code: `constraintUnique.primary` is `constraint`.
    package var primary: Code { Code(rawValue: rawValue & 0xFF) }
  }
}

// MARK: - Primary codes

extension SQLiteError.Code {
  package static let ok = Self(rawValue: 0)
  package static let error = Self(rawValue: 1)
  package static let internalError = Self(rawValue: 2)
  package static let permission = Self(rawValue: 3)
  package static let abort = Self(rawValue: 4)
  package static let busy = Self(rawValue: 5)
  package static let locked = Self(rawValue: 6)
  package static let outOfMemory = Self(rawValue: 7)
  package static let readOnly = Self(rawValue: 8)
  package static let interrupted = Self(rawValue: 9)
  package static let inputOutput = Self(rawValue: 10)
  package static let corrupt = Self(rawValue: 11)
  package static let notFound = Self(rawValue: 12)
  package static let full = Self(rawValue: 13)
  package static let cannotOpen = Self(rawValue: 14)
  package static let lockProtocol = Self(rawValue: 15)
  package static let schemaChanged = Self(rawValue: 17)
  package static let tooBig = Self(rawValue: 18)
  package static let constraint = Self(rawValue: 19)
  package static let typeMismatch = Self(rawValue: 20)
  package static let misuse = Self(rawValue: 21)
  package static let noLargeFiles = Self(rawValue: 22)
  package static let notAuthorized = Self(rawValue: 23)
  package static let outOfRange = Self(rawValue: 25)
  package static let notADatabase = Self(rawValue: 26)
}

// MARK: - Extended codes

extension SQLiteError.Code {
  package static let missingCollation = Self(1, 1)
  package static let retry = Self(1, 2)
  package static let abortedByRollback = Self(4, 2)
  package static let busyRecovery = Self(5, 1)
  package static let busySnapshot = Self(5, 2)
  package static let busyTimeout = Self(5, 3)
  package static let lockedSharedCache = Self(6, 1)
  package static let lockedVirtualTable = Self(6, 2)
  package static let readOnlyRecovery = Self(8, 1)
  package static let readOnlyCannotLock = Self(8, 2)
  package static let readOnlyRollback = Self(8, 3)
  package static let readOnlyMoved = Self(8, 4)
  package static let readOnlyCannotInitialize = Self(8, 5)
  package static let readOnlyDirectory = Self(8, 6)
  package static let inputOutputRead = Self(10, 1)
  package static let inputOutputShortRead = Self(10, 2)
  package static let inputOutputWrite = Self(10, 3)
  package static let inputOutputSync = Self(10, 4)
  package static let inputOutputDirectorySync = Self(10, 5)
  package static let inputOutputTruncate = Self(10, 6)
  package static let inputOutputLock = Self(10, 15)
  package static let inputOutputSharedMemoryMap = Self(10, 21)
  package static let inputOutputData = Self(10, 32)
  package static let inputOutputCorruptFileSystem = Self(10, 33)
  package static let corruptVirtualTable = Self(11, 1)
  package static let corruptSequence = Self(11, 2)
  package static let corruptIndex = Self(11, 3)
  package static let cannotOpenIsDirectory = Self(14, 2)
  package static let cannotOpenFullPath = Self(14, 3)
  package static let cannotOpenSymbolicLink = Self(14, 6)
  package static let constraintCheck = Self(19, 1)
  package static let constraintCommitHook = Self(19, 2)
  package static let constraintForeignKey = Self(19, 3)
  package static let constraintFunction = Self(19, 4)
  package static let constraintNotNull = Self(19, 5)
  package static let constraintPrimaryKey = Self(19, 6)
  package static let constraintTrigger = Self(19, 7)
  package static let constraintUnique = Self(19, 8)
  package static let constraintVirtualTable = Self(19, 9)
  package static let constraintRowID = Self(19, 10)
  package static let constraintPinned = Self(19, 11)
  package static let constraintDataType = Self(19, 12)
}
