import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../report/table';
import { type CpuProfile, selfTimes, type TimeWindow } from './cpu-profile';

const TOP = 40;

/** One table for every service that left a profile: its costliest functions, per call or chunk. */
export function formatProfiles(dir: string, windows: readonly TimeWindow[], units: number): string {
  const parts: string[] = [];
  for (const service of readdirSync(dir)) {
    for (const file of readdirSync(join(dir, service)).filter((name) => name.endsWith('.cpuprofile'))) {
      const profile: CpuProfile = JSON.parse(readFileSync(join(dir, service, file), 'utf8'));
      parts.push(formatProfile(service, profile, windows, units));
    }
  }
  return parts.join('\n\n');
}

function formatProfile(
  service: string,
  profile: CpuProfile,
  windows: readonly TimeWindow[],
  units: number,
): string {
  const times = selfTimes(profile, windows);
  const totalUs = times.reduce((sum, { us }) => sum + us, 0);
  const rows = times
    .slice(0, TOP)
    .map(({ where, us }) => [where, (us / units).toFixed(2), `${((100 * us) / totalUs).toFixed(1)} %`]);
  return table([[service, 'µs', 'share'], ['all', (totalUs / units).toFixed(2), '100 %'], ...rows]);
}
