import type { LinkHandler } from '@gateway/link';
import { Busy } from '../domain/busy';
import type { BusyMetrics } from '../metrics';

/** Counts the calls that `handler` has no room for. */
export const countedBusy =
  (metrics: BusyMetrics, handler: LinkHandler): LinkHandler =>
  (context, call) =>
    handler(context, call).catch((thrown: unknown) => {
      if (thrown instanceof Busy) metrics.refused(thrown.room, thrown.takenBy);
      throw thrown;
    });
