/// How a request to `records/modify` says under which of the user's keys its values are sealed.
///
///     X-Parhelion-Key-Generation: 3
///
/// The number is the generation of the user's public key bag. Where the user has another one by now, the server does nothing and answers `CONFLICT` with `KEYS_REPLACED`:
/// nobody could open what is sealed under keys that were given up.
package enum KeyGeneration {
  package static let headerField = "X-Parhelion-Key-Generation"
}
