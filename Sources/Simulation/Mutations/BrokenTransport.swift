import CloudTransport
import Foundation
import MirrorModel
import Synchronization

/// A transport with a defect, which has the effect of a defect in the engine above it.
///
///     engine ──▶ BrokenTransport ──▶ SimulatedTransport ──▶ server
///                changes requests
///                and responses
///
/// Defects in what a device receives are in `BrokenPages`.
final class BrokenTransport: CloudTransport {
  private let base: any CloudTransport
  private let mutation: Mutation
  private let memory: TransportMemory

  init(_ base: any CloudTransport, _ mutation: Mutation, _ memory: TransportMemory) {
    (self.base, self.mutation, self.memory) = (base, mutation, memory)
  }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let operation = SimulatedOperation(request)
    var request = request
    if let changed = changed(WireObject(request), of: operation, at: request.address) {
      request.body = .bytes(changed.bytes)
    }
    let response = try await response(to: request, operation)
    guard response.isSuccess, operation == .modifyRecords || operation?.isReading == true else {
      return response
    }
    note(response, of: operation, at: request.address)
    var changed = response
    if let body = self.changed(
      WireObject(response.body), of: operation, asked: WireObject(request))
    {
      changed.body = body.bytes
    }
    return changed
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    try await base.download(request, to: path, progress: progress)
  }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    try await base.open(request)
  }

  // MARK: Requests

  /// The request with the defect; nil if the request is unchanged.
  private func changed(
    _ request: WireObject, of operation: SimulatedOperation?, at address: String
  ) -> WireObject? {
    var request = request
    switch (mutation, operation) {
    case (.keepPlaceFirst, .listZoneChanges?):
      request["zones"] = request.list("zones").map { zone in
        var zone = zone
        if zone["syncToken"] != nil, let head = memory.head(of: zone.zoneName) {
          zone["syncToken"] = head
        }
        return zone
      }
    case (.overwriteBlindly, .modifyRecords?):
      request["operations"] = request.list("operations").map(memory.overwriting)
    case (.deleteUnseen, .modifyRecords?):
      request["operations"] = request.list("operations").map { operation in
        guard operation.isDeletion else { return operation }
        var (operation, record) = (operation, operation.object("record"))
        record["recordChangeTag"] = nil
        (operation["operationType"], operation["record"]) = ("forceDelete", record)
        return operation
      }
    default: return nil
    }
    return request
  }

  private func response(
    to request: TransportRequest, _ operation: SimulatedOperation?
  ) async throws(TransportError) -> TransportResponse {
    guard mutation == .acknowledgeUnanswered, operation == .modifyRecords else {
      return try await base.send(request)
    }
    if let response = try? await base.send(request), response.isSuccess { return response }
    let results = WireObject(request).list("operations").map { operation -> WireObject in
      let record = operation.object("record")
      guard operation.isDeletion else { return record.inventedResult }
      return ["recordName": record.recordName, "deleted": true]
    }
    return TransportResponse(
      status: 200, headers: [("Content-Type", "application/json; charset=UTF-8")],
      body: (["records": results] as WireObject).bytes)
  }

  // MARK: Responses

  /// Records what a response contained.
  private func note(
    _ response: TransportResponse, of operation: SimulatedOperation?, at address: String
  ) {
    switch (mutation, operation) {
    case (.keepPlaceFirst, .listZoneChanges?):
      for zone in WireObject(response.body).list("zones") {
        memory.setHead(zone.text("syncToken"), of: zone.zoneName)
      }
    case (.overwriteBlindly, .listZoneChanges?):
      for zone in WireObject(response.body).list("zones") {
        zone.list("records").filter(\.isRecord).forEach { memory.remember($0) }
      }
    default: break
    }
  }

  /// The response with the defect; nil if the response is unchanged.
  private func changed(
    _ response: WireObject, of operation: SimulatedOperation?, asked request: WireObject
  ) -> WireObject? {
    var response = response
    switch (mutation, operation) {
    case (.dropChild, .modifyRecords?):
      response["records"] = droppingChildren(of: request, response.list("records"))
    case (_, .listZoneChanges?) where mutation.changesPages:
      let asked = request.list("zones")
      response["zones"] = response.list("zones").enumerated().map { index, zone in
        BrokenPages(mutation: mutation, memory: memory)
          .changed(zone, asked: index < asked.count ? asked[index] : [:])
      }
    default:
      guard !mutation.missingFields.isEmpty else { return nil }
      return BrokenPages.without(mutation.missingFields, response) as? WireObject
    }
    return response
  }

  /// The results, with a success for each unsaved record that refers to a record in conflict.
  private func droppingChildren(of request: WireObject, _ results: [WireObject]) -> [WireObject] {
    func names(of code: String) -> Set<String> {
      Set(results.filter { $0.text("serverErrorCode") == code }.map(\.recordName))
    }
    let (conflicts, failed) = (names(of: "CONFLICT"), names(of: "ATOMIC_ERROR"))
    let children = request.list("operations").map { $0.object("record") }.filter { record in
      failed.contains(record.recordName) && record.texts.contains(where: conflicts.contains)
    }
    return results.map { result in
      children.first { $0.recordName == result.recordName }?.inventedResult ?? result
    }
  }
}

/// The memory of a broken program about its exchanges with the server, kept across restarts.
final class TransportMemory: Sendable {
  private struct State {
    var heads: [String: String] = [:]
    var pageCount = 0
    /// The last page of each zone, and the fields of records that the device has, as JSON.
    var pages: [String: [UInt8]] = [:]
    var fields: [String: [UInt8]] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// The last token of a feed.
  func head(of feed: String) -> String? { state.withLock { $0.heads[feed] } }

  func setHead(_ token: String?, of feed: String) {
    state.withLock { if let token { $0.heads[feed] = token } }
  }

  /// Counts a page, and returns the number of pages so far.
  func countPage() -> Int {
    state.withLock { state in
      state.pageCount += 1
      return state.pageCount
    }
  }

  /// Remembers the records of a zone's page, and returns those of the previous one.
  func exchange(_ records: [WireObject], of zone: String) -> [WireObject] {
    let bytes = (["records": records] as WireObject).bytes
    let former = state.withLock { $0.pages.updateValue(bytes, forKey: zone) }
    return former.map { WireObject($0).list("records") } ?? []
  }

  /// Remembers the fields that the device has of a record.
  func remember(_ record: WireObject) {
    let (name, bytes) = (record.recordName, record.fields.bytes)
    state.withLock { $0.fields[name] = bytes }
  }

  /// An operation that saves the device's whole record, even over newer values on the server.
  func overwriting(_ operation: WireObject) -> WireObject {
    var (operation, record) = (operation, operation.object("record"))
    guard !operation.isDeletion else { return operation }
    let known = state.withLock { [name = record.recordName] in $0.fields[name] }
    record.fields = (known.map { WireObject($0) } ?? [:]).merging(record.fields) { $1 }
    record["recordChangeTag"] = nil
    remember(record)
    (operation["operationType"], operation["record"]) = ("forceReplace", record)
    return operation
  }
}

extension SimulatedOperation {
  /// Whether its response has records or changed zones.
  fileprivate var isReading: Bool {
    [.listDatabaseChanges, .listZoneChanges, .lookUpRecords, .queryRecords].contains(self)
  }
}

extension WireObject {
  /// The owner and the name of the zone.
  var zoneName: String {
    let zone = object("zoneID")
    return "\(zone.text("ownerRecordName") ?? "")/\(zone.text("zoneName") ?? "")"
  }
}
