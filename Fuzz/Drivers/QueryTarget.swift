import CloudRecords
import CloudWire
import Dispatch
import RecordServer
import RecordStorage
import Synchronization

/// Queries: scans and indexes give the same response to any request.
enum QueryTarget: FuzzTarget {
  static let name = "query"

  static func run(_ bytes: [UInt8]) {
    let (indexed, plain) = (library.indexed.answer(bytes), library.plain.answer(bytes))
    require(
      indexed.status == plain.status && indexed.body == plain.body, "an index changes the response")
    require(
      indexed.status == 200 || indexed.status == 400 || indexed.status == 404,
      "a query causes a server error")
    require(
      indexed.status != 200 || indexed.body.count < 2 * QueriedServer.answerBytes,
      "an answer is too long")
    // An index answers the next query like this one.
    if indexed.status == 200 { library.indexed.runMaintenance() }
  }

  private static let library = Library()

  /// The same records on two servers.
  private struct Library: Sendable {
    let indexed = QueriedServer(entriesVisitedWithoutIndex: 0)
    let plain = QueriedServer(entriesVisitedWithoutIndex: .max)
  }
}

/// A server with a few records, called from a thread that blocks.
private final class QueriedServer: Sendable {
  /// Less than all records need, so that the responses have several pages.
  static let answerBytes = 10_000

  private let server: RecordServer
  private let call: Call

  init(entriesVisitedWithoutIndex: Int) {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = entriesVisitedWithoutIndex
    limits.answerBytes = Self.answerBytes
    let names = Mutex(0)
    let dependencies = ServerDependencies(
      now: { Timestamp(milliseconds: 1_700_000_000_000) },
      makeName: {
        let digits = String(
          names.withLock { last in
            last += 1
            return last
          }, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
      }, limits: limits)
    let tickets = AssetTickets(
      secretBytes: [UInt8](repeating: 7, count: 32), dependencies: dependencies)
    let server = RecordServer(
      engine: MemoryStorageEngine(), dependencies: dependencies, addresses: tickets,
      receipts: tickets,
      sealer: ValueSealer(nil))
    let container = ContainerAddress(container: "iCloud.fuzz", environment: .development)
    self.server = server
    guard let realm = waitFor({ try? await server.makeRealm(of: container) }) else {
      fail("the container cannot be made")
    }
    call = Call(container: container, realm: realm, scope: .private, caller: .user("_ada"))
    let saved = ask(.recordsModify, Array(Self.records.utf8))
    require(saved.status == 200, "the records cannot be saved")
  }

  func answer(_ body: [UInt8]) -> (status: Int, body: [UInt8]) { ask(.recordsQuery, body) }

  func runMaintenance() {
    let server = server
    require(waitFor { (try? await server.runMaintenance()) != nil }, "an index cannot be made")
  }

  private func ask(_ endpoint: Endpoint, _ body: [UInt8]) -> (status: Int, body: [UInt8]) {
    let (server, call) = (server, call)
    return waitFor {
      await server.answer(to: endpoint, body: body, call, requestIdentifier: "request")
    }
  }

  /// Records with every kind of value, and some without.
  private static let records: String = {
    let operations = (0..<24).map { number in
      let fields =
        number % 6 == 0
        ? ""
        : #"""
        "s":{"value":"\#(["a", "ab", "b", "", "ä"][number % 5])"},"n":{"value":\#(number % 4),"type":"INT64"},
        "d":{"value":\#(number % 3).5,"type":"DOUBLE"},"t":{"value":\#(number * 1_000),"type":"TIMESTAMP"},
        "l":{"value":["x","\#(number % 2)"],"type":"STRING_LIST"},"b":{"value":"AAA\#(number % 3)","type":"BYTES"},
        "r":{"value":{"recordName":"n\#(number % 5)","action":"NONE"}},
        "p":{"value":{"latitude":\#(number % 7),"longitude":\#(number % 3)}}
        """#
      return
        #"{"operationType":"create","record":{"recordName":"n\#(number)","recordType":"T","fields":{\#(fields)}}}"#
    }
    return #"{"operations":[\#(operations.joined(separator: ","))],"desiredKeys":[]}"#
  }()
}

/// Blocks this thread until an asynchronous function returns.
private func waitFor<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
  let (result, isDone) = (Waited<Result>(), DispatchSemaphore(value: 0))
  Task {
    let value = await body()
    result.value.withLock { $0 = value }
    isDone.signal()
  }
  isDone.wait()
  guard let value = result.value.withLock(\.self) else { fail("a task ended without a result") }
  return value
}

private final class Waited<Result: Sendable>: Sendable {
  let value = Mutex<Result?>(nil)
}
