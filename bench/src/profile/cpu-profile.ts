/** What `node --cpu-prof` writes, as far as it is read here. */
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

/** Time spent in each function itself, the longest first; idling left out. */
export function timeByFunction(profile: CpuProfile, windows: readonly TimeWindow[]): SpentTime[] {
  return sumUp(
    profile,
    windows,
    new Map(profile.nodes.map(({ id, callFrame }) => [id, describe(callFrame)])),
  );
}

/**
 * The same by the dependency or source file that caused it: what Node itself does counts for whoever of those
 * called it.
 */
export function timeByCause(profile: CpuProfile, windows: readonly TimeWindow[]): SpentTime[] {
  const causes = new Map<number, string>();
  // Parents stand before their children.
  for (const { id, callFrame, children } of profile.nodes) {
    const cause = ownerOf(callFrame) ?? causes.get(id) ?? 'node';
    for (const child of children ?? []) causes.set(child, cause);
    // Idling and collecting are nobody's doing.
    const isState = callFrame.url === '' && callFrame.functionName.startsWith('(');
    causes.set(id, isState ? callFrame.functionName : cause);
  }
  return sumUp(profile, windows, causes);
}

function sumUp(
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
  // The last folders of the path tell whose it is; those before are the same for all.
  return url === '' ? name : `${name} ${url.split('/').slice(-4).join('/')}:${lineNumber + 1}`;
}

/** Undefined for Node's own code. */
function ownerOf({ url }: CallFrame): string | undefined {
  if (url === '' || url.startsWith('node:')) return undefined;
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url);
  return dependency?.[1] ?? url.split('/').slice(-4).join('/');
}
