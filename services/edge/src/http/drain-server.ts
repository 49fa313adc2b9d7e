import type { Server } from 'node:http';
import { stopListening } from './stop-listening';

/**
 * Stops listening and resolves when all connections are closed; those left after `graceMs` are destroyed. Idle connections
 * stay open until the listener closes them.
 */
export async function drainServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  await stopListening(server);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
  // Stops the check of header timeouts, which was needed until now.
  server.close();
}
