import CloudTransport
import Foundation
import Synchronization
import Testing

extension TransportCheck {
  /// Requests and responses in memory.
  static let sending: [Self] = [
    Self("a record is saved and fetched") { cloud in
      let ada = try await cloud.user()
      try await ada.save("a", #"{"text":{"value":"größer 😀"}}"#)
      let answer = try await ada.ask("records/lookup", #"{"records":[{"recordName":"a"}]}"#)
      #expect(answer.status == 200)
      let text =
        (answer.list("records").first?["fields"] as? [String: [String: Any]])?["text"]?["value"]
        as? String
      #expect(text == "größer \u{1F600}")
      let response = answer.response
      #expect(response.isSuccess && response["content-TYPE"]?.hasPrefix("application/json") == true)
      #expect(response["Content-Length"] == "\(response.body.count)")
      #expect(
        response["Date"]?.hasSuffix(" GMT") == true && response["X-Apple-Request-UUID"] != nil)
    },
    Self("server errors are responses") { cloud in
      let ada = try await cloud.user()
      let anonymous = try await cloud.anonymous.ask("records/lookup", "{}")
      #expect(
        anonymous.status == 421 && anonymous.code == "AUTHENTICATION_REQUIRED", "\(anonymous)")
      let broken = try await ada.ask("records/modify", "{")
      #expect(broken.status == 400 && broken.code == "BAD_REQUEST", "\(broken)")
      let nowhere = Answer(
        try await cloud.transport.send(TransportRequest(.get, cloud.address + "/not/there")))
      #expect(nowhere.status == 404 && nowhere.code == "NOT_FOUND", "\(nowhere)")
      let wrong = Answer(
        try await cloud.transport.send(
          TransportRequest(.put, ada.request("records/query", "").address)))
      #expect(wrong.status == 405 && wrong.response["allow"]?.contains("POST") == true, "\(wrong)")
    },
    Self("megabytes are sent and received") { cloud in
      let ada = try await cloud.user()
      let text = String(repeating: "0123456789", count: 1_000)
      let operations = (0..<200).map { number in
        let fields = #"{"text":{"value":"\#(text)"}}"#
        return
          #"{"operationType":"create","record":{"recordType":"Note","recordName":"r\#(number)","fields":\#(fields)}}"#
      }
      let saved = try await ada.ask(
        "records/modify", #"{"operations":[\#(operations.joined(separator: ","))]}"#)
      #expect(saved.list("records").count == 200)
      let names = (0..<200).map { #"{"recordName":"r\#($0)"}"# }.joined(separator: ",")
      let found = try await ada.ask("records/lookup", #"{"records":[\#(names)]}"#)
      #expect(found.response.body.count > 2_000_000 && found.list("records").count == 200)
    },
    Self("a body over the server's limit is refused with a response") { cloud in
      var request = try await cloud.user().request("records/modify", "")
      request.body = .bytes([UInt8](repeating: 0x20, count: 17 << 20))
      let answer = Answer(try await cloud.transport.send(request))
      #expect(answer.status == 413 && answer.code == "BAD_REQUEST", "\(answer)")
    },
    Self("a response over the client's limit is an error") { cloud in
      var request = TransportRequest(.get, cloud.address + "/openapi.json")
      request.answerLimit = 1_000
      let error = await #expect(throws: TransportError.self) {
        try await cloud.transport.send(request)
      }
      #expect(error?.kind == .malformed && error?.mayHaveArrived == true)
    },
    Self("each of many concurrent requests gets its own response") { cloud in
      let ada = try await cloud.user()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let saved = try await ada.save("r\(number)")
            #expect(saved["recordName"] as? String == "r\(number)")
          }
        }
        try await group.waitForAll()
      }
    },
    Self("an invalid request is an error, and is not sent") { cloud in
      for address in [
        "", "cloud.test", "ftp://cloud.test/", cloud.address + "/a b", cloud.address + "/\r\nA: b",
      ] {
        let error = await #expect(throws: TransportError.self) {
          try await cloud.transport.send(TransportRequest(.get, address))
        }
        #expect(error?.kind == .address && error?.mayHaveArrived == false)
      }
      for field in [("A B", "c"), ("A", "b\r\nC: d"), ("", "a")] {
        var request = TransportRequest(.get, cloud.address + "/health")
        request.headers = [field]
        let error = await #expect(throws: TransportError.self) {
          try await cloud.transport.open(request)
        }
        #expect(error?.kind == .address && error?.mayHaveArrived == false)
      }
    },
  ]
}
