import type { RequestTimings } from '../api/requests';

export interface Stage {
  readonly name: string;
  /** What happens in the stage. */
  readonly what: string;
  readonly ms: number;
  /** A color of the theme. */
  readonly color: 'gray' | 'indigo' | 'orange' | 'teal';
}

/** In order; stages that the request did not reach are left out. */
export function stagesOf(timings: RequestTimings): Stage[] {
  const { receive_ms, admit_ms, first_byte_ms, reply_ms } = timings;
  const stages: readonly (Omit<Stage, 'ms'> & { ms: number | null })[] = [
    { name: 'Request received', what: 'authenticated, body received', ms: receive_ms, color: 'gray' },
    {
      name: 'Authorization and reservation',
      what: 'validated, funds reserved',
      ms: admit_ms,
      color: 'indigo',
    },
    {
      name: 'First byte',
      what: 'waiting for the provider’s first byte',
      ms: first_byte_ms,
      color: 'orange',
    },
    { name: 'Reply', what: 'from the first byte to the last', ms: reply_ms, color: 'teal' },
  ];
  return stages.filter((stage): stage is Stage => stage.ms !== null);
}

/** Returns percentages of the bar; every stage has a visible width. */
export function widthsOf(stages: readonly Pick<Stage, 'ms'>[]): number[] {
  const MIN_PERCENT = 1;
  const total = stages.reduce((sum, { ms }) => sum + ms, 0);
  const wide = stages.map(({ ms }) => (ms > 0 ? Math.max(MIN_PERCENT, (ms / total) * 100) : 0));
  const sum = wide.reduce((all, width) => all + width, 0);
  return wide.map((width) => (sum > 0 ? (width / sum) * 100 : 0));
}
