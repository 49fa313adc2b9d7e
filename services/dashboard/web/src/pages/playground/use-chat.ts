import { useEffect, useRef, useState } from 'react';
import { type ChatChunk, type ChatRequest, streamChat } from '../../api/playground';
import { type ChatTurn, isInProgress, toMessages, withChunks } from './chat-turn';

/** Rendering each chunk separately would take longer than the chunks do. */
const DRAW_INTERVAL_MS = 60;

export type ChatSettings = Omit<ChatRequest, 'messages'> & { readonly system: string };

export function useChat() {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const call = useRef<AbortController | undefined>(undefined);
  const lastId = useRef(0);
  // Leaving the page stops the reply and its cost.
  useEffect(() => () => call.current?.abort(), []);

  const change = (id: number, next: (turn: ChatTurn) => ChatTurn) =>
    setTurns((all) => all.map((turn) => (turn.id === id ? next(turn) : turn)));

  const ask = async (question: string, { system, ...settings }: ChatSettings, before = turns) => {
    const id = ++lastId.current;
    const { model, key_id: keyId } = settings;
    const startedMs = Date.now();
    const turn: ChatTurn = {
      id,
      question,
      model,
      keyId,
      startedMs,
      text: '',
      reasoning: '',
      state: 'waiting',
    };
    setTurns([...before, turn]);
    const abort = new AbortController();
    call.current = abort;
    try {
      const request = { ...settings, messages: toMessages(system, before, question) };
      const { requestId, chunks } = await streamChat(request, abort.signal);
      change(id, (so) => ({ ...so, requestId }));
      await inBatches(chunks, (some) => change(id, (so) => withChunks(so, some)));
      change(id, (so) => ({ ...so, state: 'done' }));
    } catch (error) {
      const state = abort.signal.aborted ? 'stopped' : 'failed';
      change(id, (so) => ({ ...so, state, ...(state === 'failed' && { error }) }));
    }
  };

  return {
    turns,
    isBusy: turns.some(isInProgress),
    ask,
    /** Sends the last prompt again, replacing its reply. */
    askAgain(settings: ChatSettings) {
      const last = turns.at(-1);
      if (last) void ask(last.question, settings, turns.slice(0, -1));
    },
    stop: () => call.current?.abort(),
    clear: () => {
      call.current?.abort();
      setTurns([]);
    },
  };
}

/** Passes chunks on in batches; also the remainder when the stream fails. */
async function inBatches(
  chunks: AsyncIterable<ChatChunk>,
  draw: (some: readonly ChatChunk[]) => void,
): Promise<void> {
  let waiting: ChatChunk[] = [];
  const flush = () => {
    if (waiting.length > 0) draw(waiting);
    waiting = [];
  };
  const timer = setInterval(flush, DRAW_INTERVAL_MS);
  try {
    for await (const chunk of chunks) waiting.push(chunk);
  } finally {
    clearInterval(timer);
    flush();
  }
}
