import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing

extension TransportCheck {
  /// Tasks that are cancelled.
  static let endings: [Self] = [
    Self("a cancelled task sends nothing") { cloud in
      let ada = try await cloud.user()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await cloud.transport.send(ada.request("records/modify", "{}"))
      }
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.kind == .cancelled && error?.mayHaveArrived == false)
    },
    Self("tasks that are cancelled at any moment end, and the next request gets its response") {
      cloud in
      var generator = SeededGenerator.forTest()
      let (ada, original) = (try await cloud.user(), try cloud.file("original", count: 400_000))
      let download = TransportRequest(
        .get, try await ada.saveFile(try await ada.upload(original.path)))
      let copy = cloud.folder.appendingPathComponent("copy").path
      for round in 0..<120 {
        let moment = Int.random(in: 0..<40, using: &generator)
        let task = Task {
          switch round % 4 {
          case 0: _ = try await ada.save("r\(round)")
          case 1: _ = try await ada.upload(original.path)
          case 2: _ = try await cloud.transport.download(download, to: copy) { _, _ in }
          default: for try await _ in try await cloud.transport.open(download).pieces {}
          }
        }
        for _ in 0..<moment { await Task.yield() }
        task.cancel()
        if case .failure(let error) = await task.result {
          #expect(
            (error as? TransportError)?.kind == .cancelled, "\(error), round \(round), \(generator)"
          )
        }
      }
      _ = try await cloud.transport.download(download, to: copy) { _, _ in }
      #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == original.contents, "\(generator)")
      #expect(try await ada.save("last")["recordName"] as? String == "last")
    },
  ]
}
