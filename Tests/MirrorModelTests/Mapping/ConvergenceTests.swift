import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

/// Devices that change one object concurrently, and a server that compares tags, without the rest
/// of mirroring.
@Suite("Merging devices")
struct ConvergenceTests {
  /// A device's copy of the object, its pending changes, and the version that it has seen.
  private struct Device {
    var local: ObjectContent
    var changed: Set<String> = []
    var version = 0
  }

  private struct Server {
    var record: CKRecord
    var version = 0
  }

  private static func merge(_ device: inout Device, _ server: Server) throws -> MergeOutcome {
    let object = try EveryFeatureModel.object(server.record)
    let outcome = try FieldMerge.merge(local: device.local, changed: device.changed, server: object)
    (device.local, device.changed, device.version) = (outcome.content, outcome.send, server.version)
    return outcome
  }

  /// Sends pending changes.
  ///
  /// If the server has a newer version, the device merges it first.
  private static func push(_ device: inout Device, to server: inout Server) throws {
    if device.version != server.version { _ = try merge(&device, server) }
    guard !device.changed.isEmpty else { return }
    server.record = try EveryFeatureModel.record(
      of: device.local, changed: device.changed, into: try ServerRecords.copy(of: server.record))
    server.version += 1
    (device.changed, device.version) = ([], server.version)
  }

  @Test(arguments: ["Book", "Person", "Shelf"])
  func `Devices converge, whatever they change and in whatever order they send it`(
    entity: String
  ) throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<40 {
      var contents = RandomContents(schema: EveryFeatureModel.schema, random: random)
      let first = contents.content(entity, "OBJECT")
      var server = Server(record: try EveryFeatureModel.record(of: first))
      var devices = Array(repeating: Device(local: first), count: 3)
      for _ in 0..<30 {
        let (index, step) = (contents.number(0...2), contents.number(0...3))
        switch step {
        case 0: try Self.push(&devices[index], to: &server)
        case 1: _ = try Self.merge(&devices[index], server)
        default:
          let (next, properties) = (contents.content(entity, "OBJECT"), contents.properties(entity))
          for property in properties { devices[index].local.take(property, from: next) }
          devices[index].changed.formUnion(properties)
        }
      }
      for index in devices.indices { try Self.push(&devices[index], to: &server) }
      for index in devices.indices { _ = try Self.merge(&devices[index], server) }
      let end = try EveryFeatureModel.object(server.record)
      for device in devices {
        #expect(device.changed.isEmpty, "\(random)")
        #expect(try end.differences(from: device.local).isEmpty, "\(random)")
        #expect(device.local == devices[0].local, "\(random)")
      }
      random = contents.random
    }
  }
}
