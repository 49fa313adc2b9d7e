import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Call } from './call';

const KEEP_ALIVE_MS = 120_000;

/** @param onCall answers every call; its errors go to `onError` */
export function createHttpServer(
  onCall: (call: Call) => void | Promise<void>,
  onError: (error: unknown) => void,
): Server {
  const current = new WeakMap<Socket, Call>();

  const answer = async (req: IncomingMessage, res: ServerResponse, socket: Socket) => {
    const call = new Call(req, res);
    current.set(socket, call);
    try {
      await onCall(call);
    } catch (error) {
      // A caller that disconnects while its body is read is not an error of the simulator.
      if (!call.stopped) onError(error);
      res.destroy();
    }
  };

  // A long keep-alive: closing idle connections early would show up as resets in the callers' tests.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    const socket = req.socket;
    if (res.socket !== null) void answer(req, res, socket);
    // A pipelined request waits for its turn; otherwise bytes would count as sent before they are.
    else res.once('socket', () => void answer(req, res, socket));
  });
  server.on('connection', (socket) => {
    socket.on('end', () => current.get(socket)?.stop());
  });
  return server;
}
