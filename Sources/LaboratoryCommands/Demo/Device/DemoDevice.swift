import CloudMirroring
import Dispatch
import Foundation
import ManagedObjects
import ParhelionCommands

/// A device that carries out orders, one at a time.
final class DemoDevice {
  private let writer: DemoWriter
  private var opened: (store: DemoStore, reporter: DemoReporter)?
  /// The store for benchmarks.
  private var measured: MeasuredDevice?

  init(_ writer: DemoWriter) { self.writer = writer }

  /// Carries out the order on a line, and reports the result.
  func execute(_ line: String) async {
    guard let request = try? DemoLine.value(DemoRequest.self, from: line) else {
      return writer.say(.refused(order: 0, reason: "This is not an order: \(line)"))
    }
    do {
      writer.say(try await answer(to: request))
    } catch {
      writer.say(
        .refused(order: request.number, reason: "\(error.localizedDescription) (\(error))"))
    }
  }

  private func answer(to request: DemoRequest) async throws -> DemoMessage {
    if case .measured(.sum) = request.order {
      return .sum(order: request.number, try await measuredDevice.sum())
    }
    return .done(order: request.number, span: try await carryOut(request.order))
  }

  /// Carries out an order and returns the time span of its save, if any.
  private func carryOut(_ order: DemoOrder) async throws -> DemoSpan {
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
    case .measured(let order): return try await carryOut(order)
    }
    return .none
  }

  private var store: DemoStore {
    get throws {
      guard let store = opened?.store ?? measured?.store else {
        throw CommandError("The device has no store. Open one first.")
      }
      return store
    }
  }

  // MARK: Benchmarks

  private func carryOut(_ order: MeasuredOrder) async throws -> DemoSpan {
    switch order {
    case .open(let place):
      // The watch precedes the store, so that it observes every save.
      let (watch, began) = (SaveWatch(), DemoSpan.now)
      measured = MeasuredDevice(store: try await DemoStore(place), watch: watch)
      return DemoSpan(began: began, ended: DemoSpan.now)
    case .fill(let first, let count):
      return try await measuredDevice.fill(first: first, count: count)
    case .overwrite(let first, let count, let text):
      return try await measuredDevice.overwrite(first: first, count: count, text: text)
    case .waitForNotes(let count): return try await measuredDevice.watch.waitForNotes(count)
    case .waitForText(let text): return try await measuredDevice.watch.waitForText(text)
    case .sum: return .none
    }
  }

  private var measuredDevice: MeasuredDevice {
    get throws {
      guard let measured else {
        throw CommandError("The device has no store that is measured. Open one first.")
      }
      return measured
    }
  }

  // MARK: The store

  private func openStore(_ place: DemoPlace) async throws {
    let store = try await DemoStore(place)
    opened = (store, DemoReporter(store, writer))
  }

  private func lose() async throws {
    let lost = try store
    await opened?.reporter.stop()
    opened = nil
    try await lost.remove()
    try await openStore(lost.place)
  }

  // MARK: Changing

  private func change(_ order: DemoOrder) async throws -> DemoSpan {
    switch order {
    case .add(let folder, let titles):
      return try await store.save { try $0.addDemoNotes(titles, to: folder) }
    case .addOneByOne(let folder, let titles):
      var span = DemoSpan.none
      for title in titles {
        span = try await store.save { try $0.addDemoNotes([title], to: folder) }
        await Self.rest()
      }
      return span
    case .rename(let title, let newTitle):
      return try await store.save { try $0.demoNote(title).setValue(newTitle, forKey: "title") }
    case .write(let title, let text):
      return try await store.save { try $0.demoNote(title).setValue(text, forKey: "text") }
    case .attach(let title, let bytes):
      return try await store.save {
        try $0.demoNote(title).setValue(DemoAttachment.bytes(bytes), forKey: "attachment")
      }
    case .delete(let titles):
      return try await store.save { context in
        for title in titles { context.delete(try context.demoNote(title)) }
      }
    case .open, .lose, .pause, .resume, .sync, .show, .look, .measured: return .none
    }
  }

  /// A short pause between two notes, like a fast typist's.
  private static func rest() async {
    await withCheckedContinuation { going in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(15)) { going.resume() }
    }
  }
}
