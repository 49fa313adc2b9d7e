import { dayOf } from '../../reserve/rules/request-id';
import { MalformedEvent, parseUsageEvent, type UsageEvent } from '../../settle/rules/usage-event';

/** Errors that occur before a model is known, so that there is no model to sum up by. */
const BEFORE_MODEL = new Set([
  'invalid_model',
  'model_not_found',
  'image_model_not_found',
  'video_model_not_found',
]);

/** The model under which a call is summed up; empty: none that the catalog has. */
export const summedModel = (model: string, errorCode: string): string =>
  BEFORE_MODEL.has(errorCode) ? '' : model;

export type RefusedCall = Omit<UsageEvent, 'outcome'> & { readonly outcome: 'refused' };

/** The status of calls whose client had disconnected before the answer. */
const CLIENT_DISCONNECTED = 499;

/** Throws `MalformedEvent`. */
export function parseRefusedCall(value: object): RefusedCall {
  const event = parseUsageEvent({ ...value, outcome: 'USAGE_OUTCOME_RELEASED' });
  if (event.errorCode === '' && event.status !== CLIENT_DISCONNECTED) {
    throw new MalformedEvent('a refused call has an error code');
  }
  return { ...event, outcome: 'refused' };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Whether the text is a calendar day, as `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  const timeMs = DAY.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(timeMs) && dayOf(timeMs) === text;
};
