import CloudTransport
import Foundation
import Synchronization
import Testing

extension TransportCheck {
  /// Uploads and downloads of records' files.
  static let files: [Self] = [
    Self("a file is uploaded from the disk and downloaded to it") { cloud in
      let (ada, original) = (try await cloud.user(), try cloud.file("original", count: 1_000_000))
      let sent = Mutex<[Int64]>([])
      let receipt = try await ada.upload(original.path) { done, total in
        #expect(total == 1_000_000)
        sent.withLock { $0.append(done) }
      }
      #expect(sent.withLock { $0 == $0.sorted() && $0.last == 1_000_000 })
      let request = TransportRequest(.get, try await ada.saveFile(receipt))
      let copy = cloud.folder.appendingPathComponent("copy")
      let received = Mutex<[Int64]>([])
      let answer = try await cloud.transport.download(request, to: copy.path) { done, total in
        #expect(total == 1_000_000)
        received.withLock { $0.append(done) }
      }
      #expect(answer.status == 200 && answer.body == [] && answer["etag"] != nil)
      #expect(try Data(contentsOf: copy) == original.contents)
      #expect(received.withLock { $0 == $0.sorted() && $0.last == 1_000_000 })
    },
    Self("a download resumes where it stopped, and does not start if the file is complete") {
      cloud in
      let (ada, original) = (try await cloud.user(), try cloud.file("original", count: 300_000))
      var request = TransportRequest(
        .get, try await ada.saveFile(try await ada.upload(original.path)))
      let copy = cloud.folder.appendingPathComponent("copy")
      let first = try await cloud.transport.download(request, to: copy.path) { _, _ in }
      request.headers = [("If-Range", try #require(first["ETag"]))]
      for (count, status) in [(1, 206), (299_999, 206), (300_000, 200), (300_001, 200), (0, 200)] {
        // A file longer than the original has other contents.
        try Data(original.contents.prefix(count) + Data(count: max(0, count - 300_000))).write(
          to: copy)
        let answer = try await cloud.transport.download(request, to: copy.path) { done, total in
          #expect(done <= 300_000 && total == 300_000)
        }
        #expect(answer.status == status, "from \(count)")
        #expect(try Data(contentsOf: copy) == original.contents, "from \(count)")
      }
      request.headers = [("If-Range", "\"another\"")]
      try Data(original.contents.prefix(10)).write(to: copy)
      #expect(try await cloud.transport.download(request, to: copy.path) { _, _ in }.status == 200)
      #expect(try Data(contentsOf: copy) == original.contents)
    },
    Self("an empty file is uploaded and downloaded") { cloud in
      let (ada, original) = (try await cloud.user(), try cloud.file("original", count: 0))
      let request = TransportRequest(
        .get, try await ada.saveFile(try await ada.upload(original.path)))
      let copy = cloud.folder.appendingPathComponent("copy")
      #expect(try await cloud.transport.download(request, to: copy.path) { _, _ in }.isSuccess)
      #expect(try Data(contentsOf: copy) == Data())
    },
    Self("a file arrives piece by piece at its reader's pace") { cloud in
      let (ada, original) = (try await cloud.user(), try cloud.file("original", count: 3_000_000))
      let request = TransportRequest(
        .get, try await ada.saveFile(try await ada.upload(original.path)))
      let stream = try await cloud.transport.open(request)
      #expect(stream.head.status == 200 && stream.head.body == [])
      var received = Data()
      for try await piece in stream.pieces {
        #expect(!piece.isEmpty && piece.count <= 1 << 20)
        received += Data(piece)
        await Task.yield()
      }
      #expect(received == original.contents)
    },
    Self("a refused download is a response and leaves the local file") { cloud in
      let kept = try cloud.file("kept", count: 10)
      let request = TransportRequest(.get, cloud.address + "/assets/download?ticket=forged")
      let answer = Answer(try await cloud.transport.download(request, to: kept.path) { _, _ in })
      #expect(answer.status == 403 && answer.code == "ACCESS_DENIED", "\(answer)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: kept.path)) == kept.contents)
      let large = try cloud.file("large", count: 3_000_000)
      let upload = TransportRequest(
        .post, cloud.address + "/assets/upload?ticket=forged", body: .file(path: large.path))
      #expect(Answer(try await cloud.transport.send(upload)).status == 403)
    },
    Self("missing local files are errors") { cloud in
      let missing = cloud.folder.appendingPathComponent("not/there").path
      let upload = TransportRequest(.post, cloud.address + "/health", body: .file(path: missing))
      let up = await #expect(throws: TransportError.self) { try await cloud.transport.send(upload) }
      let download = TransportRequest(.get, cloud.address + "/health")
      let down = await #expect(throws: TransportError.self) {
        try await cloud.transport.download(download, to: missing) { _, _ in }
      }
      for error in [up, down] {
        #expect(
          error?.kind == .file && error?.mayHaveArrived == false
            && error?.reason.contains(missing) == true)
      }
    },
  ]
}

extension Client {
  /// Sends a file, and returns the server's receipt for it.
  func upload(_ path: String, progress: TransportProgress? = nil) async throws -> [String: Any] {
    let answer = try await ask(
      "assets/upload", #"{"tokens":[{"recordType":"Note","fieldName":"file"}]}"#)
    let address = try #require(answer.list("tokens").first?["url"] as? String, "\(answer)")
    #expect(address.hasPrefix(cloud.address))
    var request = TransportRequest(.post, address, body: .file(path: path))
    request.progress = progress
    let receipt = Answer(try await cloud.transport.send(request))
    return try #require(receipt.object["singleFile"] as? [String: Any], "\(receipt)")
  }

  /// Saves a record with a file, and returns the file's download address.
  func saveFile(_ receipt: [String: Any]) async throws -> String {
    let value = String(decoding: try JSONSerialization.data(withJSONObject: receipt), as: UTF8.self)
    let record = try await save("with-file", #"{"file":{"value":\#(value)}}"#)
    let field = (record["fields"] as? [String: [String: Any]])?["file"]?["value"] as? [String: Any]
    return try #require(field?["downloadURL"] as? String, "\(record)")
  }
}
