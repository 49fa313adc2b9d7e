import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../report/table';
import { type CpuProfile, type SpentTime, type TimeWindow, timeByCause, timeByFunction } from './cpu-profile';

const TOP = 30;

/** Returns the most expensive causes and functions of every service with a profile, per call or chunk. */
export function formatProfiles(dir: string, windows: readonly TimeWindow[], units: number): string {
  const parts: string[] = [];
  for (const service of readdirSync(dir)) {
    for (const file of readdirSync(join(dir, service)).filter((name) => name.endsWith('.cpuprofile'))) {
      const profile: CpuProfile = JSON.parse(readFileSync(join(dir, service, file), 'utf8'));
      parts.push(ranking(`${service}, by cause`, timeByCause(profile, windows), units));
      parts.push(ranking(`${service}, by function`, timeByFunction(profile, windows), units));
    }
  }
  return parts.join('\n\n');
}

function ranking(title: string, times: readonly SpentTime[], units: number): string {
  const totalUs = times.reduce((sum, { us }) => sum + us, 0);
  const rows = times
    .slice(0, TOP)
    .map(({ where, us }) => [where, (us / units).toFixed(2), `${((100 * us) / totalUs).toFixed(1)} %`]);
  return table([[title, 'µs', 'share'], ['all', (totalUs / units).toFixed(2), '100 %'], ...rows]);
}
