import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import Synchronization
import TestSupport
import Testing

/// Two devices of one user with a server between them.
@Suite struct `Approving a device` {
  private let cloud = Cloud()

  private func devices() async throws -> (first: Device, second: Device) {
    let (first, second) = (try await cloud.started("_ada"), try await cloud.device("_ada"))
    _ = try await second.engine.start()
    return (first, second)
  }

  @Test func `Approval takes four steps and six digits that the user types`() async throws {
    let (first, second) = try await devices()
    try await first.makeZone()
    let note = try await first.sendAndFetch(try await first.seal("text"))

    try await second.engine.askForApproval(deviceName: "Ada's telephone")
    #expect(try await second.engine.approvalProgress() == .waiting)
    let waiting = try await first.engine.waitingDevices()
    #expect(waiting.map(\.name) == ["Ada's telephone"])
    let request = try #require(waiting.first).request

    try await first.engine.beginApproval(of: request)
    #expect(
      await refusal { try await first.engine.approve(request, code: "123456") } == "notAnswered")
    let shown = try #require(try await digits(second))
    #expect(shown.count == 7 && shown.filter(\.isNumber).count == 6)
    #expect(try await !second.engine.takeApprovedKeys())
    #expect(try await second.engine.approvalProgress() == .compare(shown))

    try await first.engine.approve(request, code: shown)
    #expect(try await first.engine.waitingDevices().isEmpty)
    #expect(try await second.engine.takeApprovedKeys())
    #expect(try await second.engine.takeApprovedKeys())
    #expect(await second.read(note) == "text")
    #expect(try await second.engine.recoveryCode() == nil)
    guard case .ready = try await second.engine.start() else { return #expect(Bool(false)) }
    #expect(try await second.engine.approvalProgress() == .ready)
  }

  /// The digits that a new device shows.
  private func digits(_ device: Device) async throws -> String? {
    guard case .compare(let digits) = try await device.engine.approvalProgress() else { return nil }
    return digits
  }

  /// A request that the first device has begun to answer.
  private func begun(_ first: Device, _ second: Device) async throws -> [UInt8] {
    try await second.engine.askForApproval(deviceName: "new")
    let request = try #require(try await first.engine.waitingDevices().last).request
    try await first.engine.beginApproval(of: request)
    return request
  }

  @Test(arguments: [Int64.min, .max])
  func `A server's extreme clock can expire requests, and stops nothing else`(
    milliseconds: Int64
  ) async throws {
    let (first, second) = try await devices()
    try await second.engine.askForApproval(deviceName: "second")
    first.exchange.forgedAnswer { place, result in
      guard place == .privateUser, case .bag(let generation, let modified, let data, _) = result
      else { return result }
      return .bag(
        generation: generation, modified: modified, data: data,
        now: Timestamp(milliseconds: milliseconds))
    }
    let waiting = try await first.engine.waitingDevices()
    #expect(waiting.map(\.name) == (milliseconds < 0 ? ["second"] : []))
    guard case .ready = try await first.engine.start() else { return #expect(Bool(false)) }
  }

  @Test func `Approval is possible for a day by the server's clock`() async throws {
    let (first, second) = try await devices()
    try await second.engine.askForApproval(deviceName: "late")
    cloud.pass(seconds: 86_400)
    #expect(try await first.engine.waitingDevices().map(\.name) == ["late"])
    cloud.pass(seconds: 1)
    #expect(try await first.engine.waitingDevices().isEmpty)
    #expect(await refusal { _ = try await second.engine.approvalProgress() } == "noSuchRequest")
    try await second.engine.askForApproval(deviceName: "again")
    #expect(try await first.engine.waitingDevices().map(\.name) == ["again"])
    let request = try #require(try await first.engine.waitingDevices().first).request
    cloud.pass(seconds: 86_401)
    #expect(await refusal { try await first.engine.beginApproval(of: request) } == "noSuchRequest")
  }

  @Test func `No keys are passed on before the new device has answered`() async throws {
    let (first, second) = try await devices()
    try await second.engine.askForApproval(deviceName: "new")
    let request = try #require(try await first.engine.waitingDevices().first).request
    #expect(await refusal { try await first.engine.approve(request, code: "") } == "noSuchRequest")
    try await first.engine.beginApproval(of: request)
    for _ in 0..<5 {
      #expect(
        await refusal { try await first.engine.approve(request, code: "000000") } == "notAnswered")
    }
    let shown = try #require(try await digits(second))
    try await first.engine.approve(request, code: shown)
    #expect(try await second.engine.takeApprovedKeys())
  }

  @Test func `Only the right digits work, in any groups and any script`() async throws {
    let (first, second) = try await devices()
    let request = try await begun(first, second)
    let shown = try #require(try await digits(second))
    for wrong in ["", String(shown.dropLast())] {
      #expect(
        await refusal { try await first.engine.approve(request, code: wrong) }
          == "wrongApprovalCode")
    }
    let arabic = shown.map {
      $0.wholeNumberValue.map { "\(UnicodeScalar(UInt32(0x660 + $0))!)" } ?? " - "
    }
    try await first.engine.approve(request, code: arabic.joined())
    #expect(try await second.engine.takeApprovedKeys())
  }

  @Test func `Approval ends after wrong digits were typed three times`() async throws {
    let (first, second) = try await devices()
    let request = try await begun(first, second)
    let shown = try #require(try await digits(second))
    let outcomes = [
      await refusal { try await first.engine.approve(request, code: shown + "0") },
      await refusal { try await first.engine.approve(request, code: shown + "0") },
      await refusal { try await first.engine.approve(request, code: shown + "0") },
      await refusal { try await first.engine.approve(request, code: shown) },
    ]
    #expect(
      outcomes == ["wrongApprovalCode", "wrongApprovalCode", "approvalFailed", "noSuchRequest"])
    #expect(try await first.engine.waitingDevices().isEmpty)
    #expect(try await !second.engine.takeApprovedKeys())
  }

  @Test func `The first device can end the approval`() async throws {
    let (first, second) = try await devices()
    try await second.engine.askForApproval(deviceName: "new")
    try await first.engine.refuse(
      try #require(try await first.engine.waitingDevices().first).request)
    #expect(try await second.engine.approvalProgress() == .refused)
    #expect(await refusal { _ = try await second.engine.approvalProgress() } == "noSuchRequest")
    #expect(try await first.engine.waitingDevices().isEmpty)
  }

  @Test func `The new device can end the approval`() async throws {
    let (first, second) = try await devices()
    try await second.engine.askForApproval(deviceName: "new")
    try await second.engine.withdrawRequest()
    #expect(try await first.engine.waitingDevices().isEmpty)
    #expect(await refusal { _ = try await second.engine.takeApprovedKeys() } == "noSuchRequest")
  }

  @Test func `At most eight devices wait, each with one request and a short name`() async throws {
    let first = try await cloud.started("_ada")
    for number in 0..<10 {
      try await cloud.device("_ada").engine.askForApproval(deviceName: "device \(number)")
    }
    let waiting = try await first.engine.waitingDevices()
    #expect(waiting.map(\.name) == (2..<10).map { "device \($0)" })
    try await cloud.device("_ada").engine.askForApproval(
      deviceName: String(repeating: "é", count: 200))
    #expect(try await first.engine.waitingDevices().last?.name.utf8.count == 128)
    // A new request replaces one's own earlier request.
    let impatient = try await cloud.device("_ada")
    try await impatient.engine.askForApproval(deviceName: "impatient")
    try await impatient.engine.askForApproval(deviceName: "impatient")
    #expect(try await first.engine.waitingDevices().filter { $0.name == "impatient" }.count == 1)
  }

  @Test func `An approval that has begun belongs to one device`() async throws {
    let (first, second) = try await devices()
    let third = try await cloud.device("_ada")
    try await third.engine.recover(try #require(try await first.engine.recoveryCode()))
    try await second.engine.askForApproval(deviceName: "new")
    let request = try #require(try await first.engine.waitingDevices().first).request
    try await first.engine.beginApproval(of: request)
    #expect(try await third.engine.waitingDevices().isEmpty)
    #expect(await refusal { try await third.engine.beginApproval(of: request) } == "noSuchRequest")
    #expect(
      await refusal { try await third.engine.approve(request, code: "000000") } == "noSuchRequest")
    // The device that began is not disturbed.
    let shown = try #require(try await digits(second))
    try await first.engine.approve(request, code: shown)
    #expect(try await second.engine.takeApprovedKeys())
  }

  // MARK: A server between the devices

  /// The server poses as the first device to the second one, with its own keys for the user, and as
  /// the second device to the first one.
  @Test func `A server in between gets nothing`() async throws {
    let first = try await cloud.started("_ada")
    // The server that the second device sees is a separate cloud that has keys for the user.
    let elsewhere = Cloud()
    let (falseFirst, falseSecond) = (
      try await elsewhere.started("_ada"), try await cloud.device("_ada")
    )
    try await falseSecond.engine.askForApproval(deviceName: "Ada's telephone")

    // The false second device, for the true first one.
    let request = try #require(try await first.engine.waitingDevices().first).request
    try await first.engine.beginApproval(of: request)
    _ = try #require(try await digits(falseSecond))

    // The false first device, for the true second one.
    let deceived = try await elsewhere.device("_ada")
    _ = try await deceived.engine.start()
    try await deceived.engine.askForApproval(deviceName: "Ada's telephone")
    let other = try #require(try await falseFirst.engine.waitingDevices().first).request
    try await falseFirst.engine.beginApproval(of: other)
    let shown = try #require(try await digits(deceived))
    #expect(
      await refusal { try await first.engine.approve(request, code: shown) } == "wrongApprovalCode")
    #expect(try await !falseSecond.engine.takeApprovedKeys())
  }

  /// Changes a bit of the bag that one of the devices sees, at one of the steps.
  ///
  /// Either a call fails, or the new device gets the true keys.
  @Test func `A server that changes a bit cannot pass false keys to a device`() async throws {
    var generator = SeededGenerator.forTest()
    var outcomes: [String: Int] = [:]
    for round in 0..<150 {
      let cloud = Cloud()
      let (first, second) = (try await cloud.started("_ada"), try await cloud.device("_ada"))
      let size = try #require(try await first.exchange.data(.privateUser)).count
      let place = Int.random(in: 0..<size + 150, using: &generator)
      let bit = UInt8.random(in: 0..<8, using: &generator)
      let forgedAnswer: ServerExchange.ForgedAnswer = { bag, result in
        guard bag == .privateUser else { return result }
        return altered(result) { if place < $0.count { $0[place] ^= 1 << bit } }
      }
      let liesToSecond = Bool.random(using: &generator)
      let step = Int.random(in: 0..<3, using: &generator)
      func lieAt(_ now: Int) {
        (liesToSecond ? second : first).exchange.forgedAnswer(now == step ? forgedAnswer : nil)
      }
      var isTaken = false
      do {
        try await second.engine.askForApproval(deviceName: "new")
        lieAt(0)
        // The changed bit can be in the request's time, so that no device waits any more.
        let request = try await first.engine.waitingDevices().last?.request
        if let request { try await first.engine.beginApproval(of: request) }
        lieAt(1)
        let shown = try await digits(second)
        lieAt(2)
        if let request, let shown {
          try await first.engine.approve(request, code: shown)
          isTaken = try await second.engine.takeApprovedKeys()
        }
      } catch {}
      first.exchange.forgedAnswer(nil)
      second.exchange.forgedAnswer(nil)
      outcomes[isTaken ? "taken" : "not taken", default: 0] += 1
      // The keys that were passed on are the true ones.
      guard isTaken else { continue }
      try await first.makeZone()
      let note = try await first.seal("text")
      #expect(await second.read(note) == "text", "\(generator) round \(round), byte \(place)")
    }
    // Both outcomes occur, because not every change matters.
    #expect(outcomes.count == 2, "\(generator)")
  }

  @Test func `After one answer another challenge ends the approval`() async throws {
    let (first, second) = try await devices()
    try await second.engine.askForApproval(deviceName: "new")
    let request = try #require(try await first.engine.waitingDevices().first).request
    try await first.engine.beginApproval(of: request)
    let challenged = try #require(try await first.exchange.data(.privateUser))
    _ = try await second.engine.approvalProgress()
    second.exchange.forgedAnswer { place, result in
      guard place == .privateUser else { return result }
      return altered(result) {
        $0 = challenged
        $0[challenged.count - 1] ^= 1
      }
    }
    #expect(await refusal { _ = try await second.engine.approvalProgress() } == "approvalFailed")
    // That ends the request, and another one is possible.
    second.exchange.forgedAnswer(nil)
    #expect(await refusal { _ = try await second.engine.approvalProgress() } == "noSuchRequest")
    try await second.engine.askForApproval(deviceName: "again")
    #expect(try await first.engine.waitingDevices().map(\.name) == ["again"])
  }
}
