import { sizeText } from '../domain/files/size';
import { NO_MEDIA } from '../domain/media-bill';
import type { CallOutcome } from '../domain/meter';
import { endingOf, stateOf, type Task, taskMs, urlTtlMs } from '../domain/task';
import { NO_USAGE } from '../domain/usage';
import type { Call } from '../http/call';
import { play, playLookUp, readJson, requestIdOf, type Scene, sendWhole } from './play';
import type { ProviderDeps } from './provider';
import { resultUrl } from './result-files';
import type { TaskDialect, TaskRequest } from './task-dialect';

/** A call that starts a task. It costs nothing; the task does, when it has ended well. */
export function playSubmit<R extends TaskRequest>(
  call: Call,
  deps: ProviderDeps,
  dialect: TaskDialect<R>,
  parse: (body: unknown) => R,
): Promise<void> {
  return play(call, deps, dialect, () => readJson(call, deps, dialect, parse), submit);
}

/** A look at a task: not metered, as any look-up. */
export function playPoll<R extends TaskRequest>(
  call: Call,
  deps: ProviderDeps,
  dialect: TaskDialect<R>,
  taskId: string,
): void {
  playLookUp(call, deps, dialect, (id) => {
    const task = deps.tasks.find(dialect.provider, taskId);
    if (task === undefined) throw dialect.unknownTask(taskId);
    const nowMs = deps.nowMs();
    const state = stateOf(task, nowMs);
    const word = nowMs >= task.endsAtMs ? (task.ending.word ?? dialect.words[state]) : dialect.words[state];
    const origin = originOf(call);
    const url = state === 'succeeded' ? resultUrl(origin, task, nowMs) : null;
    return dialect.toView({ task, state, word, url, id, origin });
  });
}

function submit<R extends TaskRequest>(scene: Scene<R, TaskDialect<R>>): CallOutcome {
  const { call, deps, voice, request, directive, identity } = scene;
  const taskId = directive.omit_task_id === true ? undefined : voice.toTaskId(identity.id, request);
  const nowMs = deps.nowMs();
  if (taskId !== undefined && !deps.tasks.add(toTask(scene, taskId, nowMs))) {
    throw voice.errorOfStatus(voice.overloadedStatus);
  }
  const body = voice.toAccepted({ request, taskId, identity, nowMs, origin: originOf(call) });
  const { size, tier, uploads } = request.job;
  const media = { ...NO_MEDIA, size: sizeText(size), tier, uploads, taskId: taskId ?? null };
  return sendWhole(scene, body, 1, { usage: NO_USAGE, media });
}

function toTask<R extends TaskRequest>(
  { call, voice, request, directive }: Scene<R, TaskDialect<R>>,
  id: string,
  nowMs: number,
): Task {
  const seconds = request.job.format === 'mp4' ? (directive.seconds ?? request.job.seconds) : 0;
  return {
    provider: voice.provider,
    id,
    ...(request.givenId !== undefined && { givenId: request.givenId }),
    model: request.model,
    requestId: requestIdOf(call),
    job: { ...request.job, seconds },
    submittedAtMs: nowMs,
    endsAtMs: nowMs + taskMs(directive),
    ending: endingOf(directive, voice.words),
    urlTtlMs: urlTtlMs(directive),
  };
}

function originOf({ req }: Call): string {
  return `http://${req.headers.host ?? 'localhost'}`;
}
