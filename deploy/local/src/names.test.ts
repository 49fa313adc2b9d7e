import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@gateway/local-stack';
import { expect, test } from '@jest/globals';

/** Former names, and the terms that replaced them. `docs/glossary.md` defines the terms. */
const REPLACED: Readonly<Record<string, string>> = {
  BodyRoom: 'BodyMemoryBudget',
  ReplyRoom: 'ReplyMemoryBudget',
  JobRoom: 'JobLimiter',
  ByteShares: 'Quota',
  keptOf: 'reservedCapacity',
  CallPlaces: 'ConcurrencyLimiter',
  AccountTurns: 'FairSemaphore',
  CountingShare: 'TokenizerCpuBudget',
  SpoolBudget: 'Quota',
  FreshQuestions: 'RequestCoalescer',
  SharedLooks: 'SingleFlightCache',
  VideoLooker: 'VideoStatusClient',
  BusyKeys: 'InFlightKeys',
  KeyNotes: 'IdempotencyWriter',
  openBooks: 'createBilling',
  BillKeeper: 'BillOutbox',
  SilenceWatch: 'FailureDetector',
  nextLife: 'nextEpoch',
  settleEarlierLives: 'recoverPreviousEpochs',
  RatePlace: 'RateReservation',
  KnownTerms: 'RateLimitCache',
  recallRates: 'loadRecentUsage',
  PassedBody: 'StreamedUpload',
  SentBody: 'StreamedUpload',
  AnsweredCall: 'ServerCall',
  largeGarbage: 'collectLargeBuffers',
  AlikeEvents: 'no replacement',
  KIN: 'COMPATIBLE',
  Manners: 'Quirks',
  moreHopeful: 'preferRetryable',
  mayKnow: 'canAccess',
  unthoughtTurn: 'withoutThinkingBudget',
  wordlessThought: 'isEmptyThinking',
  foreignThinking: 'isRefusedThinking',
  BegunCall: 'StartedReply',
  EDGE_MAX_BODIES_BYTES: 'EDGE_BODY_MEMORY_BYTES',
  MAX_BODIES_BYTES: 'BODY_MEMORY_BYTES',
  MAX_REPLIES_BYTES: 'REPLY_MEMORY_BYTES',
  CIRCUIT_WAIT_MS: 'CIRCUIT_OPEN_MS',
  INSTANCE_SILENCE_MS: 'INSTANCE_LEASE_MS',
};

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.cjs', '*.yml', '*.env.example'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.endsWith('/names.test.ts'));

const kebab = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

test.each(Object.keys(REPLACED))('no file or identifier is named %s again', (name) => {
  const identifier = new RegExp(`\\b${name}\\b`);
  const named = files.filter((file) => file.includes(`/${kebab(name)}.`));
  const using = files.filter((file) => identifier.test(readFileSync(join(REPOSITORY, file), 'utf8')));
  expect({ named, using, use: REPLACED[name] }).toEqual({ named: [], using: [], use: REPLACED[name] });
});
