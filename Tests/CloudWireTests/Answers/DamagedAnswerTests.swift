import CloudRecords
import CloudWire
import Testing

/// Responses that report errors, are damaged, or come from a proxy.
@Suite struct `Damaged responses` {
  private static let good =
    #"{"recordName":"good","recordType":"T","fields":{"n":{"value":1,"type":"INT64"}}}"#

  @Test(arguments: [
    (#"{"recordName":"bad"}"#, "bad", "recordType"),
    (
      #"{"recordName":"bad","recordType":"T","fields":{"n":{"value":"x","type":"INT64"}}}"#, "bad",
      "records[1].fields.n"
    ),
    (#"{"recordName":"bad","recordType":"T","fields":{"n":1,"n":2}}"#, "bad", "twice"),
    (#"{"recordName":"bad","recordName":"worse","recordType":"T"}"#, "bad", "twice"),
    (#"{"recordType":"T"}"#, "", "recordName"),
    (#"{"recordName":7,"recordType":"T"}"#, "", "string"),
    ("null", "", "object"), ("[]", "", "object"), ("12", "", "object"), (#""x""#, "", "object"),
  ])
  func `A damaged item leaves the other items intact`(item: String, name: String, reason: String)
    throws
  {
    let body = #"{"records":[\#(Self.good),\#(item),\#(Self.good)],"syncToken":"t"}"#
    let answer = try RecordsModifyResponse(answer: Array(body.utf8))
    #expect(
      answer.records.count == 3 && answer.records[0] == answer.records[2] && answer.syncToken == "t"
    )
    guard case .record(let shown) = answer.records[0],
      case .failed(name, let error) = answer.records[1]
    else {
      Issue.record("\(answer.records)")
      return
    }
    #expect(shown.record.fields == ["n": Field(.int64(1))])
    #expect(error.code == .internalError && error.reason.contains(reason), "\(error.reason)")
  }

  private static let errors: [(String, CloudError)] = [
    (
      #"{"recordName":"a","serverErrorCode":"CONFLICT","reason":"stale"}"#,
      CloudError(.conflict, "stale")
    ),
    (
      #"{"serverErrorCode":"NOT_FOUND","recordName":"a"}"#,
      CloudError(.notFound, "The server answered NOT_FOUND without a reason.")
    ),
    (
      #"{"recordName":"a","recordType":"T","fields":7,"reason":"r","serverErrorCode":"THROTTLED","retryAfter":110207}"#,
      CloudError(.throttled, "r", retryAfterSeconds: 110_207)
    ),
    (
      #"{"recordName":"a","serverErrorCode":"BAD_REQUEST","reason":7,"extensionErrorCode":"LIMIT_EXCEEDED","retryAfter":"soon"}"#,
      CloudError(
        .badRequest, "The server answered BAD_REQUEST without a reason.", extension: .limitExceeded)
    ),
    (
      #"{"recordName":"a","serverErrorCode":"THROTTLED","reason":"r","retryAfter":1e300,"extensionErrorCode":"NEW"}"#,
      CloudError(.throttled, "r", retryAfterSeconds: 366 * 86_400)
    ),
  ]

  @Test(arguments: errors)
  func `An item with an error code is an error`(item: String, error: CloudError) throws {
    let answer = try RecordsLookupResponse(answer: Array(#"{"records":[\#(item)]}"#.utf8))
    #expect(answer.records == [.failed(recordName: "a", error)])
  }

  @Test func `An unknown error code is kept`() throws {
    let body =
      #"{"uuid":"u","serverErrorCode":"ZONE_BUSY","reason":"later","redirectUrl":"https://a"}"#
    let answer = try ErrorResponse(answer: Array(body.utf8))
    #expect(answer.error.unknownCode == "ZONE_BUSY" && answer.error.code == .internalError)
    #expect(answer.error.redirectURL == "https://a" && answer.requestIdentifier == "u")
    let newer = ##"{"error_code":"CONFLICT","messageForDeveloper":"stale"}"##
    #expect(try ErrorResponse(answer: Array(newer.utf8)).error == CloudError(.conflict, "stale"))
  }

  @Test(arguments: [
    ("<html><body>Sign in to the café's network", CloudErrorCode.tryAgainLater, "<html>"),
    (#"{"records":["#, .tryAgainLater, "too early"), ("[]", .internalError, "object"),
    ("", .tryAgainLater, "The answer is empty."), ("\n ", .tryAgainLater, "The answer is empty."),
    (#"{"records":{"a":1}} x"#, .tryAgainLater, "bytes follow"),
    (#"{"serverErrorCode":"QUOTA_EXCEEDED","reason":"full"}"#, .quotaExceeded, "full"),
  ])
  func `A response that has no result is an error with a reason`(
    body: String, code: CloudErrorCode, reason: String
  ) throws {
    let error = #expect(throws: CloudError.self) {
      try RecordsModifyResponse(answer: Array(body.utf8))
    }
    #expect(
      error?.code == code && error?.reason.contains(reason) == true, "\(error?.reason ?? "-")")
  }

  @Test func `An invalid number is an internal error and not a proxy's page`() {
    let error = #expect(throws: CloudError.self) {
      try UploadProgressResponse(answer: Array(#"{"received":"many"}"#.utf8))
    }
    #expect(error?.code == .internalError)
  }

  @Test(arguments: [
    (400, CloudErrorCode.badRequest), (401, .authenticationFailed), (403, .accessDenied),
    (404, .notFound), (408, .tryAgainLater),
    (409, .conflict), (413, .quotaExceeded), (418, .badRequest), (421, .authenticationRequired),
    (429, .throttled),
    (500, .internalError), (502, .tryAgainLater), (503, .tryAgainLater), (504, .tryAgainLater),
    (599, .internalError),
  ])
  func `A failed response without a readable body has the meaning of its status`(
    status: Int, code: CloudErrorCode
  ) {
    let error = CloudError(status: status, answer: Array("<h1>No</h1>".utf8))
    #expect(error.mayHaveArrived == (status == 408 || status >= 500))
    #expect(
      error.code == code && error.reason.contains("\(status)")
        && error.reason.contains("<h1>No</h1>"))
    let reported = CloudError(
      status: status, answer: Array(#"{"serverErrorCode":"EXISTS","reason":"r"}"#.utf8))
    #expect(!reported.mayHaveArrived)
    #expect(reported == CloudError(.exists, "r"))
  }

  @Test(arguments: [
    ("30", #"{"serverErrorCode":"THROTTLED","reason":"r"}"#, 30),
    ("30", #"{"serverErrorCode":"THROTTLED","retryAfter":5}"#, 5),
    ("30", "slow down", 30), ("99999999999", "", 366 * 86_400), ("-1", "", nil),
    ("Wed, 21 Oct 2015 07:28:00 GMT", "", nil),
  ])
  func `A Retry-After header is read`(header: String, body: String, seconds: Int?) {
    #expect(
      CloudError(status: 429, retryAfter: header, answer: Array(body.utf8)).retryAfterSeconds
        == seconds)
  }
}
