/** What `node --cpu-prof` writes, as far as it is read here. */
export interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface TimeWindow {
  readonly fromUs: number;
  readonly toUs: number;
}

export interface SelfTime {
  readonly where: string;
  readonly us: number;
}

/** Time spent in each function itself within the windows, the longest first; idling left out. */
export function selfTimes(profile: CpuProfile, windows: readonly TimeWindow[]): SelfTime[] {
  const whereById = new Map(profile.nodes.map(({ id, callFrame }) => [id, describe(callFrame)]));
  const sums = new Map<string, number>();
  let atUs = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0;
    atUs += deltaUs;
    const where = whereById.get(id) ?? '?';
    if (where === '(idle)' || !windows.some(({ fromUs, toUs }) => atUs >= fromUs && atUs <= toUs)) continue;
    sums.set(where, (sums.get(where) ?? 0) + deltaUs);
  }
  return [...sums].map(([where, us]) => ({ where, us })).sort((one, other) => other.us - one.us);
}

function describe(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const name = frame.functionName || '(anonymous)';
  if (frame.url === '') return name;
  // The last folders of the path tell whose it is; those before are the same for all.
  const path = frame.url
    .replace(/^file:\/\//, '')
    .split('/')
    .slice(-4)
    .join('/');
  return `${name} ${path}:${frame.lineNumber + 1}`;
}
