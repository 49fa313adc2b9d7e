import { readdirSync, readlinkSync } from 'node:fs';

/** How many of this process's open files are, or were, in the folder. */
export function openFilesIn(directory: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory);
    } catch {
      // The one by which the list was read.
      return false;
    }
  }).length;
}
