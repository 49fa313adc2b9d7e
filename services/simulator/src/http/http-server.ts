import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Call } from './call';

const KEEP_ALIVE_MS = 120_000;

/** @param onCall answers every call; what it throws goes to `onError` */
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
      // A caller that goes while its body is read is no defect.
      if (!call.stopped) onError(error);
      res.destroy();
    }
  };

  // A long keep-alive: a provider that closes idle connections early would show up as resets in the callers' tests.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    const socket = req.socket;
    if (res.socket !== null) void answer(req, res, socket);
    // A pipelined request waits for its turn, or its reply's bytes would count as sent while they are not.
    else res.once('socket', () => void answer(req, res, socket));
  });
  server.on('connection', (socket) => {
    socket.on('end', () => current.get(socket)?.stop());
  });
  return server;
}
