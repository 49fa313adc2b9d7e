import { useEffect, useRef, useState } from 'react';
import { getVideoStatus, type VideoTask } from '../../api/playground';
import { nextPoll, type PollResult } from './next-poll';
import type { StoredVideo } from './video-memory';

export interface VideoPolling {
  readonly of: ReadonlyMap<string, PollResult>;
  /** Polls immediately. */
  pollNow(taskId: string): void;
}

/** Polls tasks until they end, one at a time, and only while the page is visible. */
export function useVideoPolling(
  videos: readonly StoredVideo[],
  onResult: (video: StoredVideo, task: VideoTask) => void,
): VideoPolling {
  const [results, setResults] = useState<ReadonlyMap<string, PollResult>>(new Map());
  const latest = useRef({ videos, results, onResult });
  latest.current = { videos, results, onResult };
  const isPolling = useRef(false);
  const [isVisible, setIsVisible] = useState(!document.hidden);
  useEffect(() => {
    const notice = () => setIsVisible(!document.hidden);
    document.addEventListener('visibilitychange', notice);
    return () => document.removeEventListener('visibilitychange', notice);
  }, []);

  useEffect(() => {
    const open = videos.filter(({ isCompleted }) => !isCompleted);
    const next = isVisible && !isPolling.current ? nextPoll(open, results, Date.now()) : undefined;
    if (!next) return;
    const poll = async () => {
      const video = latest.current.videos.find(({ task_id }) => task_id === next.taskId);
      if (!video || isPolling.current) return;
      isPolling.current = true;
      const result = await pollTask(video, latest.current.results.get(next.taskId));
      isPolling.current = false;
      setResults((before) => new Map(before).set(next.taskId, result));
      if (result.task && result.error === undefined) latest.current.onResult(video, result.task);
    };
    const timer = setTimeout(() => void poll(), next.waitMs);
    return () => clearTimeout(timer);
  }, [videos, results, isVisible]);

  return {
    of: results,
    pollNow: (taskId) =>
      setResults((before) => {
        const task = before.get(taskId)?.task;
        return new Map(before).set(taskId, { ...(task && { task }), polledMs: 0, failures: 0 });
      }),
  };
}

async function pollTask(
  { task_id, provider, key_id }: StoredVideo,
  before: PollResult | undefined,
): Promise<PollResult> {
  try {
    const task = await getVideoStatus({ task_id, provider, key_id });
    return { task, polledMs: Date.now(), failures: 0 };
  } catch (error) {
    const failures = (before?.failures ?? 0) + 1;
    return { ...(before?.task && { task: before.task }), error, polledMs: Date.now(), failures };
  }
}
