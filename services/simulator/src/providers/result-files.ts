import { createHash } from 'node:crypto';
import { drawImage } from '../domain/files/image';
import { toMp4 } from '../domain/files/mp4';
import { seedOf } from '../domain/image-spec';
import { signLink } from '../domain/signer';
import type { Task } from '../domain/task';
import type { Call } from '../http/call';
import { sendJson } from '../http/send';
import type { ProviderDeps } from './provider';

const TYPES = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp', mp4: 'video/mp4' };

// /files/{provider}/{task id}/{expiry, ms}/{signature}.{format}
const LINK = /^\/files\/([a-z]+)\/([\w.-]{1,256})\/(\d{1,16})\/([0-9a-f]{64})\.[a-z0-9]+$/;

/** Returns a signed link as storage services create them: it needs no key, expires, and contains its expiry. */
export function resultUrl(origin: string, { provider, id, job, urlTtlMs }: Task, nowMs: number): string {
  const endsAtMs = nowMs + urlTtlMs;
  const path = `${provider}/${id}/${endsAtMs}`;
  return `${origin}/files/${path}/${signLink(path)}.${job.format}?Expires=${Math.floor(endsAtMs / 1_000)}`;
}

/** Answers a GET of a result link: 403 after its expiry, 404 after the task was deleted. */
export function handleFile(call: Call, path: string, deps: Pick<ProviderDeps, 'tasks' | 'nowMs'>): void {
  const nowMs = deps.nowMs();
  const [, provider = '', id = '', expiry = '', signature] = LINK.exec(path) ?? [];
  const task = deps.tasks.find(provider, id);
  if (call.req.method !== 'GET') refuse(call, 405, 'MethodNotAllowed');
  else if (signature !== signLink(`${provider}/${id}/${expiry}`)) refuse(call, 403, 'SignatureDoesNotMatch');
  else if (nowMs >= Number(expiry)) refuse(call, 403, 'AccessDenied: Request has expired');
  else if (task === undefined) refuse(call, 404, 'NoSuchKey');
  else sendResult(call, task);
}

/** Sends the file; its bytes are the same each time, and for each task of the same request. */
export function sendResult(call: Call, { job }: Task): void {
  const file = render(job);
  call.res.writeHead(200, { 'content-type': TYPES[job.format], 'content-length': file.length });
  call.res.end(file);
}

function render({ format, size, seconds, ...spec }: Task['job']): Buffer {
  const seed = seedOf(spec, 0);
  if (format !== 'mp4') return drawImage(format, size, seed);
  return toMp4(size, seconds, createHash('sha256').update(seed).digest());
}

function refuse(call: Call, status: number, message: string): void {
  sendJson(call.res, status, { error: { message } });
}
