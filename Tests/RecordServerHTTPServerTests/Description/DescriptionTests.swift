import CloudRecords
import CloudWire
import Foundation
import HTTPServer
import RecordServer
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("Server description", .blockingThreads, .endsAtAll)
struct DescriptionTests {
  @Test(arguments: Route.described)
  func `Each described path leads to its route`(route: Route) throws {
    let path = DescribedOperation.path(of: route.template)
    let found = try Route(path: path)
    #expect(found.template == route.template && found.operation == route.operation)
  }

  @Test func `The description has all routes and methods, and nothing else`() async throws {
    try await TestService.run { testService in
      let reply = try testService.client().get("/openapi.json", "Origin: https://tools.example\r\n")
      #expect(
        reply.status == 200
          && reply.fields["access-control-allow-origin"] == "https://tools.example")
      #expect(
        reply["openapi"].text == "3.1.0"
          && reply["servers"][0]["url"].text == "http://cloud.example")
      #expect(reply["paths"].keys == Set(Route.described.map(\.template)))
      for route in Route.described {
        let methods = route.methods.map { $0.rawValue.lowercased() }.filter { $0 != "head" }
        #expect(reply["paths"][route.template].keys == Set(methods + ["parameters"]))
      }
      let operations = DescribedOperation.all(in: reply.json)
      #expect(Set(operations.map(\.identifier)).count == operations.count)
      #expect(operations.count > Endpoint.allCases.count)
      for operation in operations {
        #expect(operation.summary.hasSuffix("."), "\(operation.identifier) has no summary")
        #expect(operation.statuses.contains(200) && operation.statuses.count < 10)
      }
    }
  }

  @Test func `Path parameters, error codes and security schemes are declared`() async throws {
    try await TestService.run { testService in
      let reply = try testService.client().get("/openapi.json")
      for route in Route.described {
        let parameters = reply["paths"][route.template]["parameters"].list
        let inPath = parameters.filter { $0["in"].text == "path" }.compactMap { $0["name"].text }
        let inBraces = route.template.split(separator: "/").filter { $0.hasPrefix("{") }.map {
          $0.dropFirst().dropLast()
        }
        #expect(inPath.map { $0[...] } == inBraces)
      }
      #expect(reply.text.contains("#/components/schemas/Error"))
      let codes = reply["components"]["schemas"]["Error"]["properties"]["serverErrorCode"]["enum"]
        .list
      #expect(codes.compactMap(\.text) == CloudErrorCode.allCases.map(\.rawValue))
      let schemes = reply["components"]["securitySchemes"].keys
      let used = DescribedOperation.all(in: reply.json).reduce(into: Set<String>()) {
        $0.formUnion($1.schemes)
      }
      #expect(used == schemes && schemes.contains("serverKey"))
    }
  }

  @Test func `The server answers each operation with every described status`() async throws {
    let engine = MemoryStorageEngine()
    try await withTemporaryDirectory { folder in
      try await TestService.run(on: engine) {
        $0.files = folder.path
        $0.limits.assetBytes = 1_000
        $0.service.bodyBytes = 20_000
        $0.round = .milliseconds(20)
        $0.accounts.attemptsByName = AttemptRate(atOnce: 2, secondsForEach: 600)
        $0.service.maintenance = SampleUpkeep()
        // The test closes the storage at the end, which causes errors.
        $0.service.report = { _, _ in }
      } _: { testService in
        let operations = DescribedOperation.all(
          in: try testService.client().get("/openapi.json").json)
        let statusClient = try await StatusClient(testService)
        for operation in operations {
          for status in operation.statuses where status != 503 {
            let answered = try await statusClient.provoke(status, of: operation)
            #expect(answered == status, "\(operation.identifier)")
          }
        }
        await engine.close()
        let late = operations.filter { $0.statuses.contains(503) }
        #expect(late.map(\.path) == ["/ready"])
        for operation in late {
          #expect(try testService.client().get(operation.path).status == 503)
        }
      }
    }
  }
}
