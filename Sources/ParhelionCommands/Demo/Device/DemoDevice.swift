import CloudMirroring
import Dispatch
import Foundation
import ManagedObjects

/// A device: obeys orders one after another.
final class DemoDevice {
  private let writer: DemoWriter
  private var opened: (store: DemoStore, teller: DemoTeller)?

  init(_ writer: DemoWriter) { self.writer = writer }

  /// Carries out the order of a line, and says what came of it.
  func obey(_ line: String) async {
    guard let request = try? DemoLine.value(DemoRequest.self, from: line) else {
      return writer.say(.refused(order: 0, reason: "This is no order: \(line)"))
    }
    do {
      writer.say(.done(order: request.number, saveBegan: try await carryOut(request.order)))
    } catch {
      writer.say(.refused(order: request.number, reason: "\(error.localizedDescription) (\(error))"))
    }
  }

  /// Does something; gives when its save began.
  private func carryOut(_ order: DemoOrder) async throws -> UInt64 {
    switch order {
    case .open(let place): try await openStore(place)
    case .lose: try await lose()
    case .pause: try store.container.pause()
    case .resume: try store.container.resume()
    case .sync: try await store.container.sync()
    case .show: writer.say(.shows(view: try await store.view()))
    case .look(let place):
      let (contents, filed) = try await ServerReading(place).contents()
      writer.say(.server(contents: contents, filed: filed))
    case .add, .addOneByOne, .rename, .write, .attach, .delete: return try await change(order)
    }
    return 0
  }

  private var store: DemoStore {
    get throws {
      guard let opened else { throw CommandError("The device has no store. Open one first.") }
      return opened.store
    }
  }

  // MARK: The store

  private func openStore(_ place: DemoPlace) async throws {
    let store = try await DemoStore(place)
    opened = (store, DemoTeller(store, writer))
  }

  private func lose() async throws {
    let lost = try store
    await opened?.teller.stop()
    opened = nil
    try await lost.remove()
    try await openStore(lost.place)
  }

  // MARK: Changing

  private func change(_ order: DemoOrder) async throws -> UInt64 {
    switch order {
    case .add(let folder, let titles):
      return try await store.save { try $0.addDemoNotes(titles, to: folder) }
    case .addOneByOne(let folder, let titles):
      var began: UInt64 = 0
      for title in titles {
        began = try await store.save { try $0.addDemoNotes([title], to: folder) }
        await Self.rest()
      }
      return began
    case .rename(let title, let newTitle):
      return try await store.save { try $0.demoNote(title).setValue(newTitle, forKey: "title") }
    case .write(let title, let text):
      return try await store.save { try $0.demoNote(title).setValue(text, forKey: "text") }
    case .attach(let title, let bytes):
      return try await store.save { try $0.demoNote(title).setValue(DemoAttachment.bytes(bytes), forKey: "attachment") }
    case .delete(let titles):
      return try await store.save { context in
        for title in titles { context.delete(try context.demoNote(title)) }
      }
    case .open, .lose, .pause, .resume, .sync, .show, .look: return 0
    }
  }

  /// As long as somebody's fingers rest between two notes, for a machine's fingers.
  private static func rest() async {
    await withCheckedContinuation { going in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(15)) { going.resume() }
    }
  }
}
