import HTTPServer

/// The page that a browser shows at the address of a share.
///
/// It is the same for every address, so it does not reveal which shares exist or what their titles
/// are. An application shows the share after its user has signed in.
extension RecordService {
  func answerInvitation() -> Answer {
    let body: HTML = """
      <p>Somebody shares something with you.</p>
      <p>To take part, copy the address of this page and open it in the application that it was made in.</p>
      """
    return Answer(Page(title: "Invitation", body: body).response(.ok, nonce: FormToken.random))
  }
}
