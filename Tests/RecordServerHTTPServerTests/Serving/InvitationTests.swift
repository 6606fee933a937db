import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Invitation pages", .blockingThreads)
struct InvitationTests {
  @Test func `The page gives instructions and reveals nothing of shares`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let shown = try ada.get("/share/0123456789abcdef")
      #expect(shown.status == 200 && shown.text.contains("open it in the application"))
      #expect(shown.fields["content-type"] == "text/html; charset=utf-8")
      #expect(shown.fields["content-security-policy"]?.contains("default-src 'none'") == true)
      #expect(!shown.text.contains("0123456789abcdef"))
      #expect(try ada.get("/share/0123456789abcdef", method: "HEAD").status == 200)
      #expect(try ada.post("/share/0123456789abcdef", "").status == 405)
    }
  }
}
