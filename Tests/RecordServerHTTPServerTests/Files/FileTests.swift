import AssetStorage
import CloudRecords
import Foundation
import HTTPServer
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("Files over HTTP", .blockingThreads, .endsAtAll)
struct FileTests {
  /// A service that accepts files, and one of its users.
  private func withUser(
    limits: ServiceLimits = ServiceLimits(),
    _ configure: (inout CloudServer.Configuration) -> Void = { _ in },
    _ body: (TestService, WebClient, URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await TestService.run {
        $0.files = folder.path
        $0.limits = limits
        configure(&$0)
      } _: { testService in
        try await body(testService, try await testService.user("ada"), folder)
      }
    }
  }

  private func files(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".part") || URL(fileURLWithPath: $0).lastPathComponent.count == 81
    }
  }

  @Test func `A raw upload can be downloaded whole and in parts`() async throws {
    try await withUser { _, ada, _ in
      let contents = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      let receipt = try ada.send(contents, to: try ada.uploadAddress())
      #expect(receipt.status == 200, "\(receipt)")
      let file = receipt["singleFile"]
      #expect(file["size"].number == 1_000_000)
      for key in ["fileChecksum", "receipt", "referenceChecksum", "wrappingKey"] {
        #expect(file[key].text != nil)
      }
      let target = try ada.save(file)
      let whole = try ada.fetch(target)
      #expect(whole.status == 200 && whole.body == contents)
      let tag = try #require(whole.fields["etag"])
      let part = try ada.fetch(target, "Range: bytes=1000-1999\r\n")
      #expect(part.status == 206 && part.body == Array(contents[1000..<2000]))
      #expect(part.fields["content-range"] == "bytes 1000-1999/1000000")
      #expect(try ada.fetch(target, "Range: bytes=-10\r\n").body == Array(contents.suffix(10)))
      #expect(
        try ada.fetch(target, "Range: bytes=5-9\r\nIf-Range: \(tag)\r\n").body
          == Array(contents[5..<10]))
      #expect(
        try ada.fetch(target, "Range: bytes=5-9\r\nIf-Range: \"x\"\r\n").body.count
          == contents.count)
      #expect(try ada.fetch(target, "Range: bytes=1000000-\r\n").status == 416)
      for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
        let response = try ada.fetch(target, "If-None-Match: \(known)\r\n")
        #expect(response.status == 304 && response.fields["etag"] == tag)
      }
      #expect(try ada.fetch(target, "If-None-Match: \"x\"\r\n").status == 200)
      let head = try ada.fetch(target, method: "HEAD")
      #expect(head.status == 200 && head.fields["content-length"] == "1000000" && head.body.isEmpty)
    }
  }

  @Test func `A downloaded file cannot pass as a page of the server`() async throws {
    try await withUser { _, ada, _ in
      let receipt = try ada.send(
        Array("<script>alert(1)</script>".utf8), to: try ada.uploadAddress())
      let response = try ada.fetch(
        try ada.save(receipt["singleFile"]), "Origin: https://app.example\r\n")
      #expect(response.fields["content-type"] == "application/octet-stream")
      #expect(response.fields["content-disposition"] == "attachment")
      #expect(response.fields["x-content-type-options"] == "nosniff")
      #expect(response.fields["content-security-policy"]?.contains("sandbox") == true)
      #expect(response.fields["cache-control"]?.hasPrefix("private, max-age=") == true)
      #expect(response.fields["access-control-allow-origin"] == "https://app.example")
    }
  }

  @Test func `A form with one part uploads a file`() async throws {
    try await withUser { _, ada, _ in
      let contents = Array("in a form\r\n--not the end".utf8)
      let form =
        Array(
          "--AaB03x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"f\"\r\n\r\n".utf8)
        + contents + Array("\r\n--AaB03x--\r\n".utf8)
      let type = "Content-Type: multipart/form-data; boundary=AaB03x\r\n"
      let receipt = try ada.send(form, to: try ada.uploadAddress(), type)
      #expect(receipt["singleFile"]["size"].number == Double(contents.count), "\(receipt)")
      #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == contents)
      let broken = try ada.send(Array(form.dropLast(10)), to: try ada.uploadAddress(), type)
      #expect((broken.status, broken.code) == (400, "BAD_REQUEST"))
      #expect(broken["reason"].text?.contains("ends before its file") == true)
    }
  }

  @Test func `A file can be sent in chunks and can be empty`() async throws {
    try await withUser { _, ada, _ in
      let target = try ada.uploadAddress()
      try ada.raw.send(
        "PUT \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
      )
      let receipt = Reply(try ada.raw.response())
      #expect(try ada.fetch(try ada.save(receipt["singleFile"])).text == "abcde")
      let empty = try ada.send([], to: target)
      #expect(empty["singleFile"]["size"].number == 0)
      #expect(try ada.fetch(try ada.save(empty["singleFile"], record: "empty")).body == [])
    }
  }

  @Test func `A Parhelion client can resume an upload in another request`() async throws {
    try await withUser { testService, ada, folder in
      let contents = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      let target = try ada.uploadAddress()
      #expect(target.hasSuffix("&resumable=1"))
      let own = "X-Parhelion-Client: 1\r\n"
      func received() throws -> Int {
        let reply = try testService.client().send(
          [], to: target, own + "Content-Range: bytes */1000000\r\n")
        return Int(try #require(reply["received"].number))
      }
      #expect(try received() == 0)
      do {
        let broken = try testService.client()
        try broken.raw.send(
          "POST \(target) HTTP/1.1\r\nHost: cloud.example\r\nContent-Length: 1000000\r\n\(own)\r\n")
        try broken.raw.send(Array(contents.prefix(700_000)))
        // An upload that is queried before it has begun does not exist yet.
        try await yields(while: try files(in: folder).isEmpty)
      }
      // A query takes the upload over from its first request, however much of that the server has
      // read.
      let begun = try received()
      #expect((0...700_000).contains(begun))
      #expect(try received() == begun)
      let wrong = try testService.client().send(
        Array(contents.suffix(10)), to: target,
        own + "Content-Range: bytes 999990-999999/1000000\r\n")
      #expect(wrong.code == "CONFLICT")
      if begun > 0 {
        let receipt = try testService.client().send(
          Array(contents[begun...]), to: target,
          own + "Content-Range: bytes \(begun)-999999/1000000\r\n")
        #expect(receipt["singleFile"]["size"].number == 1_000_000)
        #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == contents)
        #expect(try received() == 1_000_000)
        // A client that missed the answer gets it again.
        let again = try testService.client().send(
          [], to: target, own + "Content-Range: bytes */1000000\r\n")
        for key in ["receipt", "fileChecksum"] {
          #expect(again["singleFile"][key].text == receipt["singleFile"][key].text)
        }
        #expect(try ada.fetch(try ada.save(again["singleFile"], record: "again")).body == contents)
      }
    }
  }

  @Test func `Only URLs from the server work, each in its direction`() async throws {
    try await withUser { testService, ada, folder in
      let upload = try ada.uploadAddress()
      let download = try ada.save(try ada.send([1], to: upload)["singleFile"])
      let ticket = upload.prefix { $0 != "&" }
      let last = try #require(ticket.last)
      let forged = String(ticket.dropLast()) + (last == "A" ? "B" : "A")
      let swapped = "/assets/upload" + download.dropFirst("/assets/download".count)
      for target in [
        forged, swapped, "/assets/upload", "/assets/upload?ticket=", "/assets/upload?ticket=%00",
      ] {
        // A body that was not read ends its connection.
        let reply = try testService.client().send([1, 2], to: target)
        #expect((reply.status, reply.code) == (403, "ACCESS_DENIED"), "\(target)")
      }
      for target in [
        "/assets/download" + upload.dropFirst("/assets/upload".count), "/assets/download?ticket=x",
      ] {
        let response = try ada.fetch(target)
        #expect(response.status == 403)
      }
      #expect(try ada.fetch(upload).status == 405)
      #expect(try testService.client().send([1], to: download).status == 405)
      #expect(try files(in: folder).count == 1)
      #expect(!testService.log.all.contains { $0.contains("ticket") })
    }
  }

  @Test func `A file that is too large is rejected before or during the upload`() async throws {
    var limits = ServiceLimits()
    limits.assetBytes = 1_000
    try await withUser(limits: limits) { testService, ada, folder in
      let target = try ada.uploadAddress()
      let declared = try ada.send([UInt8](repeating: 1, count: 1_001), to: target)
      #expect((declared.status, declared.code) == (413, "BAD_REQUEST"))
      let other = try testService.client()
      try other.raw.send("POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      try other.raw.send("400000\r\n" + String(repeating: "a", count: 0x400000) + "\r\n0\r\n\r\n")
      #expect(try other.raw.response().status == 413)
      #expect(
        try testService.client().send([UInt8](repeating: 1, count: 1_000), to: target).status == 200
      )
      #expect(try files(in: folder).count == 1)
    }
  }

  @Test func `A full disk is reported to the client and the operator`() async throws {
    try await withUser {
      $0.fileOptions.reservedBytes = .max
      $0.service.report = { error, _ in
        if !"\(error)".contains("no space") { Issue.record("\(error)") }
      }
    } _: { _, ada, folder in
      let reply = try ada.send([1], to: try ada.uploadAddress())
      #expect((reply.status, reply.code) == (503, "TRY_AGAIN_LATER"))
      #expect(reply.fields["retry-after"] == "300")
      #expect(try files(in: folder) == [])
    }
  }

  @Test func `A client that disconnects halfway leaves no file`() async throws {
    try await withUser { testService, ada, folder in
      let target = try ada.uploadAddress()
      let part = [UInt8](repeating: 1, count: 600_000)
      do {
        let leaving = try testService.client()
        try leaving.raw.send(
          "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        try leaving.raw.send(part)
        leaving.raw.finish()
        _ = leaving.raw.isAtEnd()
      }
      // The handler may still be running, and others are answered meanwhile.
      while try !files(in: folder).isEmpty {
        try Task.checkCancellation()
        try ada.get("/health")
      }
      #expect(try files(in: folder) == [])
    }
  }

  @Test func `A client that stops sending gets an error and leaves no file`() async throws {
    try await withUser {
      $0.http.timeouts.pacePeriod = .milliseconds(100)
    } _: { testService, ada, folder in
      let slow = try testService.client()
      try slow.raw.send(
        "POST \(try ada.uploadAddress()) HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc")
      let reply = Reply(try slow.raw.response())
      #expect((reply.status, reply.code) == (408, "TRY_AGAIN_LATER"))
      #expect(try files(in: folder) == [])
    }
  }

  @Test func `A file sent to one database cannot be used in another`() async throws {
    try await withUser { _, ada, _ in
      let scopes = ["private", "public"]
      for scope in scopes {
        let receipt = try ada.send(Array(scope.utf8), to: try ada.uploadAddress(in: scope))[
          "singleFile"]
        let members = try ["fileChecksum", "receipt"].map {
          #""\#($0)":"\#(try #require(receipt[$0].text))""#
        }
        let value = "{\(members.joined(separator: ",")),\"size\":\(scope.utf8.count)}"
        func save(in other: String) throws -> JSONNode {
          let record =
            #"{"recordName":"r","recordType":"Note","fields":{"file":{"value":\#(value)}}}"#
          return try ada.ask(
            other, "records/modify",
            #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#)[
              "records"][0]
        }
        for other in scopes where other != scope {
          let refused = try save(in: other)
          #expect(refused["serverErrorCode"].text == "BAD_REQUEST", "\(refused)")
          #expect(refused["reason"].text?.contains("another database") == true, "\(refused)")
        }
        #expect(try save(in: scope)["recordChangeTag"].text != nil)
      }
    }
  }

  @Test func `A file sent to one owner's database cannot be used in another's`() async throws {
    try await withUser { testService, ada, _ in
      let (bob, carol) = (try await testService.user("bob"), try await testService.user("carol"))
      let owners = try [ada, bob].map { owner in
        let zone =
          #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
        _ = try owner.ask("private", "zones/modify", zone)
        let share =
          #"{"operationType":"create","record":{"recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"publicPermission":"READ_WRITE"}}"#
        let created = try owner.ask(
          "private", "records/modify", #"{"operations":[\#(share)],"zoneID":{"zoneName":"Z"}}"#)[
            "records"][0]
        let short = try #require(created["shortGUID"].text, "\(created)")
        _ = try carol.ask("public", "records/accept", #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
        return try #require(created["created"]["userRecordName"].text)
      }
      func zone(of owner: String) -> String {
        #""zoneID":{"zoneName":"Z","ownerRecordName":"\#(owner)"}"#
      }
      func save(_ value: String, to owner: String) throws -> JSONNode {
        let record =
          #"{"recordName":"r","recordType":"Note","fields":{"file":{"value":\#(value)}}}"#
        return try carol.ask(
          "shared", "records/modify",
          #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}],\#(zone(of: owner))}"#
        )["records"][0]
      }
      for (owner, other) in [(owners[0], owners[1]), (owners[1], owners[0])] {
        let address = try carol.uploadAddress(in: "shared", ",\(zone(of: owner))")
        let receipt = try carol.send(Array(owner.utf8), to: address)["singleFile"]
        let members = try ["fileChecksum", "receipt"].map {
          #""\#($0)":"\#(try #require(receipt[$0].text))""#
        }
        let value = "{\(members.joined(separator: ",")),\"size\":\(owner.utf8.count)}"
        let refused = try save(value, to: other)
        #expect(refused["reason"].text?.contains("another database") == true, "\(refused)")
        let saved = try save(value, to: owner)
        #expect(saved["recordChangeTag"].text != nil, "\(saved)")
      }
    }
  }

  /// An upload that cannot be resumed also counts towards the quota while its file arrives.
  @Test(arguments: [true, false])
  func `A file that exceeds the quota is rejected before it is complete`(statesLength: Bool)
    async throws
  {
    var limits = ServiceLimits()
    limits.privateDatabaseBytes = 1_000
    try await withUser(limits: limits) {
      $0.http.timeouts.pacePeriod = .milliseconds(100)
    } _: { testService, ada, folder in
      let client = try testService.client()
      let head = "POST \(try ada.uploadAddress()) HTTP/1.1\r\nHost: a\r\n"
      if statesLength {
        try client.raw.send(head + "Content-Length: 1001\r\n\r\nabc")
      } else {
        // The rest of the body never arrives.
        try client.raw.send(
          head
            + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n\(String(repeating: "x", count: 1_001))\r\n"
        )
      }
      let refused = Reply(try client.raw.response())
      #expect((refused.status, refused.code) == (413, "QUOTA_EXCEEDED"), "\(refused)")
      #expect(try files(in: folder) == [])
      // The bytes of the rejected upload no longer count.
      #expect(
        try ada.send([UInt8](repeating: 1, count: 1_000), to: try ada.uploadAddress()).status == 200
      )
    }
  }

  @Test func `A server without a folder reports it`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let reply = try ada.send([1], to: try ada.uploadAddress())
      #expect((reply.status, reply.code) == (503, "TRY_AGAIN_LATER"))
      #expect(reply["reason"].text?.contains("stores no files") == true)
    }
  }
}

extension WebClient {
  /// Requests a URL for a field of a record without a name, and returns its path and query.
  func uploadAddress(in database: String = "private", _ members: String = "") throws -> String {
    let reply = try ask(
      database, "assets/upload",
      #"{"tokens":[{"recordType":"Note","fieldName":"file"}]\#(members)}"#)
    let url = try #require(reply["tokens"][0]["url"].text, "\(reply)")
    let host = "http://cloud.example"
    #expect(url.hasPrefix(host))
    return String(url.dropFirst(host.count))
  }

  func send(_ contents: [UInt8], to target: String, _ fields: String = "") throws -> Reply {
    try raw.send(
      "POST \(target) HTTP/1.1\r\nHost: cloud.example\r\nContent-Length: \(contents.count)\r\n\(fields)\r\n"
    )
    try raw.send(contents)
    return Reply(try raw.response())
  }

  /// Saves a record with a file, and returns the path and query of the file.
  func save(_ file: JSONNode, record: String = "note") throws -> String {
    let members = try ["fileChecksum", "receipt", "referenceChecksum", "wrappingKey"].map { key in
      #""\#(key)":"\#(try #require(file[key].text))""#
    }
    let value = "{\(members.joined(separator: ",")),\"size\":\(Int(file["size"].number ?? -1))}"
    let record =
      #"{"recordName":"\#(record)","recordType":"Note","fields":{"file":{"value":\#(value)}}}"#
    let reply = try ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#)
    let stored = reply["records"][0]["fields"]["file"]["value"]
    #expect(!stored["receipt"].isThere)
    let url = try #require(stored["downloadURL"].text, "\(reply)")
    return String(url.dropFirst("http://cloud.example".count))
  }

  func fetch(_ target: String, _ fields: String = "", method: String = "GET") throws
    -> RawClient.Response
  {
    try raw.send("\(method) \(target) HTTP/1.1\r\nHost: cloud.example\r\n\(fields)\r\n")
    return try raw.response(hasBody: method != "HEAD")
  }
}
