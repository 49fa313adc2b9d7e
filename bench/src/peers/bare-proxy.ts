import http, { type IncomingHttpHeaders } from 'node:http';

// The least that a reverse proxy on Node can do: connections kept on both sides, bytes passed on as they come,
// nothing looked at. Run as a process of its own with the origin to pass on to.
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
