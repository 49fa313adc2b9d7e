import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Owner } from '@gateway/call-billing';
import { syncDirectory } from './segment';

/** Begins the next epoch of the journal in `directory`; durable when it returns. */
export function nextEpoch(directory: string): Owner {
  const file = path.join(directory, 'owner.json');
  const previous = readOwner(file);
  const owner = { id: previous?.id ?? randomUUID(), epoch: (previous?.epoch ?? 0n) + 1n };
  const fd = openSync(`${file}.new`, 'w', 0o600);
  writeSync(fd, JSON.stringify({ id: owner.id, epoch: owner.epoch.toString() }));
  fsyncSync(fd);
  closeSync(fd);
  renameSync(`${file}.new`, file);
  syncDirectory(directory);
  return owner;
}

function readOwner(file: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { id, epoch } = JSON.parse(text) as { id: string; epoch: string };
  return { id, epoch: BigInt(epoch) };
}
