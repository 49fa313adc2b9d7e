import type { ChatChunk, ChatMessage, ChatUsage } from '../../api/playground';

/** A prompt and its reply. */
export interface ChatTurn {
  readonly id: number;
  readonly question: string;
  readonly text: string;
  readonly reasoning: string;
  readonly model: string;
  readonly keyId: string;
  readonly state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  readonly startedMs: number;
  readonly finishReason?: string;
  readonly usage?: ChatUsage;
  readonly requestId?: string;
  readonly error?: unknown;
}

export function withChunks(turn: ChatTurn, chunks: readonly ChatChunk[]): ChatTurn {
  const of = (name: 'text' | 'reasoning') => chunks.map((chunk) => chunk[name] ?? '').join('');
  return {
    ...turn,
    ...Object.assign({}, ...chunks),
    state: 'streaming',
    text: turn.text + of('text'),
    reasoning: turn.reasoning + of('reasoning'),
  };
}

/** Returns the messages to send; prompts without any reply are left out. */
export function toMessages(system: string, turns: readonly ChatTurn[], question: string): ChatMessage[] {
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system } as const]),
    ...turns
      .filter(({ text }) => text !== '')
      .flatMap((turn): ChatMessage[] => [
        { role: 'user', content: turn.question },
        { role: 'assistant', content: turn.text },
      ]),
    { role: 'user', content: question },
  ];
}

export const isInProgress = ({ state }: ChatTurn): boolean => state === 'waiting' || state === 'streaming';
