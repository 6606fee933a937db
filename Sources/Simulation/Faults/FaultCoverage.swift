import CloudKitTesting
import CloudTransport
import Foundation

/// An operation of a simulated device.
package enum SimulatedOperation: String, CaseIterable, Comparable, Sendable {
  case save
  case setUp = "set-up"
  case importing = "import"
  case exporting = "export"
  case reset
  case share
  case persistShare = "persist-share"
  case acceptShare = "accept-share"
  case endShare = "end-share"
  case upload
  case download
  case modifyRecords = "records/modify"
  case lookUpRecords = "records/lookup"
  case queryRecords = "records/query"
  case listDatabaseChanges = "changes/database"
  case listZoneChanges = "changes/zone"
  case modifyZones = "zones/modify"
  case modifySubscriptions = "subscriptions/modify"
  case findCaller = "users/caller"
  case lookUpUsers = "lookup/id"
  case resolveShares = "records/resolve"
  case acceptShares = "records/accept"
  case requestAccess = "records/requestAccess"
  case announceAssets = "assets/upload"
  case lookUpKeys = "keyBags/lookup"
  case modifyKeys = "keyBags/modify"

  /// The operation of a request; nil for requests that are not counted.
  init?(_ request: TransportRequest) {
    if case .file? = request.body {
      self = .upload
      return
    }
    let path = request.address.prefix { $0 != "?" }.split(separator: "/")
    self.init(rawValue: path.suffix(2).joined(separator: "/"))
  }

  /// Whether the operation happens on the device, and not as one request.
  var isLocal: Bool {
    [
      .save, .setUp, .importing, .exporting, .reset, .share, .persistShare, .acceptShare, .endShare,
    ].contains(self)
  }

  /// Whether the operation happens only if users share.
  fileprivate var isOfPeople: Bool {
    [
      .share, .persistShare, .acceptShare, .endShare, .lookUpUsers, .resolveShares, .acceptShares,
      .requestAccess,
    ].contains(self)
  }

  /// Whether the server writes.
  fileprivate var writes: Bool {
    [
      .modifyRecords, .modifyZones, .modifySubscriptions, .modifyKeys, .upload, .acceptShares,
      .requestAccess,
    ].contains(self)
  }

  /// Whether the account's quota limits it.
  fileprivate var needsRoom: Bool { self == .modifyRecords || self == .upload }

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The kind of an injected fault.
package enum SimulatedFaultKind: String, CaseIterable, Comparable, Sendable {
  case noNetwork = "no-network"
  case lostRequest = "lost-request"
  case lostResponse = "lost-response"
  case cutResponse = "cut-response"
  case repeatedRequest = "repeated-request"
  case unavailable
  case throttled
  case quota
  case late
  case crash
  case power
  case serverCrash = "server-crash"
  case fullDisk = "full-disk"

  /// The kind of a request's fault; nil for faults that worlds do not inject.
  init?(_ fault: SimulatedNetwork.Fault) {
    switch fault {
    case .plain(.noNetwork): self = .noNetwork
    case .plain(.lostRequest): self = .lostRequest
    case .plain(.lostResponse): self = .lostResponse
    case .plain(.cutResponse): self = .cutResponse
    case .plain(.repeatedRequest): self = .repeatedRequest
    case .plain(.unavailable): self = .unavailable
    case .plain: return nil
    case .throttled: self = .throttled
    case .quota: self = .quota
    case .late: self = .late
    case .crash(_, let losesPower): self = losesPower ? .power : .crash
    }
  }

  /// Whether the fault can happen to an operation.
  package func canMeet(_ operation: SimulatedOperation) -> Bool {
    switch self {
    case .crash, .power: true
    case .fullDisk: [.save, .importing, .exporting].contains(operation)
    case .serverCrash: operation.writes
    case .quota: operation.needsRoom
    // A delayed request that changes nothing equals a lost one.
    case .late: operation.writes
    default: !operation.isLocal
    }
  }

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The pairs of an operation and a fault that worlds reached, with their counts.
package struct FaultCoverage: Sendable, Equatable {
  package private(set) var counts: [SimulatedOperation: [SimulatedFaultKind: Int]] = [:]

  package init() {}

  /// The pairs that can occur, in order.
  package static let pairs = SimulatedOperation.allCases.sorted().flatMap { operation in
    SimulatedFaultKind.allCases.sorted().filter { $0.canMeet(operation) }.map { (operation, $0) }
  }

  package mutating func add(_ fault: SimulatedFaultKind, to operation: SimulatedOperation) {
    counts[operation, default: [:]][fault, default: 0] += 1
  }

  package mutating func add(_ other: Self) {
    counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
  }

  /// One line for each pair that can occur: the operation, the fault, and how often they met.
  ///
  /// Operations of sharing are omitted if no world had any.
  package var lines: [String] {
    let hasPeople = counts.keys.contains(where: \.isOfPeople)
    return Self.pairs.filter { hasPeople || !$0.0.isOfPeople }.map { operation, fault in
      "\(operation.rawValue) \(fault.rawValue) \(counts[operation]?[fault] ?? 0)"
    }
  }
}
