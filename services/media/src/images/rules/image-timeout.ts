import { GatewayError } from '@gateway/errors';

/** How a caller gets the images of a job that continues after its response. */
export type RepeatBy =
  /** With the Idempotency-Key of the call. */
  | { readonly by: 'same-key' }
  /** With this Idempotency-Key, which is the id of the request that timed out. */
  | { readonly by: 'request-id'; readonly key: string }
  /** Not at all: the database did not store the key. */
  | { readonly by: 'nothing' };

const CONTINUES = 'the job may still finish and be billed';
const WITHOUT_PAYING_TWICE = 'to get the image without paying twice, repeat the same request with';

const DETAILS = {
  'same-key': `${CONTINUES}; ${WITHOUT_PAYING_TWICE} the same Idempotency-Key`,
  nothing: `${CONTINUES}; it can't be repeated safely: check the request log first`,
};

/** For a call whose job continues. */
export function imageTimeout(repeat: RepeatBy, cause?: unknown): GatewayError {
  const detail =
    repeat.by === 'request-id'
      ? `${CONTINUES}; ${WITHOUT_PAYING_TWICE} the Idempotency-Key ${repeat.key}, the X-Request-Id of this response`
      : DETAILS[repeat.by];
  return new GatewayError('image_generation_timeout', { detail, cause });
}

/** For a call with a key whose first call has no known outcome and was not billed. */
export const imageEndUnknown = () =>
  new GatewayError('image_generation_timeout', {
    detail:
      'the outcome of the first request with this Idempotency-Key is unknown, and it was not billed; ' +
      'to generate the image again, use another Idempotency-Key',
  });
