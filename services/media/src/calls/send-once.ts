import { GatewayError } from '@gateway/errors';
import type { Answered, Failover, Route, RoutedCall } from '@gateway/upstream';
import { NotStarted, onceVerdict } from '../domain/not-started';

export interface SentOnce<R extends Route, Answer> extends Omit<RoutedCall<R, Answer>, 'verdictOf'> {
  beforeAttempt(route: R): Promise<void>;
}

/**
 * Sends a request that must not be repeated if it may have been carried out: the next target is tried only if the previous one
 * certainly did not start.
 * @throws the error of the last attempt; NotStarted with the failure for which a retry is most promising
 */
export async function sendOnce<R extends Route, Answer>(
  failover: Pick<Failover, 'firstAnswer'>,
  call: SentOnce<R, Answer>,
): Promise<Answered<R, Answer>> {
  const sent = await failover.firstAnswer<R, Answer>({
    ...call,
    beforeAttempt: (route) => stored(call.beforeAttempt(route)),
    verdictOf: onceVerdict,
  });
  if ('answer' in sent) return sent;
  throw 'error' in sent ? sent.error : new NotStarted(sent.failure);
}

/** Wraps a failure before the request is sent: it is the gateway's error, not the provider's. */
async function stored(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    throw GatewayError.from(error);
  }
}
