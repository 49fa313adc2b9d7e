/** The client closed its connection: there is no response to send, and nothing to report as a failure. */
export class ClientDisconnected extends Error {
  constructor() {
    super('the caller left');
  }
}
