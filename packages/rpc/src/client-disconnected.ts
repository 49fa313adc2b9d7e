/** The client closed its connection. No response is sent, and it is not reported as a failure. */
export class ClientDisconnected extends Error {
  constructor() {
    super('client disconnected');
  }
}
