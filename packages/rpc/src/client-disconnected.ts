/** The caller is gone: there is nobody to be told, and nothing is wrong. */
export class ClientDisconnected extends Error {
  constructor() {
    super('the caller left');
  }
}
