import AssetStorage
import CloudRecords
import Dispatch
import Foundation
import RecordServer
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// Uploads whose connections broke: their quota and their lifetime.
@Suite("Resumable uploads", .endsAtAll)
struct ResumableUploadTests {
  private func withLibrary(
    quota: Int64? = nil, _ body: (Library) async throws -> Void
  ) async throws {
    var limits = Library.limits
    limits.privateDatabaseBytes = quota
    try await withTemporaryDirectory { folder in
      try await body(try await Library(folder, engine: MemoryStorageEngine(), limits: limits))
    }
  }

  /// An address that is valid for a minute.
  private func grant(_ library: Library, _ user: String = "_ada") -> UploadGrant {
    var grant = library.grant()
    grant.userRecordName = user
    grant.expires = Timestamp(milliseconds: library.clock.now.milliseconds + 60_000)
    return grant
  }

  /// Starts an upload of ten bytes, sends four and drops the connection.
  private func breakOff(_ ticket: String, _ library: Library, for grant: UploadGrant) async throws {
    let lease = try await library.store.begin(resumable: ticket, length: 10, for: grant)
    try await library.store.append([1, 2, 3, 4], lease, for: grant)
    #expect(await library.store.leave(lease, for: grant))
  }

  private func code(_ body: () async throws -> Void) async -> CloudErrorCode? {
    do {
      try await body()
      return nil
    } catch { return (error as? CloudError)?.code }
  }

  @Test func `An idle upload expires after a quarter of an hour`() async throws {
    try await withLibrary { library in
      let grant = grant(library)
      try await breakOff("a", library, for: grant)
      for _ in 0..<2 {
        library.clock.pass(seconds: Library.graceSeconds - 1)
        await library.store.endSurplusUploads()
        #expect(await library.store.interruptUpload("a", for: grant) == 4)
        #expect(try library.files.count == 1)
      }
      library.clock.pass(seconds: Library.graceSeconds)
      await library.store.endSurplusUploads()
      #expect(try library.files == [])
      #expect(await library.store.interruptUpload("a", for: grant) == 0)
    }
  }

  @Test func `An upload expires after a day despite activity`() async throws {
    try await withLibrary { library in
      let grant = grant(library)
      try await breakOff("a", library, for: grant)
      for _ in 0..<(Library.receiptSeconds / 600 - 1) {
        library.clock.pass(seconds: 600)
        await library.store.endSurplusUploads()
        #expect(await library.store.interruptUpload("a", for: grant) == 4)
      }
      library.clock.pass(seconds: 600)
      await library.store.endSurplusUploads()
      #expect(try library.files == [])
    }
  }

  @Test func `An expired address is valid for its own upload only`() async throws {
    try await withLibrary { library in
      let grant = grant(library)
      let ticket = try #require(
        library.store.tickets.upload(for: grant).split(separator: "=").last.map(String.init))
      func isGood(_ isContinued: Bool) -> Bool {
        (try? library.store.uploadGrant(ticket: ticket, isContinued: isContinued)) == grant
      }
      #expect(isGood(false) && isGood(true))
      library.clock.pass(seconds: 61)
      #expect(!isGood(false) && !isGood(true))
      try await breakOff(ticket, library, for: grant)
      #expect(!isGood(false) && isGood(true))
      let lease = try #require(try library.store.resume(ticket, from: 4, of: 10, for: grant))
      library.clock.pass(seconds: 2 * Library.graceSeconds)
      #expect(!isGood(false) && isGood(true))
      try await library.store.append([5, 6, 7, 8, 9, 10], lease, for: grant)
      _ = try await library.store.finish(lease, for: grant)
      library.clock.pass(seconds: Library.graceSeconds - 1)
      #expect(!isGood(false) && isGood(true))
      library.clock.pass(seconds: 1)
      #expect(!isGood(false) && !isGood(true))
    }
  }

  @Test func `A finished upload is reported complete, with its result, for a while`() async throws {
    try await withLibrary { library in
      let grant = grant(library)
      try await breakOff("a", library, for: grant)
      let lease = try #require(try library.store.resume("a", from: 4, of: 10, for: grant))
      try await library.store.append([5, 6, 7, 8, 9, 10], lease, for: grant)
      let asset = try await library.store.finish(lease, for: grant)
      #expect(
        asset.size == 10 && library.store.endedUpload("a") == asset
          && library.store.endedUpload("b") == nil)
      // Asking again gives the same response, and a complete upload cannot be resumed.
      for _ in 0..<2 { #expect(await library.store.interruptUpload("a", for: grant) == 10) }
      #expect(try library.store.resume("a", from: 4, of: 10, for: grant) == nil)
      #expect(await library.store.interruptUpload("b", for: grant) == 0)
      library.clock.pass(seconds: Library.graceSeconds - 1)
      await library.store.endSurplusUploads()
      #expect(
        await library.store.interruptUpload("a", for: grant) == 10
          && library.store.endedUpload("a") == asset)
      library.clock.pass(seconds: 1)
      #expect(
        await library.store.interruptUpload("a", for: grant) == 0
          && library.store.endedUpload("a") == nil)
    }
  }

  @Test func `A finished upload that starts again reports its progress`() async throws {
    try await withLibrary { library in
      let grant = grant(library)
      let lease = try await library.store.begin(resumable: "a", length: 2, for: grant)
      try await library.store.append([1, 2], lease, for: grant)
      _ = try await library.store.finish(lease, for: grant)
      try await breakOff("a", library, for: grant)
      #expect(await library.store.interruptUpload("a", for: grant) == 4)
    }
  }

  @Test func `A resumed upload stays although its address has expired`() async throws {
    try await withLibrary { library in
      let grant = grant(library)
      try await breakOff("a", library, for: grant)
      let lease = try #require(try library.store.resume("a", from: 4, of: 10, for: grant))
      library.clock.pass(seconds: 61)
      await library.store.endSurplusUploads()
      try await library.store.append([5, 6, 7, 8, 9, 10], lease, for: grant)
      #expect(try await library.store.finish(lease, for: grant).size == 10)
      // An upload whose connection breaks then stays too.
      try await breakOff("b", library, for: grant)
      #expect(try library.store.resume("b", from: 4, of: 10, for: grant) != nil)
    }
  }

  @Test func `A user's uploads are limited and do not evict those of others`() async throws {
    try await withLibrary { library in
      let (ada, bob) = (grant(library), grant(library, "_bob"))
      try await breakOff("bob", library, for: bob)
      for number in 0..<20 { try await breakOff("ada \(number)", library, for: ada) }
      #expect(try library.files.count == 9)
      #expect(await library.store.interruptUpload("bob", for: bob) == 4)
      #expect(await library.store.interruptUpload("ada 19", for: ada) == 4)
      #expect(await library.store.interruptUpload("ada 0", for: ada) == 0)
    }
  }

  @Test func `Many users' uploads evict only those of users who have more`() async throws {
    try await withLibrary { library in
      let bob = grant(library, "_bob")
      try await breakOff("bob", library, for: bob)
      for user in 0..<32 {
        for number in 0..<8 {
          try await breakOff("\(user) \(number)", library, for: grant(library, "_\(user)"))
        }
      }
      #expect(try library.files.count == 256)
      #expect(await library.store.interruptUpload("bob", for: bob) == 4)
      // Of the users with the most uploads, the one with the longest-waiting upload loses it first.
      #expect(await library.store.interruptUpload("0 0", for: grant(library, "_0")) == 0)
      #expect(await library.store.interruptUpload("1 0", for: grant(library, "_1")) == 4)
    }
  }

  @Test func `An upload counts towards the quota from its start to its end`() async throws {
    try await withLibrary(quota: 15) { library in
      let grant = grant(library)
      try await breakOff("a", library, for: grant)
      func begin(_ ticket: String, _ length: Int64?) async throws {
        let lease = try await library.store.begin(resumable: ticket, length: length, for: grant)
        await library.store.giveUp(lease, for: grant)
      }
      #expect(await code { try await begin("b", 6) } == .quotaExceeded)
      #expect(try library.files.count == 1)
      for _ in 0..<3 { #expect(await code { try await begin("b", 5) } == nil) }
      let lease = try #require(try library.store.resume("a", from: 4, of: 10, for: grant))
      try await library.store.append([5, 6, 7, 8, 9, 10], lease, for: grant)
      _ = try await library.store.finish(lease, for: grant)
      #expect(
        await code { try await begin("c", 6) } == .quotaExceeded, "The finished file counts.")
      #expect(await code { try await begin("c", 5) } == nil)
    }
  }

  @Test func `An upload counts while it is on the disk, with or without an address`()
    async throws
  {
    try await withLibrary(quota: 15) { library in
      let grant = grant(library)
      func begin(_ ticket: String, _ length: Int64) async throws {
        let lease = try await library.store.begin(resumable: ticket, length: length, for: grant)
        await library.store.giveUp(lease, for: grant)
      }
      let lease = try await library.store.begin(resumable: "a", length: 10, for: grant)
      try await library.store.append([1, 2, 3, 4], lease, for: grant)
      library.clock.pass(seconds: 2 * Library.graceSeconds)
      #expect(await code { try await begin("b", 6) } == .quotaExceeded)
      #expect(await library.store.leave(lease, for: grant))
      #expect(await code { try await begin("b", 6) } == .quotaExceeded)
      // A new start at the same address does not count twice.
      try await breakOff("a", library, for: grant)
      #expect(await code { try await begin("b", 6) } == .quotaExceeded)
      #expect(await code { try await begin("b", 5) } == nil)
      library.clock.pass(seconds: Library.graceSeconds)
      #expect(await code { try await begin("b", 15) } == nil)
      #expect(try library.files == [])
    }
  }

  @Test func `Uploads of unknown length are accepted within the quota`() async throws {
    try await withLibrary(quota: 15) { library in
      let grant = grant(library)
      let (small, large) = (
        try await library.store.begin(resumable: "small", length: nil, for: grant),
        try await library.store.begin(resumable: "large", length: nil, for: grant)
      )
      try await library.store.append([UInt8](repeating: 1, count: 10), small, for: grant)
      // Received bytes count at once.
      #expect(
        await code { _ = try await library.store.begin(resumable: "other", length: 6, for: grant) }
          == .quotaExceeded)
      let rest = [UInt8](repeating: 1, count: 6)
      #expect(
        await code { try await library.store.append(rest, large, for: grant) } == .quotaExceeded)
      #expect(await library.store.leave(small, for: grant))
      #expect(await !library.store.leave(large, for: grant))
      #expect(try library.files.count == 1)
      #expect(await library.store.interruptUpload("small", for: grant) == 10)
      library.clock.pass(seconds: Library.graceSeconds)
      #expect(
        await code { _ = try await library.store.begin(resumable: "next", length: 15, for: grant) }
          == nil)
    }
  }

  @Test func `A failed write ends an upload that another request has resumed`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      try await withTemporaryDirectory { folder in
        let library = try await Library(folder, engine: MemoryStorageEngine())
        let grant = library.grant()
        let former = try await library.store.begin(resumable: "a", length: 3 << 20, for: grant)
        limitFiles(to: 1 << 20)
        let full = await #expect(throws: AssetStorageError.self) {
          try await library.store.append([UInt8](repeating: 1, count: 2 << 20), former, for: grant)
        }
        #expect(full?.code == .full)
        // The client asks before the former request has reported the error.
        let received = await library.store.interruptUpload("a", for: grant)
        await library.store.giveUp(former, for: grant)
        limitFiles(to: .max)
        let lease = try #require(
          try library.store.resume("a", from: received, of: 3 << 20, for: grant))
        let rest = [UInt8](repeating: 2, count: 3 << 20 - Int(received))
        let ended = await #expect(throws: AssetStorageError.self) {
          try await library.store.append(rest, lease, for: grant)
          _ = try await library.store.finish(lease, for: grant)
        }
        #expect(ended?.code == .ended)
        #expect(try library.files == [])
      }
    }
  }

  // MARK: Concurrent events

  /// Ends surplus uploads in another task on every read of the clock.
  ///
  /// That task reads the clock, too.
  private func endSurplusWheneverTheClockIsRead(_ library: Library) {
    library.clock.whenRead {
      library.clock.whenRead(nil)
      let isDone = DispatchSemaphore(value: 0)
      Task.detached(executorPreference: OwnThreadExecutor()) {
        await library.store.endSurplusUploads()
        isDone.signal()
      }
      isDone.wait()
      endSurplusWheneverTheClockIsRead(library)
    }
  }

  @Test func `An upload that another task ends while it is interrupted stops counting`()
    async throws
  {
    try await withLibrary(quota: 100) { library in
      let grant = grant(library)
      let first = try await library.store.begin(resumable: "first", length: 10, for: grant)
      for number in 0..<8 { try await breakOff("\(number)", library, for: grant) }
      endSurplusWheneverTheClockIsRead(library)
      await library.store.leave(first, for: grant)
      library.clock.whenRead(nil)
      library.clock.pass(seconds: Library.graceSeconds)
      await library.store.endSurplusUploads()
      #expect(try library.files == [])
      #expect(
        await code { _ = try await library.store.begin(resumable: "all", length: 100, for: grant) }
          == nil)
    }
  }

  @Test func `An upload is reported complete once it is durable`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = GatedEngine()
      let library = try await Library(folder, engine: engine)
      let grant = grant(library)
      let lease = try await library.store.begin(resumable: "a", length: 2, for: grant)
      try await library.store.append([1, 2], lease, for: grant)
      engine.shut()
      let finishing = Task { try await library.store.finish(lease, for: grant) }
      await engine.waitForWriter()
      let asking = Task { await library.store.interruptUpload("a", for: grant) }
      // A request that did not wait for the end would have been answered by now.
      for _ in 0..<1_000 { await Task.yield() }
      engine.open()
      #expect(await asking.value == 2)
      let asset = try await finishing.value
      #expect(library.store.endedUpload("a") == asset)
    }
  }

  @Test func `An upload that cannot be stored is reported gone once that is known`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = GatedEngine()
      let library = try await Library(folder, engine: engine)
      let grant = grant(library)
      let lease = try await library.store.begin(resumable: "a", length: 2, for: grant)
      try await library.store.append([1, 2], lease, for: grant)
      engine.shut()
      let finishing = Task { try await library.store.finish(lease, for: grant) }
      await engine.waitForWriter()
      let isAnswered = Mutex(false)
      let asking = Task {
        let received = await library.store.interruptUpload("a", for: grant)
        isAnswered.withLock { $0 = true }
        return received
      }
      for _ in 0..<1_000 { await Task.yield() }
      let isEarly = isAnswered.withLock(\.self)
      #expect(!isEarly)
      engine.open(failing: true)
      #expect(await asking.value == 0)
      await #expect(throws: (any Error).self) { try await finishing.value }
      #expect(library.store.endedUpload("a") == nil)
    }
  }
}

/// Makes writes beyond a size fail, as on a full disk.
private func limitFiles(to bytes: rlim_t) {
  let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  var limit = rlimit()
  getrlimit(resource, &limit)
  limit.rlim_cur = min(bytes, limit.rlim_max)
  setrlimit(resource, &limit)
}

/// Runs tasks on their own threads, so that a test may block one of Swift's threads.
private final class OwnThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue(label: "asset storage tests").async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
