import CloudKitClient
import Foundation
import Testing

/// Operations that are cancelled while they wait for others.
@Suite("Operations that wait and are released")
struct WaitingOperationTests {
  /// Reports when its last reference is released.
  private final class Witness: Sendable {
    private let end: AsyncStream<Void>.Continuation
    init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
    deinit { end.finish() }
  }

  /// An operation, and a stream that ends when it is freed.
  private static func watched(_ operation: CKOperation) -> AsyncStream<Void> {
    let (stream, end) = AsyncStream<Void>.makeStream()
    let witness = Witness(end)
    operation.longLivedOperationWasPersistedBlock = { _ = witness }
    return stream
  }

  /// Makes an operation wait for another one, cancels it and releases it.
  private static func makeWaitAndCancel(_ before: Operation, _ isAdded: Bool) -> AsyncStream<Void> {
    let after = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "one")])
    after.addDependency(before)
    let freed = watched(after)
    if isAdded { CKContainer(identifier: "iCloud.test").privateCloudDatabase.add(after) }
    after.cancel()
    return freed
  }

  /// Reuses the freed memory.
  private static func useMemory() -> Int {
    (0..<200).compactMap { NSMutableData(length: 200 + $0) }.count
  }

  @Test func `A cancelled and freed operation can wait for one that ends later`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<20 {
        let queue = OperationQueue()
        queue.isSuspended = true
        let before = BlockOperation {}
        queue.addOperation(before)
        for await _ in Self.makeWaitAndCancel(before, true) {}
        _ = Self.useMemory()
        await withCheckedContinuation { continuation in
          before.completionBlock = { continuation.resume() }
          queue.isSuspended = false
        }
      }
    }
  }

  @Test func `An operation that was freed without being added can have a dependency that ends`()
    async
  {
    await #expect(processExitsWith: .success) {
      for _ in 0..<20 {
        let before = BlockOperation {}
        for await _ in Self.makeWaitAndCancel(before, false) {}
        _ = Self.useMemory()
        before.start()
      }
    }
  }

  @Test func `Many operations that wait for one are cancelled while it ends`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<20 {
        let queue = OperationQueue()
        queue.isSuspended = true
        let before = BlockOperation {}
        queue.addOperation(before)
        await withTaskGroup { group in
          for number in 0..<50 {
            group.addTask { for await _ in Self.makeWaitAndCancel(before, true) {} }
            if number == 25 { queue.isSuspended = false }
          }
        }
      }
    }
  }

  @Test func `A finished operation still has its dependencies`() async {
    let (first, second) = (BlockOperation {}, BlockOperation {})
    let after = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "one")])
    after.addDependency(first)
    after.addDependency(second)
    after.cancel()
    await withCheckedContinuation { continuation in
      after.completionBlock = { continuation.resume() }
      CKContainer(identifier: "iCloud.test").privateCloudDatabase.add(after)
    }
    #expect(after.dependencies == [first, second])
    after.removeDependency(first)
    #expect(after.dependencies == [second])
  }
}
