/** The parts of the output of `node --cpu-prof` that are read here. */
export interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export interface TimeWindow {
  readonly fromUs: number;
  readonly toUs: number;
}

export interface SpentTime {
  readonly where: string;
  readonly us: number;
}

/** Returns the self time of each function, longest first, without idle time. */
export function timeByFunction(profile: CpuProfile, windows: readonly TimeWindow[]): SpentTime[] {
  return sumByName(
    profile,
    windows,
    new Map(profile.nodes.map(({ id, callFrame }) => [id, describe(callFrame)])),
  );
}

/**
 * Returns the time by dependency or source file. The time of Node's own code counts for the dependency or file that called
 * it.
 */
export function timeByCause(profile: CpuProfile, windows: readonly TimeWindow[]): SpentTime[] {
  const causes = new Map<number, string>();
  // Parents precede their children.
  for (const { id, callFrame, children } of profile.nodes) {
    const cause = ownerOf(callFrame) ?? causes.get(id) ?? 'node';
    for (const child of children ?? []) causes.set(child, cause);
    // Idle time and garbage collection are not attributed to a caller.
    const isState = callFrame.url === '' && callFrame.functionName.startsWith('(');
    causes.set(id, isState ? callFrame.functionName : cause);
  }
  return sumByName(profile, windows, causes);
}

function sumByName(
  profile: CpuProfile,
  windows: readonly TimeWindow[],
  names: ReadonlyMap<number, string>,
): SpentTime[] {
  const sums = new Map<string, number>();
  let atUs = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0;
    atUs += deltaUs;
    const where = names.get(id) ?? '?';
    if (where === '(idle)' || !windows.some(({ fromUs, toUs }) => atUs >= fromUs && atUs <= toUs)) continue;
    sums.set(where, (sums.get(where) ?? 0) + deltaUs);
  }
  return [...sums].map(([where, us]) => ({ where, us })).sort((one, other) => other.us - one.us);
}

function describe({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName || '(anonymous)';
  // The end of the path identifies the file; its beginning is the same for all.
  return url === '' ? name : `${name} ${url.split('/').slice(-4).join('/')}:${lineNumber + 1}`;
}

/** Returns undefined for Node's own code. */
function ownerOf({ url }: CallFrame): string | undefined {
  if (url === '' || url.startsWith('node:')) return undefined;
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url);
  return dependency?.[1] ?? url.split('/').slice(-4).join('/');
}
