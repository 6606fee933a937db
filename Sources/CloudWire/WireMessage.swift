package import CloudRecords
package import JSONCoding

/// The body of a request, which the server reads.
package protocol WireRequest: Sendable {
  init(from reader: inout JSONReader) throws(JSONError)
}

/// The body of a response, which the server writes.
package protocol WireResponse: Sendable {
  func write(to writer: inout JSONWriter)

  /// The whole body. A response that is already encoded returns its stored bytes.
  var bytes: [UInt8] { get }
}

extension WireResponse {
  /// The whole body.
  package var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    write(to: &writer)
    return writer.array()
  }
}

/// A response that clients also read.
///
/// Clients are lenient: they ignore unknown members, and read responses of other servers. A
/// malformed item counts as failed and does not affect the others.
package protocol ClientResponse: WireResponse {
  init(from reader: inout JSONReader) throws(JSONError)
}

/// A request that clients also write, with the type of its response.
package protocol ClientRequest: WireRequest {
  associatedtype Response: ClientResponse

  func write(to writer: inout JSONWriter)
}

/// A request to a database.
package protocol DatabaseRequest: ClientRequest {
  /// The endpoint of the request.
  static var endpoint: Endpoint { get }
  /// Whether the request has a body.
  ///
  /// The protocol uses GET for requests without one.
  static var hasBody: Bool { get }
}

extension DatabaseRequest {
  package static var hasBody: Bool { true }
}

extension WireRequest {
  /// Reads a whole body.
  ///
  /// An empty body counts as an empty object, since clients send both.
  package init(body: [UInt8]) throws(CloudError) {
    do throws(JSONError) {
      self = try JSONReader.read(wholeBody(body), limits: .ofRequests, Self.init(from:))
    } catch {
      throw CloudError(.badRequest, "The request's body cannot be read: \(error).")
    }
  }
}

extension ClientRequest {
  /// The whole body.
  package var body: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.array()
  }
}

extension ClientResponse {
  /// Reads the whole body of a successful response.
  ///
  /// - Throws: The error in the body, or an error if the body cannot be read.
  package init(answer body: [UInt8]) throws(CloudError) {
    do throws(JSONError) {
      self = try JSONReader.read(wholeBody(body), Self.init(from:))
    } catch {
      throw CloudError(body, unreadable: error)
    }
  }
}

extension JSONLimits {
  /// The limits of request bodies.
  fileprivate static let ofRequests: JSONLimits = {
    var limits = JSONLimits()
    limits.maximumElements = Limits.elementsOfRequest
    return limits
  }()
}

/// Returns the body, or an empty object for an empty body.
private func wholeBody(_ body: [UInt8]) -> [UInt8] { body.isEmpty ? Array("{}".utf8) : body }

/// A response without contents.
package struct EmptyResponse: ClientResponse, Hashable {
  package init() {}

  /// Reads a response whose contents are not needed.
  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }

  package func write(to writer: inout JSONWriter) { writer.emptyObject() }
}

extension JSONWriter {
  /// Writes an empty body.
  mutating func emptyObject() {
    beginObject()
    endObject()
  }
}
