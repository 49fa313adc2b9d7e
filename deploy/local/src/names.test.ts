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
  settleEarlierLives: 'recoverCalls',
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
  VIDEO_LOOK_TIMEOUT_MS: 'VIDEO_POLL_TIMEOUT_MS',
};

/** Words that were used instead of a term of the field, and the term. */
const PRIVATE_WORDS: Readonly<Record<string, string>> = {
  room: 'memory budget',
  place: 'concurrency limit',
  places: 'concurrency limit',
  turn: 'concurrency limit',
  turns: 'concurrency limit',
  share: 'quota',
  shares: 'quota',
  spool: 'upload',
  books: 'rates',
  life: 'epoch',
  lives: 'epoch',
  silence: 'lease',
  heard: 'heartbeat',
  look: 'poll',
  looks: 'poll',
  order: 'request',
  orders: 'request',
  manners: 'quirks',
};

const PATTERNS = ['*.ts', '*.tsx', '*.mjs', '*.cjs', '*.yml', '*.env.example', '*.md'];
/** This file, and the pages that describe renames. */
const EXEMPT = /\/names\.test\.ts$|^CHANGELOG\.md$|^docs\/adr\//;

const files = execFileSync('git', ['ls-files', ...PATTERNS], { cwd: REPOSITORY, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !EXEMPT.test(file));
const texts = new Map(files.map((file) => [file, readFileSync(join(REPOSITORY, file), 'utf8')]));

const kebab = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

test.each(Object.keys(REPLACED))('no file or identifier has the replaced name %s', (name) => {
  const identifier = new RegExp(`\\b${name}\\b`);
  const named = files.filter((file) => file.includes(`/${kebab(name)}.`));
  const using = files.filter((file) => identifier.test(texts.get(file) ?? ''));
  expect({ named, using, use: REPLACED[name] }).toEqual({ named: [], using: [], use: REPLACED[name] });
});

test('no setting or metric contains a replaced word', () => {
  const sources = files.filter((file) => /\/(settings|[a-z-]*metrics)\.ts$/.test(file));
  const names = sources.flatMap((file) => {
    const found = (texts.get(file) ?? '').matchAll(/^ {2}([A-Z][A-Z_]+):|'([a-z]+(?:_[a-z]+)+)'/gm);
    return [...found].map(([, setting, metric]) => setting ?? metric ?? '');
  });
  expect(names).toContain('KEY_PEPPER');
  expect(names).toContain('ledger_drift_nano');
  const isPrivate = (name: string) => name.split('_').some((word) => word.toLowerCase() in PRIVATE_WORDS);
  expect(names.filter(isPrivate)).toEqual([]);
});
