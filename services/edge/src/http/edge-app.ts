import express, { type ErrorRequestHandler, type Express } from 'express';
import type { EdgeListener } from './edge-listener';
import type { Exchange } from './exchange';
import { assertSaneHead } from './request-headers';

/**
 * The request pipeline: begin, check the head, answer; with one exit for all errors. Express's own responses (404, error
 * page, HEAD and OPTIONS) are never reached: `answer` either answers or rejects.
 */
export function createEdgeApp(
  listener: EdgeListener,
  answer: (exchange: Exchange) => Promise<void>,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.use((request, response, next) => {
    // The parser continues with received bytes that belong to no valid request.
    if (listener.hasRefused(request.socket)) return;
    response.locals.exchange = listener.begin(request, response);
    next();
  });
  app.use((request, response) => {
    const { exchange } = response.locals;
    try {
      assertSaneHead(request);
    } catch (thrown) {
      return listener.refuse(exchange, thrown);
    }
    return answer(exchange);
  });
  const onError: ErrorRequestHandler = (thrown, _request, response, _next) => {
    listener.fail(response.locals.exchange, thrown);
  };
  app.use(onError);
  return app;
}
