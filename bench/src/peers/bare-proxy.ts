import http, { type IncomingHttpHeaders } from 'node:http';

// A minimal reverse proxy on Node: persistent connections on both sides, bytes are forwarded as they arrive, nothing is
// inspected. Runs in a separate process. argv: the target origin.
const target = new URL(process.argv[2] ?? '');
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const server = http.createServer((request, response) => {
  const options = {
    host: target.hostname,
    port: target.port,
    method: request.method,
    path: request.url,
    headers: endToEnd(request.headers),
    agent,
  };
  const upstream = http.request(options, (reply) => {
    response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers));
    reply.pipe(response);
    reply.once('error', () => response.destroy());
  });
  upstream.once('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  request.pipe(upstream);
});

function endToEnd({ connection, 'keep-alive': _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
